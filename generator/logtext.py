r"""What stands in a pasted log: its words without decoration, and the labels, levels, frames and titles among them.

Knows no message and reads no files. `docs/assets/lookup-search.js` does the same in the browser, step by step: a change
here is a change there, and tests/lookup_cases/ holds both to it. Every pattern is bounded, so the work is linear.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from dataclasses import dataclass

_CHUNK = 4096
_LONGEST = 256
"""Chunks of a log that are read in full; of a longer one, those that can hold something, at most this many."""
_FEW = 40
"""Marks that are looked at around a place."""

_ANSI = re.compile(r"(?:\x1b|\\u001b|\\x1b|\\033)\[[0-9;]{0,20}[A-Za-z]|\[[0-9]{1,3}(?:;[0-9]{1,3}){0,4}m")
_NOISE = re.compile(
    r"\((?:[A-Za-z][\w.-]{0,60}[ \t])?[^()\n]{0,60}\bpid=[0-9]+[^()\n]{0,60}\)"  # (EngineCore_DP0 pid=120)
    r"|\[?(?:[0-9]{4}[-/])?\b[0-9]{2}[-/][0-9]{2}[T \t][0-9]{2}:[0-9]{2}:[0-9]{2}"  # 05-18 01:31:14
    r"(?:[.,][0-9]{1,9})?(?:Z\b|[+-][0-9]{2}:[0-9]{2})?\]?"
    r"|\[[\w./-]{1,80}:[0-9]{1,6}\]|\b\w{1,60}\.py[ \t]{0,12}:[0-9]{1,6}\]"  # [core.py:1108]
    r"|\[(?:rank[0-9]+|(?:address|pod)[=/][^\]\n]{0,120}|repeated [0-9]+x across cluster)\]:?"
    r"|\b(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\b"
    r"|^[\w.-]{1,60}[ \t]{1,20}\||^[ \t]{0,40}(?:(?:E|[#>|*-]{1,3}|//)[ \t]{1,12}){1,4}"  # compose, pytest, quotes
    r"|\\n",
    re.ASCII | re.MULTILINE,
)
_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\b", re.ASCII)
_LABEL = re.compile(
    r"(?:Error|Exception)[ \t*_`]{0,4}:|[Vv]alue error,|[Aa]ssertion failed,"
    r"|['\"]error['\"]:[ \t]{0,4}\{[ \t]{0,4}['\"](message)['\"]:[ \t]{0,4}['\"]"  # the answer to a request
)
_CLASS = re.compile(r"[A-Za-z_][\w.]{0,80}\Z", re.ASCII)
_FRAME = re.compile(
    r"File \"([^\"\n]{1,300})\", line ([0-9]{1,7})|^([\w./-]{1,200}\.py):([0-9]{1,7}): ", re.M | re.ASCII
)
_TITLE = re.compile(r"\b[0-9]{1,3} validation errors? for ([\w.]{1,80})", re.ASCII)
_BANNER = re.compile(
    r"(?:vllm|LLM engine)[^\n]{0,40}?[ =:(]v?([0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,3})(?:rc[0-9]+|\.dev[0-9]+)?(?![.0-9])",
    re.I,
)
_TAIL = re.compile(r"\[type=")
_OURS = re.compile(r"vllm|api_server\.py|\((?:APIServer|EngineCore|Worker)\w{0,40} ", re.I | re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9]+")
_ALIKE = str.maketrans("01i", "oll")


@dataclass(frozen=True)
class Mark:
    """Something in a log that says what stands beside it."""

    kind: str
    """`level`, `label` (`ValueError:`), `title` (`1 validation error for X`) or `frame`."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset behind it."""
    name: str
    """The level, the exception class (`message` in an answer to a request), the class of the title, or the path of
    the frame.
    """
    line: int = 0
    """Line in the source file of a frame; 0 otherwise."""


@dataclass(frozen=True)
class Log:
    """A log that has been read. Offsets count characters of `text`."""

    text: str
    """What was read, with decoration blanked out and everything else in its place."""
    words: tuple[str, ...]
    """Runs of letters and digits as `alike` writes them."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """Offsets of each word."""
    marks: tuple[Mark, ...]
    """In order."""
    blocks: tuple[int, ...]
    """How many of `walls` stand before each word."""
    line_starts: tuple[int, ...]
    line_numbers: tuple[int, ...]
    """Where lines begin in `text`, and which lines of the whole log they are, from 1."""
    walls: tuple[int, ...]
    """Offsets of labels, titles, frames and `[type=…]`: no message goes beyond one."""
    version: str | None
    """The release that a banner names, such as `0.28.0`; None when none does."""
    is_vllm: bool
    """Whether anything names vLLM or one of its processes."""

    def line(self, offset: int) -> int:
        """The line of the whole log, from 1."""
        return self.line_numbers[bisect.bisect_right(self.line_starts, offset) - 1]

    def marks_before(self, offset: int) -> list[Mark]:
        """The last few marks that start before an offset, the nearest first."""
        at = bisect.bisect_left(self.marks, offset, key=lambda mark: mark.start)
        return list(reversed(self.marks[max(0, at - _FEW) : at]))

    def marks_after(self, offset: int) -> list[Mark]:
        """The next few marks from an offset on."""
        at = bisect.bisect_left(self.marks, offset, key=lambda mark: mark.start)
        return list(self.marks[at : at + _FEW])

    def lines(self, start: int, end: int) -> tuple[int, ...]:
        """The lines that a stretch touches."""
        return tuple(range(self.line(start), self.line(max(start, end - 1)) + 1))


def decode(data: bytes) -> str:
    """The text of a log file: UTF-8, or UTF-16 as PowerShell writes it; what is not readable becomes U+FFFD."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, errors="replace")


def alike(word: str) -> str:
    """A word in lower case, with what readers and OCR confuse made one: `O` and `0`, `I` and `l` and `1`."""
    return word.lower().translate(_ALIKE)


def words_of(text: str) -> list[tuple[str, int, int]]:
    """The words of a text, with where they start and end."""
    return [(alike(m.group()), m.start(), m.end()) for m in _WORD.finditer(text)]


def read_log(source: str, is_telling: Callable[[set[str]], bool]) -> Log:
    """Read a log.

    Args:
        source: Any text of any size.
        is_telling: Whether a set of words can belong to a message; decides which parts of a very long log are read.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    raw, line_starts, line_numbers = "", [0], [1]
    for start, end in _parts(source, is_telling):
        if start:
            raw += "\n"
            line_starts.append(len(raw))
            line_numbers.append(source.count("\n", 0, start) + 1)
        piece, base, number = source[start:end], len(raw), line_numbers[-1]
        at = piece.find("\n")
        while at >= 0:
            number += 1
            line_starts.append(base + at + 1)
            line_numbers.append(number)
            at = piece.find("\n", at + 1)
        raw += piece
    raw = _ANSI.sub(_blanks, raw)
    text = _NOISE.sub(_blanks, raw)
    words = words_of(text)
    banner = _BANNER.search(raw)
    marks = sorted(_marks(raw, text), key=lambda mark: (mark.start, mark.end))
    walls = sorted([mark.start for mark in marks if mark.kind != "level"] + [m.start() for m in _TAIL.finditer(text)])
    return Log(
        text=text,
        words=tuple(word for word, _, _ in words),
        starts=tuple(start for _, start, _ in words),
        ends=tuple(end for _, _, end in words),
        marks=tuple(marks),
        blocks=tuple(bisect.bisect_right(walls, start) for _, start, _ in words),
        line_starts=tuple(line_starts),
        line_numbers=tuple(line_numbers),
        walls=tuple(walls),
        version=banner.group(1) if banner else None,
        is_vllm=_OURS.search(raw) is not None,
    )


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _parts(source: str, is_telling: Callable[[set[str]], bool]) -> list[tuple[int, int]]:
    """The stretches that are read: all of it, or of a very long log the telling chunks with their neighbours."""
    if len(source) <= _CHUNK * _LONGEST:
        return [(0, len(source))]
    telling: list[int] = []
    for number in range(-(-len(source) // _CHUNK)):
        chunk = source[number * _CHUNK : (number + 1) * _CHUNK]
        if "rror" in chunk or is_telling(set(_WORD.findall(chunk.lower().translate(_ALIKE)))):
            telling.append(number)
    if len(telling) > _LONGEST // 2:
        telling = telling[: _LONGEST // 4] + telling[-_LONGEST // 4 :]
    found: list[tuple[int, int]] = []
    for number in telling:
        start, end = max(0, (number - 1) * _CHUNK), min(len(source), (number + 2) * _CHUNK)
        if found and found[-1][1] >= start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found or [(0, _CHUNK)]


def _marks(raw: str, text: str) -> list[Mark]:
    found = [Mark("level", m.start(), m.end(), m.group()) for m in _LEVEL.finditer(raw)]
    for label in _LABEL.finditer(text):
        name, start = label.group(1) or label.group().rstrip(" \t*_`:"), label.start()
        if name in ("Error", "Exception"):
            before = _CLASS.search(text[max(0, start - 80) : start])
            start -= len(before.group()) if before else 0
            name = text[start : start + 200].partition(name)[0] + name if before else name
        found.append(Mark("label", start, label.end(), name))
    found += [Mark("title", m.start(), m.end(), m.group(1)) for m in _TITLE.finditer(text)]
    found += [
        Mark("frame", m.start(), m.end(), m.group(1) or m.group(3), int(m.group(2) or m.group(4)))
        for m in _FRAME.finditer(raw)
    ]
    return found
