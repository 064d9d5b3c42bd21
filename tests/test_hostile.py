"""Another project's messages and analyses, as hostile as can be, through the real MkDocs build into HTML and JSON."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ENVIRONMENT
from hostile_messages import MESSAGES, in_a_line, shown
from htmltree import Element, read_html
from tiny import Tiny, analysis_fields, make_tiny

from generator.catalog import Catalog, Error

TAME = {
    "tame, explained": "plain words",
    "tame, awaiting": "other words",
    "tame and long, explained": "plain words " * 20 + "to the end",
    "tame and long, awaiting": "other words " * 20 + "to the end",
}
"""What hostile pages must look like: the same elements and attributes. A long heading may have a class."""
ALL = {**TAME, **MESSAGES}
UNEXPLAINABLE = {"lone surrogate"}
"""YAML cannot hold these messages, so that no analysis can name them."""
TESTED = pytest.mark.parametrize("name", ALL)


def is_explained(name: str) -> bool:
    """Every second message has an analysis."""
    return list(ALL).index(name) % 2 == 0 and name not in UNEXPLAINABLE


def literal(text: str) -> str:
    """A Python literal that holds as much as it can as it is."""
    return '"""' + "".join(map(_in_literal, text)) + '"""'


def _in_literal(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"):
        return character
    return character.encode("unicode_escape").decode()


PLACEHOLDER = "d['<script>|`*a*']!r"
ODD = f"""
def check_values(d, x, width):
    for key in ["<i>", "|"]:
        if x:
            raise ValueError(f"value {{{PLACEHOLDER}}} of {{x:>{{width}}}}")
"""
"""A message with values, inside a loop."""


def source(older: bool) -> str:
    """One function for each message; it raises the message, and a tame one that has it among its guards."""
    return ODD + "\n".join(
        f"def check_{number}(value):\n"
        f"    if value == {literal(message)}:\n"
        f"        raise ValueError({literal(message + ' in old words' if older and is_explained(name) else message)})\n"
        f"    if value.get({literal(message)}):\n"
        f"        raise ValueError('partner {number}')\n"
        for number, (name, message) in enumerate(ALL.items())
        if not older or is_explained(name)
    )


def as_prose(message: str) -> str:
    """The message as an analysis may quote it, within the size of one."""
    message = message[:1000]
    if message.count("`") % 2 or "](" in re.sub("`[^`]*`", "", message) or "**" in re.sub("`[^`]*`", "", message):
        return "`" + message.replace("`", "") + "`"
    return message


def analysis(message: str) -> str:
    """An analysis that says the message everywhere."""
    prose = as_prose(message)
    fields = analysis_fields(
        message,
        also_worded=[{"message": f"{message} in old words", "why": prose}],
        **{name: f"{prose} {name}" for name in PROSE},
        solutions=[f"{prose} solution"],
        example_fix={"before": f"{message[:1000]} before", "after": f"{message[:1000]} after", "language": "text"},
        trade_offs=[f"{prose} cost"],
        misreadings=[{"belief": f"{prose} belief", "truth": f"{prose} truth"}],
        type_guard=f"x = {message[:1000]!r}",
        prevention_tips=[f"{prose} tip"],
        references=[{"kind": "issue", "number": 7, "note": f"{prose} note"}],
    )
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=False, width=1000)


PROSE = ("verdict_reason", "summary", "documentation", "trigger_scenarios", "common_situations")


@functools.cache
def read_page(path: Path) -> Element:
    return read_html(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Hostile:
    tiny: Tiny
    site: Path
    catalog: Catalog

    def error(self, name: str) -> Error:
        (found,) = [error for error in self.catalog.errors if error.message == ALL[name]]
        return found

    def partner(self, name: str) -> Error:
        number = list(ALL).index(name)
        (found,) = [error for error in self.catalog.errors if error.message == f"partner {number}"]
        return found

    def text(self, path: str) -> str:
        return (self.site / path).read_text(encoding="utf-8")

    def page(self, error: Error) -> Element:
        return read_page(self.site / f"errors/{error.slug}/index.html")

    def json(self, error: Error) -> Any:
        return json.loads(self.text(f"api/errors/{error.id}"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    tags = yaml.safe_dump({"cache": {"title": "<b>Cache</b> | {{ 1 }}", "description": "Keeping things."}})
    written = {f"page_{i}": analysis(m) for i, (name, m) in enumerate(ALL.items()) if is_explained(name)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        releases = {"v1": source(older=True), "v2": source(older=False)}
        tiny = make_tiny(tmp_path_factory.mktemp("hostile"), patch, releases, tags=tags, **written)
        yield Hostile(tiny, tiny.build(), tiny.catalog())


def squeezed(text: str) -> str:
    return "".join(shown(text).replace("`", "").split())


def skeleton(page: Element) -> list[tuple[str, list[str]]]:
    """Elements and attribute names of a page, without what depends on the text: highlighted code, bare `code`, `br`."""
    return [
        (each.tag, sorted(each.attributes))
        for each in page.walk(lambda element: "highlighttable" in element.classes or "highlight" in element.classes)
        if each.tag not in ("code", "br") or each.attributes
    ]


@TESTED
def test_heading_and_message_are_the_exact_text(hostile: Hostile, name: str) -> None:
    page = hostile.page(hostile.error(name))
    assert page.one("h1").line == in_a_line(ALL[name])
    assert page.one("pre.ve-message").text == shown(ALL[name])


@TESTED
def test_nothing_is_injected(hostile: Hostile, name: str) -> None:
    size = "tame and long" if len(ALL[name]) > 200 else "tame"
    like = f"{size}, {'explained' if is_explained(name) else 'awaiting'}"
    assert skeleton(hostile.page(hostile.error(name))) == skeleton(hostile.page(hostile.error(like)))
    partner = hostile.page(hostile.partner(name))
    assert skeleton(partner) == skeleton(hostile.page(hostile.partner(like)))


def test_no_page_has_a_handler_or_a_script_address(hostile: Hostile) -> None:
    pages = sorted(hostile.site.rglob("*.html"))
    assert len(pages) > 2 * len(ALL)
    for path in pages:
        for element in read_page(path).walk():
            assert not [name for name in element.attributes if name.startswith("on")], (path, element.attributes)
            for name in ("href", "src", "action", "content"):
                assert not element.attributes.get(name, "").strip().lower().startswith("javascript:"), path


@TESTED
def test_title_and_description(hostile: Hostile, name: str) -> None:
    page = hostile.page(hostile.error(name))
    start = in_a_line(ALL[name])[:60].rsplit(" ", 1)[0] if " " in ALL[name] else ""
    assert page.one("title", "head").line.startswith(start) and page.one("title", "head").line.endswith(
        " - Demo errors"
    )
    (description,) = [m.attributes["content"] for m in page.all("meta") if m.attributes.get("name") == "description"]
    expected = f"{as_prose(ALL[name])} summary" if is_explained(name) else ALL[name]
    assert " ".join(description.split()).endswith(in_a_line(expected.replace("`", "")))


@TESTED
def test_json_holds_the_exact_text(hostile: Hostile, name: str) -> None:
    error = hostile.error(name)
    document = hostile.json(error)
    assert document["errorMessage"] == ALL[name]
    assert document["id"] == error.id
    if is_explained(name):
        assert document["summary"] == f"{as_prose(ALL[name])} summary".strip()
        assert document["exampleFixParts"]["before"] == f"{ALL[name][:1000]} before"
        assert [other["errorMessage"] for other in document["alsoWorded"]] == [f"{ALL[name]} in old words"]


@TESTED
def test_printed_message_is_found_by_its_pattern(hostile: Hostile, name: str) -> None:
    assert re.search(hostile.json(hostile.error(name))["messagePattern"], f"ValueError: {ALL[name]}")


@TESTED
def test_guards_are_the_same_in_html_and_json(hostile: Hostile, name: str) -> None:
    for error in (hostile.error(name), hostile.partner(name)):
        shown_guards = [item.all("code")[0].line for item in hostile.page(error).all("ol", "article")[0].all("li")]
        assert shown_guards == [in_a_line(guard["text"]) for guard in hostile.json(error)["occurrences"][0]["guards"]]


@TESTED
def test_analysis_is_the_exact_text(hostile: Hostile, name: str) -> None:
    if not is_explained(name):
        return
    page, prose = hostile.page(hostile.error(name)), squeezed(as_prose(ALL[name]))
    text = squeezed(page.one("article").text)
    for ending in (*PROSE, "solution", "cost", "belief", "truth", "tip", "note"):
        assert f"{prose}{ending}" in text, ending
    for side in ("before", "after"):
        assert squeezed(f"{ALL[name][:1000]} {side}") in text
    assert in_a_line(f"{ALL[name]} in old words") in [item.line for item in page.all("code", within="li")]


@TESTED
def test_excerpt_is_the_source(hostile: Hostile, name: str) -> None:
    error = hostile.error(name)
    block, site = hostile.page(error).all("div.ve-excerpt")[0], error.primary.site
    text = shown(site.excerpt).expandtabs(4)
    blank = text[: len(text) - len(text.lstrip())].count("\n")
    lines = text.split("\n")[blank:]
    assert block.one("code").text == "".join(f"{line}\n" for line in lines)
    numbers = [int(number) for number in block.one("pre.ve-gutter").text.split()]
    assert numbers == list(range(site.excerpt_start + blank, site.excerpt_end + 1))
    raising = zip(numbers, lines, strict=True)
    assert block.one("mark").text == "\n".join(line for n, line in raising if site.line <= n <= site.end_line)


@TESTED
def test_twin_holds_the_exact_text(hostile: Hostile, name: str) -> None:
    error = hostile.error(name)
    lines = hostile.text(f"errors/{error.slug}/index.md").split("\n")
    assert lines[0] == f"# {in_a_line(ALL[name])}"
    opening = next(number for number, line in enumerate(lines) if line.endswith("```text"))
    closing = lines.index(lines[opening].removesuffix("text"), opening)
    assert "\n".join(lines[opening + 1 : closing]) == shown(ALL[name]).rstrip("\n")


def test_values_are_the_exact_text(hostile: Hostile) -> None:
    (error,) = [error for error in hostile.catalog.errors if error.message.startswith("value {")]
    page, document = hostile.page(error), hostile.json(error)
    assert document["errorMessage"] == f"value {{{PLACEHOLDER}}} of {{x:>{{width}}}}"
    assert page.one("pre.ve-message").text == page.one("h1").line == document["errorMessage"]
    marked = [f"{{{each['placeholder']}}}" for each in document["placeholders"]]
    assert marked == [f"{{{PLACEHOLDER}}}", "{x:>{width}}"]
    assert [each.text for each in page.all("span.ve-placeholder")] == marked
    assert [row.all("td")[0].line for row in page.all("tbody", "article")[0].all("tr")] == marked
    assert page.all("ol", "article")[0].all("code")[0].text == "for key in ['<i>', '|']"
    assert not page.all("script", "article")[1:]


def test_lists_hold_every_message_once(hostile: Hostile) -> None:
    expected = sorted(in_a_line(error.message) for error in hostile.catalog.errors)
    rows = read_html(hostile.text("errors/index.html")).all("tr", within="tbody")
    assert sorted(row.all("td")[0].line for row in rows) == expected
    assert len({len(row.all("td")) for row in rows}) == 1
    assert {cell.line for row in rows for cell in row.all("td")} >= {"<b>Cache</b> | {{ 1 }}"}
    listed = [line for line in hostile.text("llms.txt").split("\n") if line.startswith("- [") and "errors/" in line]
    assert len([line for line in listed if "/index.md)" in line]) == len(expected)


def test_changes_page_holds_the_exact_texts(hostile: Hostile) -> None:
    page = read_html(hostile.text("changes/v1..v2/index.html"))
    explained = [name for name in ALL if is_explained(name)]
    linked = {link.line for link in page.all("a", within="article")}
    assert {in_a_line(error.message) for error in hostile.catalog.errors if len(error.pins) == 1} <= linked
    codes = {code.line for code in page.all("code", within="li")}
    assert {in_a_line(f"{ALL[name]} in old words") for name in explained} <= codes
    assert {in_a_line(ALL[name]) for name in explained} <= codes
    assert not page.all("script", within="article") and not page.all("img", within="article")


def test_search_index_holds_text_only(hostile: Hostile) -> None:
    entries = json.loads(hostile.text("search/search_index.json"))["docs"]
    titles = {read_html(entry["title"]).line for entry in entries}
    assert {in_a_line(message) for message in ALL.values()} <= titles
    tags = {element.tag for entry in entries for element in read_html(entry["title"] + entry["text"]).walk()}
    assert tags <= {"", "p", "ul", "ol", "li", "pre", "code", "br", "small", "h1", "h2", "h3", "strong", "em"}


def test_build_is_the_same_every_time(hostile: Hostile) -> None:
    first = {path: path.read_bytes() for path in hostile.site.rglob("*") if path.is_file()}
    hostile.tiny.build()
    assert {path: path.read_bytes() for path in hostile.site.rglob("*") if path.is_file()} == first
