"""Any text, through each escaping function and the real Markdown, comes out as the same text and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable

import markdown
import pytest
import yaml
from hostile_messages import MESSAGES, in_a_line, shown
from htmltree import Element, read_html
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generator import escape
from generator.plugin import read_project  # noqa: F401  (imported first: it is slow, and hypothesis has a deadline)

EXTENSIONS = ["admonition", "attr_list", "md_in_html", "tables", "toc", "pymdownx.details", "pymdownx.superfences"]
CONTEXTS = {
    "heading": ("# {}", "h1"),
    "list item": ("1. {}\n2. other", "li"),
    "table cell": ("| {} | b |\n| --- | --- |\n| c | d |", "th"),
    "link text": ("[{}](page.md)", "a"),
    "text of a paragraph": ("before {} after", "p"),
    "text in HTML": ('<p markdown="0">{}</p>', "p"),
}
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from("ab1 .\n\t`*_#|[](){}<>&!\\:-+=~^\"'/%;@$")).map("".join))


def every_message(test: Callable[..., None]) -> Callable[..., None]:
    for message in MESSAGES.values():
        test = example(text=message)(test)
    return settings(deadline=None, derandomize=True, max_examples=60)(given(text=TEXTS)(test))


def rendered(text: str) -> Element:
    return read_html(markdown.markdown(text, extensions=EXTENSIONS))


def tags(element: Element) -> list[tuple[str, list[str]]]:
    return [(each.tag, sorted(each.attributes)) for each in element.walk()]


@pytest.mark.parametrize("context", CONTEXTS)
@every_message
def test_inline(text: str, context: str) -> None:
    frame, tag = CONTEXTS[context]
    page, tame = rendered(frame.format(escape.inline(text))), rendered(frame.format("word"))
    expected = " ".join(frame.format(in_a_line(text)).split()) if tag == "p" and "before" in frame else in_a_line(text)
    assert page.all(tag)[0].line == expected
    assert tags(page) == tags(tame)


@pytest.mark.parametrize("context", CONTEXTS)
@every_message
def test_code(text: str, context: str) -> None:
    page = rendered(CONTEXTS[context][0].format(escape.code(text)))
    assert page.one("code").text == in_a_line(text)
    assert tags(page) == tags(rendered(CONTEXTS[context][0].format("<code>word</code>")))


@every_message
def test_block(text: str) -> None:
    page = rendered(f'<pre markdown="0"><code>{escape.block(text)}</code></pre>\n\nafter')
    assert page.one("code").text == shown(text)
    assert tags(page) == [("", []), ("pre", ["markdown"]), ("code", []), ("p", [])]


@every_message
def test_prose_in_a_list(text: str) -> None:
    page = rendered(f"- {escape.prose(text)}\n- other")
    assert "".join(page.all("li")[0].text.split()) == "".join(shown(text).replace("`", "").split())
    assert {each.tag for each in page.walk()} <= {"", "ul", "li", "code", "br"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a `b` c", "a <code>b</code> c"),
        ("`b`", "<code>b</code>"),
        ("  a\n  b\n\nc `d\n  e`  ", "a b<br><br>c <code>d e</code>"),
        ("a `b`, c", "a <code>b</code>&#44; c"),
        ("a_b", "a&#95;b"),
    ],
)
def test_prose(text: str, expected: str) -> None:
    assert escape.prose(text) == expected


@every_message
def test_attribute(text: str) -> None:
    page = read_html(f'<p title="{escape.attribute(text)}">x</p>')
    assert page.one("p").attributes == {"title": in_a_line(text)}


@every_message
def test_front_matter(text: str) -> None:
    meta = yaml.safe_load(f"title: {escape.front_matter(text)}\nother: x\n")
    assert set(meta) == {"title", "other"}
    assert read_html(f"<title>{meta['title']}</title>").one("title").text == in_a_line(text)


@every_message
def test_fence(text: str) -> None:
    page = rendered(f"{escape.fence(text, 'text')}\n\nafter\n")
    assert [child.tag for child in page.children if isinstance(child, Element)] == ["div", "p"]
    if text.strip():
        lines = [line.rstrip() if not line.strip() else line for line in shown(text).expandtabs(4).split("\n")]
        assert page.all("code")[0].text.strip("\n") == "\n".join(lines).strip("\n")


@every_message
def test_json_ld(text: str) -> None:
    written = escape.json_ld({"text": text, "nested": [text]})
    assert json.loads(written) == {"text": text, "nested": [text]}
    assert not set(written) & set("<>&\n\u2028") and written.isascii()


def test_visible_keeps_what_a_page_can_show() -> None:
    assert escape.visible("a\tb\nc é \u202e \U0001f600") == "a\tb\nc é \u202e \U0001f600"
    assert escape.visible("\x00 \x1b \r \x85 \ud800 \r\n") == r"\x00 \x1b \r \x85 \ud800 " + "\n"
