"""Guards: what they say, and that what they say is true of programs that run."""

from __future__ import annotations

import ast
import itertools
import re
from contextlib import nullcontext, suppress
from functools import lru_cache
from types import CodeType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.extract import Extraction, RaiseSite, extract_raise_sites
from generator.guards import Guard, Kind, Origin, conditions, guards_of, guards_within
from generator.syntax import parse_module


def test_a_guard_in_words() -> None:
    assert str(Guard("a", True, 1, Origin.BRANCH)) == "a"
    assert str(Guard("a.b", False, 1, Origin.BRANCH)) == "not a.b"
    assert str(Guard("a or b", False, 1, Origin.BRANCH)) == "not (a or b)"
    assert str(Guard("f(a, b)", False, 1, Origin.BRANCH)) == "not f(a, b)"
    assert str(Guard("for x in y", False, 1, Origin.BRANCH, Kind.LOOP)) == "not for x in y"


def test_lines_are_those_of_the_condition() -> None:
    source = b"def f(a, b):\n  if (a and\n      b):\n    return\n  assert (\n    not a\n  ), 'text'\n"
    [site] = extract_raise_sites(source, "example.py").sites
    assert [(str(guard), guard.line) for guard in site.guards] == [("not a or not b", 2), ("a", 6)]


@pytest.mark.parametrize(
    ("test", "when_true", "when_false"),
    [
        ("a and b", ["a", "b"], ["not a or not b"]),
        ("a or b", ["a or b"], ["not a", "not b"]),
        ("a and (b or c)", ["a", "b or c"], ["not a or (not b and (not c))"]),
        ("True", [], ["unreachable"]),
        ("None", ["unreachable"], []),
        ("a < b", ["a < b"], ["a >= b"]),
        ("a < b < c", ["a < b < c"], ["not a < b < c"]),
        ("{a} < b", ["{a} < b"], ["not {a} < b"]),
        ("{a} == b", ["{a} == b"], ["{a} != b"]),
    ],
)
def test_conditions(test: str, when_true: list[str], when_false: list[str]) -> None:
    tree = ast.parse(test, mode="eval").body
    assert [str(guard) for guard in conditions(tree, True, Origin.BRANCH)] == when_true
    assert [str(guard) for guard in conditions(tree, False, Origin.BRANCH)] == when_false


def test_guards_do_not_change_the_tree() -> None:
    module = parse_module(b"def f():\n  if not (a and not b):\n    return\n  raise ValueError('x')", "example.py")
    before = ast.dump(module.tree, include_attributes=True)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.stmt):
            guards_of(module, node)
    assert ast.dump(module.tree, include_attributes=True) == before


@pytest.mark.parametrize(
    ("expression", "guards"),
    [
        ("f()", []),
        ("a and f() and b", ["a"]),
        ("a or not b or f()", ["not a", "b"]),
        ("a and (b or f())", ["a", "not b"]),
        ("f() if a else b", ["a"]),
        ("b if a else f()", ["not a"]),
        ("1 if f() else b", []),
        ("a and g(x, c and f())", ["a", "c"]),
    ],
)
def test_guards_within_a_statement(expression: str, guards: list[str]) -> None:
    module = parse_module(f"x = {expression}".encode(), "example.py")
    [call] = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call) and ast.unparse(node) == "f()"]
    assert [str(guard) for guard in guards_within(module, call)] == guards


# --- Programs that run ----------------------------------------------------------------------------------------------
#
# In a generated program, « and » enclose the text of each `raise` and `assert`. For the extraction they are dropped;
# for the run they become a call that notes the line and the text when the statement raises.

NAMES = "abcd"

TESTS = st.recursive(
    st.sampled_from(
        [*NAMES, "a == b", "c != d", "a is not c", "b is d", "a in (b, c)", "d not in (a,)", "a < c", "b >= d",
         "a <= b < c", "bool(d)", "(a if b else c)", "True", "False", "0"]
    ),
    lambda inner: st.one_of(
        inner.map("not {}".format),
        inner.map("not ({})".format),
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("({} or {} or not {})".format, inner, inner, inner),
        st.builds("({} and not {} and {})".format, inner, inner, inner),
    ),
    max_leaves=5,
)  # fmt: skip

Lines = list[str]


def indented(statements: list[Lines]) -> Lines:
    return [f"    {line}" for statement in statements for line in statement] or ["    pass"]


def joined(*parts: str | list[Lines]) -> Lines:
    """Heads as they are, bodies indented."""
    return [line for part in parts for line in ([part] if isinstance(part, str) else indented(part))]


def simple(*more: st.SearchStrategy[Lines]) -> st.SearchStrategy[Lines]:
    return st.one_of(
        st.just(['raise ValueError(«"message @"»)']),
        TESTS.map(lambda test: [f'assert {test}, «"message @"»']),
        TESTS.map(lambda test: [f'raise ValueError(«"message @" if {test} else "message @"»)']),
        st.sampled_from([["return"], ["pass"]]),
        *more,
    )


def conditional(inner: st.SearchStrategy[Lines]) -> list[st.SearchStrategy[Lines]]:
    body = st.lists(inner, min_size=1, max_size=3)
    test, other = TESTS.map("if {}:".format), TESTS.map("elif {}:".format)
    return [
        st.builds(joined, test, body),
        st.builds(joined, test, body, st.just("else:"), body),
        st.builds(joined, test, body, other, body),
        st.builds(joined, test, body, other, body, st.just("else:"), body),
    ]


def matched(subject: str, cases: list[str], bodies: list[list[Lines]]) -> Lines:
    ordered = sorted(cases, key=lambda case: case == "case _:")  # Python wants it last.
    return [subject, *indented([joined(case, body) for case, body in zip(ordered, bodies, strict=False)])]


SUBJECTS = st.sampled_from(["match a:", "match (a, d):", "match [b, c]:"])
CASES = ["case True:", "case False if b:", "case _ if c:", "case (True, _):", "case [_, False] if not d:", "case _:"]
BLOCKS = [
    ("for i in range(2):",),
    ("for i in range(2):", "else:"),
    ("with nullcontext():",),
    ("with suppress(ValueError):",),
    ("try:", "except ValueError:"),
    ("try:", "except (ValueError, AssertionError) as m:"),
    ("try:", "except AssertionError:", "except ValueError:", "else:", "finally:"),
    ("try:", "except* ValueError:"),
    ("try:", "finally:"),
    ('if (m := "message @"):', "else:"),
    ('if a and (m := "message @"):', "else:"),
]


def anything(inner: st.SearchStrategy[Lines]) -> list[st.SearchStrategy[Lines]]:
    body = st.lists(inner, min_size=1, max_size=3)
    return [
        *conditional(inner),
        *(st.builds(joined, *(part for head in heads for part in (st.just(head), body))) for heads in BLOCKS),
        st.builds(joined, TESTS.map("while {}:".format), body.map(lambda statements: [["tick()"], *statements])),
        st.builds(
            matched,
            SUBJECTS,
            st.lists(st.sampled_from(CASES), min_size=1, max_size=4, unique=True),
            st.lists(body, min_size=4, max_size=4),
        ),
    ]


IN_LOOPS = st.sampled_from([["continue"], ["break"]])
NAMED = st.sampled_from(
    [
        ['m = "message @"'],
        ['m += " and more"'],
        ['n = m = "message @"'],
        ["m = n"],
        ['m, n = "message @", "message @"'],
        ["del m"],
        ["raise ValueError(«m»)"],
        ['raise ValueError(«m + " @"»)'],
        ["assert a, «m»"],
    ]
)

BRANCHING = st.recursive(simple(), lambda inner: st.one_of(conditional(inner)), max_leaves=12)
EVERYTHING = st.recursive(simple(NAMED, IN_LOOPS), lambda inner: st.one_of(anything(inner)), max_leaves=12)


def program(statements: list[Lines]) -> str:
    """One function of four booleans; messages are numbered."""
    numbers = itertools.count(1)
    lines = [f"def f({', '.join(NAMES)}):", '    m = "message 0"', '    n = "message"', *indented(statements)]
    return re.sub("@", lambda _: str(next(numbers)), "\n".join(lines)) + "\n"


def compiles(source: str) -> bool:
    """Whether Python takes it: `break` outside a loop, for instance, parses and does not compile."""
    try:
        compile(source.translate({ord("«"): None, ord("»"): None}), "example.py", "exec")
    except SyntaxError:
        return False
    return True


class TooLong(BaseException):
    """Ends an endless loop."""


class Run:
    """A program that can be run, and what it raises, caught or not."""

    def __init__(self, source: str) -> None:
        lines = [
            line.replace("«", f"hit({number}, ").replace("»", ")")
            for number, line in enumerate(source.splitlines(), start=1)
        ]
        self.noted: list[tuple[int, str]] = []
        self.ticks = 0
        self.scope = {"hit": self.hit, "tick": self.tick, "nullcontext": nullcontext, "suppress": suppress}
        exec(compile("\n".join(lines), "example.py", "exec"), self.scope)

    def hit(self, line: int, text: str) -> str:
        self.noted.append((line, text))
        return text

    def tick(self) -> None:
        self.ticks += 1
        if self.ticks > 30:
            raise TooLong

    def __call__(self, values: dict[str, bool]) -> list[tuple[int, str]]:
        """Line and text of everything that is raised with these values, in order."""
        self.noted, self.ticks = [], 0
        with suppress(ValueError, AssertionError, NameError, TypeError, ExceptionGroup, TooLong):
            self.scope["f"](**values)  # type: ignore[operator]
        return self.noted


@lru_cache(maxsize=2000)
def compiled(text: str, mode: str) -> CodeType:
    return compile(text, "guard", mode)


def is_true(guard: Guard, values: dict[str, bool]) -> bool:
    """Whether a guard is true of these values; loops, `with` and `except` say nothing that could be wrong."""
    if guard.kind is Kind.UNREACHABLE:
        return False
    if guard.kind is Kind.CONDITION:
        return bool(eval(compiled(guard.text, "eval"), {}, dict(values))) is guard.holds
    if guard.kind is Kind.CASE:
        pattern, _, subject = guard.text.rpartition(" of ")
        scope = {**values, "taken": False}
        exec(compiled(f"match {subject}:\n  {pattern}: taken = True", "exec"), {}, scope)
        return scope["taken"] is guard.holds
    return True


def extract(source: str) -> Extraction:
    return extract_raise_sites(source.translate({ord("«"): None, ord("»"): None}).encode(), "example.py")


def site_of(extraction: Extraction, line: int, text: str) -> RaiseSite | None:
    """The site of this very text, else one whose placeholders can make it."""
    here = [site for site in extraction.sites if site.line == line]
    exact = [site for site in here if site.template.text == text]
    fitting = [site for site in here if site.template.placeholders and re.fullmatch(site.template.pattern, text)]
    return next(iter(exact + fitting), None)


EVERY_CHOICE = [dict(zip(NAMES, values, strict=True)) for values in itertools.product([False, True], repeat=len(NAMES))]


@settings(max_examples=200, deadline=None)
@given(st.lists(EVERYTHING, min_size=1, max_size=4).map(program).filter(compiles))
def test_whatever_is_raised_was_foretold(source: str) -> None:
    """Each text that a run raises is one that was extracted for its line, and all guards of that site are true."""
    extraction = extract(source)
    undetermined = {other.line for other in extraction.others}
    run = Run(source)
    for values in EVERY_CHOICE:
        for line, text in run(values):
            if line in undetermined:
                continue
            what = f"line {line} raised {text!r} with {values}"
            site = site_of(extraction, line, text)
            assert site, f"{what}, which was not extracted:\n{source}"
            wrong = [str(guard) for guard in site.guards if not is_true(guard, values)]
            assert not wrong, f"{what} in spite of {wrong}:\n{source}"


@settings(max_examples=200, deadline=None)
@given(st.lists(BRANCHING, min_size=1, max_size=4).map(program))
def test_what_the_guards_allow_is_raised(source: str) -> None:
    """Without loops, `try`, `with` and `match`, the guards of a site say everything: when they are true, it raises."""
    extraction = extract(source)
    assert not extraction.others
    run = Run(source)
    for values in EVERY_CHOICE:
        allowed = [
            (site.line, site.template.text)
            for site in extraction.sites
            if all(is_true(guard, values) for guard in site.guards)
        ]
        assert allowed == run(values), f"with {values}:\n{source}"
