"""Where the messages of an index stand in a log: whole, cut off, wrapped, retyped or misread.

Templates and log are compared word by word, so white space, line breaks, quotes and decoration do not matter; rare
pairs of words lead to the few templates that are compared at all. `docs/assets/lookup-search.js` does
the same in the browser.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace

from generator.logtext import Log, Mark
from generator.wordindex import LookupIndex, Wording

MOST_ALIGNMENTS = 100
"""Comparisons of one template with places in the log; no log makes more of them."""
_VALUE_WORDS = 80
"""Longest value of a placeholder."""
_LEAST, _LEAST_SURE, _LEAST_WITHIN = (9, 4), (4, 2), (14, 6)
"""Weight and words that a part of a message must have; less behind a label or where the log itself is cut, more when
both ends are missing.
"""
_LONG_BEGINNING = (18, 8)
"""Weight and words of a beginning that makes a text another wording."""
_FRAME_WORDS, _FRAME_SHARE = 12, 70
"""Words, and percent of the weight, of a message of which both ends are there: then it is another wording, too."""
_WHOLE, _CUT, _QUOTED = 1, 2, 3
_CUT_VALUE_WORDS = 3
_WORDY = re.compile(r"[A-Za-z0-9]")
_VALUE = re.compile(r"[ \t`'\"(=]{0,6}[^ \t\n]{0,200}")
_BREAK = re.compile(r"[ \t.,;:)]*(?:\Z|\n|[\"'`*|“”」』»]|\.\.|…|\[)")
_CLOSE = re.compile(r"[ \t.]*[\"'`|”」』»]")
_OPEN = re.compile(r"[\"'`“「『«]\s*\Z")


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
    """Wordings of the same error that fit the place as well; empty when not even this one fits to its end: the text
    begins as the message does and then goes on in its own way, as older and newer wordings do.
    """

    @property
    def is_whole(self) -> bool:
        """Whether every word of the message is there."""
        return self.weight == self.total

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """For comparing what fits one place: what is found minus what is missing, then exactness, then order."""
        return (4 * self.weight - self.total // 4, self.exactness, -self.entry, -self.wording)

    def equals(self, other: Found) -> bool:
        """Whether another wording of the same error fits as well: what the log leaves out may differ."""
        if self.is_whole or other.is_whole:
            return self.rank[:2] == other.rank[:2]
        return (self.weight, self.exactness) == (other.weight, other.exactness)


def search(log: Log, index: LookupIndex) -> list[Found]:
    """The places of a log that a wording fits, at most one for each place, in order."""
    found: list[Found] = []
    done: dict[tuple[int, int], int] = {}
    tried: dict[tuple[int, int], int] = {}
    for at in range(len(log.words) - 1):
        for number, which, word in index.pairs.get(f"{log.words[at]} {log.words[at + 1]}", ()):
            tries = tried.get((number, which), 0)
            if at < done.get((number, which), 0) or tries == MOST_ALIGNMENTS:
                continue
            tried[number, which] = tries + 1
            wording = index.entries[number].wordings[which]
            places = _align(log, wording, at, word)
            done[number, which] = places[-1][2]
            fit = _judge(log, index, number, which, places)
            if fit:
                found.append(fit)
    best: list[Found] = []
    for fit in sorted(found, key=lambda each: each.rank, reverse=True):
        if all(fit.end <= other.start or fit.start >= other.end for other in best):
            as_well = [each for each in found if (each.entry, each.start) == (fit.entry, fit.start)]
            same = {each.wording for each in as_well if each.same and each.equals(fit)} if fit.same else set()
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
        if not 0 <= place < len(log.words) or log.blocks[place] != log.blocks[at]:
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
    if there == word:
        return 1
    beside = place + step
    if len(there) < len(word) and 0 <= beside < len(log.words):
        both = there + log.words[beside] if step > 0 else log.words[beside] + there
        if both == word:
            return 2
    return 1 if near and _is_near(there, word) else 0


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


def _resume(log: Log, wording: Wording, at: int, word: int, step: int, gap: int) -> tuple[int, tuple[int, int] | None]:
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
    wrong = 0
    exact = all("".join(log.words[start : end + 1]) == wording.words[word] for word, start, end in places)
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
        quoted = _quoted_sentence(log, wording, places)
        if quoted:
            return _judge(log, index, number, which, quoted)
        return _beginning(log, index, number, which, places, start, label)
    if not whole:
        begins, ends = _begins(log, wording, low, first), _breaks(log, wording, high, last)
        within = low > 0 and high < len(wording.words) - 1
        sure = label is not None or (ends if low == 0 else begins) == _CUT
        strict = within or begins == _QUOTED
        least_weight, least_words = _LEAST_WITHIN if strict else _LEAST_SURE if sure else _LEAST
        if not (begins and ends and weight >= least_weight and len(places) >= least_words):
            return _beginning(log, index, number, which, places, start, label)
    exactness = 1 + len(tail) if exact and agrees else 0
    return Found(number, which, tuple(places), start, log.ends[last], weight, total, exactness, label, (which,))


def _beginning(
    log: Log,
    index: LookupIndex,
    number: int,
    which: int,
    places: list[tuple[int, int, int]],
    start: int,
    label: Mark | None,
) -> Found | None:
    """A text behind a label that begins as a message does for so long, or begins and ends as it does with so much of
    it between, that it is a wording of the same check.
    """
    words = index.entries[number].wordings[which].words
    run = [place for at, place in enumerate(places) if place[0] == at]
    total = sum(index.weight(word) for word in words)
    weight = sum(index.weight(words[word]) for word, _, _ in places)
    has_ends = places[0][0] == 0 and places[-1][0] == len(words) - 1
    if has_ends and len(places) >= _FRAME_WORDS and 100 * weight >= _FRAME_SHARE * total:
        run = places
    weight = sum(index.weight(words[word]) for word, _, _ in run)
    if label is None or len(run) < _LONG_BEGINNING[1] or weight < _LONG_BEGINNING[0]:
        return None
    return Found(number, which, tuple(run), start, log.ends[run[-1][2]], weight, total + 1, 0, label)


def _trim(wording: Wording, places: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Without single words at both ends that only chance has put there."""
    while len(places) > 1 and places[-1][0] - places[-2][0] > 1:
        places = places[:-1]
    while len(places) > 1 and places[1][0] - places[0][0] > 1:
        places = places[1:]
    return places if len(places) > 1 else []


def _quoted_sentence(
    log: Log, wording: Wording, places: list[tuple[int, int, int]]
) -> list[tuple[int, int, int]] | None:
    """The places up to where a quotation mark closes behind a sentence: what follows in the log is another text."""
    for at, ((one, _, last), (other, _, _)) in enumerate(itertools.pairwise(places), start=1):
        if other - one > 1 and wording.ends[one] and _CLOSE.match(log.text, log.ends[last]):
            return places[:at]
    return None


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
    for mark in log.marks_before(start):
        if mark.kind == "label":
            return None if mark.end > start or _WORDY.search(log.text, mark.end, start) else mark
    return None


def _is_longer(log: Log, start: int) -> bool:
    """Whether other words stand between a label and `start` on one line: then the message begins with them."""
    line = log.text.rfind("\n", 0, start) + 1
    return any(mark.kind == "label" and line <= mark.start < start for mark in log.marks_before(start))


def _begins(log: Log, wording: Wording, word: int, place: int) -> int:
    """Whether a message can begin here: with its first word or a sentence, because the log does (`_CUT`), or because
    somebody quotes a part of it (`_QUOTED`).
    """
    if word == 0 or wording.ends[word - 1]:
        return _WHOLE
    if any(mark.kind == "label" for mark in log.marks_before(log.starts[place])):
        return 0
    if place == 0 or (place == 1 and wording.words[word - 1].endswith(log.words[0])):
        return _CUT
    if wording.gaps[word] and place <= _CUT_VALUE_WORDS:
        return _CUT
    before = log.text[max(0, log.starts[place] - 12) : log.starts[place]]
    if "..." in before or "…" in before or "\n\n" in before:
        return _WHOLE
    return _QUOTED if _OPEN.search(before) else 0


def _breaks(log: Log, wording: Wording, word: int, place: int) -> int:
    """Whether a message can end here: with its last word, a sentence or a break, or because the log does (`_CUT`)."""
    left = len(log.words) - 1 - place
    if word == len(wording.words) - 1:
        return _WHOLE
    if left == 0 or (wording.gaps[word + 1] and left <= _CUT_VALUE_WORDS):
        return _CUT
    if left == 1:
        return _CUT if wording.words[word + 1].startswith(log.words[-1]) else 0
    end = log.ends[place]
    if wording.gaps[word + 1]:
        value = _VALUE.match(log.text, end)
        end = value.end() if value else end
    elif wording.words[word + 1].startswith(log.words[place + 1]) and _BREAK.match(log.text, log.ends[place + 1]):
        return _WHOLE
    return _WHOLE if wording.ends[word] or _BREAK.match(log.text, end) else 0
