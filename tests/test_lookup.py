"""The lookup of a pasted log: case files, every message in many surroundings, and text made to be hard."""

from __future__ import annotations

import collections
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Real
from logstyles import CUTS, STYLES, made_up, value_of
from tiny import catalog_of, write_data

from generator import matching
from generator.endpoints import lookup_document, to_compact_json
from generator.indexing import build_index
from generator.logtext import decode, read_log
from generator.lookup import explain, explanation_document
from generator.origin import Status
from generator.wordindex import LookupIndex

CASES = sorted((Path(__file__).parent / "lookup_cases").glob("*.yml"))


@pytest.fixture(scope="session")
def index(real: Real) -> LookupIndex:
    return build_index(real.catalog)


def read_case(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def found_in(explanation: dict[str, Any]) -> dict[str, Any]:
    """An explanation in the form of a case file."""
    matches = explanation["matches"]
    found: dict[str, Any] = {"status": explanation["status"], "page": matches[0]["slug"] if matches else None}
    if matches:
        found |= {key: matches[0][key] for key in ("template", "confidence", "values", "lines")}
        if len(matches) > 1:
            found["pages"] = [match["slug"] for match in matches]
        if len(matches[0]["releases"]) <= 3:
            found["releases"] = matches[0]["releases"]
        if matches[0]["file"]:
            found["raised by"] = matches[0]["file"]
    found |= {key: explanation[key] for key in ("message", "file", "version") if explanation[key]}
    if explanation["complaints"]:
        found["complaints"] = [
            {key: value for key, value in each.items() if key != "url"} for each in explanation["complaints"]
        ]
    return found


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, index: LookupIndex) -> None:
    case = read_case(path)
    log = case.pop("log")
    case.pop("note", None)
    assert found_in(explanation_document(explain(log, index))) == case


def test_every_message_in_every_style(index: LookupIndex) -> None:
    """Whole messages are found first in 99 of 100 logs, and in 95 when a quarter is cut off; in each style."""
    right: collections.Counter[tuple[str, str]] = collections.Counter()
    all_of_them: collections.Counter[tuple[str, str]] = collections.Counter()
    for each in made_up(index):
        matches = explain(each.log, index).matches
        key = (each.style, each.cut)
        all_of_them[key] += 1
        right[key] += bool(matches) and matches[0].id == each.entry.id
    table = {key: right[key] / number for key, number in all_of_them.items()}
    print(f"\n{'':12}", *(f"{cut:>20}" for cut in CUTS))
    for style in STYLES:
        print(f"{style:12}", *(f"{table[style, cut]:20.3f}" for cut in CUTS))
    assert not {key: share for key, share in table.items() if share < (0.95 if "cut" in key[1] else 0.99)}


def test_values_and_lines_of_every_whole_message(index: LookupIndex) -> None:
    for each in made_up(index):
        if (each.style, each.cut) == ("serve", "whole"):
            match = explain(each.log, index).matches[0]
            printed = {placeholder: value_of(placeholder, each.entry) for placeholder in each.wording.parts[1::2]}
            assert [value.text for value in match.values] == list(printed.values()), match.template
            marked = "\n".join(each.log.split("\n")[line - 1] for line in match.lines)
            assert "Value error" in marked


def test_line_and_message_name_the_release(index: LookupIndex) -> None:
    """From the line of a traceback and the message: one release for nearly all pairs, and always the right one."""
    unique = total = 0
    for entry, wording in [(each, wording) for each in index.entries for wording in each.wordings]:
        text = "".join("48" if number % 2 else part for number, part in enumerate(wording.parts))
        for pin, lines in wording.lines:
            frame = f'  File "/x/site-packages/vllm/config/vllm.py", line {lines[0]}, in check\n    raise'
            matches = explain(f"{frame} ValueError(\nValueError: {text}\n", index).matches
            found = next(match for match in matches if match.id == entry.id).releases
            assert index.pins[pin] in found
            total += 1
            unique += len(found) == 1
    assert unique / total > 0.9, f"{unique} of {total}"


def test_a_document_holds_all_that_a_search_needs(index: LookupIndex) -> None:
    document = json.loads(to_compact_json(lookup_document(index)))
    assert [error["id"] for error in document["errors"]] == [entry.id for entry in index.entries]
    wordings = [wording for entry in index.entries for wording in entry.wordings]
    for pin, text in enumerate(document["lines"]):
        line = 0
        for wording, steps in zip(wordings, text.split(","), strict=True):
            lines = [line := line + int(step) for step in steps.split("+") if step]
            assert tuple(lines) == dict(wording.lines).get(pin, ())


def test_no_message_is_found_in_prose(index: LookupIndex) -> None:
    text = (Path(__file__).parent.parent / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    assert explain(text, index).status in (Status.NO_ERROR, Status.OTHER_PROGRAM, Status.OTHER_FILE)


ADVERSARIES: dict[str, Callable[[LookupIndex], str]] = {
    "one word": lambda _: "a" * 5_000_000,
    "dots": lambda _: "a." * 2_500_000,
    "blanks": lambda _: " " * 5_000_000,
    "line ends": lambda _: "\n" * 5_000_000,
    "brackets": lambda _: "(a " * 1_600_000,
    "open frames": lambda _: 'File "' * 800_000,
    "labels": lambda _: "ValueError: " * 400_000,
    "titles": lambda _: "1 validation error for VllmConfig\n x\n  Input should be " * 90_000,
    "dates": lambda _: "12-" * 1_600_000,
    "colours": lambda _: "\x1b[1;1;1;1" * 500_000,
    "arguments": lambda _: ": error: argument " * 300_000,
    "tails": lambda _: "Value error, [type=" * 250_000,
    "beginnings": lambda _: "The quantization method is not supported for " * 100_000,
    "every message": lambda index: " ".join(w.text for e in index.entries for w in e.wordings) * 300,
}


@pytest.mark.parametrize("name", ADVERSARIES)
def test_megabytes_made_to_be_slow(name: str, index: LookupIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work has a bound: so many comparisons of a template with the log, and no more."""
    made: collections.Counter[int] = collections.Counter()
    align = matching._align

    def counted(log: Any, wording: Any, at: int, word: int) -> list[tuple[int, int, int]]:
        made[id(wording)] += 1
        return align(log, wording, at, word)

    monkeypatch.setattr(matching, "_align", counted)
    text = ADVERSARIES[name](index)
    explain(text, index)
    assert max(made.values(), default=0) <= matching.MOST_ALIGNMENTS
    assert len(read_log(text, lambda words: True).text) <= 2_500_000


def test_the_error_at_the_end_of_five_megabytes(index: LookupIndex) -> None:
    noise = "(APIServer pid=1) INFO 05-18 01:31:10 [loggers.py:127] Engine 000: Avg prompt throughput: 1.0 tokens/s\n"
    error = "(APIServer pid=1)   Value error, Model Runner V2 requires Triton. [type=value_error]\n"
    explanation = explain(noise * 48_000 + error, index)
    assert explanation.matches[0].slug == "model-runner-v2-requires-triton"
    assert explanation.lines == (48_001,)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_numbers_count_every_kind_of_line_end(ends: str, index: LookupIndex) -> None:
    log = ends.join(["one", "two", "ValueError: Model Runner V2 requires Triton.", ""])
    assert explain(log, index).lines == (3,)


def test_decode() -> None:
    assert decode("ValueError: ü\n".encode("utf-16")) == "ValueError: ü\n"
    assert decode(b"\xef\xbb\xbfx\xff") == "x\ufffd"


def test_another_project(tmp_path: Path) -> None:
    """Nothing of vLLM is built in but the names of its processes."""
    text = "def check(x):\n    if x:\n        raise ValueError(f'the flux capacitor needs {x} gigawatts, not fewer')\n"
    index = build_index(catalog_of({"v2": text, "v1": text}, write_data(tmp_path)))
    found = explain("ValueError: the flux capacitor needs 1.21 gigawatts, not fewer\n", index)
    assert found.status is Status.MATCHED
    assert [value.text for value in found.matches[0].values] == ["1.21"]
    assert found.matches[0].releases == ("v2", "v1")


def test_case_files_cover_every_status() -> None:
    seen = {read_case(path)["status"] for path in CASES}
    assert seen == {status.value for status in Status}


def test_the_order_of_entries_does_not_matter(index: LookupIndex) -> None:
    """Whichever error comes first in the index, whole messages find their own."""
    turned = replace(index, entries=tuple(reversed(index.entries)))
    for each in itertools.islice(made_up(index), 0, None, 777):
        if each.cut == "whole":
            assert explain(each.log, turned).matches[0].id == each.entry.id
