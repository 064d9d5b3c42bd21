"""A pasted log → an `Explanation`: which errors it holds, with which values, from which release; or what else it is.

Pure: text in, values out. `docs/assets/lookup-search.js` does the same in the browser; both are held to
tests/lookup_cases/.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Any

from generator.complaints import Complaint, find_complaints
from generator.logtext import Log, read_log
from generator.matching import Found, search
from generator.origin import (
    POINTER,
    Status,
    copied,
    death,
    elsewhere,
    is_documented,
    is_foreign,
    is_notice,
    other_error,
    stranger,
)
from generator.values import Value, values_of
from generator.wordindex import LookupIndex

SCHEMA_VERSION = 1

_QUOTATION = re.compile(r"[`「『“«]")
"""Marks that people put around messages, and programs do not."""


class Confidence(enum.StrEnum):
    """How sure a match is."""

    CERTAIN = "certain"
    """The whole message, word for word, directly behind an exception class."""
    LIKELY = "likely"
    """The whole message elsewhere or with small differences, or most of it behind an exception class."""
    POSSIBLE = "possible"
    """A part of the message that other messages may share."""


@dataclass(frozen=True)
class Match:
    """One error in a log."""

    id: str
    slug: str | None
    """Name of its page; None when only releases without pages raise it."""
    template: str
    """The wording that was found."""
    is_canonical: bool
    """Whether that is the wording of the page, or an older or newer one."""
    confidence: Confidence
    values: tuple[Value, ...]
    """In the order of the message; those that the log does not hold are absent."""
    releases: tuple[str, ...]
    """Labels of the pins that it can come from, newest first; empty when none of them has quite this wording."""
    lifted_in: str | None
    """The first pin that no longer raises it; None while the newest one does."""
    lines: tuple[int, ...]
    """Lines of the log, from 1."""
    file: str | None
    """Another file of the project that raised it, as the traceback has it: an older or newer home of the same check,
    and then no release is known. None when it was the documented file, or when the log does not tell.
    """


@dataclass(frozen=True)
class Explanation:
    """What a log says."""

    status: Status
    matches: tuple[Match, ...]
    """In the order of the log, the likely ones first; each error once."""
    complaints: tuple[Complaint, ...]
    message: str | None
    """The first error that no page explains, on one line; None when there is none."""
    file: str | None
    """The file that raised that one, as the traceback has it."""
    version: str | None
    """The release that a banner names; None when none does."""
    lines: tuple[int, ...]
    """The lines that decided, from 1."""


def explain(text: str, index: LookupIndex) -> Explanation:
    """What a log says."""
    log = read_log(text, lambda words: not index.telling.isdisjoint(words))
    found = [each for each in search(log, index) if not is_notice(log, each.start)]
    is_prose = not any(mark.kind == "frame" for mark in log.marks)
    sure = [each for each in found if each.label or (is_prose and _QUOTATION.match(log.text, max(0, each.start - 1)))]
    if any(each.label for each in found):  # what else there is, is quoted source, unless the log begins in it
        found = [each for each in found if each in sure or each.places[0][1] <= 1]
    found = [each for each in found if each in sure or each.is_whole or not _follows_error(log, each.start)]
    foreign = [each for each in found if is_foreign(log, index, each)]
    abroad = {each.entry for each in foreign}
    own = [each for each in found if each not in foreign and (each.is_whole or each.entry not in abroad)]
    matches = _matches(log, index, own)
    every = find_complaints(log, index)
    complaints = tuple(each for each in every if each.is_ours)
    other = other_error(log, index, own, complaints) or next(
        (stranger(log, each) for each in every if not each.is_ours), None
    )
    other = next((copied(log, index, each) for each in foreign), None) or other or death(log)
    status, message, file, lines = other or (Status.NO_ERROR, None, None, ())
    if matches:
        status = Status.MATCHED if matches[0].is_canonical else Status.OTHER_WORDING
        lines = tuple(sorted({line for match in matches for line in match.lines}))
    elif complaints:
        status = Status.FIELD
        lines = tuple(sorted({line for each in complaints for line in log.lines(each.start, each.end)}))
    elif not other:
        notices = [mark for mark in log.marks if mark.kind == "level" and mark.name in ("WARNING", "WARN")]
        pointers = [mark for mark in log.marks if mark.kind == "label"]
        first = (pointers or notices)[:1]
        status = Status.POINTER if pointers else Status.WARNING if notices else Status.NO_ERROR
        lines = tuple(log.line(mark.start) for mark in first)
    return Explanation(status, matches, complaints, message, file, log.version, lines)


def _matches(log: Log, index: LookupIndex, found: list[Found]) -> tuple[Match, ...]:
    """Each error once, with the surest of its places and the lines of all."""
    by_entry: dict[int, list[Found]] = {}
    for each in found:
        by_entry.setdefault(each.entry, []).append(each)
    matches = [
        (_match(log, index, max(places, key=lambda each: (each.rank[:2], -each.start)), places), places[0].start)
        for places in by_entry.values()
    ]
    matches.sort(key=lambda each: (each[0].confidence is Confidence.POSSIBLE, each[1]))
    return tuple(match for match, _ in matches)


def _match(log: Log, index: LookupIndex, fit: Found, places: list[Found]) -> Match:
    entry = index.entries[fit.entry]
    wording = entry.wordings[fit.wording]
    file = elsewhere(log, index, fit)
    return Match(
        id=entry.id,
        slug=entry.slug,
        template=(entry.wordings[0] if 0 in fit.same else wording).text,
        is_canonical=0 in fit.same,
        confidence=_confidence(fit),
        values=values_of(log, wording, fit),
        releases=() if file else _releases(log, index, fit),
        lifted_in=None if entry.lifted_in is None or file else index.pins[entry.lifted_in],
        lines=tuple(sorted({line for each in places for line in log.lines(each.start, each.end)})),
        file=file,
    )


def _confidence(fit: Found) -> Confidence:
    if not fit.same:
        return Confidence.POSSIBLE
    if fit.is_whole and fit.exactness and fit.label:
        return Confidence.CERTAIN
    return Confidence.LIKELY if fit.is_whole or (fit.label and fit.weight * 2 > fit.total) else Confidence.POSSIBLE


def _releases(log: Log, index: LookupIndex, fit: Found) -> tuple[str, ...]:
    """The pins of the wording, narrowed by the line of a traceback and by the banner as far as they agree."""
    entry = index.entries[fit.entry]
    numbers = {mark.line for mark in log.marks if mark.kind == "frame" and is_documented(index, mark.name)}
    pins: dict[int, set[int]] = {}
    for which in fit.same:
        for pin, lines in entry.wordings[which].lines:
            pins.setdefault(pin, set()).update(lines)
    kept = sorted(pins)
    by_line = [pin for pin in kept if pins[pin] & numbers]
    kept = by_line or kept
    by_banner = [pin for pin in kept if log.version and index.pins[pin].lstrip("v") == log.version]
    return tuple(index.pins[pin] for pin in by_banner or kept)


def _follows_error(log: Log, start: int) -> bool:
    """Whether an exception is reported further up: then a few words alike are about that one."""
    labels = (mark for mark in log.marks_before(start) if mark.kind == "label")
    return any(not POINTER.search(log.text, mark.end, mark.end + 300) for mark in labels)


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """An explanation as data: what `vllm-errors explain --json` prints."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "status": explanation.status.value,
        "matches": [
            {
                "id": match.id,
                "slug": match.slug,
                "url": f"errors/{match.slug}/" if match.slug else None,
                "template": match.template,
                "canonical": match.is_canonical,
                "confidence": match.confidence.value,
                "values": {value.placeholder: value.text for value in match.values},
                "releases": list(match.releases),
                "liftedIn": match.lifted_in,
                "line": match.lines[0],
                "lines": list(match.lines),
                "file": match.file,
            }
            for match in explanation.matches
        ],
        "complaints": [
            {
                "kind": each.kind,
                "url": f"kinds/{each.kind}/",
                "class": each.class_name,
                "field": each.field,
                "reason": each.reason,
            }
            for each in explanation.complaints
        ],
        "message": explanation.message,
        "file": explanation.file,
        "version": explanation.version,
        "lines": list(explanation.lines),
    }
