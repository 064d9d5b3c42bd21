"""One `Error` → Markdown, and the index of all errors, through `templates/`.

Decides what a page shows; how it looks is in the templates. Reads nothing but the templates.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

import jinja2

from generator import conditions, escape, listing
from generator.by_setting import Entry, Settings
from generator.catalog import Catalog, Error
from generator.endpoints import github_url, page_slug, placeholder_documents, status_document
from generator.errors import TemplateError
from generator.excerpt import CLOSE, Excerpt, excerpt_html
from generator.extract import RaiseSite
from generator.guards import Guard, Origin
from generator.history import Change, Comparison, Difference, Step, badges, release_ranges, since_review, timeline
from generator.listing import VERDICTS, Topic
from generator.message import Placeholder
from generator.pictures import releases_svg, timeline_svg, topics_svg
from generator.pins import Pin
from generator.related import related_errors
from generator.setting_pages import index_view, setting_view
from generator.settings import Coverage
from generator.words import Sentence

_FEW_CHECKS = 4
"""Earlier checks are listed among the conditions up to this number, and folded away beyond it."""

_INPUT = "ArgsKwargs((), {'model_co... 'shutdown_timeout': 0})"
"""How pydantic shortens the arguments of the configuration, as seen with vLLM 0.28.0 and 0.33.0."""
_FURTHER = "For further information visit https://errors.pydantic.dev/2.14/v/"
"""The last line; the number is the version of pydantic."""


_FEW_SETTINGS = 6
"""So many settings are named at the top of a page; the table below has them all."""


@dataclass(frozen=True)
class Addresses:
    """Where the site is published."""

    site_url: str | None = None
    """Root of the site, with a final slash; None when it is not known, and then no absolute address is written."""
    repo_url: str | None = None
    """Our own repository, without a final slash; None leaves out the report link."""


def render_error(error: Error, catalog: Catalog, addresses: Addresses) -> str:
    """The page of one error."""
    return _render("error.md.jinja", **_view(error, catalog, addresses))


def render_twin(error: Error, catalog: Catalog, addresses: Addresses) -> str:
    """The same as plain Markdown for programs: no theme syntax, code in fences, text as it is."""
    return _render("error.twin.md.jinja", **_view(error, catalog, addresses))


def render_index(catalog: Catalog) -> str:
    """The table of all errors, with what its filters offer."""
    rows = [listing.row_of(error, catalog) for error in catalog.errors]
    return _render(
        "index.md.jinja",
        catalog=catalog,
        rows=rows,
        topics=sorted((topic for topic, _ in listing.topics(catalog)), key=lambda topic: topic.info.title.lower()),
        exceptions=sorted({error.primary.site.exception for error in catalog.errors}),
        verdicts=[each for each in (*VERDICTS.values(), "awaits its analysis") if any(r.verdict == each for r in rows)],
        settings=sorted({name for row in rows for name in row.settings}),
        states=[state for state in listing.STATES if any(state in row.states for row in rows)],
    )


def render_topics(catalog: Catalog) -> str:
    """The page that leads to all topics."""
    return _render("topics.md.jinja", catalog=catalog, topics=listing.topics(catalog))


def render_topic(topic: Topic, errors: Sequence[Error], catalog: Catalog) -> str:
    """The page of one topic."""
    rows = [listing.row_of(error, catalog) for error in errors]
    return _render("topic.md.jinja", catalog=catalog, topic=topic, rows=rows)


def render_overview(catalog: Catalog) -> str:
    """What the home page says about the whole, as Markdown for its place there."""
    return _render(
        "overview.md.jinja",
        catalog=catalog,
        raised=sum(not error.is_retired for error in catalog.errors),
        changes=listing.latest_changes(catalog),
        page_slug=page_slug,
        topics=listing.topics(catalog),
    )


def render_lookup(catalog: Catalog) -> str:
    """The page for a pasted log."""
    errors = (*catalog.errors, *catalog.history_only)
    messages = sum(1 + len(error.other_wordings) for error in errors)
    return _render("lookup.md.jinja", catalog=catalog, messages=messages)


def render_reference(schema: dict[str, Any]) -> str:
    """Every field of every JSON document, from the schema."""
    return _render("reference.md.jinja", definitions=list(schema["$defs"].items()))


def render_llms(catalog: Catalog, addresses: Addresses) -> str:
    """`llms.txt`: what there is, for a language model that reads one file."""
    return _render("llms.txt.jinja", catalog=catalog, root=addresses.site_url or "")


def render_setting(entry: Entry, settings: Settings, catalog: Catalog) -> str:
    """The page of one setting."""
    return _render("setting.md.jinja", **setting_view(entry, settings, catalog))


def render_settings(settings: Settings, catalog: Catalog, covered: Sequence[tuple[Pin, Coverage]]) -> str:
    """The list of all settings, which of them cannot be combined, and how many names were resolved."""
    return _render("settings_index.md.jinja", **index_view(settings, catalog), covered=covered)


_CHANGED = {
    Change.ADDED: "added",
    Change.RETIRED: "lifted",
    Change.REWORDED: "reworded",
    Change.GUARDS: "with other conditions",
    Change.CLASS: "with another exception class",
    Change.MOVED: "moved to another function",
}


def render_changes(comparison: Comparison, catalog: Catalog, linked: bool = True) -> str:
    """What changed between two pins, as Markdown; without links when it goes elsewhere than the site."""

    def link(difference: Difference) -> str:
        text = escape.inline((difference.after or difference.before or difference.error.primary).site.template.text)
        slug = page_slug(difference.error)
        return f"[{text}](../errors/{slug}.md)" if linked and slug else text

    sections = [
        ("Added", f"{comparison.newer.label} raises these; {comparison.older.label} does not.", Change.ADDED),
        (
            "Lifted",
            f"{comparison.older.label} raises these; the file no longer makes the check in {comparison.newer.label}.",
            Change.RETIRED,
        ),
        ("Reworded", "The same check reads differently.", Change.REWORDED),
        ("Conditions changed", "The same check asks for something else.", Change.GUARDS),
        ("Exception class changed", "The same check raises another class.", Change.CLASS),
        ("Moved", "The same check stands in another function.", Change.MOVED),
    ]
    return _render(
        "changes.md.jinja",
        comparison=comparison,
        catalog=catalog,
        is_page=linked,
        counts=[(word, count) for change, word in _CHANGED.items() if (count := len(comparison.having(change)))],
        lists=listing.list_changes(comparison, catalog),
        page_slug=page_slug,
        sections=[(heading, lead, change.value, comparison.having(change)) for heading, lead, change in sections],
        link=link,
    )


def render_changes_index(comparisons: Sequence[Comparison], catalog: Catalog) -> str:
    """The page that leads to all comparisons, the upgrade sheet, and the numbers over time."""
    documented = [pin for pin in catalog.pins if pin.documented]
    counts = listing.counts(catalog, tuple(comparisons))
    return _render(
        "changes_index.md.jinja",
        comparisons=comparisons,
        catalog=catalog,
        counts=counts,
        documented=documented,
        topic_counts=listing.topic_counts(catalog),
        releases_picture=releases_svg(counts),
        topics_picture=topics_svg(listing.growths(catalog), documented[-1].label, documented[0].label),
    )


def log_lines(site: RaiseSite, message: str) -> list[tuple[str, str]]:
    """How a printed message looks in a log: (where it is seen, text), likeliest first."""
    found: list[tuple[str, str]] = []
    for appearance in site.appearances:
        if appearance == "validation":
            label, kind = (
                ("Assertion failed", "assertion_error") if site.kind == "assert" else ("Value error", "value_error")
            )
            tail = f"[type={kind}, input_value={_INPUT}, input_type=ArgsKwargs]\n    {_FURTHER}{kind}"
            title = f"pydantic_core._pydantic_core.ValidationError: 1 validation error for {site.class_name}"
            found.append(("while the configuration is built", f"{title}\n  {label}, {message} {tail}"))
        else:
            found.append(("when other code calls the function", f"{site.exception}: {message}"))
    return found


def _view(error: Error, catalog: Catalog, addresses: Addresses) -> dict[str, Any]:
    """All that the two templates of an error print."""
    site = error.primary.site
    placeholders = placeholder_documents(error)
    examples = {each.placeholder: each.example for each in placeholders if each.example is not None}
    printed = "".join(
        part if isinstance(part, str) else part.prefix + examples.get(part.source, f"{{{part.source}}}")
        for part in error.template.parts
    )
    return {
        "error": error,
        "analysis": error.analysis,
        "site": site,
        "catalog": catalog,
        "title": textwrap.shorten(escape.one_line(error.message), 90, placeholder="…"),
        "status": status_document(error),
        "topics": listing.topics_of(error, catalog),
        "lead_settings": listing.settings_of(error, catalog)[:_FEW_SETTINGS],
        "verdict": VERDICTS[error.analysis.verdict] if error.analysis else None,
        "message_html": _message_html(error),
        "log_lines": log_lines(site, printed),
        "placeholders": placeholders,
        **_computed(error, catalog),
        "since_review": since_review(error),
        "proofs": catalog.proofs(error),
        "wordings": [
            {"text": o.text, "why": _why_same(error, o.text), "releases": release_ranges(error, catalog.pins, o.text)}
            for o in error.other_wordings
        ],
        "releases": release_ranges(error, catalog.pins),
        "badges": badges(error, catalog.pins),
        "timeline": timeline_svg(timeline(error, catalog.pins)),
        "steps": _steps(error, catalog),
        "sources": _sources(error),
        "history_only": [each for each in error.occurrences if not each.pin.documented],
        "related": related_errors(error, catalog),
        "report_url": _report_url(error, addresses),
        "root": addresses.site_url or "",
        "json_ld": _json_ld(error, addresses),
    }


def _computed(error: Error, catalog: Catalog) -> dict[str, Any]:
    """What the templates print of the explanation at the newest pin that raises the error."""
    occurrence, site = error.primary, error.primary.site
    explainer, explanation = catalog.explainers.get(occurrence.pin.label), catalog.explanation(occurrence)

    def rows(guards: Sequence[Guard]) -> list[conditions.ConditionRow]:
        told = [explainer.sentence(error.path, site, g) if explainer else Sentence(g, None, ()) for g in guards]
        return conditions.condition_rows(error, occurrence, told, catalog)

    earlier = [guard for guard in site.guards if guard.origin is Origin.CHECK]
    lists = conditions.item_rows(error, catalog)
    few = len(earlier) <= _FEW_CHECKS
    shown = rows([guard for guard in site.guards if few or guard.origin is not Origin.CHECK])
    ways = conditions.way_rows(error, explanation, explainer) if explanation and explainer else []
    linked = "".join([*(each.html for each in shown), *(each.html for each in ways)])
    return {
        "shown_conditions": shown,
        "anchors": frozenset(re.findall(r'href="#(set-[^"]*)"', linked)),
        "hidden_conditions": [] if few else rows(earlier),
        "setting_rows": conditions.setting_rows(error, occurrence, catalog),
        "unresolved": explanation.unresolved if explanation else (),
        "borrowed": explainer.arguments.declarations.borrowed if explainer else None,
        "ways": ways,
        "next_rows": conditions.next_rows(error, explanation, catalog) if explanation else [],
        "item_lists": lists,
        "listed": {placeholder: number for number, (placeholder, _) in enumerate(lists, start=1)},
    }


def _message_html(error: Error) -> str:
    """The message with its placeholders marked, on one line of HTML."""
    return "".join(
        _placeholder_html(part) if isinstance(part, Placeholder) else escape.block(part)
        for part in error.template.parts
    )


def _placeholder_html(placeholder: Placeholder) -> str:
    text = escape.block(f"{{{placeholder.source}}}")
    return f'<span class="ve-placeholder">{text}</span>'


def _sources(error: Error) -> list[dict[str, Any]]:
    """The source tabs, newest pin first. The newest has colours and all lines; an older one has the lines close by,
    and none when a newer one shows the same.
    """
    shown: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    for each in error.occurrences:
        if each.pin.documented:
            excerpt = _excerpt(each.site)
            close = excerpt.within(CLOSE)
            same_as = shown.setdefault(close.text, each.pin.label)
            found.append(
                {
                    "occurrence": each,
                    "site": each.site,
                    "url": github_url(error, each),
                    "same_as": same_as if same_as != each.pin.label else None,
                    "far": 0 if found else excerpt.far,
                    "html": excerpt_html(close if found else excerpt, coloured=not found),
                    "plain_fence": escape.fence(each.site.excerpt, "python"),
                }
            )
    return found


def _steps(error: Error, catalog: Catalog) -> list[Step]:
    """The pins at which something changed, newest first, and the first one of all that raises the error."""
    steps = timeline(error, catalog.pins)
    first = next(step for step in steps if step.occurrence)
    return [step for step in reversed(steps) if step.changes or step is first]


def _excerpt(site: RaiseSite) -> Excerpt:
    """Without blank lines at the top."""
    lines = site.excerpt.split("\n")
    blank = next((index for index, line in enumerate(lines) if line.strip()), 0)
    return Excerpt("\n".join(lines[blank:]), site.excerpt_start + blank, site.line, site.end_line)


def _why_same(error: Error, wording: str) -> str | None:
    """Why another wording is the same check, as the analysis says it."""
    others = error.analysis.also_worded if error.analysis else ()
    return next((other.why for other in others if other.message == wording), None)


def _report_url(error: Error, addresses: Addresses) -> str | None:
    """A new issue in our own tracker, with the facts filled in."""
    if addresses.repo_url is None:
        return None
    title = f"{error.slug}: "
    body = (
        f"Page: {addresses.site_url or ''}errors/{error.slug}/\nError: {error.id}\n"
        f"Source: {error.path}:{error.primary.site.line} at {error.primary.pin.label}\n\n"
        "What is wrong or missing:\n"
    )
    return f"{addresses.repo_url}/issues/new?title={quote(title)}&body={quote(body)}"


def _json_ld(error: Error, addresses: Addresses) -> str:
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "TechArticle",
        "headline": escape.one_line(error.message)[:110],
        "about": f"{error.primary.site.exception} in {error.repository}, {error.path}",
        "identifier": error.id,
    }
    if error.analysis:
        data["dateModified"] = error.analysis.reviewed.date
    if addresses.site_url:
        data["url"] = f"{addresses.site_url}errors/{error.slug}/"
    return escape.json_ld(data)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("generator", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=True,
    )
    environment.filters |= {
        "inline": escape.inline,
        "block": escape.block,
        "code": escape.code,
        "prose": escape.prose,
        "attribute": escape.attribute,
        "front_matter": escape.front_matter,
        "fence": escape.fence,
        "visible": escape.visible,
        "one_line": escape.one_line,
        "json_type": _json_type,
        "unlinked": lambda html: re.sub(r"</?a\b[^>]*>", "", html),
        "linked_once": _linked_once,
    }
    return environment


def _linked_once(text: str) -> str:
    """The text with each address linked at its first place only."""
    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        again = found[1] in seen
        seen.add(found[1])
        return found[2] if again else found[0]

    return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, text)


def _json_type(body: dict[str, Any]) -> str:
    """The type of a field in a few words."""
    if "anyOf" in body:
        return " or ".join(_json_type(each) for each in body["anyOf"])
    if "$ref" in body:
        return str(body["$ref"]).rpartition("/")[2]
    if body.get("type") == "array":
        return f"list of {_json_type(body['items'])}"
    return str(body.get("type", "any"))


def _render(name: str, **values: Any) -> str:
    try:
        return _environment().get_template(name).render(**values)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"generator/templates/{error.name}:{error.lineno}: {error.message}; mend it") from None
    except jinja2.TemplateError as error:
        raise TemplateError(f"generator/templates/{name}: {error}; mend the template") from None
