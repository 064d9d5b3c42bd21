"""The index of a lookup: the words of every wording at every pin, and which pairs of words lead to which.

Values only; `indexing.py` makes them from a catalog. Searches nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from generator.logtext import words_of

_RARE = 16
"""A pair of words leads to its templates when at most this many errors have it."""
_GAP = "\x00"
_SENTENCE_END = re.compile(r"[.;]\s")


@dataclass(frozen=True)
class Wording:
    """One text of an error."""

    parts: tuple[str, ...]
    """Fixed text and placeholders in turn; the second, fourth, … are placeholders. The first and last may be empty."""
    lines: tuple[tuple[int, tuple[int, ...]], ...]
    """(Position of a pin, lines of its statements), newest pin first."""

    @property
    def text(self) -> str:
        """The template with its placeholders in braces."""
        return "".join(f"{{{part}}}" if index % 2 else part for index, part in enumerate(self.parts))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the fixed text."""
        return tuple(word for word, _, _ in words_of(self._body))

    @cached_property
    def gaps(self) -> tuple[int, ...]:
        """How many placeholders stand before each word, and behind the last one."""
        return tuple(between.count(_GAP) for between in self.between)

    @cached_property
    def ends(self) -> tuple[bool, ...]:
        """Whether a sentence ends behind each word."""
        return tuple(_SENTENCE_END.search(between) is not None for between in self.between[1:])

    @cached_property
    def _body(self) -> str:
        return _GAP.join(self.parts[::2])

    @cached_property
    def between(self) -> tuple[str, ...]:
        """The fixed text before each word and behind the last one, placeholders as U+0000."""
        found = words_of(self._body)
        edges = [0, *(edge for _, start, end in found for edge in (start, end)), len(self._body)]
        return tuple(self._body[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))

    def around(self, word: int) -> tuple[str, str]:
        """The fixed text beside the placeholder before a word: what precedes the value, and what follows it."""
        before, _, after = self.between[word].partition(_GAP)
        return before.strip(), after.rpartition(_GAP)[2].strip()


@dataclass(frozen=True)
class Entry:
    """One error, as far as a search needs it."""

    id: str
    slug: str | None
    """Name of its page; None when only releases without pages raise it."""
    lifted_in: int | None
    """Position of the first pin that no longer raises it; None while the newest one does."""
    is_bare: bool
    """Whether it can reach the user without pydantic's wrapper."""
    wordings: tuple[Wording, ...]
    """The canonical one first."""
    openings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(Placeholder, first words of the texts that the source puts there), where it puts nothing else."""


@dataclass(frozen=True)
class LookupIndex:
    """Everything that a search needs, as `/api/lookup.json` holds it."""

    path: str
    """The documented files, relative to the repository, parted by commas."""
    pins: tuple[str, ...]
    """Labels, newest first."""
    settings: tuple[tuple[str, tuple[str, ...]], ...]
    """(Config object, such as `cache_config`, and those of its fields that the checks read)."""
    entries: tuple[Entry, ...]

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """Config object → its fields."""
        return dict(self.settings)

    @cached_property
    def pairs(self) -> dict[str, list[tuple[int, int, int]]]:
        """Two neighbouring words → (entry, wording, position of the first) of the few that have them."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for number, entry in enumerate(self.entries):
            for which, wording in enumerate(entry.wordings):
                for at in range(len(wording.words) - 1):
                    if not wording.gaps[at + 1]:
                        key = f"{wording.words[at]} {wording.words[at + 1]}"
                        found.setdefault(key, []).append((number, which, at))
        return {key: places for key, places in found.items() if len({number for number, _, _ in places}) <= _RARE}

    @cached_property
    def frequency(self) -> dict[str, int]:
        """Word → number of errors that have it."""
        found: dict[str, set[int]] = {}
        for number, entry in enumerate(self.entries):
            for wording in entry.wordings:
                for word in wording.words:
                    found.setdefault(word, set()).add(number)
        return {word: len(numbers) for word, numbers in found.items()}

    @cached_property
    def telling(self) -> frozenset[str]:
        """Words that few errors have."""
        return frozenset(word for word, count in self.frequency.items() if count <= 6 and len(word) > 3)

    def weight(self, word: str) -> int:
        """How much a word tells: 4 when one error has it, 1 when many do."""
        count = self.frequency.get(word, 1)
        return 4 if count == 1 else 3 if count <= 3 else 2 if count <= 8 else 1
