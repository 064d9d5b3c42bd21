"""A pasted log → the errors in it: index, search, and what the log says about each.

Pure: a catalog and a text in, values out. Templates and log are compared word by word, so white space, line breaks,
quotes and decoration do not matter; the rarest pairs of words lead to the few templates that are compared at all.
`docs/assets/lookup.js` does the same in the browser, step by step; tests/lookup_cases/ holds both to it.
"""

from __future__ import annotations

import bisect
import itertools
import re
from dataclasses import dataclass, replace
from functools import cached_property

from generator.catalog import Catalog, Error
from generator.logtext import Log, Mark, read_log, words_of
from generator.message import MessageTemplate, Placeholder

_MOST_ALIGNMENTS = 2000
"""Comparisons of a template with a place in the log; no log makes more of them."""
_VALUE_WORDS = 80
"""Longest value of a placeholder."""
_RARE = 6
"""A pair of words leads to its templates when at most this many errors have it."""
_LEAST_WEIGHT, _LEAST_WORDS = 9, 4
"""What a part of a message must have to be taken for it."""
_GAP = "\x00"
_SENTENCE_END = re.compile(r"[.;]\s")
_WORDY = re.compile(r"[A-Za-z0-9]")
_VALUE = re.compile(r"[ \t`'\"(=]{0,6}[^ \t\n]{0,200}")
_BREAK = re.compile(r"[ \t.,;:)]*(?:\Z|\n|[\"'`*|“”]|\.\.|…|\[)")


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


@dataclass(frozen=True)
class LookupIndex:
    """Everything that a search needs, as `/api/lookup.json` holds it."""

    path: str
    """The documented files, relative to the repository, parted by commas."""
    pins: tuple[str, ...]
    """Labels, newest first."""
    settings: tuple[str, ...]
    """Config fields that the checks read, such as `cache_config.cache_dtype`."""
    entries: tuple[Entry, ...]

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
        return frozenset(word for word, count in self.frequency.items() if count <= _RARE and len(word) > 3)

    def weight(self, word: str) -> int:
        """How much a word tells: 4 when one error has it, 1 when many do."""
        count = self.frequency.get(word, 1)
        return 4 if count == 1 else 3 if count <= 3 else 2 if count <= 8 else 1


@dataclass(frozen=True)
class Found:
    """A place in a log that one wording fits."""

    entry: int
    wording: int
    places: tuple[tuple[int, int, int], ...]
    """(Word of the template, first and last word of the log) of each word that was found, in order."""
    start: int
    end: int
    """Offsets in the log, from the value before the first word to the last word."""
    weight: int
    """What the words that were found tell, of `total`."""
    total: int
    exactness: int
    """0 when punctuation differs; otherwise more for a longer end that agrees."""
    label: Mark | None
    """The `ValueError:` or `Value error,` directly before it."""
    same: tuple[int, ...] = ()
    """Wordings of the same error that fit the place as well."""

    @property
    def is_whole(self) -> bool:
        """Whether every word of the message is there."""
        return self.weight == self.total

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """For comparing what fits one place: what is found minus what is missing, then exactness, then order."""
        return (4 * self.weight - self.total // 4, self.exactness, -self.entry, -self.wording)


def build_index(catalog: Catalog) -> LookupIndex:
    """The index of every wording at every pin."""
    from generator.settings import names_read

    order = {pin.label: number for number, pin in enumerate(catalog.pins)}
    errors = (*catalog.errors, *catalog.history_only)
    settings = {
        name
        for error in errors
        for each in error.occurrences
        for name in names_read(each.site)
        if re.fullmatch(r"\w+_config\.\w+", name)
    }
    return LookupIndex(
        path=", ".join(dict.fromkeys(error.path for error in errors)),
        pins=tuple(order),
        settings=tuple(sorted(settings)),
        entries=tuple(_entry(error, order) for error in errors),
    )


def _entry(error: Error, order: dict[str, int]) -> Entry:
    wordings: list[Wording] = []
    for template in (error.template, *error.other_wordings):
        lines: dict[int, list[int]] = {}
        for each in error.occurrences:
            if each.site.template.text == template.text:
                lines.setdefault(order[each.pin.label], []).append(each.site.line)
        wordings.append(Wording(_parts(template), tuple((pin, tuple(found)) for pin, found in lines.items())))
    return Entry(
        id=error.id,
        slug=error.slug if any(pin.documented for pin in error.pins) else None,
        lifted_in=order[error.lifted_in.label] if error.lifted_in else None,
        is_bare=any("bare" in each.site.appearances for each in error.occurrences),
        wordings=tuple(wordings),
    )


def _parts(template: MessageTemplate) -> tuple[str, ...]:
    """Fixed text and placeholders in turn, beginning and ending with fixed text; `{x=}` prints `x=` as well."""
    parts = [""]
    for part in template.parts:
        if isinstance(part, Placeholder):
            parts[-1] += part.prefix
            parts += [part.source, ""]
        else:
            parts[-1] += part
    return tuple(parts)


def search(log: Log, index: LookupIndex) -> list[Found]:
    """The places of a log that a wording fits, at most one for each place, in order."""
    found: list[Found] = []
    done: dict[tuple[int, int], int] = {}
    left = _MOST_ALIGNMENTS
    for at in range(len(log.words) - 1):
        for number, which, word in index.pairs.get(f"{log.words[at]} {log.words[at + 1]}", ()):
            if at < done.get((number, which), 0) or not left:
                continue
            left -= 1
            wording = index.entries[number].wordings[which]
            places = _align(log, wording, at, word)
            done[number, which] = places[-1][2]
            fit = _judge(log, index, number, which, places)
            if fit:
                found.append(fit)
    best: list[Found] = []
    for fit in sorted(found, key=lambda each: each.rank, reverse=True):
        if all(fit.end <= other.start or fit.start >= other.end for other in best):
            same = {o.wording for o in found if o.entry == fit.entry and o.rank[:2] == fit.rank[:2] and o.start == fit.start}
            best.append(replace(fit, same=tuple(sorted(same))))
    return sorted(best, key=lambda each: each.start)


def _align(log: Log, wording: Wording, at: int, word: int) -> list[tuple[int, int, int]]:
    """Walk from a word that both have to both ends, as far as they agree."""
    left, right = _walk(log, wording, at, word, -1), _walk(log, wording, at, word, 1)
    return [*reversed(left), (word, at, at), *right]


def _walk(log: Log, wording: Wording, at: int, word: int, step: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    missed = 0
    while 0 <= word + step < len(wording.words) and missed <= 3:
        word += step
        place = _seek(log, wording, at, word, step, missed)
        gap = wording.gaps[word if step > 0 else word + 1]
        if place is None and not missed and _is_elided(log, at, step, gap):
            word, place = _resume(log, wording, at, word, step, gap)
        if place is None:
            missed += 1
            continue
        found.append((word, min(place), max(place)))
        at, missed = (max(place) if step > 0 else min(place)), 0
    return found


def _seek(log: Log, wording: Wording, at: int, word: int, step: int, missed: int) -> tuple[int, int] | None:
    """Where the next word of the template stands in the log: its first and last word there."""
    gap = wording.gaps[word if step > 0 else word + 1]
    following = word + step
    firm = 0 <= following < len(wording.words) and not wording.gaps[following if step > 0 else word]
    first: tuple[int, int] | None = None
    reach = _VALUE_WORDS if gap else 1 + missed
    for distance in range(1, max(reach, 8) + 1):
        place = at + step * distance
        if not 0 <= place < len(log.words):
            break
        if distance > reach and "\n" not in _between(log, at, place):
            break
        size = _fits(log, place, wording.words[word], step, near=not gap and distance == 1)
        if not size:
            continue
        last = place + step * (size - 1)
        beyond = last + step
        if not firm or (
            0 <= beyond < len(log.words) and _fits(log, beyond, wording.words[following], step, near=not gap)
        ):
            return place, last
        first = first or ((place, last) if distance <= reach else None)
    return first


def _fits(log: Log, place: int, word: str, step: int, near: bool) -> int:
    """How many words of the log, from `place` on, are the word: 1, 2 when it is broken in two, else 0."""
    there = log.words[place]
    if there == word or (near and _is_near(there, word)):
        return 1
    beside = place + step
    if len(there) < len(word) and 0 <= beside < len(log.words):
        both = there + log.words[beside] if step > 0 else log.words[beside] + there
        return 2 if both == word else 0
    return 0


def _is_near(one: str, other: str) -> bool:
    """Whether two words differ by what a reader or OCR gets wrong: a letter, or two in a long word."""
    if min(len(one), len(other)) < 5 or abs(len(one) - len(other)) > 1:
        return False
    if len(one) == len(other):
        return sum(a != b for a, b in zip(one, other, strict=True)) <= (1 if len(one) < 8 else 2)
    short, long = sorted((one, other), key=len)
    at = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[at:] == long[at + 1 :]


def _between(log: Log, one: int, other: int) -> str:
    low, high = min(one, other), max(one, other)
    return log.text[log.ends[low] : log.starts[high]]


def _is_elided(log: Log, at: int, step: int, gap: int) -> bool:
    size = 60 if gap else 8
    start, end = (log.ends[at], log.ends[at] + size) if step > 0 else (log.starts[at] - size, log.starts[at])
    text = log.text[max(0, start) : end]
    return "..." in text or "…" in text


def _resume(
    log: Log, wording: Wording, at: int, word: int, step: int, gap: int
) -> tuple[int, tuple[int, int] | None]:
    """Behind an ellipsis: the next word of the template from which on two words agree again."""
    for distance in range(1, 8 if gap else 3):
        place, beyond = at + step * distance, at + step * (distance + 1)
        if not 0 <= min(place, beyond) <= max(place, beyond) < len(log.words):
            break
        later = word + step
        while 0 <= later + step < len(wording.words) and later >= 0:
            if log.words[place] == wording.words[later] and log.words[beyond] == wording.words[later + step]:
                return later, (place, place)
            later += step
    return word, None


def _judge(log: Log, index: LookupIndex, number: int, which: int, places: list[tuple[int, int, int]]) -> Found | None:
    """Whether what was found is the message, or as much of it as the log has; None when the log says something else."""
    wording = index.entries[number].wordings[which]
    places = _trim(wording, places)
    if not places:
        return None
    wrong, exact = 0, True
    for (one, _, last), (other, first, _) in itertools.pairwise(places):
        between = _between(log, last, first)
        if other - one > 1:
            wrong += 0 if "..." in between or "…" in between else other - one - 1
            exact = False
        elif not wording.gaps[other]:
            wrong += first - last > 1 and "\n" not in between
            exact = exact and _squeeze(between) == _squeeze(wording.between[other])
        else:
            before, after = wording.around(other)
            squeezed = _squeeze(between)
            exact = exact and squeezed.startswith(_squeeze(before)) and squeezed.endswith(_squeeze(after))
    (low, first, _), (high, _, last) = places[0], places[-1]
    weight = sum(index.weight(wording.words[word]) for word, _, _ in places)
    total = sum(index.weight(word) for word in wording.words)
    start = log.starts[first]
    if low == 0 and wording.gaps[0]:
        start = _chunk_start(log.text, start)
    label = _label_before(log, start)
    if low == 0 and wording.gaps[0] and label is None and _is_longer(log, start):
        return None
    tail = _squeeze(wording.between[-1])
    agrees = high == len(wording.words) - 1 and (
        wording.gaps[-1] > 0 or _squeeze(log.text[log.ends[last] : log.ends[last] + 40]).startswith(tail)
    )
    whole = weight == total
    if wrong > len(places) // 8 or (whole and len(places) < 6 and not exact):
        return None
    if not whole and (
        weight < _LEAST_WEIGHT
        or len(places) < _LEAST_WORDS
        or not _begins(log, wording, low, first)
        or not _breaks(log, wording, high, last)
    ):
        return None
    exactness = 1 + len(tail) if exact and agrees else 0
    return Found(number, which, tuple(places), start, log.ends[last], weight, total, exactness, label)


def _trim(wording: Wording, places: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Without single words at both ends that only chance has put there."""
    while len(places) > 1 and places[-1][0] - places[-2][0] > 1:
        places = places[:-1]
    while len(places) > 1 and places[1][0] - places[0][0] > 1:
        places = places[1:]
    return places if len(places) > 1 else []


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _chunk_start(text: str, end: int) -> int:
    """Where the run of visible characters before `end` starts: the value of a placeholder that begins a message."""
    at = end
    while at > 0 and text[at - 1] in " \t\n":
        at -= 1
    while at > 0 and end - at < 200 and text[at - 1] not in " \t\n":
        at -= 1
    return at


def _label_before(log: Log, start: int) -> Mark | None:
    """The label with nothing but decoration between it and `start`."""
    at = bisect.bisect_left(log.marks, start, key=lambda mark: mark.start) - 1
    while at >= 0 and start - log.marks[at].end < 200:
        mark = log.marks[at]
        if mark.kind == "label":
            return None if mark.end > start or _WORDY.search(log.text, mark.end, start) else mark
        at -= 1
    return None


def _is_longer(log: Log, start: int) -> bool:
    """Whether other words stand between a label and `start` on one line: then the message begins with them."""
    line = log.text.rfind("\n", 0, start) + 1
    return any(mark.kind == "label" and line <= mark.start < start for mark in _marks_before(log, start))


def _marks_before(log: Log, offset: int) -> list[Mark]:
    """The last few marks before an offset, the nearest first."""
    at = bisect.bisect_left(log.marks, offset, key=lambda mark: mark.start)
    return list(reversed(log.marks[max(0, at - 40) : at]))


def _begins(log: Log, wording: Wording, word: int, place: int) -> bool:
    """Whether a message can begin here: with its first word, with a sentence, or where the text does."""
    if word == 0 or wording.ends[word - 1] or place == 0:
        return True
    if place == 1 and wording.words[word - 1].endswith(log.words[0]):
        return True
    before = log.text[max(0, log.starts[place] - 12) : log.starts[place]]
    return "..." in before or "…" in before or "\n\n" in before


def _breaks(log: Log, wording: Wording, word: int, place: int) -> bool:
    """Whether a message can end here: with its last word, with a sentence, or where the text breaks off."""
    if word == len(wording.words) - 1 or wording.ends[word]:
        return True
    if place + 1 < len(log.words) and not wording.gaps[word + 1]:
        following = log.words[place + 1]
        if wording.words[word + 1].startswith(following) and _BREAK.match(log.text, log.ends[place + 1]):
            return True
    end = log.ends[place]
    if wording.gaps[word + 1]:
        value = _VALUE.match(log.text, end)
        end = value.end() if value else end
        return place + 1 >= len(log.words) or _BREAK.match(log.text, end) is not None
    return _BREAK.match(log.text, end) is not None
