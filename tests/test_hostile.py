"""Another project's messages and analyses, as hostile as can be, through the real MkDocs build into HTML and JSON."""

from __future__ import annotations

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
from hostile_messages import MESSAGES
from htmltree import Element, read_html
from tiny import analysis_fields, make_tiny

from generator.catalog import Catalog, Error

TAME = {"tame, explained": "plain words", "tame, awaiting": "other words"}
"""What hostile pages must look like: the same elements and attributes."""
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


def source(older: bool) -> str:
    """One function for each message; it raises the message, and a tame one that has it among its guards."""
    return "\n".join(
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


@dataclass(frozen=True)
class Hostile:
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
        return read_html(self.text(f"errors/{error.slug}/index.html"))

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
        yield Hostile(tiny.build(), tiny.catalog())


def shown(text: str) -> str:
    """What a page can show of a text: controls and lone surrogates as Python writes them."""
    text = text.replace("\r\n", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", lambda found: repr(found[0])[1:-1], text)


def in_a_line(text: str) -> str:
    return " ".join(shown(text).split())


def squeezed(text: str) -> str:
    return "".join(shown(text).replace("`", "").split())


def skeleton(page: Element) -> list[tuple[str, list[str]]]:
    """Elements and attribute names of a page, without highlighted code, whose colours depend on the code."""
    return [
        (each.tag, sorted(each.attributes))
        for each in page.walk(lambda element: "highlighttable" in element.classes or "highlight" in element.classes)
    ]


@TESTED
def test_heading_and_message_are_the_exact_text(hostile: Hostile, name: str) -> None:
    page = hostile.page(hostile.error(name))
    assert page.one("h1").line == in_a_line(ALL[name])
    assert page.one("pre.ve-message").text == shown(ALL[name])


@TESTED
def test_nothing_is_injected(hostile: Hostile, name: str) -> None:
    like = "tame, explained" if is_explained(name) else "tame, awaiting"
    assert skeleton(hostile.page(hostile.error(name))) == skeleton(hostile.page(hostile.error(like)))
    partner = hostile.page(hostile.partner(name))
    assert skeleton(partner) == skeleton(hostile.page(hostile.partner(like)))
