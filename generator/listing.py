"""What lists say about errors: the rows of the index with what they can be filtered by, the topics, the numbers.

Pure: computes from the catalog; knows nothing of Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.analysis import TagInfo
from generator.by_setting import listed_items
from generator.catalog import Catalog, Error
from generator.conditions import told_first
from generator.history import Change, Comparison, compare
from generator.pictures import Count, Growth
from generator.settings import Setting, Sort

VERDICTS: Mapping[str, str] = {
    "configuration": "Your configuration",
    "version": "Your vLLM version",
    "hardware": "Your hardware",
    "environment": "Your environment",
    "vllm-bug": "A bug in vLLM",
    "misuse": "Code that uses vLLM's internals",
}
AWAITING = "awaiting analysis"
STATES = ("raised", "new", "retired", "proven", "stale", AWAITING)
"""What a row can be, in the order in which filters offer it."""


@dataclass(frozen=True)
class Row:
    """One error in a list."""

    error: Error
    verdict: str
    """In words."""
    topics: tuple[Topic, ...]
    settings: tuple[str, ...]
    """Flags and variables that its conditions read."""
    states: tuple[str, ...]
    """Of `STATES`."""
    pins: tuple[int, ...]
    """Which pins raise it, as positions among the pins of the catalog."""
    releases: str
    """The same in a few words."""
    more: tuple[str, ...]
    """What else its message can hold, and what decides that: items of lists, and their settings."""


@dataclass(frozen=True)
class Topic:
    """A tag that at least one error has."""

    tag: str
    """Name of its page."""
    info: TagInfo


def topics_of(error: Error, catalog: Catalog) -> tuple[Topic, ...]:
    """The topics of an error, the most telling first."""
    tags = error.analysis.tags if error.analysis else ()
    return tuple(Topic(tag, catalog.tags[tag]) for tag in tags if tag in catalog.tags)


def settings_of(error: Error, catalog: Catalog) -> tuple[Setting, ...]:
    """The settings that the newest check reads and that somebody can set, the most telling first."""
    explanation = catalog.explanation(error.primary)
    involved = told_first(error, explanation.involved) if explanation else ()
    return tuple(each.setting for each in involved if each.setting.routes or each.setting.sort is Sort.ENVIRONMENT)


def topics(catalog: Catalog) -> tuple[tuple[Topic, tuple[Error, ...]], ...]:
    """Every topic that has errors, the largest first, each with its errors: those that are still raised first."""
    found = [
        (Topic(tag, info), tuple(e for e in catalog.errors if e.analysis and tag in e.analysis.tags))
        for tag, info in catalog.tags.items()
    ]
    return tuple(sorted((each for each in found if each[1]), key=lambda each: (-len(each[1]), each[0].info.title)))


def row_of(error: Error, catalog: Catalog) -> Row:
    """The row of one error."""
    position = {pin.label: index for index, pin in enumerate(catalog.pins)}
    first, last = error.pins[-1].label, error.pins[0].label
    states = {
        "retired" if error.is_retired else "raised": True,
        "new": first == last == catalog.latest.label and len(catalog.pins) > 1,
        "proven": bool(catalog.proofs(error)),
        "stale": error.is_stale,
        AWAITING: error.analysis is None,
    }
    return Row(
        error=error,
        verdict=VERDICTS[error.analysis.verdict] if error.analysis else "awaits its analysis",
        topics=topics_of(error, catalog),
        settings=tuple(each.label for each in settings_of(error, catalog)),
        states=tuple(state for state in STATES if states.get(state)),
        pins=tuple(position[pin.label] for pin in error.pins),
        releases=_releases(error, first, last),
        more=_more(error, catalog),
    )


def _more(error: Error, catalog: Catalog) -> tuple[str, ...]:
    """The items of its lists with the settings that add them, at any documented pin."""
    listed = [each for found in listed_items(error, catalog).values() for each in found]
    conditions = [told for each in listed for item in each.items for told in item.conditions]
    labels = [setting.label for told in conditions for setting in told.settings]
    return tuple(dict.fromkeys([*(each.text for each in listed), *labels]))


def _releases(error: Error, first: str, last: str) -> str:
    if error.is_retired:
        return f"{first} to {last}" if first != last else f"{first} only"
    return f"{first} and later" if first != last else f"{first}"


@dataclass(frozen=True)
class ListChange:
    """What a list in one message can hold at a pin, and could not, or not so, at an older one."""

    error: Error
    gone: tuple[str, ...]
    new: tuple[str, ...]
    other: tuple[str, ...]
    """Items that both have, under other conditions."""


def list_changes(comparison: Comparison, catalog: Catalog) -> tuple[ListChange, ...]:
    """The errors of both pins whose lists differ; empty when a pin without pages is compared."""
    found: list[ListChange] = []
    for error in catalog.errors:
        if comparison.older not in error.pins or comparison.newer not in error.pins:
            continue
        listed = [each for items in listed_items(error, catalog).values() for each in items]
        before = {each.text: each for each in listed if comparison.older in each.pins}
        after = {each.text: each for each in listed if comparison.newer in each.pins}
        change = ListChange(
            error,
            tuple(text for text in before if text not in after),
            tuple(text for text in after if text not in before),
            tuple(text for text, each in after.items() if text in before and before[text] != each),
        )
        if before and after and (change.gone or change.new or change.other):
            found.append(change)
    return tuple(found)


def counts(catalog: Catalog, comparisons: tuple[Comparison, ...]) -> tuple[Count, ...]:
    """Errors per pin, the oldest first; `comparisons` are of neighbours, newest first."""
    everything = (*catalog.errors, *catalog.history_only)
    by_newer = {each.newer.label: each for each in comparisons}
    found: list[Count] = []
    for pin in reversed(catalog.pins):
        comparison = by_newer.get(pin.label)
        found.append(
            Count(
                label=pin.label,
                raised=sum(any(pin.label == each.label for each in error.pins) for error in everything),
                added=len(comparison.having(Change.ADDED)) if comparison else None,
                lifted=len(comparison.having(Change.RETIRED)) if comparison else None,
            )
        )
    return tuple(found)


def topic_counts(catalog: Catalog) -> tuple[tuple[Topic, tuple[int, ...]], ...]:
    """Every topic with its number of errors at each documented pin, newest first."""
    labels = [pin.label for pin in catalog.pins if pin.documented]
    return tuple(
        (topic, tuple(sum(any(pin.label == label for pin in error.pins) for error in errors) for label in labels))
        for topic, errors in topics(catalog)
    )


def growths(catalog: Catalog) -> tuple[Growth, ...]:
    """Errors per topic at the oldest and the newest documented pin."""
    return tuple(Growth(topic.info.title, found[-1], found[0]) for topic, found in topic_counts(catalog))


def latest_changes(catalog: Catalog) -> Comparison | None:
    """What the newest pin changed; None when there is only one."""
    return compare(catalog, catalog.pins[1], catalog.pins[0]) if len(catalog.pins) > 1 else None
