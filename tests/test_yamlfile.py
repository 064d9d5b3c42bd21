"""A hand-written YAML file: what is read of it, and the one line that is said about each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_messages import MESSAGES
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from generator.errors import Problem, ProblemsFound
from generator.yamlfile import YamlFile, read_yaml, validate


def read(folder: Path, data: str | bytes) -> YamlFile:
    path = folder / "x.yml"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_yaml(path, "data/x.yml")


def complaints(folder: Path, data: str | bytes) -> list[str]:
    with pytest.raises(ProblemsFound) as caught:
        read(folder, data)
    return str(caught.value).split("\n")


def test_plain_data_with_the_line_of_every_value(tmp_path: Path) -> None:
    file = read(
        tmp_path,
        "# comment\ntext: >-\n  two\n  lines\nlist:\n  - one\n  - {a: 1, b: [true, null]}\nday: 2026-01-02\n1: 0.5\n",
    )
    assert file.data == {
        "text": "two lines",
        "list": ["one", {"a": 1, "b": [True, None]}],
        "day": "2026-01-02",
        "1": 0.5,
    }
    lines = {(): 2, ("text",): 2, ("list",): 5, ("list", 0): 6, ("list", 1, "b", 1): 7, ("day",): 8, ("1",): 9}
    assert {location: file.lines[location] for location in lines} == lines
    assert file.line(("list", 1, "missing", 3)) == 7 and file.line(("nowhere",)) == 2


@pytest.mark.parametrize("data", ["", "# only a comment\n", "---\n", b"\xef\xbb\xbfa: 1\n", "a: 1\r\nb: 2\r\n"])
def test_unusual_but_plain(tmp_path: Path, data: str | bytes) -> None:
    assert read(tmp_path, data).data in (None, {"a": 1}, {"a": 1, "b": 2})


BILLION_LAUGHS = "a: &a [ha, ha]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
MISTAKES = {
    "duplicate key": ("a: 1\nb: 2\na: 3\n", "3: 'a' is given twice; keep one"),
    "duplicate key inside": ("x:\n  - a: 1\n    a: 1\n", "3: 'a' is given twice; keep one"),
    "alias": ("a: &x text\nb: [1,\n  *x]\n", "3: uses the alias *x; write the text out, in quotes if need be"),
    "alias of nothing": ("a: *important\n", "1: uses the alias *important; write the text out, in quotes if need be"),
    "merge key": ("a: &x {b: 1}\nc:\n  <<: *x\n", "3: uses the alias *x; write the text out, in quotes if need be"),
    "recursive": ("a: &a\n  - *a\n", "2: uses the alias *a; write the text out, in quotes if need be"),
    "python tag": (
        "a: 1\nb: !!python/object/apply:os.system ['echo']\n",
        "2: uses the tag 'tag:yaml.org,2002:python/object/apply:os.system'; write plain text, in quotes if need be",
    ),
    "own tag": ("a: !x 1\n", "1: uses the tag '!x'; write plain text, in quotes if need be"),
    "binary": (
        "a: !!binary aGk=\n",
        "1: uses the tag 'tag:yaml.org,2002:binary'; write plain text, in quotes if need be",
    ),
    "list as key": ("? [a]\n: b\n", "1: has a key that is not text; use a field name"),
    "tab": (
        "a:\n\t- x\n",
        "2: not valid YAML: while scanning for the next token found character '\\t' that cannot start any token; "
        "quote the text or indent it",
    ),
    "colon in text": (
        "a: 1\nb: error: text\n",
        "2: not valid YAML: mapping values are not allowed here; quote the text or indent it",
    ),
    "not closed": (
        "a: [1, 2\nb: 3\n",
        "2: not valid YAML: while parsing a flow sequence expected ',' or ']', but got ':'; "
        "quote the text or indent it",
    ),
    "two documents": (
        "a: 1\n---\nb: 1\n",
        "2: not valid YAML: expected a single document in the stream but found another document; "
        "quote the text or indent it",
    ),
    "null byte": ("a: 1\nb: x\0y\n", r"2: not valid YAML: holds the character '\x00'; delete it"),
    "escape sequence": ("a: 1\n\nb: \x1b[31m\n", r"3: not valid YAML: holds the character '\x1b'; delete it"),
    "not UTF-8": (b"a: 1\nb: caf\xe9\n", "2: not UTF-8 (byte 11); save the file as UTF-8"),
    "UTF-16": ("a: 1\n".encode("utf-16"), "1: not UTF-8 (byte 0); save the file as UTF-8"),
    "too deep": ("a: " + "[" * 5000 + "]" * 5000, "1: nested too deeply; an analysis has a few levels"),
    "no number": ("a: 1\nb: 0x_\n", "2: '0x_' is not a number; put it in quotes if it is text"),
    "endless number": ("a: " + "9" * 5000, f"1: '{'9' * 60}' is not a number; put it in quotes if it is text"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_gives_one_line(tmp_path: Path, name: str) -> None:
    data, expected = MISTAKES[name]
    assert complaints(tmp_path, data) == [f"data/x.yml:{expected}"]


def test_billion_laughs_are_not_told(tmp_path: Path) -> None:
    assert complaints(tmp_path, BILLION_LAUGHS) == [
        f"data/x.yml:{line}: uses the alias *{name}; write the text out, in quotes if need be"
        for line, name in enumerate("abcdefgh", start=2)
    ]


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    found = complaints(tmp_path, "a: !x 1\nb: &b 2\na: 3\nc: *b\n")
    assert [line.split(":")[1] for line in found] == ["1", "3", "4"]


def test_large_file(tmp_path: Path) -> None:
    assert complaints(tmp_path, "a: 1\n" + "#" * 65536) == [
        "data/x.yml: has 65541 bytes; keep it under 65536: an analysis reads in two minutes"
    ]


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.yml", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(ProblemsFound) as caught:
            read_yaml(path, "data/x.yml")
        assert str(caught.value) == f"data/x.yml: cannot be read: {reason}; check its name and permissions"


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.one_of(st.binary(), st.text().map(str.encode), st.text(":-[]{}&*!|>'\"%@`#,? \n\tabc01~<=").map(str.encode)))
def test_any_bytes_are_data_or_complaints(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    try:
        read(folder, data)
    except ProblemsFound as error:
        assert all(line.startswith("data/x.yml") for line in str(error).split("\n"))


# --- Against a model ------------------------------------------------------------------------------------------------


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = 0


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    inner: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("name: 5\n", ["1: 'name': Input should be a valid string, but it is '5'; see docs/contributing.md"]),
        ("inner: []\n", ["1: 'name' is missing; add it (docs/contributing.md says what belongs there)"]),
        ("name: a\ncolour: red\n", ["2: unknown field 'colour'; use one of: inner, name"]),
        (
            "name: a\ninner:\n  - number: 1\n  - number: x\n    other: 2\n",
            [
                "4: 'inner.1.number': Input should be a valid integer, unable to parse string as an integer, "
                "but it is 'x'; see docs/contributing.md",
                "5: unknown field 'inner.1.other'; use one of: those of docs/contributing.md",
            ],
        ),
        ('name: a\n"two\\nlines \\e[31m": 1\n', [r"2: unknown field 'two\nlines \x1b[31m'; use one of: inner, name"]),
        ("- a\n", ["1: must be a mapping of field names to values; start from: vllm-errors new MESSAGE"]),
        ("", ["1: must be a mapping of field names to values; start from: vllm-errors new MESSAGE"]),
    ],
)
def test_what_does_not_fit_the_model(tmp_path: Path, data: str, expected: list[str]) -> None:
    with pytest.raises(ProblemsFound) as caught:
        validate(read(tmp_path, data), Outer)
    assert str(caught.value).split("\n") == [f"data/x.yml:{line}" for line in expected]


@pytest.mark.parametrize("name", MESSAGES)
def test_problem_is_one_printable_line(name: str) -> None:
    line = str(Problem("data/x.yml", 3, MESSAGES[name]))
    assert line.startswith("data/x.yml:3: ") and line.isprintable() and line.encode()
