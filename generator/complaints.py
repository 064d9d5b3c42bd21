"""What pydantic and argparse say by themselves about a field or an argument: which kind, which class, which field.

Knows no message of vLLM. Every kind has a page, `kinds/<kind>/`, written by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from generator.logtext import Log
from generator.wordindex import LookupIndex

UNKNOWN, TYPE, RANGE = "unknown-argument", "wrong-type", "out-of-range"
_REACH = 4000
"""Characters behind a title in which its complaints stand."""
_LONGEST = 600
"""Characters of a reason."""
_MOST = 40
"""Complaints that are read."""
_REASON = re.compile(
    r"(Extra inputs are not permitted|Unexpected (?:keyword|positional) argument)"
    r"|((?:String|List|Tuple|Set|Dictionary) should have at"
    r"|Input should be (?:greater|less|a multiple|a finite|['\"0-9]))"
    r"|(Input should be |Field required|Missing required |[A-Z]\w{2,20} should (?:be|have) )"
)
_FIELD = re.compile(r"([\w.\[\]-]{1,120})[ \t]*\Z", re.ASCII)
_ARGUMENT = re.compile(
    r": error: (?:argument ([^:\n]{1,100}): ((invalid choice)|(1 validation)|[^\n]{1,200})"
    r"|(unrecognized arguments): ([^\n]{1,200})|the following arguments are required: ([^\n]{1,200}))"
)
_CALL = re.compile(r"\b(\w{1,60})\.__init__\(\) got an unexpected keyword argument '(\w{1,80})'", re.ASCII)


@dataclass(frozen=True)
class Complaint:
    """One field or argument that was refused before any check of vLLM ran."""

    kind: str
    """`unknown-argument`, `wrong-type` or `out-of-range`: name of a page."""
    class_name: str | None
    """The class of the title; None on the command line."""
    field: str | None
    """The field or argument; None when the complaint is about the whole object."""
    reason: str
    """In the words of pydantic or argparse, on one line."""
    start: int
    end: int
    """Offsets in the log."""
    is_ours: bool
    """Whether anything says that it is vLLM's and not another program's."""


def find_complaints(log: Log, index: LookupIndex) -> list[Complaint]:
    """Every complaint of a log, in order."""
    found = [*_of_titles(log, index), *_of_arguments(log), *_of_calls(log)]
    return sorted(found, key=lambda each: each.start)[:_MOST]


def _of_titles(log: Log, index: LookupIndex) -> list[Complaint]:
    found: list[Complaint] = []
    arguments = {m.end(4): m.group(1) for m in _ARGUMENT.finditer(log.text) if m.group(4)}
    titles = [mark for mark in log.marks if mark.kind == "title"][:_MOST]
    for number, title in enumerate(titles):
        limit = titles[number + 1].start if number + 1 < len(titles) else len(log.text)
        labels = [mark.start for mark in log.marks_after(title.end) if mark.name.endswith(",")]
        at, end = title.end, min([limit, title.end + _REACH, *labels])
        outer = arguments.get(title.start + len("1 validation"))
        for reason in _REASON.finditer(log.text, title.end, end):
            field = _FIELD.search(log.text[max(at, reason.start() - 160) : reason.start()].rstrip())
            name = field.group(1) if field else None
            stop = _stop(log.text, reason.start())
            kind = UNKNOWN if reason.group(1) else RANGE if reason.group(2) else TYPE
            text = " ".join(log.text[reason.start() : stop].split())
            ours = log.is_vllm or name in index.fields.get(config_name(title.name), ())
            found.append(Complaint(kind, title.name, name or outer, text, title.start, stop, ours))
            at = stop
            tail = log.text.find("]", stop, stop + 400)
            at = tail + 1 if tail >= 0 else at
    return found


def _of_arguments(log: Log) -> list[Complaint]:
    found: list[Complaint] = []
    for each in _ARGUMENT.finditer(log.text):
        argument, _, choice, validation, unknown, these, required = each.groups()
        if not validation:
            kind = UNKNOWN if unknown else RANGE if choice else TYPE
            start, stop = each.start() + len(": error: "), _line_end(log.text, each.end())
            name = (argument or these or required).strip()
            text = " ".join(log.text[start:stop].split())
            found.append(Complaint(kind, None, name, text, each.start(), stop, log.is_vllm))
    return found


def _of_calls(log: Log) -> list[Complaint]:
    return [
        Complaint(
            UNKNOWN,
            m.group(1),
            m.group(2),
            m.group(),
            m.start(),
            m.end(),
            m.group(1) in ("EngineArgs", "AsyncEngineArgs", "LLM") or (log.is_vllm and m.group(1).endswith("Config")),
        )
        for m in _CALL.finditer(log.text)
    ]


def _stop(text: str, start: int) -> int:
    """Where a reason ends: at `[type=`, or with its line."""
    tail = text.find("[type=", start, start + _LONGEST)
    return tail if tail >= 0 else _line_end(text, start)


def _line_end(text: str, start: int) -> int:
    line = text.find("\n", start, start + _LONGEST)
    return line if line >= 0 else min(len(text), start + _LONGEST)


def config_name(class_name: str) -> str:
    """How vLLM names an object of a config class: `cache_config` for `CacheConfig`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name).lower()
