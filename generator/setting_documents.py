"""Settings, conditions, ways out and conflicts → JSON documents.

Pure: values in, values out. `endpoints.py` puts them into the documents of errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from generator import declarations
from generator.by_setting import Entry, Settings, listed_items
from generator.catalog import Catalog, Error, Occurrence
from generator.explain import Explanation
from generator.pins import Pin
from generator.settings import Coverage, Setting, behind, coverage
from generator.ways_out import Way
from generator.words import Sentence


class Document(BaseModel):
    """What all JSON documents have in common."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,  # every field is always there
    )


class FormDocument(Document):
    """One way to write a change."""

    kind: Literal["flag", "JSON flag", "YAML", "Python", "environment"]
    text: str
    """To be copied; of a change that leaves the setting out, what to leave out."""


class SettingChangeDocument(Document):
    """One setting, and what it has to become."""

    setting: str
    """Name of its page."""
    value: str | None
    """As on the command line; null to leave it out; `…` for a value of your own."""
    bound: str
    """`or more`, `or less` or `or another value`, when others do as well; else empty."""
    forms: list[FormDocument]
    """Each exists in the release."""


class WayOutDocument(Document):
    """Something that makes the check pass."""

    condition: str
    """The condition, as code, that it turns round."""
    changes: list[SettingChangeDocument]
    """All of them are needed."""
    effect: Literal["keeps", "drops"] | None
    """Whether the feature is kept, where the analysis says so."""


class NextCheckDocument(Document):
    """What the same function tests after this check."""

    error_message: str
    slug: str | None
    line_number: int
    conditions: list[str]
    """What it asks for beyond this check, in words or as code."""


class ItemDocument(Document):
    """One text that a list in the message can hold, under the same conditions in some releases."""

    text: str
    pins: list[str]
    """The documented releases that print it under these conditions, newest first."""
    conditions: list[list[str]]
    """What must hold, in words or as code; several lists when several statements add it."""


class ItemListDocument(Document):
    """Everything that one placeholder can hold."""

    placeholder: str
    items: list[ItemDocument]


class UnresolvedDocument(Document):
    """A name whose setting is not known."""

    name: str
    reason: str


class AutomaticDocument(Document):
    """An assignment by the documented project itself."""

    value: str
    """As in the source."""
    conditions: list[str]
    """In words or as code."""
    function: str
    file_path: str
    line_number: int
    github_url: str


class SettingReleaseDocument(Document):
    """One setting at one release."""

    pin: str
    spelled: str
    type: str | None
    default: str | None


class SettingDocument(Document):
    """One flag, field or variable."""

    name: str
    """Name of its page, `settings/<name>/`."""
    label: str
    """What users type."""
    sort: Literal["config field", "computed", "environment variable"]
    declared_as: list[str]
    """`Class.field`, or the name of the variable; several when it has moved, newest first."""
    summary: str | None
    """First sentence of its docstring or comment, quoted."""
    flags: list[str]
    """Every spelling on the command line, `--no-` forms and dotted ones among them."""
    json_keys: list[str]
    """Below the flag that takes JSON; empty when a flag sets it directly."""
    python_argument: str | None
    """Of `LLM(...)`; null when there is none."""
    type: str | None
    default: str | None
    """As in the source."""
    values: list[str]
    """Those that its type allows; empty when it allows more than a list."""
    computed_from: list[str]
    """Names of what a computed setting reads."""
    github_url: str | None
    """Its declaration, pinned."""
    set_automatically: list[AutomaticDocument]
    errors: list[str]
    """Ids of the errors that it takes part in."""
    releases: list[SettingReleaseDocument]
    """Newest first."""


class ConflictDocument(Document):
    """Two settings that a check of the newest pin does not let stand together."""

    settings: list[str]
    """Two names."""
    errors: list[str]
    """Ids."""


class CoverageDocument(Document):
    """How many of the names that checks read are resolved."""

    pin: str
    resolved: int
    total: int
    """A name counts once per function."""
    context: str
    """The pin that the declarations are read from."""
    unresolved: list[dict[str, str]]
    """`function`, `name`, `reason`."""


class SettingsDocument(Document):
    """`/api/settings.json`."""

    schema_version: Literal[1] = Field(default=1)
    settings: list[SettingDocument]
    conflicts: list[ConflictDocument]
    coverage: list[CoverageDocument]
    """Newest pin first."""


def told(sentence: Sentence) -> str:
    """A condition in words, or as code with what it must be."""
    return sentence.text or f"{sentence.guard.text} is {'true' if sentence.guard.holds else 'false'}"


def way_documents(error: Error, explanation: Explanation) -> list[WayOutDocument]:
    """The ways out at one pin."""
    effects = error.analysis.ways_out if error.analysis else {}
    return [_way(way, effects) for way in explanation.ways]


def _way(way: Way, effects: dict[str, Literal["keeps", "drops"]]) -> WayOutDocument:
    named = [effects[change.setting.label] for change in way.changes if change.setting.label in effects]
    return WayOutDocument(
        condition=str(way.guard),
        changes=[
            SettingChangeDocument(
                setting=change.setting.name,
                value=change.value,
                bound=change.bound,
                forms=[FormDocument.model_validate({"kind": form.kind, "text": form.text}) for form in change.forms],
            )
            for change in way.changes
        ],
        effect=named[0] if named else None,
    )


def next_documents(error: Error, explanation: Explanation, catalog: Catalog) -> list[NextCheckDocument]:
    """What the same function tests afterwards."""
    found: list[NextCheckDocument] = []
    for each in explanation.next:
        other = catalog.by_wording.get((error.path, each.site.template.text))
        found.append(
            NextCheckDocument(
                error_message=each.site.template.text,
                slug=other.slug if other else None,
                line_number=each.site.line,
                conditions=[told(sentence) for sentence in each.conditions],
            )
        )
    return found


def item_documents(error: Error, catalog: Catalog) -> list[ItemListDocument]:
    """What the lists in a message can hold, over all documented releases."""
    found = listed_items(error, catalog)
    return [
        ItemListDocument(
            placeholder=placeholder,
            items=[
                ItemDocument(
                    text=each.text,
                    pins=[pin.label for pin in each.pins],
                    conditions=[[told(c) for c in item.conditions] for item in each.items],
                )
                for each in items
            ],
        )
        for placeholder, items in found.items()
    ]


def unresolved_documents(explanation: Explanation | None) -> list[UnresolvedDocument]:
    """The names that could not be followed."""
    found = explanation.unresolved if explanation else ()
    return [UnresolvedDocument(name=each.name, reason=each.detail) for each in found]


def sentences_of(catalog: Catalog, occurrence: Occurrence) -> dict[tuple[str, bool], Sentence]:
    """Text and polarity of a guard → its sentence, for the check's own guards."""
    explanation = catalog.explanation(occurrence)
    conditions = explanation.conditions if explanation else ()
    return {(each.guard.text, each.guard.holds): each for each in conditions}


def settings_document(
    settings: Settings, catalog: Catalog, covered: Sequence[tuple[Pin, Coverage]]
) -> SettingsDocument:
    """All settings, which of them conflict, and how much was resolved."""
    return SettingsDocument(
        settings=[_setting(entry, catalog) for entry in settings.entries],
        conflicts=[
            ConflictDocument(settings=[each.one.name, each.other.name], errors=[error.id for error in each.errors])
            for each in settings.conflicts
        ],
        coverage=[_coverage(pin, each) for pin, each in covered],
    )


def coverages(catalog: Catalog) -> list[tuple[Pin, Coverage]]:
    """How much is resolved at each documented pin, newest first."""
    found: list[tuple[Pin, Coverage]] = []
    for pin in catalog.pins:
        explainer = catalog.explainers.get(pin.label)
        if explainer is not None:
            sites = [(path, site) for path, each in explainer.extractions.items() for site in each.sites]
            found.append((pin, coverage(explainer.arguments, sites)))
    return found


def _coverage(pin: Pin, found: Coverage) -> CoverageDocument:
    return CoverageDocument(
        pin=pin.label,
        resolved=found.resolved,
        total=found.total,
        context=pin.context or pin.label,
        unresolved=[{"function": f, "name": name, "reason": reason} for f, name, reason in found.rest],
    )


def _setting(entry: Entry, catalog: Catalog) -> SettingDocument:
    setting, explainer = entry.setting, catalog.explainers[entry.pin.label]
    declared, declares = setting.declared, explainer.arguments.declarations
    is_declared = isinstance(declared, declarations.Field | declarations.Variable)
    annotation = declared.annotation if isinstance(declared, declarations.Field | declarations.Variable) else ""
    route = setting.routes[0] if setting.routes else None
    return SettingDocument(
        name=entry.name,
        label=setting.label,
        sort=setting.sort.value,
        declared_as=list(entry.keys),
        summary=declared.summary,
        flags=_flags(setting),
        json_keys=list(route.keys) if route else [],
        python_argument=route.argument if route else None,
        type=annotation or None,
        default=_default(setting),
        values=list(declares.values_of(annotation)) if is_declared and annotation else [],
        computed_from=[each.name for each in behind(explainer.arguments, setting)],
        github_url=declares.permalink(catalog.repository, declared.path, declared.line) if declared.path else None,
        set_automatically=[
            AutomaticDocument(
                value=each.value,
                conditions=[told(sentence) for sentence in each.conditions],
                function=each.function,
                file_path=each.path,
                line_number=each.line,
                github_url=declares.permalink(catalog.repository, each.path, each.line),
            )
            for each in explainer.automatic.get(setting.key, ())
        ],
        errors=[error.id for error in entry.errors],
        releases=[_release(pin, each) for pin, each in entry.releases],
    )


def _flags(setting: Setting) -> list[str]:
    found: list[str | None] = []
    for route in setting.routes:
        if route.flag and not route.keys:
            found += [route.flag.name, *route.flag.aliases, route.flag.negative]
        elif route.flag:
            found.append(f"--{route.name}")
    return list(dict.fromkeys(each for each in found if each))


def _default(setting: Setting) -> str | None:
    declared = setting.declared
    return declared.default if isinstance(declared, declarations.Field | declarations.Variable) else None


def _release(pin: Pin, setting: Setting) -> SettingReleaseDocument:
    declared = setting.declared
    annotation = declared.annotation if isinstance(declared, declarations.Field | declarations.Variable) else None
    return SettingReleaseDocument(
        pin=pin.label, spelled=setting.label, type=annotation or None, default=_default(setting)
    )
