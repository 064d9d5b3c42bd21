"""A pasted log → an `Explanation`: which errors it holds, with which values, from which release; or what else it is.

Pure: text in, values out. `docs/assets/lookup.js` does the same in the browser; tests/lookup_cases/ holds both to it.
"""

from __future__ import annotations

import bisect
import enum
import re
from dataclasses import dataclass
from typing import Any

from generator.complaints import Complaint, config_name, find_complaints
from generator.logtext import Log, Mark, read_log, words_of
from generator.matching import Found, search
from generator.wordindex import Entry, LookupIndex, Wording

SCHEMA_VERSION = 1

_NOTICES = ("DEBUG", "INFO", "WARNING", "WARN")
_POINTER = re.compile(
    r"see root cause above|see stack trace above|check the stack trace above|Worker failed with error|"
    r"can't be subclassed|initialization failed|missing 1 required positional argument: 'line_errors'",
    re.I,
)
_OTHERS_WORDS = re.compile(
    r"invalid literal for int|could not convert string to float|Torch not compiled|CUDA out of memory|CUDA error|"
    r"No module named|cannot import name|object has no attribute|No such file or directory|Expecting value: line"
)
_DEATH = re.compile(
    r"[^\n]{0,200}"
    r"(?:\bOOMKilled\b|\bSegmentation fault\b|\(core dumped\)|: line [0-9]{1,6}: +[0-9]{1,9} Killed\b)"
    r"[^\n]{0,200}"
)
"""What an operating system says when it ends a program."""
_ANSWER_END = re.compile(r"['\"],[ \t]*['\"]")
_RAISES = re.compile(r"[^\n]{0,300}\n[^\n\w]{0,200}(?:raise|assert)\b", re.ASCII)
_QUOTATION = re.compile(r"[`「『“«]")
"""Marks that people put around messages, and programs do not."""
_COMMON = ("model_config", "cache_config", "scheduler_config", "load_config")
"""Config classes whose names other programs use too."""
_INNER = ("pydantic", "pydantic_core", "dataclasses.py")
_LONGEST_VALUE = 2000
_NEAR = 6000
"""Characters between a frame and the message that it leads to."""


class Status(enum.StrEnum):
    """What a log turned out to be."""

    MATCHED = "matched"
    OTHER_WORDING = "other wording"
    """A known check in an older or newer wording."""
    OTHER_FILE = "other file"
    """Raised by vLLM, or while its configuration is built, but not by a documented file."""
    FIELD = "field complaint"
    """pydantic or argparse refused a field or an argument before any check of vLLM ran."""
    OTHER_PROGRAM = "other program"
    """An error, and nothing says that vLLM raised it."""
    POINTER = "cause missing"
    """Only messages that point to a cause further up, which the log does not hold."""
    WARNING = "warning"
    """Warnings only: vLLM goes on after them."""
    NO_ERROR = "no error"


class Confidence(enum.StrEnum):
    """How sure a match is."""

    CERTAIN = "certain"
    """The whole message, word for word, directly behind an exception class."""
    LIKELY = "likely"
    """The whole message elsewhere or with small differences, or most of it behind an exception class."""
    POSSIBLE = "possible"
    """A part of the message that other messages may share."""


@dataclass(frozen=True)
class Value:
    """What the reader's log has in the place of one placeholder."""

    placeholder: str
    """The source between the braces."""
    text: str
    """On one line, as it was printed."""


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
    found = [each for each in search(log, index) if not _is_notice(log, each.start)]
    is_prose = not any(mark.kind == "frame" for mark in log.marks)
    sure = [each for each in found if each.label or (is_prose and _QUOTATION.match(log.text, max(0, each.start - 1)))]
    if any(each.label for each in found):  # what else there is, is quoted source, unless the log begins in it
        found = [each for each in found if each in sure or each.places[0][1] <= 1]
    found = [each for each in found if each in sure or each.is_whole or not _follows_error(log, each.start)]
    foreign = [each for each in found if _is_foreign(log, index, each)]
    elsewhere = {each.entry for each in foreign}
    own = [each for each in found if each not in foreign and (each.is_whole or each.entry not in elsewhere)]
    matches = _matches(log, index, own)
    every = find_complaints(log, index)
    complaints = tuple(each for each in every if each.is_ours)
    other = _other_error(log, index, own, complaints) or next(
        (_stranger(log, each) for each in every if not each.is_ours), None
    )
    other = next((_copied(log, index, each) for each in foreign), None) or other or _death(log)
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
    elsewhere = _elsewhere(log, index, fit)
    return Match(
        id=entry.id,
        slug=entry.slug,
        template=(entry.wordings[0] if 0 in fit.same else wording).text,
        is_canonical=0 in fit.same,
        confidence=_confidence(fit),
        values=_values(log, wording, fit),
        releases=() if elsewhere else _releases(log, index, fit),
        lifted_in=None if entry.lifted_in is None or elsewhere else index.pins[entry.lifted_in],
        lines=tuple(sorted({line for each in places for line in log.lines(each.start, each.end)})),
        file=elsewhere,
    )


def _confidence(fit: Found) -> Confidence:
    if not fit.same:
        return Confidence.POSSIBLE
    if fit.is_whole and fit.exactness and fit.label:
        return Confidence.CERTAIN
    return Confidence.LIKELY if fit.is_whole or (fit.label and fit.weight * 2 > fit.total) else Confidence.POSSIBLE


def _values(log: Log, wording: Wording, fit: Found) -> tuple[Value, ...]:
    """What stands between the words of the message."""
    found: list[Value] = []
    places = {word: (first, last) for word, first, last in fit.places}
    number = 0
    for word, count in enumerate(wording.gaps):
        number += count
        if count != 1:
            continue
        before, after = wording.around(word)
        start = fit.start if word == 0 else log.ends[places[word - 1][1]] if word - 1 in places else None
        end = log.starts[places[word][0]] if word in places else None
        if start is None or (end is None and word < len(wording.words)):
            continue
        text = log.text[start:end] if end is not None else _last_value(log, start, before)
        text = " ".join(text.split())
        if end is None and after:
            text = text.partition(f"{after} ")[0]
        text = text.removeprefix(before).strip() if text.startswith(before) else text.lstrip(before)
        text = text.removesuffix(after).strip() if text.endswith(after) else text.rstrip(after)
        text = text.strip("*_` ") if end is None and not after else text
        placeholder = wording.parts[2 * number - 1]
        if text and text.strip("`{}") != placeholder:  # the source prints its own placeholders
            found.append(Value(placeholder, text))
    return tuple(found)


def _last_value(log: Log, start: int, before: str) -> str:
    """The value that ends a message: to the end of its line or list, or to what cannot belong to it."""
    number = bisect.bisect_right(log.walls, start)
    end = min(log.walls[number] if number < len(log.walls) else len(log.text), start + _LONGEST_VALUE)
    text = log.text[start:end]
    opened = text.strip().removeprefix(before).lstrip()[:1]
    if opened == "[" and "]" in text:
        return text[: text.index("]") + 1]
    lines = text.split("\n")
    kept = 1
    while kept < len(lines) and lines[kept - 1].rstrip().endswith(","):
        kept += 1
    return "\n".join(lines[:kept])


def _releases(log: Log, index: LookupIndex, fit: Found) -> tuple[str, ...]:
    """The pins of the wording, narrowed by the line of a traceback and by the banner as far as they agree."""
    entry = index.entries[fit.entry]
    numbers = {mark.line for mark in log.marks if mark.kind == "frame" and _is_documented(index, mark.name)}
    pins: dict[int, set[int]] = {}
    for which in fit.same:
        for pin, lines in entry.wordings[which].lines:
            pins.setdefault(pin, set()).update(lines)
    kept = sorted(pins)
    by_line = [pin for pin in kept if pins[pin] & numbers]
    kept = by_line or kept
    by_banner = [pin for pin in kept if log.version and index.pins[pin].lstrip("v") == log.version]
    return tuple(index.pins[pin] for pin in by_banner or kept)


def _is_notice(log: Log, start: int) -> bool:
    """Whether the nearest level or label before, on the same line, is a level below errors."""
    line = log.text.rfind("\n", 0, start) + 1
    for mark in log.marks_before(start):
        if mark.start < line:
            return False
        if mark.kind in ("level", "label"):
            return mark.name in _NOTICES
    return False


def _follows_error(log: Log, start: int) -> bool:
    """Whether an exception is reported further up: then a few words alike are about that one."""
    labels = (mark for mark in log.marks_before(start) if mark.kind == "label")
    return any(not _POINTER.search(log.text, mark.end, mark.end + 300) for mark in labels)


def _frame_before(log: Log, offset: int) -> Mark | None:
    """The frame that raised what is reported at an offset; pydantic's own frames do not count."""
    for mark in log.marks_before(offset):
        if offset - mark.start > _NEAR or (mark.kind == "label" and not mark.name.endswith("ValidationError")):
            return None
        if mark.kind == "frame" and not any(inner in mark.name for inner in _INNER):
            return mark
    return None


def _package(path: str) -> str:
    """The package that a file belongs to; empty when the path does not tell."""
    parts = path.replace("\\", "/").split("/")
    for number in range(len(parts) - 1, 0, -1):
        if parts[number - 1] in ("site-packages", "dist-packages"):
            return parts[number]
    return "vllm" if "vllm" in parts[:-1] else ""


def _is_documented(index: LookupIndex, path: str) -> bool:
    path = path.replace("\\", "/")
    return any(path.endswith(each) for each in index.path.split(", "))


def _elsewhere(log: Log, index: LookupIndex, fit: Found) -> str | None:
    """The file that raised it, when the traceback shows another file of the project at the statement."""
    frame = _frame_before(log, fit.label.start) if fit.label and not fit.label.name.endswith(",") else None
    if frame is None or _package(frame.name) != index.path.split("/")[0] or _is_documented(index, frame.name):
        return None
    return frame.name if _RAISES.match(log.text, frame.end) else None


def _is_foreign(log: Log, index: LookupIndex, fit: Found) -> bool:
    """Whether the traceback shows that another project raised the sentence, or another file one that is much like it.

    The same sentence in another file of the documented project is an older home of the same check.
    """
    if fit.label is None or fit.label.name.endswith(","):
        return False
    frame = _frame_before(log, fit.label.start)
    package = _package(frame.name) if frame else ""
    if package == index.path.split("/")[0]:
        agrees = fit.same and (fit.exactness or not fit.is_whole)
        return not agrees and _elsewhere(log, index, fit) is not None
    if package:
        return True
    if frame and "/" in frame.name and _RAISES.match(log.text, frame.end):
        return True
    entry = index.entries[fit.entry]
    return not entry.is_bare and _has_strange_value(log, entry, fit)


def _copied(log: Log, index: LookupIndex, fit: Found) -> tuple[Status, str, str | None, tuple[int, ...]]:
    start = fit.label.start if fit.label else fit.start
    frame = _frame_before(log, start)
    text = _message_at(log, fit.label.end if fit.label else start, len(log.text))
    own = frame is not None and _package(frame.name) == index.path.split("/")[0]
    return (
        Status.OTHER_FILE if own else Status.OTHER_PROGRAM,
        text,
        frame.name if frame else None,
        log.lines(fit.start, fit.end),
    )


def _stranger(log: Log, complaint: Complaint) -> tuple[Status, str, None, tuple[int, ...]]:
    return Status.OTHER_PROGRAM, complaint.reason, None, log.lines(complaint.start, complaint.end)


def _death(log: Log) -> tuple[Status, str, None, tuple[int, ...]] | None:
    """The line that says that the operating system ended the program; None when there is none."""
    found = _DEATH.search(log.text)
    line = found.group().strip() if found else ""
    return (Status.OTHER_PROGRAM, line, None, log.lines(found.start(), found.end())) if found else None


def _has_strange_value(log: Log, entry: Entry, fit: Found) -> bool:
    """Whether the message holds what no release puts there. A newer vLLM could, but it would print it wrapped."""
    openings = dict(entry.openings)
    for value in _values(log, entry.wordings[fit.wording], fit):
        words = words_of(value.text)
        if words and value.placeholder in openings and words[0][0] not in openings[value.placeholder]:
            return True
    return False


def _other_error(
    log: Log, index: LookupIndex, known: list[Found], complaints: tuple[Complaint, ...]
) -> tuple[Status, str, str | None, tuple[int, ...]] | None:
    """The first error that no page explains: what it is, its message, its file, its lines."""
    labels = [mark for mark in log.marks if mark.kind == "label"]
    for number, mark in enumerate(labels):
        if any(fit.label is mark or fit.start <= mark.start < fit.end for fit in known):
            continue
        if any(mark.end <= each.start < mark.end + 20 for each in complaints):
            continue
        message = _message_at(log, mark.end, labels[number + 1].start if number + 1 < len(labels) else len(log.text))
        if mark.name == "message":
            message = _ANSWER_END.split(message)[0]
        if not message or _is_notice(log, mark.start) or _POINTER.search(message) or mark.name.endswith("Warning"):
            continue
        title = _title_before(log, mark)
        if any(each.kind == "title" and each.start < mark.end + 300 for each in log.marks_after(mark.end)):
            continue
        frame = _frame_before(log, mark.start)
        lines = log.lines(mark.start, min(len(log.text), mark.end + len(message)))
        status = _origin(log, index, mark, title, frame, message)
        return status, message, frame.name if frame else None, lines
    return None


def _message_at(log: Log, start: int, limit: int) -> str:
    """What stands behind a label: to the end of its line, or to pydantic's `[type=`."""
    ends = (log.text.find("\n", start, limit), log.text.find("[type=", start, min(limit, start + _LONGEST_VALUE)))
    return " ".join(log.text[start : min(limit, start + 500, *(end for end in ends if end >= 0))].split())


def _title_before(log: Log, mark: Mark) -> Mark | None:
    titles = [each for each in log.marks_before(mark.start) if each.kind == "title" and mark.start - each.end < 400]
    return titles[0] if titles else None


def _origin(log: Log, index: LookupIndex, mark: Mark, title: Mark | None, frame: Mark | None, message: str) -> Status:
    """Whether vLLM raised an unknown message, as far as the log tells."""
    root = mark.name.partition(".")[0] if "." in mark.name else ""
    package = _package(frame.name) if frame else ""
    project = index.path.split("/")[0]
    if _OTHERS_WORDS.search(message) or (root and root not in (project, "pydantic_core", "builtins")):
        return Status.OTHER_PROGRAM
    if package:
        return Status.OTHER_FILE if package == project else Status.OTHER_PROGRAM
    if title and not log.is_vllm:
        name = config_name(title.name)
        wrapped = log.text.find("ArgsKwargs", mark.end, mark.end + 2000) >= 0
        known = name in index.fields and (wrapped or name not in _COMMON)
        return Status.OTHER_FILE if known else Status.OTHER_PROGRAM
    return Status.OTHER_FILE if log.is_vllm else Status.OTHER_PROGRAM


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
