"""Messages that mean something to Markdown, HTML, YAML, Jinja, JSON or a terminal; each must come out as it is."""

import re

MESSAGES = {
    "backticks": "use `a` or ``b`` or ``` c",
    "fence": "```\nclosed?\n```\n~~~\nopen again",
    "braces": "{a} {{b}} {{ c }} {% raw %} {# d #} ${e}",
    "pipes": "a | b || c |",
    "quotes": '"double" \'single\' \\"escaped\\" “curly”',
    "script": "<script>alert('x')</script><img src=x onerror=alert(1)>",
    "closing tags": "</code></pre></p></div></script></title></textarea>--><b>bold",
    "comment": "<!-- a --> <![CDATA[ b ]]> <?php c ?>",
    "jinja": "{{ 7 * 7 }}{% include 'x' %}",
    "link": "[x](javascript:alert(1)) ![y](javascript:alert(2)) <javascript:alert(3)>",
    "reference link": "[x]: javascript:alert(1) 'y'\n\n[x] [^1] [^1]: note",
    "address": "see https://example.org/a_b_c?d=e&f=g or mail a@b.example",
    "line breaks": "first\nsecond\n\nthird\r\nfourth  \nfifth\\\nsixth",
    "tabs": "\tindented\tby\ttabs",
    "blanks": "    four  blanks   within    and after    ",
    "long": "very " * 999 + "long",
    "one long word": "x" * 5000,
    "right to left": "abc \u202e\u202bdef\u202c \u200f\u200e \u2066ghi\u2069 \u05d0\u05d1\u05d2",
    "attributes": "plain words {: #id .cls onclick=alert(1) }",
    "attributes alone": "words { .cls }",
    "lone surrogate": "low \udc80 high \ud800 end",
    "controls": "a\x00b\x01c\x02d\x03e\x08f\x0bg\x0ch\x1bi[31m\x7fj\x85k\x9bl",
    "null reference": "&#0; &#x0; &#xd800; &#60; &lt; &amp; &amp;lt; &nbsp; &unknown;",
    "other line ends": "a\u2028b\u2029c\rd",
    "noncharacters": "a\ufffeb\uffffc\ufeffd\U0001fffee\U0001f600",
    "ordered list": "1. first\n2. second",
    "bare number": "1.",
    "heading": "# one\n## two ##",
    "underlined heading": "title\n=====\nother\n-----",
    "bullets": "- a\n* b\n+ c",
    "rule": "***\n---\n___ a",
    "tildes": "~~~ a ~~gone~~ H~2~O x^2^",
    "colons": "::: module\n:smile: a:: b",
    "admonition": '!!! note "Title"\n    body',
    "details": "??? note\n    body",
    "tab": '=== "tab"\n    body',
    "snippet": '--8<-- "/etc/passwd"\n--8<--',
    "front matter": "---\ntitle: other\n---\nbody",
    "emphasis": "*a* _b_ **c** __d__ ***e*** ==f== ^^g^^ a_b_c",
    "quote": "> quoted\n> more",
    "table": "| a | b |\n| --- | --- |\n| c | d |",
    "definition": "term\n:   definition\n*[abbr]: long\nabbr",
    "math": "$x$ $$y$$ \\(z\\) \\[w\\]",
    "backslashes": "\\# \\` \\_ \\\\ \\u0041 \\x41 C:\\new\\table",
    "percent": "%s %(name)s %% 100%",
    "yaml": "key: value # comment\n- &anchor !!python/object *alias",
    "markdown html": '<div markdown="1"> **x** </div>',
    "block html": "<details open><summary>a</summary></details>\n<style>*{display:none}</style>",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\u00adf\u00a0g",
    "combining": "e\u0301 Z\u0351\u0343\u035a ﬁ ſ İ",
}


def shown(text: str) -> str:
    """What a page can show of a text: controls and lone surrogates as Python writes them."""
    text = text.replace("\r\n", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", lambda found: repr(found[0])[1:-1], text)


def in_a_line(text: str) -> str:
    return " ".join(shown(text).split())
