"""Quoted source as light HTML: numbers in a gutter, raising lines marked, lines farther off set apart.

Pure: text in, text out. Colours only what one pattern can find; a highlighter would make pages three times heavier.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass

from generator import escape

NEAR = 6
"""Lines before and after the statement that are shown at once; the others appear when a reader asks for them."""
CLOSE = 3
"""The same for an older release, where the statement is what counts."""

_TOKEN = re.compile(
    r"(?P<c>\#[^\n]*)"
    r"|(?P<s>[rbfuRBFU]{0,2}(?:\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?))"
    rf"|\b(?P<k>{'|'.join(keyword.kwlist)})\b"
    r"|\w+"
)
"""Comments, strings and keywords, under the class names that highlighters use; a word hides the keyword inside it."""


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file around one statement."""

    text: str
    start: int
    """Number of the first line."""
    first: int
    """First line of the statement."""
    last: int
    """Last line of the statement, inclusive; may lie behind the end of the text."""

    @property
    def far(self) -> int:
        """How many lines are farther off."""
        return self.text.count("\n") - self.within(NEAR).text.count("\n")

    def within(self, distance: int) -> Excerpt:
        """The statement with so many lines before and after it."""
        skipped = max(0, self.first - distance - self.start)
        lines = self.text.split("\n")[skipped : self.last + distance - self.start + 1]
        return Excerpt("\n".join(lines), self.start + skipped, self.first, self.last)


def excerpt_html(excerpt: Excerpt, coloured: bool) -> str:
    """A gutter and a `<pre>`, on one line of HTML."""
    text = escape.visible(excerpt.text).expandtabs(4)
    lines = (_coloured(text) if coloured else _escaped(text)).split("\n")
    numbers = [str(number) for number in range(excerpt.start, excerpt.start + len(lines))]
    near = excerpt.within(NEAR)
    cuts = (
        near.start - excerpt.start,
        excerpt.first - excerpt.start,
        min(excerpt.last + 1, excerpt.start + len(lines)) - excerpt.start,
        near.start - excerpt.start + near.text.count("\n") + 1,
    )
    return (
        f'<pre class="ve-gutter" aria-hidden="true" markdown="0">{_parts(numbers, cuts, "b")}</pre>'
        f'<pre markdown="0"><code>{_parts(lines, cuts, "mark")}</code></pre>'
    )


def _parts(lines: Sequence[str], cuts: tuple[int, int, int, int], mark: str) -> str:
    """Far lines, near lines, the statement, near lines, far lines; every line has its end."""
    begin, first, behind, end = cuts
    ended = [f"{line}&#10;" for line in lines]
    far = ["".join(each) for each in (ended[:begin], ended[end:])]
    before, after = (f'<span class="far">{each}</span>' if each else "" for each in far)
    statement = f"<{mark}>{'&#10;'.join(lines[first:behind])}</{mark}>&#10;"
    return f"{before}{''.join(ended[begin:first])}{statement}{''.join(ended[behind:end])}{after}"


def _coloured(text: str) -> str:
    shown, at = "", 0
    for found in _TOKEN.finditer(text):
        shown += _escaped(text[at : found.start()])
        inner = _escaped(found[0])
        # cut at line ends, so that every line is complete
        name = found.lastgroup
        shown += "\n".join(f'<span class="{name}">{x}</span>' if name and x else x for x in inner.split("\n"))
        at = found.end()
    return shown + _escaped(text[at:])


def _escaped(text: str) -> str:
    """Pieces of lines: the first character of each is not the beginning of anything, which the `x` tells `escape`."""
    return "\n".join(escape.block(f"x{line}")[1:] for line in text.split("\n"))
