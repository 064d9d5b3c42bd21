"""`Error`s → JSON documents, and the schema that describes them.

Pure: values in, values out. Field names of the first group are those of the dataset that the site re-implements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from generator.analysis import Analysis, Severity, Strategy, Verdict
from generator.catalog import Catalog, Error, Occurrence
from generator.extract import Extraction, OtherStatement
from generator.guards import Guard
from generator.history import Change, Comparison, Difference, own_guards, timeline
from generator.names import names_read
from generator.pins import Pin
from generator.related import related_errors
from generator.setting_documents import (
    Document,
    ItemListDocument,
    NextCheckDocument,
    SettingsDocument,
    UnresolvedDocument,
    WayOutDocument,
    item_documents,
    next_documents,
    sentences_of,
    unresolved_documents,
    way_documents,
)
from generator.wordindex import LookupIndex
from generator.words import Sentence

SCHEMA_VERSION = 1


class GuardDocument(Document):
    """One condition that must hold for control to reach the statement."""

    text: str
    """The condition as Python, or the head of a block (`for x in y`)."""
    holds: bool
    """Whether it must be true or false."""
    line_number: int
    """From 1."""
    origin: str
    """`branch`, `earlier exit`, `earlier check` (another error would have been raised), `own test` or `wording`."""
    words: str | None
    """The same as a sentence; null where no sentence would be true, and for what is not computed."""
    settings: list[str]
    """Names of the settings that it reads, see `/api/settings.json`."""


class CallerDocument(Document):
    """A call of the function from the same file."""

    function: str
    line_number: int
    guards: list[GuardDocument]


class OccurrenceDocument(Document):
    """One raise site in one pin."""

    pin: str
    """Release tag, or ten hex digits."""
    commit: str
    """Commit id; abbreviated where the release records no more."""
    date: str
    """`YYYY-MM-DD`."""
    error_message: str
    """The wording of this pin."""
    line_number: int
    """First line of the statement, from 1."""
    end_line_number: int
    """Last line, inclusive."""
    function: str
    """Qualified name."""
    error_class: str
    kind: Literal["raise", "assert"]
    source_code: str | None
    """Lines `sourceCodeStart` to `sourceCodeEnd`; null in the pins that are history only."""
    source_code_start: int | None
    source_code_end: int | None
    github_url: str
    """Pinned to the commit (or tag) and the lines of the statement."""
    guards: list[GuardDocument]
    """In order of evaluation."""
    called_from: list[CallerDocument]
    appears: list[Literal["validation", "bare"]]
    """Inside a pydantic ValidationError, by itself, or both."""
    fingerprint: str
    """The same as long as the check is the same."""
    ways_out: list[WayOutDocument]
    """What makes the check pass, the last condition first; empty in the pins that are history only."""


class ExampleFixDocument(Document):
    """A repair in two snippets."""

    before: str
    after: str
    language: str


class MisreadingDocument(Document):
    """What people believe, and what is true."""

    belief: str
    truth: str


class PlaceholderDocument(Document):
    """One value that the message prints."""

    placeholder: str
    """As between the braces of the message."""
    meaning: str | None
    example: str | None
    texts: list[str]
    """Texts that the source determines for it; empty when it can be anything."""


class ReferenceDocument(Document):
    """An upstream issue or pull request."""

    kind: Literal["issue", "pull"]
    number: int
    url: str
    note: str


class RelatedDocument(Document):
    """Another error."""

    id: str
    slug: str
    error_message: str
    reason: str


class ProofDocument(Document):
    """What the real vLLM did."""

    release: str
    """Version, without `v`."""
    platform: str
    """What ran, in words."""
    outcome: Literal["reproduced", "simulated"]
    """`simulated` when something had to be pretended."""
    simulated: list[str]
    """What was pretended."""
    arguments: dict[str, Any]
    """`EngineArgs` that fail."""
    environment: dict[str, str]
    """Environment variables of the run."""
    printed: str
    """What vLLM printed, trimmed."""
    first_solution: Literal["accepted", "another error", "untested"]
    """What came of the arguments with the first solution applied."""


class StatusDocument(Document):
    """How far the record can be trusted."""

    analysis: Literal["present", "stale", "missing"]
    raised: Literal["raised", "retired"]
    """`retired` when the newest pin no longer raises it."""
    since: str
    """The oldest pin that raises it, of all that are tracked."""
    lifted_in: str | None
    """The pin after the last one that raises it; null while the newest one does."""


class WordingDocument(Document):
    """Another wording of the same check."""

    id: str
    """Answers with the same document."""
    error_message: str
    message_pattern: str
    pins: list[str]


class ErrorDocument(Document):
    """One error: `/api/errors/<id>`."""

    id: str
    """First 16 hex digits of SHA-256 over repository, message and file, joined by U+0001."""
    repo: str
    """`owner/name`."""
    slug: str
    """Name of the page."""
    error_code: None = None
    """Always null: vLLM's errors have no codes."""
    error_message: str
    """The message with its placeholders in braces."""
    message_pattern: str
    """A regular expression that finds the printed message; at most 500 characters."""
    error_type: Literal["exception"] = "exception"
    """Always `exception`."""
    error_class: str
    """Name of the exception class as raised."""
    severity: Severity | None
    """`critical`, `error`, `warning` or `info`; null without analysis."""
    file_path: str
    """File that raises, relative to the repository."""
    line_number: int
    """First line of the statement at the newest pin that raises it, from 1."""
    source_code: str
    """The lines around the statement."""
    source_code_start: int
    """First line of `sourceCode`, from 1."""
    source_code_end: int
    """Last line of `sourceCode`, inclusive."""
    github_url: str
    """The statement in the source, pinned to a commit or tag."""
    documentation: str | None
    """What the check protects against, and why it is there."""
    trigger_scenarios: str | None
    """What exactly makes it fire."""
    common_situations: str | None
    """Where people meet it."""
    solutions: list[str]
    """What to do, likeliest first, each with its cost; empty without analysis."""
    example_fix: str | None
    """Both snippets of the example in one text; null without one. See `exampleFixParts`."""
    handling_strategy: Strategy | None
    """`try-catch`, `type-guard`, `validation`, `retry` or `fallback`; null when none applies."""
    validation_code: str | None
    """Python that checks a configuration beforehand, or null."""
    type_guard: str | None
    """A Python function that tells whether a configuration is safe, or null."""
    try_catch_pattern: str | None
    """Python that catches the error, or null."""
    prevention_tips: list[str]
    """Short rules that keep it from coming back."""
    tags: list[str]
    """Topics, the most telling first."""
    analyzed_sha: str | None
    """Commit that the analysis was reviewed against; null without one."""
    analyzed_at: str | None
    """`YYYY-MM-DD`."""
    schema_version: Literal[1] = Field(default=1)
    """1; goes up when a field changes its meaning or goes."""
    summary: str | None
    """What happened and the way out, in one or two sentences; null without analysis."""
    verdict: Verdict | None
    """Is it me? `configuration`, `version`, `hardware`, `environment`, `vllm-bug`, `misuse`; null without analysis."""
    verdict_reason: str | None
    """The verdict in one sentence."""
    status: StatusDocument
    """How far the record can be trusted, and whether the newest pin raises the error."""
    example_fix_parts: ExampleFixDocument | None
    """The two snippets of the example, apart; null without one."""
    trade_offs: list[str]
    """What the ways out cost."""
    misreadings: list[MisreadingDocument]
    """What the text makes people believe, and what is true."""
    placeholders: list[PlaceholderDocument]
    """The values that the message prints, in order."""
    references: list[ReferenceDocument]
    """Upstream issues and pull requests."""
    related: list[RelatedDocument]
    """Up to six neighbours, the closest first."""
    proofs: list[ProofDocument]
    """Runs on the real vLLM, newest release first; empty when there is none."""
    also_worded: list[WordingDocument]
    """Other wordings of the same check."""
    url: str
    """Address of the page, relative to the root of the site."""
    settings: list[str]
    """Names of the settings that the check reads, those behind properties last; see `/api/settings.json`."""
    unresolved: list[UnresolvedDocument]
    """Names that the check reads and whose setting is not known."""
    next_checks: list[NextCheckDocument]
    """What the same function tests afterwards."""
    possible_items: list[ItemListDocument]
    """What lists in the message can hold."""
    occurrences: list[OccurrenceDocument]
    """Newest pin first."""


class IndexRow(Document):
    """One error in brief."""

    id: str
    slug: str
    error_message: str
    error_class: str
    severity: Severity | None
    verdict: Verdict | None
    summary: str | None
    tags: list[str]
    pins: list[str]
    """Pins that raise it, newest first."""
    status: StatusDocument
    url: str
    json_url: str


class PinDocument(Document):
    """One tracked commit."""

    pin: str
    commit: str
    date: str
    documented: bool
    without_page: list[dict[str, Any]]
    """`raise` and `assert` statements that get no page: `kind`, `lineNumber`, `function`, `status`, `reason`."""


class IndexDocument(Document):
    """`/api/index.json`."""

    schema_version: Literal[1] = Field(default=1)
    repo: str
    endpoints: dict[str, str]
    """What there is → its address, relative to the root of the site."""
    pins: list[PinDocument]
    errors: list[IndexRow]


class ErrorsDocument(Document):
    """`/api/errors.json`."""

    schema_version: Literal[1] = Field(default=1)
    errors: list[ErrorDocument]


class ChangeDocument(Document):
    """One error that is not the same at two pins."""

    id: str
    error_message: str
    """The wording of the newer pin, or of the older one when it was retired."""
    slug: str | None
    """Its page; null when it has none."""
    changes: list[str]
    """`added`, `retired`, `reworded`, `moved`, `guards changed`, `exception class changed`."""
    settings: list[str]
    """What the check reads."""
    message_before: str | None
    message_after: str | None
    function_before: str | None
    function_after: str | None
    line_before: int | None
    line_after: int | None
    class_before: str | None
    class_after: str | None
    guards_gone: list[str]
    """Conditions that only the older pin has."""
    guards_new: list[str]
    """Conditions that only the newer pin has."""


class ChangesDocument(Document):
    """`/api/changes/<from>..<to>.json`: two neighbouring pins."""

    schema_version: Literal[1] = Field(default=1)
    from_pin: str
    to_pin: str
    counts: dict[str, int]
    """Kind of change → number of errors."""
    errors: list[ChangeDocument]


class StateDocument(Document):
    """One error at one pin."""

    message: int
    """Position in `texts` of the wording."""
    function: int
    """Position in `texts`."""
    error_class: int
    """Position in `texts`."""
    guards: list[int]
    """Positions in `texts` of the conditions of the check itself."""


class HistoryRow(Document):
    """One error at every pin."""

    id: str
    slug: str | None
    settings: list[str]
    states: list[StateDocument | None]
    """One per pin, in the order of `pins`; null where the pin does not raise it."""


class HistoryDocument(Document):
    """`/api/history.json`: enough to compare any two pins."""

    schema_version: Literal[1] = Field(default=1)
    pins: list[str]
    """Oldest first."""
    texts: list[str]
    """Every text once; the states refer to it by position."""
    errors: list[HistoryRow]


class LookupRow(Document):
    """One error, as far as a search needs it."""

    id: str
    slug: str | None
    """Name of its page; null when only releases without pages raise it."""
    lifted_in: int | None
    """Position in `pins` of the first one that no longer raises it; null while the newest one does."""
    bare: bool
    """Whether it can be printed without pydantic's wrapper."""
    openings: dict[str, list[str]]
    """Placeholder → first words, as a search writes them, of what the source puts there."""
    wordings: list[list[str]]
    """Each as fixed text and placeholders in turn: the second, fourth, … are placeholders; the canonical one first."""


class LookupDocument(Document):
    """`/api/lookup.json`: what the search of a pasted log needs, without line breaks and blanks between values."""

    schema_version: Literal[1] = Field(default=1)
    path: str
    """The documented files, parted by `, `."""
    pins: list[str]
    """Newest first."""
    settings: dict[str, list[str]]
    """Config object → those of its fields that the checks read."""
    errors: list[LookupRow]
    lines: list[str]
    """For each pin, the lines of all wordings in order, parted by commas; `+` between the lines of one wording. Each
    number is the difference to the one before, and nothing stands for a wording that the pin does not have.
    """


ENDPOINTS = {
    "changes": "api/changes/{from}..{to}.json",
    "error": "api/errors/{id}",
    "errorJson": "api/errors/{id}.json",
    "errors": "api/errors.json",
    "history": "api/history.json",
    "index": "api/index.json",
    "lookup": "api/lookup.json",
    "schema": "api/schema.json",
    "settings": "api/settings.json",
}


def error_document(error: Error, catalog: Catalog) -> ErrorDocument:
    """The whole record of one error."""
    analysis, primary, site = error.analysis, error.primary, error.primary.site
    explanation = catalog.explanation(primary)
    fix = analysis.example_fix if analysis else None
    return ErrorDocument(
        id=error.id,
        repo=error.repository,
        slug=error.slug,
        error_message=error.message,
        message_pattern=error.template.pattern,
        error_class=site.exception,
        severity=analysis.severity if analysis else None,
        file_path=error.path,
        line_number=site.line,
        source_code=site.excerpt,
        source_code_start=site.excerpt_start,
        source_code_end=site.excerpt_end,
        github_url=github_url(error, primary),
        documentation=analysis.documentation if analysis else None,
        trigger_scenarios=analysis.trigger_scenarios if analysis else None,
        common_situations=analysis.common_situations if analysis else None,
        solutions=list(analysis.solutions) if analysis else [],
        example_fix=f"# before\n{fix.before.strip()}\n# after\n{fix.after.strip()}" if fix else None,
        handling_strategy=analysis.handling_strategy if analysis else None,
        validation_code=analysis.validation_code if analysis else None,
        type_guard=analysis.type_guard if analysis else None,
        try_catch_pattern=analysis.try_catch_pattern if analysis else None,
        prevention_tips=list(analysis.prevention_tips) if analysis else [],
        tags=list(analysis.tags) if analysis else [],
        analyzed_sha=analysis.reviewed.commit if analysis else None,
        analyzed_at=analysis.reviewed.date if analysis else None,
        summary=analysis.summary if analysis else None,
        verdict=analysis.verdict if analysis else None,
        verdict_reason=analysis.verdict_reason if analysis else None,
        status=status_document(error),
        example_fix_parts=ExampleFixDocument(**fix.model_dump()) if fix else None,
        trade_offs=list(analysis.trade_offs) if analysis else [],
        misreadings=[MisreadingDocument(**m.model_dump()) for m in analysis.misreadings] if analysis else [],
        placeholders=placeholder_documents(error),
        references=_references(analysis, error.repository),
        related=[
            RelatedDocument(
                id=each.error.id, slug=each.error.slug, error_message=each.error.message, reason=each.reason
            )
            for each in related_errors(error, catalog)
        ],
        proofs=proof_documents(error, catalog),
        also_worded=[
            WordingDocument(
                id=template.error_id(error.repository, error.path),
                error_message=template.text,
                message_pattern=template.pattern,
                pins=[e.pin.label for e in error.occurrences if e.site.template.text == template.text],
            )
            for template in error.other_wordings
        ],
        url=f"errors/{error.slug}/",
        settings=[each.setting.name for each in explanation.involved] if explanation else [],
        unresolved=unresolved_documents(explanation),
        next_checks=next_documents(error, explanation, catalog) if explanation else [],
        possible_items=item_documents(error, catalog),
        occurrences=[_occurrence(error, each, catalog) for each in error.occurrences],
    )


def proof_documents(error: Error, catalog: Catalog) -> list[ProofDocument]:
    """The recorded runs that still hold."""
    case = error.analysis.proof.fails if error.analysis and error.analysis.proof else None
    return [
        ProofDocument(
            release=run.release,
            platform=run.platform,
            outcome=outcome.fails,
            simulated=list(outcome.simulated),
            arguments=case.args if case else {},
            environment=case.env if case else {},
            printed=outcome.printed,
            first_solution=outcome.passes,
        )
        for run, outcome in catalog.proofs(error)
    ]


def index_document(catalog: Catalog) -> IndexDocument:
    """Endpoints, pins, and one row per error."""
    return IndexDocument(
        repo=catalog.repository,
        endpoints=ENDPOINTS,
        pins=[_pin(pin, catalog.undocumented[pin.label]) for pin in catalog.pins],
        errors=[_row(error) for error in catalog.errors],
    )


def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of every document, each under `$defs`; the schema itself is that of one error."""
    definitions: dict[str, Any] = {}
    for model in (
        ErrorDocument,
        IndexDocument,
        ErrorsDocument,
        ChangesDocument,
        HistoryDocument,
        LookupDocument,
        SettingsDocument,
    ):
        body = model.model_json_schema(by_alias=True, mode="serialization", ref_template="#/$defs/{model}")
        definitions |= body.pop("$defs", {})
        definitions[model.__name__] = body
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"vllm-errors, schema version {SCHEMA_VERSION}",
        "$ref": "#/$defs/ErrorDocument",
        "$defs": dict(sorted(definitions.items())),
    }


def changes_document(comparison: Comparison) -> ChangesDocument:
    """What changed between two pins."""
    return ChangesDocument(
        from_pin=comparison.older.label,
        to_pin=comparison.newer.label,
        counts={change.value: len(comparison.having(change)) for change in Change},
        errors=[_change(each) for each in comparison.differences],
    )


def history_document(catalog: Catalog) -> HistoryDocument:
    """Every error at every pin, each text stored once."""
    texts: dict[str, int] = {}

    def position(text: str) -> int:
        return texts.setdefault(text, len(texts))

    rows: list[HistoryRow] = []
    for error in (*catalog.errors, *catalog.history_only):
        states: list[StateDocument | None] = []
        for step in timeline(error, catalog.pins):
            if step.occurrence is None:
                states.append(None)
                continue
            site = step.occurrence.site
            states.append(
                StateDocument(
                    message=position(site.template.text),
                    function=position(site.function),
                    error_class=position(site.exception),
                    guards=[position(guard) for guard in own_guards(step.occurrence)],
                )
            )
        rows.append(
            HistoryRow(id=error.id, slug=page_slug(error), settings=list(names_read(error.primary.site)), states=states)
        )
    return HistoryDocument(pins=[pin.label for pin in reversed(catalog.pins)], texts=list(texts), errors=rows)


def lookup_document(index: LookupIndex) -> LookupDocument:
    """The index of a search."""
    lines: list[str] = []
    wordings = [wording for entry in index.entries for wording in entry.wordings]
    for pin in range(len(index.pins)):
        before, texts = 0, []
        for wording in wordings:
            steps: list[str] = []
            for line in dict(wording.lines).get(pin, ()):
                steps.append(str(line - before))
                before = line
            texts.append("+".join(steps))
        lines.append(",".join(texts))
    return LookupDocument(
        path=index.path,
        pins=list(index.pins),
        settings={holder: list(names) for holder, names in index.settings},
        errors=[
            LookupRow(
                id=entry.id,
                slug=entry.slug,
                lifted_in=entry.lifted_in,
                bare=entry.is_bare,
                openings={placeholder: list(words) for placeholder, words in entry.openings},
                wordings=[list(wording.parts) for wording in entry.wordings],
            )
            for entry in index.entries
        ],
        lines=lines,
    )


def to_compact_json(document: BaseModel) -> str:
    """A document that browsers load before anything can be shown: without blanks, with a final line end."""
    text = json.dumps(document.model_dump(by_alias=True), ensure_ascii=False, separators=(",", ":")) + "\n"
    return text.encode("utf-8", "backslashreplace").decode()


def page_slug(error: Error) -> str | None:
    """The name of its page; None for an error that only pins without pages raise."""
    return error.slug if any(pin.documented for pin in error.pins) else None


def to_json(document: BaseModel | dict[str, Any]) -> str:
    """A document as it is published: two spaces, keys in the order of the schema, a final line end."""
    data = document.model_dump(by_alias=True) if isinstance(document, BaseModel) else document
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "backslashreplace").decode()


def status_document(error: Error) -> StatusDocument:
    """Whether the analysis is there and current, and whether the newest pin raises the error."""
    analysis: Literal["present", "stale", "missing"] = "missing"
    if error.analysis is not None:
        analysis = "stale" if error.is_stale else "present"
    return StatusDocument(
        analysis=analysis,
        raised="retired" if error.is_retired else "raised",
        since=error.pins[-1].label,
        lifted_in=error.lifted_in.label if error.lifted_in else None,
    )


def placeholder_documents(error: Error) -> list[PlaceholderDocument]:
    """The placeholders of the canonical wording, each once, in order."""
    values = error.analysis.values if error.analysis else {}
    found: list[PlaceholderDocument] = []
    for source in dict.fromkeys(placeholder.source for placeholder in error.template.placeholders):
        value = values.get(source)
        found.append(
            PlaceholderDocument(
                placeholder=source,
                meaning=value.meaning if value else None,
                example=value.example if value else None,
                texts=list(error.primary.site.fills.get(source, ())),
            )
        )
    return found


def github_url(error: Error, occurrence: Occurrence) -> str:
    """The statement in the source, pinned."""
    site = occurrence.site
    return occurrence.pin.permalink(error.repository, occurrence.path, site.line, site.end_line)


def _occurrence(error: Error, occurrence: Occurrence, catalog: Catalog) -> OccurrenceDocument:
    pin, site = occurrence.pin, occurrence.site
    explanation = catalog.explanation(occurrence)
    quoted = pin.documented
    return OccurrenceDocument(
        pin=pin.label,
        commit=pin.commit,
        date=pin.date,
        error_message=site.template.text,
        line_number=site.line,
        end_line_number=site.end_line,
        function=site.function,
        error_class=site.exception,
        kind=site.kind,
        source_code=site.excerpt if quoted else None,
        source_code_start=site.excerpt_start if quoted else None,
        source_code_end=site.excerpt_end if quoted else None,
        github_url=github_url(error, occurrence),
        guards=_guards(site.guards, sentences_of(catalog, occurrence)),
        called_from=[
            CallerDocument(function=each.function, line_number=each.line, guards=_guards(each.guards))
            for each in site.callers
        ],
        appears=list(site.appearances),
        fingerprint=site.fingerprint,
        ways_out=way_documents(error, explanation) if explanation else [],
    )


def _change(difference: Difference) -> ChangeDocument:
    error, before, after = difference.error, difference.before, difference.after
    newest = after or before
    assert newest is not None
    return ChangeDocument(
        id=error.id,
        error_message=newest.site.template.text,
        slug=page_slug(error),
        changes=[change.value for change in difference.changes],
        settings=list(names_read(newest.site)),
        message_before=before.site.template.text if before else None,
        message_after=after.site.template.text if after else None,
        function_before=before.site.function if before else None,
        function_after=after.site.function if after else None,
        line_before=before.site.line if before else None,
        line_after=after.site.line if after else None,
        class_before=before.site.exception if before else None,
        class_after=after.site.exception if after else None,
        guards_gone=list(difference.guards_gone),
        guards_new=list(difference.guards_new),
    )


def _guards(
    guards: Sequence[Guard], sentences: Mapping[tuple[str, bool], Sentence] | None = None
) -> list[GuardDocument]:
    found: list[GuardDocument] = []
    for guard in guards:
        sentence = (sentences or {}).get((guard.text, guard.holds))
        found.append(
            GuardDocument(
                text=guard.text,
                holds=guard.holds,
                line_number=guard.line,
                origin=guard.origin.value,
                words=sentence.text if sentence else None,
                settings=[each.name for each in sentence.settings] if sentence else [],
            )
        )
    return found


def _references(analysis: Analysis | None, repository: str) -> list[ReferenceDocument]:
    found = analysis.references if analysis else ()
    return [
        ReferenceDocument(
            kind=each.kind,
            number=each.number,
            url=f"https://github.com/{repository}/{'issues' if each.kind == 'issue' else 'pull'}/{each.number}",
            note=each.note,
        )
        for each in found
    ]


def _row(error: Error) -> IndexRow:
    analysis = error.analysis
    return IndexRow(
        id=error.id,
        slug=error.slug,
        error_message=error.message,
        error_class=error.primary.site.exception,
        severity=analysis.severity if analysis else None,
        verdict=analysis.verdict if analysis else None,
        summary=analysis.summary if analysis else None,
        tags=list(analysis.tags) if analysis else [],
        pins=[pin.label for pin in error.pins],
        status=status_document(error),
        url=f"errors/{error.slug}/",
        json_url=f"api/errors/{error.id}",
    )


def _pin(pin: Pin, others: Sequence[OtherStatement]) -> PinDocument:
    return PinDocument(
        pin=pin.label,
        commit=pin.commit,
        date=pin.date,
        documented=pin.documented,
        without_page=[without_page(other) for other in others],
    )


def extraction_document(extraction: Extraction, repository: str) -> dict[str, Any]:
    """The raise sites of one file, as `vllm-errors extract --json` prints them."""
    return {
        "filePath": extraction.path,
        "messages": [
            {
                "id": site.template.error_id(repository, extraction.path),
                "errorMessage": site.template.text,
                "messagePattern": site.template.pattern,
                "errorClass": site.exception,
                "kind": site.kind,
                "lineNumber": site.line,
                "endLineNumber": site.end_line,
                "function": site.function,
                "guards": [guard.model_dump(by_alias=True) for guard in _guards(site.guards)],
                "fingerprint": site.fingerprint,
            }
            for site in extraction.sites
        ],
        "withoutMessage": [without_page(other) for other in extraction.others],
    }


def without_page(other: OtherStatement) -> dict[str, Any]:
    """A statement that gets no page."""
    return {
        "kind": other.kind,
        "lineNumber": other.line,
        "function": other.function,
        "status": other.status,
        "reason": other.reason,
    }
