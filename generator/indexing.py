"""A catalog → the index of the lookup, and the handbook of `explain`.

Pure: values in, values out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from generator.catalog import Catalog, Error
from generator.handbook import Advice, Handbook
from generator.logtext import words_of
from generator.message import MessageTemplate, Placeholder
from generator.wordindex import Entry, LookupIndex, Wording

_VOCABULARY = 3
"""First words that make a vocabulary; fewer say nothing about a text that is not among them."""
_SETTING = re.compile(r"\b[a-z_]+_config\.[a-z]\w+")


def build_index(catalog: Catalog) -> LookupIndex:
    """The index of every wording at every pin."""
    order = {pin.label: number for number, pin in enumerate(catalog.pins)}
    errors = (*catalog.errors, *catalog.history_only)
    settings = {
        name
        for error in errors
        for each in error.occurrences
        for text in (*(guard.text for guard in each.site.guards), *(p.source for p in each.site.template.placeholders))
        for name in _SETTING.findall(text)
    }
    return LookupIndex(
        path=", ".join(dict.fromkeys(error.path for error in errors)),
        pins=tuple(order),
        settings=tuple(
            (holder, tuple(name.partition(".")[2] for name in names))
            for holder, names in itertools.groupby(sorted(settings), key=lambda name: name.partition(".")[0])
        ),
        entries=tuple(_entry(error, order) for error in errors),
    )


def build_handbook(catalog: Catalog, site_url: str) -> Handbook:
    """The index with the words of each card; `site_url` has a final slash or is empty."""
    advice = {
        error.slug: Advice(error.analysis.summary, error.analysis.solutions)
        for error in catalog.errors
        if error.analysis
    }
    return Handbook(build_index(catalog), advice, site_url)


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
        openings=tuple(_openings(error)),
    )


def _openings(error: Error) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The first words of what each placeholder can be, unless a text begins with a placeholder itself."""
    texts: dict[str, set[str]] = {}
    for each in error.occurrences:
        for placeholder, found in each.site.fills.items():
            texts.setdefault(placeholder, set()).update(found)
    for placeholder, several in sorted(texts.items()):
        words = [words_of(text)[:1] for text in several]
        if all(words) and not any("{" in text[: word[0][1]] for text, word in zip(several, words, strict=True)):
            first = sorted({word[0][0] for word in words})
            if len(first) >= _VOCABULARY:
                yield placeholder, tuple(first)


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
