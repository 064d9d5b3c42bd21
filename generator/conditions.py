"""An explanation as what pages print: sentences with links, settings, ways out, next checks, possible items.

Everything that it returns is escaped for Markdown and HTML; it computes nothing about the checks themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from generator import escape
from generator.automatic import Automatic
from generator.by_setting import EVERYWHERE, listed_items
from generator.catalog import Catalog, Error, Occurrence
from generator.declarations import Field, Helper, Variable
from generator.explain import Explainer, Explanation, Involved
from generator.guards import Guard, Kind, Origin
from generator.lists import Item
from generator.pins import Pin
from generator.settings import Setting, Sort, behind
from generator.ways_out import Change, Way
from generator.words import Sentence

_OFF, _NOT_SET = " is off or not set", " is not set"
"""The second says the first, and more."""
_FEW_AUTOMATIC = 2
_FEW_CONDITIONS = 4


@dataclass(frozen=True)
class ConditionRow:
    """One condition of a check."""

    html: str
    """The sentence, with each setting linked to its row."""
    text: str
    """The same as plain Markdown."""
    code: str | None
    """The code beside it; None when the sentence is the code."""
    line: int
    url: str
    origin: Origin


@dataclass(frozen=True)
class SettingRow:
    """One setting in the table of an error."""

    anchor: str
    name: str
    """Of its page."""
    label: str
    spellings: str
    """Other spellings, as HTML; may be empty."""
    type_html: str
    meaning_html: str
    url: str
    """The declaration, pinned; empty for a variable that no pinned file declares."""
    automatic: tuple[str, ...]
    """Where the documented project assigns it, as HTML."""
    more: int
    """How many assignments are left out."""
    through: str
    """The property that reads it, as HTML; empty when the check itself does."""


@dataclass(frozen=True)
class WayRow:
    """One way out."""

    html: str
    """What to set, in words."""
    forms: tuple[tuple[str, str], ...]
    """Kind and text of each spelling."""
    effect: str | None
    """`keeps` or `drops` the feature, as the analysis says; None when it does not say."""
    is_automatic: bool
    """Whether the documented project may set it itself."""


@dataclass(frozen=True)
class NextRow:
    """One later check."""

    message: str
    slug: str
    html: str
    """Its own condition."""


@dataclass(frozen=True)
class ItemRow:
    """One text that a placeholder can print."""

    text: str
    releases: str
    html: str
    """Its conditions."""
    is_current: bool
    """Whether the newest pin that raises the error prints it so."""


def anchor(name: str) -> str:
    """The id of a setting's row."""
    return f"set-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}"


def condition_rows(
    error: Error, occurrence: Occurrence, sentences: Iterable[Sentence], catalog: Catalog
) -> list[ConditionRow]:
    """Conditions of a check, in order; settings are linked to their rows, those of earlier checks to their pages."""
    explanation = catalog.explanation(occurrence)
    rows = frozenset(each.setting.name for each in explanation.involved) if explanation else frozenset()
    return [
        ConditionRow(
            html=sentence_html(each, catalog.setting_pages, rows),
            text=each.text or f"`{escape.one_line(each.guard.text)}` {guard_words(each.guard)}",
            code=each.guard.text if each.text else None,
            line=each.guard.line,
            url=occurrence.pin.permalink(error.repository, occurrence.path, each.guard.line),
            origin=each.guard.origin,
        )
        for each in sentences
    ]


def conditions_html(occurrence: Occurrence, catalog: Catalog) -> list[str]:
    """The conditions of a check that tell, with links to the pages of their settings."""
    explanation = catalog.explanation(occurrence)
    return [
        sentence_html(each, catalog.setting_pages)
        for each in (explanation.conditions if explanation else ())
        if _tells(each)
    ]


def _tells(sentence: Sentence) -> bool:
    """Whether it says more than that there is a model."""
    return not sentence.settings or bool({each.key for each in sentence.settings} - EVERYWHERE)


def sentence_html(sentence: Sentence, pages: Collection[str], rows: Collection[str] = ()) -> str:
    """A sentence with each setting linked: to its row in this page if it is among `rows`, else to its page if it has
    one.
    """

    def link(setting: Setting, text: str) -> str:
        if setting.name in rows:
            return f'<a href="#{anchor(setting.name)}">{text}</a>'
        return (
            f'<a href="../../settings/{escape.attribute(setting.name)}/">{text}</a>' if setting.name in pages else text
        )

    if sentence.text is None:
        told = f"{escape.code(sentence.guard.text)} {guard_words(sentence.guard)}"
        names = ", ".join(link(each, escape.code(each.label)) for each in sentence.settings)
        lines = f", computed in {escape.inline(sentence.computed)}" if sentence.computed else ""
        return f"{told} (reads {names}{lines})" if names else told
    by_label = {each.label: each for each in sentence.settings}
    pieces = sentence.text.split("`")
    linked = any(piece in by_label for piece in pieces[1::2])
    html = "".join(
        (link(by_label[piece], escape.code(piece)) if piece in by_label else escape.code(piece))
        if index % 2
        else escape.inline_keeping_ends(piece)
        for index, piece in enumerate(pieces)
    )
    return html if linked or not sentence.settings else link(sentence.settings[0], html)


def guard_words(guard: Guard) -> str:
    """What must be the case, after the code of the guard."""
    match guard.kind:
        case Kind.LOOP:
            return "runs" if guard.holds else "has run to its end"
        case Kind.WITH:
            return "has been entered"
        case Kind.CASE:
            return "matches" if guard.holds else "does not match"
        case Kind.EXCEPT:
            return "has caught an exception"
        case Kind.UNREACHABLE:
            return ": no path leads here"
    return "is true" if guard.holds else "is false"


def setting_rows(error: Error, occurrence: Occurrence, catalog: Catalog) -> list[SettingRow]:
    """The settings that a check reads, those that its analysis names at once first, those behind properties last."""
    explanation = catalog.explanation(occurrence)
    explainer = catalog.explainers.get(occurrence.pin.label)
    if explanation is None or explainer is None:
        return []
    return [_setting_row(error.repository, each, explainer) for each in told_first(error, explanation.involved)]


def told_first(error: Error, involved: Iterable[Involved]) -> list[Involved]:
    """The settings that summary and first solution name, then the others; each in the order in which they are read."""
    told = f"{error.analysis.summary} {error.analysis.solutions[0]}" if error.analysis else ""
    names = re.findall(r"[\w.-]+", told)
    return sorted(involved, key=lambda each: not {each.setting.label, each.setting.label.rpartition(".")[2]} & {*names})


def _setting_row(repository: str, involved: Involved, explainer: Explainer) -> SettingRow:
    setting = involved.setting
    assigned = explainer.automatic.get(setting.key, ())
    return SettingRow(
        anchor=anchor(setting.name),
        name=setting.name,
        label=setting.label,
        spellings=spellings_html(setting),
        type_html=type_html(setting, explainer),
        meaning_html=escape.inline(setting.declared.summary or ""),
        url=declared_url(repository, setting, explainer),
        automatic=tuple(automatic_html(repository, each, explainer) for each in assigned[:_FEW_AUTOMATIC]),
        more=max(0, len(assigned) - _FEW_AUTOMATIC),
        through=", ".join(escape.code(each.label) for each in involved.through),
    )


def spellings_html(setting: Setting) -> str:
    """The ways to set a setting, besides its label."""
    found: list[str] = []
    for route in setting.routes[:2]:
        flag = route.flag
        if flag and not route.keys:
            found += [escape.code(each) for each in (*flag.aliases, flag.negative) if each]
        elif flag:
            inner = '": {"'.join(route.keys)
            found.append(escape.code(f"{flag.name} '{{\"{inner}\": …}}'") if len(route.keys) == 1 else "")
        if route.argument:
            found.append(f"Python {escape.code('.'.join([route.argument, *route.keys]))}")
        if route != setting.routes[0] and flag:
            found.append(escape.code(f"--{route.name}"))
    if setting.sort is Sort.ENVIRONMENT:
        found.append("environment variable")
    elif setting.sort is Sort.COMPUTED:
        found.append("computed, cannot be set")
    elif not setting.routes:
        found.append("no flag and no argument sets it")
    return ", ".join(dict.fromkeys(each for each in found if each))


def type_html(setting: Setting, explainer: Explainer) -> str:
    """Type and default; of a computed setting, what it is computed from."""
    declared = setting.declared
    if isinstance(declared, Helper):
        names = [escape.code(each.label) for each in behind(explainer.arguments, setting)]
        return f"computed from {', '.join(names)}" if names else "computed"
    kind = escape.code(declared.annotation) if declared.annotation else ""
    if isinstance(declared, Field) and declared.default is None:
        return kind
    default = declared.default if declared.default is not None else "not set"
    return f"{kind}, default {escape.code(default)}" if kind else ""


def declared_url(repository: str, setting: Setting, explainer: Explainer) -> str:
    """Where a setting is declared, pinned."""
    declared = setting.declared
    if isinstance(declared, Variable) and not declared.path:
        return ""
    return explainer.arguments.declarations.permalink(repository, declared.path, declared.line)


def automatic_html(repository: str, assigned: Automatic, explainer: Explainer, prefix: str = "../settings/") -> str:
    """One assignment by the documented project: the value, when, and where."""
    conditions = [each for each in assigned.conditions if _tells(each)]
    told = {each.text for each in conditions}
    conditions = [
        each for each in conditions if f"{(each.text or '').removesuffix(_OFF)}{_NOT_SET}" not in told - {each.text}
    ]
    shown = " and ".join(_brief(each) for each in conditions[-_FEW_CONDITIONS:])
    more = "… and " if len(conditions) > _FEW_CONDITIONS else ""
    when = f" when {more}{shown}" if shown else ""
    url = explainer.arguments.declarations.permalink(repository, assigned.path, assigned.line)
    where = f"{assigned.path.rpartition('/')[2]}:{assigned.line}"
    return f"to {escape.code(_short(assigned.value))}{when} ([{escape.inline(where)}]({url}))"


def _brief(sentence: Sentence) -> str:
    if sentence.text is None:
        return f"{escape.code(_short(sentence.guard.text))} {guard_words(sentence.guard)}"
    return f"({escape.prose(sentence.text)})" if ", or " in sentence.text else escape.prose(sentence.text)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def way_rows(error: Error, explanation: Explanation, explainer: Explainer | None) -> list[WayRow]:
    """The ways out, those of the last condition first."""
    effects = error.analysis.ways_out if error.analysis else {}
    assigned = explainer.automatic if explainer else {}
    return [
        WayRow(
            html=" and ".join(change_html(change) for change in way.changes),
            forms=tuple((form.kind, form.text) for change in way.changes for form in change.forms),
            effect=next((effects[name] for name in _way_names(way) if name in effects), None),
            is_automatic=any(change.setting.key in assigned for change in way.changes),
        )
        for way in explanation.ways
    ]


def _way_names(way: Way) -> list[str]:
    """How an analysis can name a way: by the label of a setting that it changes."""
    return [change.setting.label for change in way.changes]


def change_html(change: Change) -> str:
    """One change in words."""
    label = escape.code(change.setting.label)
    match change.value:
        case None:
            verb = "unset" if change.setting.sort is Sort.ENVIRONMENT else "leave out"
            return f"{verb} {label}"
        case "true":
            return f"switch on {label}"
        case "false":
            return f"switch off {label}"
        case "…":
            return f"give {label}"
    bound = f" {change.bound}" if change.bound else ""
    return f"set {label} to {escape.code(change.value)}{bound}"


def next_rows(error: Error, explanation: Explanation, catalog: Catalog) -> list[NextRow]:
    """The checks that follow in the same function."""
    found: list[NextRow] = []
    for each in explanation.next:
        other = catalog.by_wording.get((error.path, each.site.template.text))
        if other is not None and other.slug != error.slug:
            html = " and ".join(sentence_html(sentence, catalog.setting_pages) for sentence in each.conditions)
            found.append(NextRow(each.site.template.text, other.slug, html))
    return found


def item_rows(error: Error, catalog: Catalog) -> list[tuple[str, list[ItemRow]]]:
    """Placeholder → everything that it can print, over all documented releases, newest first."""
    found = listed_items(error, catalog)
    return [
        (
            placeholder,
            [
                ItemRow(
                    each.text,
                    pin_ranges(each.pins, [pin for pin in catalog.pins if pin.documented]),
                    _alternatives(each.items, catalog),
                    error.primary.pin in each.pins,
                )
                for each in items
            ],
        )
        for placeholder, items in found.items()
    ]


def pin_ranges(having: Sequence[Pin], pins: Sequence[Pin]) -> str:
    """Some of the pins in words, oldest first, neighbours drawn together; `pins` are newest first."""
    labels, runs = {pin.label for pin in having}, [[""]]
    for pin in reversed(pins):
        runs += [[]] if pin.label not in labels else []
        runs[-1] += [pin.label] if pin.label in labels else []
    runs[0].remove("")
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs if run)


def _alternatives(items: Sequence[Item], catalog: Catalog) -> str:
    """The conditions of one item that tell; of an item that several statements add, each on its own."""
    told = [
        " and ".join(
            f"({html})" if ", or " in (html := sentence_html(each, catalog.setting_pages)) else html
            for each in item.conditions
            if _tells(each)
        )
        for item in items
    ]
    return "; or ".join(dict.fromkeys(each or "always" for each in told))
