"""Message templates: parts, text, ids and search patterns, alone and as they come from source."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.extract import extract_raise_sites
from generator.fstring import fstring_parts, scan_placeholders
from generator.message import MessageTemplate, Placeholder, message_id


def placeholder(source: str) -> Placeholder:
    [found] = scan_placeholders(f"f'''{{{source}}}'''")
    return found


def template_of(source: str) -> MessageTemplate:
    """The template of `raise ValueError(source)`."""
    [site] = extract_raise_sites(f"raise ValueError({source})".encode(), "example.py").sites
    return site.template


# --- Parts ----------------------------------------------------------------------------------------------------------


def test_neighbouring_texts_are_joined() -> None:
    x = placeholder("x")
    template = MessageTemplate.of("", "a ", "b", x, "", x, "c", "")
    assert template.parts == ("a b", x, x, "c")
    assert template.text == "a b{x}{x}c"
    assert template.fixed_text == "a bc"
    assert template.placeholders == (x, x)
    assert MessageTemplate.of("", "").parts == ()


@pytest.mark.parametrize(
    ("source", "expression", "prefix"),
    [
        ("x", "x", ""),
        (" x ", "x", ""),
        ("x!r", "x", ""),
        ("x:>{width}", "x", ""),
        ("x=", "x", "x="),
        (" x = ", "x", " x = "),
        ("x=!r", "x", "x="),
        ("x = :>5", "x", "x = "),
        ("x:=^10", "x", ""),
        ("x == y", "x == y", ""),
        ("x != y", "x != y", ""),
        ("x==y=", "x==y", "x==y="),
        ("x >= y", "x >= y", ""),
        ("d['a:b!r=']", "d['a:b!r=']", ""),
        ("f(a=1)", "f(a=1)", ""),
        ("f(a=1)=", "f(a=1)", "f(a=1)="),
        ("(lambda: x)()", "(lambda: x)()", ""),
        ("d[1:2]", "d[1:2]", ""),
        (" {1: x}[1]", "{1: x}[1]", ""),
        ("x  # with a } in a comment\n", "x  # with a } in a comment", ""),
    ],
)
def test_placeholder(source: str, expression: str, prefix: str) -> None:
    found = placeholder(source)
    assert (found.source, found.expression, found.prefix) == (source, expression, prefix)


def test_has_words() -> None:
    x = placeholder("x")
    assert MessageTemplate.of("a", x).has_words
    assert MessageTemplate.of("7").has_words
    assert MessageTemplate.of("漢").has_words
    assert not MessageTemplate.of(x, ": ", x, "...").has_words


def test_a_scan_that_disagrees_with_the_tree_is_not_trusted() -> None:
    tree = ast.parse("f'a {x!r:>{w}} b {y}'", mode="eval").body
    assert isinstance(tree, ast.JoinedStr)
    assert MessageTemplate.of(*fstring_parts(tree, "f'nothing in here'")).text == "a {x!r:>{w}} b {y}"


# --- Ids ------------------------------------------------------------------------------------------------------------


def test_the_published_ids() -> None:
    path = "vllm/config/vllm.py"
    for text, error_id in {
        "sampling distribution replay requires Model Runner V2": "00412b4bc295b93c",
        "sampling distribution replay does not support diffusion models": "bd8beb6fccb0e82b",
        "sampling distribution replay does not support custom logits processors": "5e47c6c48aadc4e3",
    }.items():
        assert message_id("vllm-project/vllm", text, path) == error_id
        assert MessageTemplate.of(text).error_id("vllm-project/vllm", path) == error_id


def test_ids_of_texts_that_utf8_cannot_hold() -> None:
    assert re.fullmatch("[0-9a-f]{16}", message_id("a/b", "half a surrogate \ud800", "c.py"))


# --- Patterns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        ('"plain text"', r"plain\s+text"),
        ('"a.b (c) [d] {e} $f^"', r"a\.b\s+\(c\)\s+\[d\]\s+\{e\}\s+\$f\^"),
        ('"g|h i? j* k+ l/m \\\\n"', r"g\|h\s+i\?\s+j\*\s+k\+\s+l\/m\s+\\n"),
        ('"two\\n  lines\\t"', r"two\s+lines\s+"),
        ('f"value {x} and {y}."', r"value\s+(.*?)\s+and\s+(.*?)\."),
        ('f"value {x}"', r"value\s+(.*)"),
        ('f"got {x=} and { y = !r}"', r"got\s+x=(.*?)\s+and\s+\s+y\s+=\s+(.*)"),
    ],
)  # fmt: skip
def test_pattern(source: str, pattern: str) -> None:
    assert template_of(source).pattern == pattern


def test_a_long_pattern_ends_at_the_end_of_a_word() -> None:
    template = MessageTemplate.of("word " * 200)
    assert len(template.pattern) <= 500
    assert template.pattern.endswith("word")
    assert re.search(template.pattern, template.text)


def test_a_very_long_word_is_cut() -> None:
    template = MessageTemplate.of(placeholder("x"), "." * 1000)
    assert 100 < len(template.pattern) <= 500
    assert re.search(template.pattern, "x" + "." * 1000)
    assert not re.search(template.pattern, "anything else")


TEXTS = st.text(
    st.one_of(st.sampled_from("ab {}'\"\\.$^*+?()[]|/:!=\n\t%#é漢"), st.characters(codec="utf-8")), max_size=30
)


@given(TEXTS)
def test_fixed_text_survives_the_way_through_source(text: str) -> None:
    literal = "x " + text
    template = template_of(repr(literal))
    assert template.text == template.fixed_text == literal
    assert template.parts == (literal,)
    assert re.search(template.pattern, f"ValueError: {literal} [type=value_error]")


# --- f-strings that run ---------------------------------------------------------------------------------------------

VALUES: dict[str, Any] = {
    "x": 5,
    "y": -1.5,
    "w": 7,
    "name": "it's",
    "words": "two words",
    "pair": [1, "b"],
    "none": None,
    "settings": {"k}": 2, "a:b": 3, "key": "value"},
}

FIELDS = st.one_of(
    st.tuples(
        st.sampled_from(["x", "y", "w + x", "settings['a:b']", " x ", "(lambda n: n)(y)"]),
        st.sampled_from(["", "!r", "=", " = ", "=!r", ":>8", ":{w}.1f", "=:+.2f", ":=+9.1f", "!r:>{w}"]),
    ),
    st.tuples(
        st.sampled_from(["name", "words", "pair", "none", "settings['k}']", "x != y", "x == 5", " {1: x}[1] "]),
        st.sampled_from(["", "!r", "!s", "!a", "=", " =", "=!s", "!s:^12", "!r:>{w}", "!s:{'<'}{w + 3}"]),
    ),
).map("".join)
QUOTES = ['"""', "'''"]


def escaped(text: str) -> str:
    """Fixed text as it is written in an f-string, between whatever quotes."""
    plain = text.translate({ord(character): "\\" + character for character in "\\'\""})
    return re.sub(r"[^\x20-\x7e]", lambda each: f"\\U{ord(each[0]):08x}", plain).replace("{", "{{").replace("}", "}}")


def literal(quote: str, prefix: str, pieces: list[str], fields: list[str]) -> str:
    """One f-string literal with these fixed texts and placeholders in turn."""
    fixed = [escaped(piece) for piece in pieces]
    if "r" in prefix.lower():
        fixed = [re.sub(r"[\\'\"]", "", piece) for piece in fixed]
    inner = "".join(f"{text}{{{field}}}" for text, field in zip(fixed, fields, strict=False))
    return f"{prefix}{quote}start {inner} end{quote}"


LITERALS = st.builds(
    literal,
    st.sampled_from(QUOTES),
    st.sampled_from(["f", "F", "rf", "fR"]),
    st.lists(TEXTS, min_size=4, max_size=4),
    st.lists(FIELDS, max_size=4),
)


def printed_by(template: MessageTemplate) -> str:
    """The template with each placeholder formatted by itself, as an f-string would."""
    return "".join(
        part if isinstance(part, str) else eval(f'f"""{{{part.source}}}"""', dict(VALUES)) for part in template.parts
    )


@settings(deadline=None)
@given(st.lists(LITERALS, min_size=1, max_size=3), st.sampled_from([" ", "\n", "  # 'a' {comment}\n  ", " \\\n"]))
def test_templates_of_fstrings(literals: list[str], between: str) -> None:
    source = f"({between.join(literals)})"
    printed = eval(source, dict(VALUES))
    template = template_of(source)
    assert printed_by(template) == printed
    assert template.text == "".join(part if isinstance(part, str) else f"{{{part.source}}}" for part in template.parts)

    tree = ast.parse(source, mode="eval").body
    assert isinstance(tree, ast.JoinedStr)
    values = [ast.dump(node.value) for node in tree.values if isinstance(node, ast.FormattedValue)]
    expressions = [ast.parse(f"({each.expression})", mode="eval").body for each in template.placeholders]
    assert [ast.dump(expression) for expression in expressions] == values

    assert len(template.pattern) <= 500
    match = re.search(template.pattern, f"ValueError: {printed} [type=value_error]")
    assert match
    if template.pattern.endswith("end"):
        assert len(match.groups()) == len(template.placeholders)


PERCENTS = [
    "%s",
    "%r",
    "%a",
    "%10s",
    "%-10s|",
    "%.3s",
    "%-9r|",
    "%d",
    "%i",
    "%5d",
    "%-5d|",
    "%05d",
    "%+d",
    "% d",
    "%5i",
]
PERCENTS += ["%u", "%-05d|", "%x", "%#x", "%o", "%c", "%e", "%.2f", "%8.3g", "%+.1e", "%%"]


@given(st.lists(st.sampled_from(PERCENTS), min_size=1, max_size=5), st.sampled_from(["name", "none", "x", "pair"]))
def test_percent_is_written_as_the_fstring_that_prints_the_same(conversions: list[str], shown: str) -> None:
    text = "message " + " and ".join(conversions)
    values = ", ".join(shown if re.search("[sra]", each) else "x" for each in conversions if each != "%%")
    source = f"{text!r} % ({values}{',' if values else ''})"
    assert printed_by(template_of(source)) == eval(source, dict(VALUES))


@pytest.mark.parametrize(
    "fields",
    ["{} {} {!r} {}", "{0} {3} {1!r}", "{a} {} {b!s:>9}", "{1[0]} {c.real}", "{{}} {:^{w}}", "{d[key]} {2:.1f}"],
)
def test_format_is_written_as_the_fstring_that_prints_the_same(fields: str) -> None:
    source = f"'message {fields}'.format(x, pair, y, name, a=name, b=none, c=x + y, d=settings, w=w)"
    assert printed_by(template_of(source)) == eval(source, dict(VALUES))


@given(
    st.lists(st.one_of(TEXTS, st.integers(), st.none(), st.booleans(), st.binary(max_size=3)), min_size=2, max_size=4)
)
def test_several_arguments_print_as_a_tuple(values: list[object]) -> None:
    source = ", ".join(map(repr, ["a word", *values]))
    assert template_of(source).text == str(ValueError("a word", *values))


@given(TEXTS, TEXTS)
def test_a_representation_with_placeholders(before: str, after: str) -> None:
    before, after = f"word {before}", f"{after} end"
    template = template_of(f"'first', f\"{escaped(before)}{{x}}{escaped(after)}\"")
    assert template.text.replace("{x}", "5") == str(ValueError("first", f"{before}5{after}")).replace("{x}", "5")
