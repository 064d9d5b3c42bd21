"""Who raised what stands in a log: a documented file, another one of vLLM, another program, or nobody.

Pure; `docs/assets/lookup-search.js` does the same in the browser.
"""

from __future__ import annotations

import enum
import re

from generator.complaints import Complaint, config_name
from generator.logtext import Log, Mark, words_of
from generator.matching import Found
from generator.values import LONGEST_VALUE, values_of
from generator.wordindex import Entry, LookupIndex

_NOTICES = ("DEBUG", "INFO", "WARNING", "WARN")
POINTER = re.compile(
    r"see root cause above|see stack trace above|check the stack trace above|Worker failed with error|"
    r"can't be subclassed|initialization failed|missing 1 required positional argument: 'line_errors'",
    re.I,
)
_OTHERS_WORDS = re.compile(
    r"invalid literal for int|could not convert string to float|Torch not compiled|CUDA out of memory|CUDA error|"
    r"No module named|cannot import name|object has no attribute|No such file or directory|Expecting value: line"
)
_DEATH = re.compile(r"\bOOMKilled\b|\bSegmentation fault\b|\(core dumped\)|: line [0-9]{1,6}: {1,9}[0-9]{1,9} Killed\b")
"""What an operating system says when it ends a program."""
_ANSWER_END = re.compile(r"['\"],[ \t]*['\"]")
_RAISES = re.compile(r"[^\n]{0,300}\n[^\n\w]{0,200}(?:raise|assert)\b", re.ASCII)
_COMMON = ("model_config", "cache_config", "scheduler_config", "load_config")
"""Config classes whose names other programs use too."""
_INNER = ("pydantic", "pydantic_core", "dataclasses.py")
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


def is_notice(log: Log, start: int) -> bool:
    """Whether the nearest level or label before, on the same line, is a level below errors."""
    line = log.text.rfind("\n", 0, start) + 1
    for mark in log.marks_before(start):
        if mark.start < line:
            return False
        if mark.kind in ("level", "label"):
            return mark.name in _NOTICES
    return False


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


def is_documented(index: LookupIndex, path: str) -> bool:
    path = path.replace("\\", "/")
    return any(path.endswith(each) for each in index.path.split(", "))


def elsewhere(log: Log, index: LookupIndex, fit: Found) -> str | None:
    """The file that raised it, when the traceback shows another file of the project at the statement."""
    frame = _frame_before(log, fit.label.start) if fit.label and not fit.label.name.endswith(",") else None
    if frame is None or _package(frame.name) != index.path.split("/")[0] or is_documented(index, frame.name):
        return None
    return frame.name if _RAISES.match(log.text, frame.end) else None


def is_foreign(log: Log, index: LookupIndex, fit: Found) -> bool:
    """Whether the traceback shows that another project raised the sentence, or another file one that is much like it.

    The same sentence in another file of the documented project is an older home of the same check.
    """
    if fit.label is None or fit.label.name.endswith(","):
        return False
    frame = _frame_before(log, fit.label.start)
    package = _package(frame.name) if frame else ""
    if package == index.path.split("/")[0]:
        agrees = fit.same and (fit.exactness or not fit.is_whole)
        return not agrees and elsewhere(log, index, fit) is not None
    if package:
        return True
    if frame and "/" in frame.name and _RAISES.match(log.text, frame.end):
        return True
    entry = index.entries[fit.entry]
    return not entry.is_bare and _has_strange_value(log, entry, fit)


def copied(log: Log, index: LookupIndex, fit: Found) -> tuple[Status, str, str | None, tuple[int, ...]]:
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


def stranger(log: Log, complaint: Complaint) -> tuple[Status, str, None, tuple[int, ...]]:
    return Status.OTHER_PROGRAM, complaint.reason, None, log.lines(complaint.start, complaint.end)


def death(log: Log) -> tuple[Status, str, None, tuple[int, ...]] | None:
    """The line that says that the operating system ended the program; None when there is none."""
    found = _DEATH.search(log.text)
    if found is None:
        return None
    start = max(log.text.rfind("\n", 0, found.start()) + 1, found.start() - 200)
    end = log.text.find("\n", found.end(), found.end() + 200)
    line = log.text[start : end if end >= 0 else found.end() + 200].strip()
    return Status.OTHER_PROGRAM, line, None, log.lines(found.start(), found.end())


def _has_strange_value(log: Log, entry: Entry, fit: Found) -> bool:
    """Whether the message holds what no release puts there. A newer vLLM could, but it would print it wrapped."""
    openings = dict(entry.openings)
    for value in values_of(log, entry.wordings[fit.wording], fit):
        words = words_of(value.text)
        if words and value.placeholder in openings and words[0][0] not in openings[value.placeholder]:
            return True
    return False


def other_error(
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
        if not message or is_notice(log, mark.start) or POINTER.search(message) or mark.name.endswith("Warning"):
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
    ends = (log.text.find("\n", start, limit), log.text.find("[type=", start, min(limit, start + LONGEST_VALUE)))
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
