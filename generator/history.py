"""What changed between two pins, and the story of one error over all of them.

Pure: compares what was extracted; knows nothing of pages.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from generator.catalog import Catalog, Error, Occurrence
from generator.guards import Origin
from generator.pins import Pin


class Change(enum.StrEnum):
    """What can happen to an error from one pin to the next."""

    ADDED = "added"
    RETIRED = "retired"
    REWORDED = "reworded"
    MOVED = "moved"
    """To another function. A statement that only stands on another line has not moved."""
    GUARDS = "guards changed"
    CLASS = "exception class changed"


@dataclass(frozen=True)
class Step:
    """One error at one pin."""

    pin: Pin
    occurrence: Occurrence | None
    """The (first) raise site; None when the pin does not raise the error."""
    changes: tuple[Change, ...]
    """Since the pin before; empty when nothing changed, and at the oldest pin."""


@dataclass(frozen=True)
class Difference:
    """One error that is not the same at two pins."""

    error: Error
    changes: tuple[Change, ...]
    """Never empty."""
    before: Occurrence | None
    """None when it was added."""
    after: Occurrence | None
    """None when it was retired."""

    @property
    def guards_gone(self) -> tuple[str, ...]:
        """Conditions that only the older pin has, in order."""
        return _only_in(self.before, self.after)

    @property
    def guards_new(self) -> tuple[str, ...]:
        """Conditions that only the newer pin has, in order."""
        return _only_in(self.after, self.before)


@dataclass(frozen=True)
class Comparison:
    """Everything that differs between two pins."""

    older: Pin
    newer: Pin
    differences: tuple[Difference, ...]
    """By message."""

    def having(self, *changes: Change) -> tuple[Difference, ...]:
        """The differences of the given kinds."""
        return tuple(each for each in self.differences if set(each.changes) & set(changes))


def compare(catalog: Catalog, older: Pin, newer: Pin) -> Comparison:
    """Compare two pins; `older` is whichever the caller takes as the starting point."""
    found: list[Difference] = []
    for error in (*catalog.errors, *catalog.history_only):
        before, after = _at(error, older), _at(error, newer)
        changes = _changes(before, after)
        if changes:
            found.append(Difference(error, changes, before[0] if before else None, after[0] if after else None))
    found.sort(key=lambda each: (each.error.message, each.error.path))
    return Comparison(older, newer, tuple(found))


def since_review(error: Error) -> Difference | None:
    """What changed between the check that the analysis was written for and the newest pin that raises the error; None
    when nothing did, or when the pin of the review does not raise it.
    """
    if error.analysis is None:
        return None
    commit = error.analysis.reviewed.commit
    read = tuple(each for each in error.occurrences if each.pin.commit.startswith(commit[:40]))
    now = tuple(each for each in error.occurrences if each.pin.label == error.primary.pin.label)
    changes = _changes(read, now) if read else ()
    return Difference(error, changes, read[0], now[0]) if changes else None


def timeline(error: Error, pins: Sequence[Pin]) -> tuple[Step, ...]:
    """The story of an error, oldest pin first. `pins` are newest first, as everywhere."""
    steps: list[Step] = []
    before: tuple[Occurrence, ...] | None = None
    for pin in reversed(pins):
        now = _at(error, pin)
        changes = _changes(before, now) if before is not None else ()
        steps.append(Step(pin, now[0] if now else None, changes))
        before = now
    return tuple(steps)


def badges(error: Error, pins: Sequence[Pin]) -> tuple[str, ...]:
    """The story in a few words each, such as `new in v0.33.0` or `reworded in v0.30.0`."""
    steps = timeline(error, pins)
    first = next(index for index, step in enumerate(steps) if step.occurrence)
    found: list[str] = []
    if first == len(steps) - 1 and first > 0:
        found.append(f"new in {steps[first].pin.label}: {steps[first - 1].pin.label} does not have this check")
    elif first == 0:
        found.append(f"raised since {steps[0].pin.label} or earlier")
    else:
        found.append(f"raised since {steps[first].pin.label}")
    for step in steps[first + 1 :]:
        if Change.RETIRED in step.changes:
            found.append(f"lifted in {step.pin.label}: the file no longer makes this check")
        elif Change.ADDED in step.changes:
            found.append(f"raised again since {step.pin.label}")
    words = (
        (Change.REWORDED, "reworded in"),
        (Change.GUARDS, "conditions changed in"),
        (Change.CLASS, "other class in"),
    )
    for change, text in words:
        labels = [step.pin.label for step in steps if change in step.changes]
        if labels:
            found.append(f"{text} {', '.join(labels)}")
    return tuple(found)


def release_ranges(error: Error, pins: Sequence[Pin], wording: str | None = None) -> str:
    """The pins that raise an error, oldest first, neighbours drawn together: `v0.11.1 to v0.31.0, v0.33.0`; with a
    `wording`, only the pins that word it so.
    """
    ranges: list[list[str]] = []
    raised_before = False
    for step in timeline(error, pins):
        here = _at(error, step.pin)
        raised = any(wording in (None, each.site.template.text) for each in here)
        if raised:
            if raised_before:
                ranges[-1].append(step.pin.label)
            else:
                ranges.append([step.pin.label])
        raised_before = raised
    return ", ".join(labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}" for labels in ranges)


def own_guards(occurrence: Occurrence) -> tuple[str, ...]:
    """The conditions of the check itself, as text with polarity; those of earlier checks are left out."""
    return tuple(str(guard) for guard in occurrence.site.guards if guard.origin is not Origin.CHECK)


def _at(error: Error, pin: Pin) -> tuple[Occurrence, ...]:
    return tuple(each for each in error.occurrences if each.pin.label == pin.label)


def _changes(before: tuple[Occurrence, ...], after: tuple[Occurrence, ...]) -> tuple[Change, ...]:
    if not before and not after:
        return ()
    if not before:
        return (Change.ADDED,)
    if not after:
        return (Change.RETIRED,)
    facets = (
        (Change.REWORDED, lambda each: each.site.template.text),
        (Change.MOVED, lambda each: (each.path, each.site.function)),
        (Change.GUARDS, own_guards),
        (Change.CLASS, lambda each: each.site.exception),
    )
    return tuple(
        change for change, facet in facets if {facet(each) for each in before} != {facet(each) for each in after}
    )


def _only_in(here: Occurrence | None, there: Occurrence | None) -> tuple[str, ...]:
    other = own_guards(there) if there else ()
    return tuple(guard for guard in own_guards(here) if guard not in other) if here and there else ()
