"""Source text → raise sites: the cases of `extract_cases/`, the real file, and what must hold for any file."""

from __future__ import annotations

import ast
import difflib
import io
import re
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.errors import ExtractError
from generator.extract import Extraction, RaiseSite, extract_raise_sites

# --- Readable cases -------------------------------------------------------------------------------------------------

CASES = sorted((Path(__file__).parent / "extract_cases").glob("*.yml"))

READERS = {
    "line": lambda site: site.line,
    "end_line": lambda site: site.end_line,
    "column": lambda site: site.column,
    "template": lambda site: site.template.text,
    "exception": lambda site: site.exception,
    "kind": lambda site: site.kind,
    "function": lambda site: site.function,
    "class": lambda site: site.class_name,
    "decorators": lambda site: list(site.decorators),
    "guards": lambda site: [str(guard) for guard in site.guards],
    "origins": lambda site: [guard.origin.value for guard in site.guards],
    "callers": lambda site: [
        {"function": caller.function, "line": caller.line, "guards": [str(guard) for guard in caller.guards]}
        for caller in site.callers
    ],
    "appearances": lambda site: list(site.appearances),
    "fills": lambda site: {source: list(texts) for source, texts in site.fills.items()},
    "excerpt": lambda site: f"{site.excerpt_start}-{site.excerpt_end}",
    "status": lambda other: other.status,
    "reason": lambda other: other.reason,
}
"""What a case can say about a site or another statement, and how it is read from the real one."""


def compare(what: str, found: tuple[Any, ...], expected: list[dict[str, Any]], least: tuple[str, ...]) -> None:
    """Fail with a readable difference, unless each statement is as told by the keys that the case uses for it."""
    asked = [*expected, *({} for _ in found[len(expected) :])]
    rows = [
        {key: READERS[key](each) for key in (*case, *(key for key in least if key not in case))}
        for each, case in zip(found, asked, strict=False)
    ]
    texts = [yaml.safe_dump(each, sort_keys=False, allow_unicode=True, width=1000) for each in (expected, rows)]
    if texts[0] != texts[1]:
        lines = difflib.unified_diff(*(text.splitlines() for text in texts), "expected", "extracted", lineterm="", n=8)
        pytest.fail(f"{what} differ:\n" + "\n".join(lines), pytrace=False)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    extraction = extract_raise_sites(case["source"].encode(), "example.py")
    assert set(case) <= {"source", "sites", "others"}
    compare("sites", extraction.sites, case.get("sites", []), ("line", "template"))
    compare("others", extraction.others, case.get("others", []), ("line", "status"))


def test_there_are_cases() -> None:
    assert len(CASES) >= 40


# --- The real file --------------------------------------------------------------------------------------------------

SEED_PATH = "vllm/config/vllm.py"


@pytest.fixture(scope="session")
def seed(seed_source: bytes) -> Extraction:
    return extract_raise_sites(seed_source, SEED_PATH)


def site_of(extraction: Extraction, error_id: str) -> RaiseSite:
    [site] = [site for site in extraction.sites if site.template.error_id("vllm-project/vllm", SEED_PATH) == error_id]
    return site


def statements_by_tokens(source: bytes) -> Iterator[tuple[str, int]]:
    """(what it is, line) of every `raise` and `assert`, told from the tokens alone."""
    tokens = [
        token
        for token in tokenize.tokenize(io.BytesIO(source).readline)
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    ]
    for index, token in enumerate(tokens):
        begins = index == 0 or tokens[index - 1].type == tokenize.NEWLINE or tokens[index - 1].string in (";", ":")
        if token.type != tokenize.NAME or token.string not in ("raise", "assert") or not begins:
            continue
        rest = tokens[index + 1 :]
        length = next(i for i, each in enumerate(rest) if each.type == tokenize.NEWLINE or each.string == ";")
        depth, commas = 0, 0
        for each in rest[:length]:
            depth += (each.string in tuple("([{")) - (each.string in tuple(")]}"))
            commas += each.string == "," and depth == 0
        has_text = commas if token.string == "assert" else any(each.string == "(" for each in rest[:length])
        yield f"{token.string} {'with' if has_text else 'without'} text", token.start[0]


def test_seed_misses_nothing(seed: Extraction, seed_source: bytes) -> None:
    counted = sorted(statements_by_tokens(seed_source))
    extracted = [(f"{site.kind} with text", site.line) for site in seed.sites]
    extracted += [(f"{other.kind} without text", other.line) for other in seed.others]
    assert sorted(extracted) == counted
    assert Counter(what for what, _ in counted) == {
        "raise with text": 38,
        "assert with text": 7,
        "raise without text": 1,
        "assert without text": 4,
    }
    assert len({site.template.text for site in seed.sites}) == 45
    assert Counter(other.status for other in seed.others) == {"re-raise": 1, "no message": 4}


def test_seed_samples(seed: Extraction, seed_source: bytes) -> None:
    expected = {
        "00412b4bc295b93c": (1031, 1013, 1049, "requires Model Runner V2"),
        "bd8beb6fccb0e82b": (1037, 1019, 1055, "does not support diffusion models"),
        "5e47c6c48aadc4e3": (1041, 1023, 1059, "does not support custom logits processors"),
    }
    lines = seed_source.decode().split("\n")
    for error_id, (line, start, end, text) in expected.items():
        site = site_of(seed, error_id)
        assert site.template.text == f"sampling distribution replay {text}"
        assert (site.line, site.excerpt_start, site.excerpt_end) == (line, start, end)
        assert site.excerpt == "\n".join(lines[start - 1 : end])
        assert (site.kind, site.exception, site.class_name) == ("raise", "ValueError", "VllmConfig")
        assert site.function == "VllmConfig._verify_sampling_replay_config"
        assert [caller.function for caller in site.callers] == ["VllmConfig.__post_init__"]
        assert site.appearances == ("validation",)


def test_seed_guards(seed: Extraction) -> None:
    guards = site_of(seed, "bd8beb6fccb0e82b").guards
    assert [guard.text for guard in guards] == [
        "model_config is not None",
        "model_config.return_sampling_mask",
        "self.use_v2_model_runner",
        "self.speculative_config is None",
        "model_config.is_diffusion",
    ]
    assert all(guard.holds for guard in guards)


def test_fingerprint_ignores_place_and_earlier_checks_only() -> None:
    def fingerprint(source: str) -> str:
        return extract_raise_sites(source.encode(), "example.py").sites[-1].fingerprint

    plain = fingerprint("def f(a, b):\n if a:\n  return\n if b:\n  raise ValueError('x')")
    assert fingerprint("\n\ndef g(a, b):\n if a: return\n if b: raise   ValueError(\n'x')") == plain
    assert fingerprint("def f(a, b):\n if a:\n  return\n assert c\n if b:\n  raise ValueError('x')") == plain
    assert fingerprint("def f(a, b):\n if b:\n  raise ValueError('x')") != plain
    assert fingerprint("def f(a, b):\n if a:\n  return\n if not b:\n  raise ValueError('x')") != plain
    assert fingerprint("def f(a, b):\n if a:\n  return\n if b:\n  raise TypeError('x')") != plain
    assert fingerprint("def f(a, b):\n if a:\n  return\n if b:\n  raise ValueError('y')") != plain


# --- Any file -------------------------------------------------------------------------------------------------------


def unaccounted(extraction: Extraction, source: str) -> list[str]:
    """What is wrong with the account of a file: each `raise` and `assert` is a site or listed once, nothing else is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    real = {(n.lineno, n.col_offset): n for n in ast.walk(tree) if isinstance(n, ast.Raise | ast.Assert)}
    sites = {(site.line, site.column) for site in extraction.sites}
    others = Counter((other.line, other.column) for other in extraction.others)
    return [
        *(f"{place} is missing" for place in real.keys() - sites - others.keys()),
        *(f"{place} is no such statement" for place in (sites | others.keys()) - real.keys()),
        *(f"{place} is a site and listed as well" for place in sites & others.keys()),
        *(f"{place} is listed {count} times" for place, count in others.items() if count > 1),
    ]


MESSAGES = st.sampled_from(
    [
        '"plain"', "'joined' f'{x} text'", 'f"{x!r:>{w}} {y=}"', '"a" + x + "b"', '"%s of %d" % (x, y)', '"%s" % x',
        '"{} {y}".format(x, y=1)', '", ".join(["a", x])', '"yes" if x else f"no {y}"', "msg", "self.msg", "helper(x)",
        "self.method()", "CONSTANT", "str(x)", "x", '"one", x', "*x", "", '(m := "walrus")', "lambda: 1", "x[1:2]",
        'f"{msg} {m} {CONSTANT}"', "msg + msg", "helper(helper(msg))", "b'bytes'", "None", "...", "-1", '("a", "b")',
    ]
)  # fmt: skip
RAISES = st.one_of(
    st.builds(
        "raise {}({})".format, st.sampled_from(["ValueError", "KeyError", "OSError", "Own", "x.Error"]), MESSAGES
    ),
    st.sampled_from(["raise", "raise ValueError", "raise e", "raise err from e", "raise msg", "assert x", "assert 0"]),
    MESSAGES.filter(lambda text: text and not text.startswith("*") and text != '"one", x').map("assert x, {}".format),
)
OTHERS = st.sampled_from(
    ["msg = 'text'", "msg += 'more'", "self.msg = msg", "err = ValueError('kept')", "pass", "return", "del msg",
     "msg = m = helper(msg)", "global CONSTANT", "helper(x)", "self.method()", "x: str = 'annotated'"]
)  # fmt: skip
HEADS = st.sampled_from(
    [
        ("if x:",), ("if x and not y:", "elif (msg := x):", "else:"), ("if x:", "else:"), ("for msg in x:", "else:"),
        ("while not x < 1:",), ("while True:",), ("with open(x) as msg:",), ("with suppress(E):",),
        ("try:", "except E as e:", "else:", "finally:"), ("try:", "except:"), ("try:", "finally:"),
        ("try:", "except* E as err:"), ("def helper(x, y='d'):",), ("async def method(self):",),
        ("class Own(Exception):",), ("@property", "def method(self):"), ("@config", "class Other(Own):"),
        ("def __init__(self, msg):",), ("def __str__(self):",), ("match x:", "case [e]:"),
        ("match x:", "case 1 if y:", "case {'msg': msg}:", "case _:"),
    ]
)  # fmt: skip


def block(statements: list[list[str]]) -> list[str]:
    return [f"    {line}" for statement in statements for line in statement] or ["    pass"]


def compound(head: tuple[str, ...], bodies: list[list[list[str]]]) -> list[str]:
    """The lines of a compound statement with these heads and, in turn, these bodies."""
    if head[0].startswith("@"):
        return [head[0], *compound(head[1:], bodies)]
    if head[0].startswith("match"):
        return [head[0], *(f"    {line}" for line in compound(head[1:], bodies))]
    return [line for each, body in zip(head, bodies, strict=False) for line in (each, *block(body))]


STATEMENTS = st.recursive(
    (RAISES | OTHERS).map(lambda line: [line]),
    lambda inner: st.builds(compound, HEADS, st.lists(st.lists(inner, max_size=3), min_size=4, max_size=4)),
    max_leaves=25,
)


@given(st.lists(STATEMENTS, min_size=1, max_size=6))
def test_every_statement_is_accounted_for(statements: list[list[str]]) -> None:
    source = "\n".join(line for statement in statements for line in statement) + "\n"
    extraction = extract_raise_sites(source.encode(), "example.py")
    assert unaccounted(extraction, source) == []
    lines = source.splitlines()
    for site in extraction.sites:
        assert site.template.has_words
        assert lines[site.line - 1].encode()[site.column :].startswith(site.kind.encode())
        assert site.excerpt == "\n".join(lines[site.excerpt_start - 1 : site.excerpt_end])


STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def read_library_file(name: str) -> tuple[int, list[str]]:
    """How many sites a file of the standard library has (-1 when it is refused), and what is wrong with the answer."""
    data = (STANDARD_LIBRARY / name).read_bytes()
    try:
        extraction = extract_raise_sites(data, name)
    except ExtractError as error:
        located = re.match(rf"{re.escape(name)}:[1-9]\d*: .", str(error))
        return -1, [] if located else [f"{name}: not path:line: {error}"]
    return len(extraction.sites), [f"{name}: {wrong}" for wrong in unaccounted(extraction, data.decode("utf-8-sig"))]


def test_the_standard_library() -> None:
    """Thousands of statements of every style: no crash, and each file is either read completely or refused."""
    names = [path.relative_to(STANDARD_LIBRARY).as_posix() for path in sorted(STANDARD_LIBRARY.rglob("*.py"))]
    names = [name for name in names if not name.startswith(("site-packages/", "dist-packages/"))]
    with ProcessPoolExecutor(2) as pool:
        answers = list(pool.map(read_library_file, names, chunksize=20))
    assert [complaint for _, complaints in answers for complaint in complaints] == []
    read = [count for count, _ in answers if count >= 0]
    assert len(read) > 0.9 * len(names)
    assert sum(read) > len(read) > 100
