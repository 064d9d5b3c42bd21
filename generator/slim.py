"""Finished HTML made lighter, with the same meaning: what only Markdown or a template needed is taken out.

Pure: text in, text out. Knows nothing of pages or themes beyond the `article` element.
"""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"&#(\d+);")
_RAW = re.compile(r'<p>(<(pre|div)\b[^>]*?) markdown="0"(>.*?</\2>)</p>')
_READ = re.compile(r' (?:markdown="0"|data-search-exclude(?:="[a-z-]*")?)(?=[^<>]*>)')
"""Attributes that Markdown and the search index have read. In text, an equals sign is still a reference here."""
_NEEDLESS = re.compile(r"(?<=>)\n(?=</?(?:a|div|label|li|nav|span|ul)\b)|(?<=class=\"md-ellipsis\">)\n|\n(?=</span>)")

_TABLE = re.compile(r"\n(?=</?(?:t[rdh]|thead|tbody|table)>)")
_ELLIPSIS = re.compile(r'(class="md-nav__link">)<span class="md-ellipsis">([^<]*)</span>')
"""Entries of menus may wrap; the theme would cut them off."""


def slim(page: str) -> str:
    """The page without needless character references, and without blank lines around the article."""
    before, start, rest = page.partition("<article")
    article, end, after = rest.partition("</article>")
    if not start or not end:
        return page
    article = _READ.sub("", _RAW.sub(r"\1\3", article))
    article = _REFERENCE.sub(_plain, _TABLE.sub("", article)).rstrip()
    return f"{_tight(before)}{start}{article}{end}{_tight(after)}"


def _plain(found: re.Match[str]) -> str:
    """The character itself where it means nothing to HTML; Markdown, for which it was a reference, has been read."""
    character = chr(int(found[1]))
    return character if " " <= character < "\x7f" and character not in "&<>\"'" else found[0]


def _tight(text: str) -> str:
    """Lines without indentation, and no line ends inside labels; the frame of a page has nothing preformatted."""
    return _ELLIPSIS.sub(r"\1\2", _NEEDLESS.sub("", re.sub(r"\s*\n\s*", "\n", text)))
