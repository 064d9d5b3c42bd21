"""Escaping at the boundary: any text, exactly as it is, into Markdown, HTML, front matter, JSON-LD or a code fence.

Every function takes text that may be hostile and returns text that the target shows as the same characters.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from typing import Any

_PLAIN = re.compile(r"[A-Za-z0-9 .,;?/'%()\"-]|[\u00a0-\U0010ffff]")
"""Characters that mean nothing to Markdown or HTML inside a line; at its beginning only letters are safe."""


def visible(text: str) -> str:
    r"""The text with characters that no page can hold (controls, lone surrogates) written as `\\x02`."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
        else character.encode("unicode_escape").decode()
        for character in text.replace("\r\n", "\n")
    )


def one_line(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(visible(text).split())


def markup(text: str) -> str:
    """Text for Markdown and HTML alike: what could mean something becomes a character reference, so that neither a
    Markdown extension nor HTML finds anything to interpret. Line breaks and tabs are kept.
    """
    shown = visible(text)
    return "".join(
        c if c in "\n\t" or (_PLAIN.fullmatch(c) and (index or c.isalpha())) else f"&#{ord(c)};"
        for index, c in enumerate(shown)
    )


def block(text: str) -> str:
    """`markup` for the inside of a `<pre>`, on one source line."""
    return markup(text).replace("\n", "&#10;").replace("\t", "&#9;")


def inline(text: str) -> str:
    """`markup` in one line, for headings, table cells and list items."""
    return markup(one_line(text))


def code(text: str) -> str:
    """Inline code."""
    return f"<code>{inline(text)}</code>"


def prose(text: str) -> str:
    """One paragraph of an analysis: plain text in which single backticks mark code. Paragraphs are parted by breaks."""
    paragraphs = re.split(r"\n\s*\n", visible(text).strip())
    return "<br><br>".join(_spans(paragraph) for paragraph in paragraphs)


def _spans(paragraph: str) -> str:
    pieces = paragraph.split("`")
    return "".join(code(piece) if index % 2 else inline_keeping_ends(piece) for index, piece in enumerate(pieces))


def inline_keeping_ends(text: str) -> str:
    """`inline`, but a blank at either end stays: the text is a piece of a sentence."""
    body = inline(text)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and body else ""
    return f"{before}{body}{after}"


def attribute(text: str) -> str:
    """The value of an HTML attribute, without the quotes."""
    return html.escape(one_line(text), quote=True)


def front_matter(text: str) -> str:
    """A quoted YAML string for page metadata, which themes put into HTML unescaped: escaped twice."""
    quoted = json.dumps(html.escape(one_line(text), quote=True), ensure_ascii=False)
    return quoted.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")  # YAML files may not hold these two


def fence(text: str, language: str = "", options: str = "") -> str:
    """A fenced code block that its content cannot close."""
    body = visible(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}{' ' + options if options else ''}\n{body}\n{marks}"


def json_ld(data: dict[str, Any]) -> str:
    """JSON for a `<script>` element; nothing in it can end the element."""
    text = json.dumps(data, ensure_ascii=True, sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
