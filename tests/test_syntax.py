"""Reading a file: what is refused, how lines are counted, and what is known about a node."""

from __future__ import annotations

import ast

import pytest

from generator.errors import ExtractError
from generator.extract import extract_raise_sites
from generator.syntax import Module, parse_module

# --- What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"x = 1\ny = 2\n\xff\n", "a/b.py:3: not UTF-8 (byte 12: invalid start byte); save it as UTF-8"),
        (b"# coding: latin-1\r\n'\xe9'", "a/b.py:2: not UTF-8 (byte 20: invalid continuation byte); save it as UTF-8"),
        (b"x = '\xed\xa0\x80'", "a/b.py:1: not UTF-8 (byte 5: invalid continuation byte); save it as UTF-8"),
        (b"x = 1\rif:\r", "a/b.py:2: cannot be parsed: invalid syntax; a newer Python may be able to parse it"),
        (b"x = 1\n\ny = '\0'\n", "a/b.py:3: cannot be parsed: holds a null byte; is it a text file?"),
        (b"x = (\n" * 3, "a/b.py:3: cannot be parsed: '(' was never closed; a newer Python may be able to parse it"),
    ],
)
def test_refusals(data: bytes, complaint: str) -> None:
    with pytest.raises(ExtractError) as refused:
        parse_module(data, "a/b.py")
    assert str(refused.value) == complaint


@pytest.mark.parametrize("source", ["(" * 300 + ")" * 300, "-" * 100_000 + "1"], ids=["brackets", "signs"])
def test_nesting_that_the_parser_refuses(source: str) -> None:
    with pytest.raises(ExtractError, match=r"^a/b\.py:1: cannot be parsed: \w"):
        parse_module(source.encode(), "a/b.py")


def test_nesting_that_only_we_refuse() -> None:
    """A statement that is too deep to follow is listed as such; the others are not affected."""
    deep = " + ".join(f"'{number}'" for number in range(700))
    source = f"def f(x):\n  if x: raise ValueError({deep})\n  raise ValueError('shallow')\n"
    extraction = extract_raise_sites(source.encode(), "a/b.py")
    assert [site.template.text for site in extraction.sites] == ["shallow"]
    assert [(other.line, other.status, other.reason) for other in extraction.others] == [
        (2, "undetermined", "the code is nested too deeply to be followed")
    ]


def test_an_empty_file() -> None:
    for data in (b"", b"\n", b"\xef\xbb\xbf", b"# only a comment"):
        extraction = extract_raise_sites(data, "a/b.py")
        assert (extraction.sites, extraction.others) == ((), ())


# --- Lines and segments ---------------------------------------------------------------------------------------------

STATEMENT = 'raise ValueError("é", f"{x} of ü {y}")'


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", 1),
        ("\ufeff", 1),
        ("# one\n# two\n", 3),
        ("# one\r\n# two\r\n", 3),
        ("# one\r# two\r", 3),
        ("# form\ffeed and vertical\vtab\n\f", 2),
        ("# line\u2028separator\x85and\x1cothers\n", 2),
        ("'''string\u2028with\x0cseparators\nand\r\nlines'''\n", 4),
    ],
)
def test_lines_are_counted_as_python_does(before: str, line: int) -> None:
    [site] = extract_raise_sites(f"{before}{STATEMENT}\n# end".encode(), "a/b.py").sites
    assert site.line == site.end_line == line
    assert site.template.text == "('é', '{x} of ü {y}')"
    assert site.excerpt.split("\n")[line - 1].lstrip("\f") == STATEMENT
    assert site.excerpt_end == line + 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_statement_over_several_lines(end: str) -> None:
    source = end.join(["def f():", "  raise ValueError(", "    f'''ü {x}", "  {y", "  } end'''", "  )", ""])
    [site] = extract_raise_sites(source.encode(), "a/b.py").sites
    assert (site.line, site.end_line, site.column) == (2, 6, 2)
    assert site.template.text == "ü {x}\n  {y\n  } end"
    assert site.excerpt == "\n".join(source.split(end)[:-1])


def test_the_excerpt_reaches_eighteen_lines_up_and_down() -> None:
    lines = [f"# {number}" for number in range(1, 101)]
    for line, start, end in [(1, 1, 19), (19, 1, 37), (20, 2, 38), (82, 64, 100), (100, 82, 100)]:
        source = "\n".join([*lines[: line - 1], 'raise ValueError("x")', *lines[line:]])
        for text in (source, source + "\n"):
            [site] = extract_raise_sites(text.encode(), "a/b.py").sites
            assert (site.line, site.excerpt_start, site.excerpt_end) == (line, start, end)
            assert site.excerpt == "\n".join(source.split("\n")[start - 1 : end])


# --- Where a node stands --------------------------------------------------------------------------------------------

SOURCE = b"""
def outer():
    def inner():
        x = 1
    return inner
class A(Base, other.Base):
    async def method(self):
        class B(A):
            def method(self):
                y = 2
    z = 3
w = 4
"""


@pytest.fixture(scope="module")
def module() -> Module:
    return parse_module(SOURCE, "a/b.py")


def named(module: Module, name: str) -> ast.Name:
    return next(node for node in ast.walk(module.tree) if isinstance(node, ast.Name) and node.id == name)


@pytest.mark.parametrize(
    ("name", "qualified", "function", "holder"),
    [
        ("x", "outer.inner", "inner", None),
        ("y", "A.method.B.method", "method", "B"),
        ("z", "A", None, "A"),
        ("w", "<module>", None, None),
    ],
)
def test_where_a_node_stands(
    module: Module, name: str, qualified: str, function: str | None, holder: str | None
) -> None:
    node = named(module, name)
    assert module.qualified_name(node) == qualified
    assert getattr(module.function_of(node), "name", None) == function
    assert getattr(module.class_of(node), "name", None) == holder
    assert module.segment(node) == name
    assert list(module.above(node))[-1] is module.tree


def test_names_of_a_module(module: Module) -> None:
    assert set(module.functions) == {"outer", "outer.inner", "A.method", "A.method.B.method"}
    assert set(module.classes) == {"A", "A.method.B"}
    assert module.family("A") == ["A", "Base", "other.Base"]
    assert module.family("A.method.B") == ["A.method.B", "A", "Base", "other.Base"]
    assert module.family("Elsewhere") == ["Elsewhere"]


def test_which_function_a_name_means(module: Module) -> None:
    assert module.visible_function("inner", named(module, "x")) == "outer.inner"
    assert module.visible_function("outer", named(module, "x")) == "outer"
    assert module.visible_function("inner", named(module, "w")) is None
    assert module.visible_function("method", named(module, "y")) is None
