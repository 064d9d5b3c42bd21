"""Static pictures as inline SVG: the story of one error, and how many errors each release raises.

Pure. Every picture is readable without colour, and stands beside a table or text that says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generator import escape
from generator.history import Change, Step

_LETTERS = {Change.ADDED: "+", Change.REWORDED: "R", Change.GUARDS: "C", Change.CLASS: "E", Change.MOVED: "M"}


@dataclass(frozen=True)
class Count:
    """How many errors one pin raises."""

    label: str
    raised: int
    added: int | None
    """Since the pin before; None at the oldest."""
    lifted: int | None


@dataclass(frozen=True)
class Growth:
    """How many errors of one topic two releases raise."""

    title: str
    before: int
    after: int


def timeline_svg(steps: Sequence[Step]) -> str:
    """The story of an error: one mark per pin, oldest first, told apart by shape."""
    width, height = 26 * len(steps) + 30, 96
    marks: list[str] = []
    labels: list[str] = []
    begin = None
    for index, step in enumerate(steps):
        x = 18 + 26 * index
        if step.occurrence is None:
            begin = None
            marks.append(f'<circle cx="{x}" r="3"/>')
        else:
            begin = x if begin is None else begin
            if begin < x and (index + 1 == len(steps) or steps[index + 1].occurrence is None):
                marks.insert(0, f'<path d="M{begin} 0H{x}"/>')
            told = ", ".join(change.value for change in step.changes)
            title = f"<title>{escape.inline(step.pin.label)}: {told}</title>" if told else ""
            marks.append(f'<circle cx="{x}" r="8">{title}</circle>' if title else f'<circle cx="{x}" r="8"/>')
            if told and (letter := _LETTERS.get(step.changes[0])):
                marks.append(f'<text class="in" x="{x}" y="4">{letter}</text>')
        label = escape.inline(step.pin.label.removeprefix("v"))
        labels.append(f'<text x="{x}">{label}</text>')
    marks = [
        '<g transform="translate(0 14)">',
        *marks,
        '</g><g class="pins" transform="translate(0 34)">',
        *labels,
        "</g>",
    ]
    told = "; ".join(
        f"{step.pin.label}: {', '.join(change.value for change in step.changes)}" for step in steps if step.changes
    )
    described = escape.attribute(f"Timeline over {len(steps)} pins. {told}")
    return _svg("ve-timeline", width, height, described, marks)


def releases_svg(counts: Sequence[Count]) -> str:
    """Errors per pin, oldest first: a bar with its number, and below it what was added and lifted."""
    step, top, base = 34, 16, 176
    highest = max((count.raised for count in counts), default=1)
    marks = [f'<path d="M0 {base + 0.5}H{step * len(counts)}"/>']
    for index, count in enumerate(counts):
        x, tall = step * index + 5, round((base - top) * count.raised / highest)
        centre = x + 12
        marks.append(f'<rect x="{x}" y="{base - tall}" width="24" height="{tall}"/>')
        marks.append(f'<text class="mid" x="{centre}" y="{base - tall - 4}">{count.raised}</text>')
        for below, sign, number in ((15, "+", count.added), (29, "−", count.lifted)):
            if number:
                marks.append(f'<text class="mid" x="{centre}" y="{base + below}">{sign}{number}</text>')
        label = escape.inline(count.label.removeprefix("v"))
        marks.append(f'<text transform="translate({centre - 4} {base + 42}) rotate(60)">{label}</text>')
    first, last = counts[0], counts[-1]
    described = escape.attribute(
        f"Bar chart of errors per pin: {first.raised} in {first.label}, {last.raised} in {last.label}."
    )
    return _svg("ve-bars", step * len(counts) + 30, base + 110, described, marks)


def topics_svg(growths: Sequence[Growth], before: str, after: str) -> str:
    """Errors per topic at two releases: a hollow mark, a line, a filled mark with its number."""
    left, row, wide = 190, 24, 420
    highest = max((max(each.before, each.after) for each in growths), default=1)
    marks: list[str] = []
    for index, each in enumerate(growths):
        y = row * index + 14
        a, b = (left + round(wide * value / highest) for value in (each.before, each.after))
        marks.append(f'<text class="end" x="{left - 14}" y="{y + 4}">{escape.inline(each.title)}</text>')
        marks.append(f'<path d="M{a} {y}H{b}"/><circle class="off" cx="{a}" cy="{y}" r="5"/>')
        marks.append(f'<circle cx="{b}" cy="{y}" r="5"/><text x="{max(a, b) + 12}" y="{y + 4}">{each.after}</text>')
    described = escape.attribute(f"Errors per topic: hollow mark {before}, filled mark {after}.")
    return _svg("ve-topics", left + wide + 50, row * len(growths) + 4, described, marks)


def _svg(name: str, width: int, height: int, described: str, marks: Sequence[str]) -> str:
    return (
        f'<svg class="{name}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{described}">{"".join(marks)}</svg>'
    )
