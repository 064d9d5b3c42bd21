"""`Error`s → JSON documents, and the schema that describes them.

Pure: values in, values out. Field names of the first group are those of the dataset that the site re-implements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from generator.analysis import Analysis
from generator.catalog import Catalog, Error, Occurrence
from generator.documents import (
    CallerDocument,
    ChangeDocument,
    ChangesDocument,
    ErrorDocument,
    ErrorsDocument,
    ExampleFixDocument,
    FlagsDocument,
    GuardDocument,
    HistoryDocument,
    HistoryRow,
    IndexDocument,
    IndexRow,
    LookupDocument,
    LookupRow,
    MisreadingDocument,
    OccurrenceDocument,
    PinDocument,
    PlaceholderDocument,
    ProofDocument,
    ReferenceDocument,
    RelatedDocument,
    StateDocument,
    StatusDocument,
    WordingDocument,
)
from generator.extract import Extraction, OtherStatement
from generator.guards import Guard
from generator.history import Change, Comparison, Difference, own_guards, timeline
from generator.names import names_read
from generator.pins import Pin
from generator.related import related_errors
from generator.setting_documents import (
    SettingsDocument,
    item_documents,
    next_documents,
    sentences_of,
    unresolved_documents,
    way_documents,
)
from generator.wordindex import LookupIndex
from generator.words import Sentence

SCHEMA_VERSION = 1


ENDPOINTS = {
    "changes": "api/changes/{from}..{to}.json",
    "error": "api/errors/{id}",
    "errorJson": "api/errors/{id}.json",
    "errors": "api/errors.json",
    "flags": "api/flags.json",
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
        FlagsDocument,
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
            HistoryRow(
                id=error.id,
                slug=page_slug(error),
                settings=list(names_read(error.primary.site)),
                topics=[
                    catalog.tags[tag].title
                    for tag in (error.analysis.tags if error.analysis else ())
                    if tag in catalog.tags
                ],
                states=states,
            )
        )
    return HistoryDocument(pins=[pin.label for pin in reversed(catalog.pins)], texts=list(texts), errors=rows)


def flags_document(catalog: Catalog) -> FlagsDocument:
    """Every flag at every documented pin; empty when nobody asked for explanations."""
    pins = [pin.label for pin in catalog.pins if pin.label in catalog.explainers]
    flags: dict[str, list[int]] = {}
    for position, label in enumerate(pins):
        for name in catalog.explainers[label].arguments.by_name:
            flags.setdefault(name, []).append(position)
    return FlagsDocument(pins=pins, flags=dict(sorted(flags.items())))


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
