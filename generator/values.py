"""What a log has in the places of the placeholders of a message that stands in it.

Pure; `docs/assets/lookup-search.js` does the same in the browser.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from generator.logtext import Log
from generator.matching import Found
from generator.wordindex import Wording

LONGEST_VALUE = 2000
"""Characters."""


@dataclass(frozen=True)
class Value:
    """What the reader's log has in the place of one placeholder."""

    placeholder: str
    """The source between the braces."""
    text: str
    """On one line, as it was printed."""


def values_of(log: Log, wording: Wording, fit: Found) -> tuple[Value, ...]:
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
    end = min(log.walls[number] if number < len(log.walls) else len(log.text), start + LONGEST_VALUE)
    text = log.text[start:end]
    opened = text.strip().removeprefix(before).lstrip()[:1]
    if opened == "[" and "]" in text:
        return text[: text.index("]") + 1]
    lines = text.split("\n")
    kept = 1
    while kept < len(lines) and lines[kept - 1].rstrip().endswith(","):
        kept += 1
    return "\n".join(lines[:kept])
