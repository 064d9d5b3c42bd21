"""An HTML page as a tree of elements, read by the standard library's parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    @property
    def text(self) -> str:
        """The text inside, white space as it is; without the permanent links of headings."""
        return "".join(
            child if isinstance(child, str) else "" if "headerlink" in child.classes else child.text
            for child in self.children
        )

    @property
    def line(self) -> str:
        """The text with white space collapsed, as a browser shows it outside `<pre>`."""
        return " ".join(self.text.split())

    def walk(self, leave_out: Callable[[Element], bool] = lambda element: False) -> Iterator[Element]:
        """The element and all inside it, in order, without what is to be left out."""
        yield self
        for child in self.children:
            if isinstance(child, Element) and not leave_out(child):
                yield from child.walk(leave_out)

    def all(self, tag: str, within: str | None = None) -> list[Element]:
        """All elements of a name, or of a name and class: `p`, `p.lead`; `within` names one that must hold them."""
        roots = self.all(within) if within else [self]
        name, _, wanted = tag.partition(".")
        return [
            each
            for root in roots
            for each in root.walk()
            if each is not root and each.tag == name and (not wanted or wanted in each.classes)
        ]

    def one(self, tag: str, within: str | None = None) -> Element:
        """The only element of that description."""
        (found,) = self.all(tag, within)
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].tag == tag:
                del self.open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_html(text: str) -> Element:
    """The document; unclosed elements end where their holder ends."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    return builder.root
