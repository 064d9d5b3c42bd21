"""Hand-written analyses: what is accepted, what is said about each mistake, and the scaffold that starts one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile_messages import MESSAGES
from tiny import analysis_fields, analysis_text, catalog_of, write_data

from generator.analysis import Writing, is_slug, load_writing, scaffold, write_new
from generator.errors import ProblemsFound

FULL: dict[str, Any] = {
    "also_worded": [{"message": "older words", "why": "Only the words changed."}],
    "example_fix": {"before": '{"a": 1}', "after": "{}", "language": "json"},
    "trade_offs": ["Less memory."],
    "misreadings": [{"belief": "That `a` is broken.", "truth": "It is not."}],
    "values": {"x!r": {"meaning": "What was given.", "example": "'abc'"}},
    "handling_strategy": "validation",
    "validation_code": "assert not (a and b)\n",
    "type_guard": "def ok(a, b):\n    return not (a and b)\n",
    "try_catch_pattern": "try:\n    start()\nexcept ValueError:\n    raise\n",
    "prevention_tips": ["Read the log."],
    "related": [{"slug": "another-one", "reason": "Same cache."}],
    "references": [{"kind": "pull", "number": 7, "note": "Added the check."}],
    "ways_out": {"--cache-size": "keeps"},
    "proof": {"fails": {"args": {"a": True, "b": [1, None]}}, "passes": {"args": {}}},
}


def written(folder: Path, text: str) -> Writing:
    return load_writing(write_data(folder / "data", x=text), "data")


def complaints(folder: Path, text: str) -> list[str]:
    return [str(problem) for problem in written(folder, text).problems]


def line_of(text: str, start: str) -> int:
    """The line that begins with a text, whatever its indent."""
    (found,) = [number for number, line in enumerate(text.split("\n"), 1) if line.lstrip("- ").startswith(start)]
    return found


def test_smallest_analysis(tmp_path: Path) -> None:
    found = written(tmp_path, analysis_text("a message"))
    assert found.problems == ()
    (file,) = found.analyses
    assert (file.slug, file.file.path, file.analysis.message) == ("x", "data/analysis/x.yml", "a message")
    assert file.analysis.model_dump(exclude_defaults=True, mode="json") == analysis_fields("a message")


def test_full_analysis(tmp_path: Path) -> None:
    found = written(tmp_path, analysis_text("a message {x!r}", **FULL))
    assert found.problems == ()
    analysis = found.analyses[0].analysis
    assert set(analysis.model_dump()) == set(analysis_fields("", **FULL)), "FULL lacks a field"
    assert analysis.messages == ("a message {x!r}", "older words")
    assert found.tags["cache"].title == "Cache"


def test_long_message_and_prose_in_yaml_blocks(tmp_path: Path) -> None:
    text = analysis_text("a message", summary=None) + "summary: >-\n  Two lines\n  of `code`.\n\n  A paragraph.\n"
    assert written(tmp_path, text).analyses[0].analysis.summary == "Two lines of `code`.\nA paragraph."


ONE_OF = "use one of 'critical', 'error', 'warning' or 'info'"
DOCS = "(docs/contributing.md says what belongs there)"
MISTAKES: dict[str, tuple[dict[str, Any], str, str]] = {
    "wrong literal": ({"severity": "fatal"}, "severity", f"'severity' is 'fatal'; {ONE_OF}"),
    "number for a literal": ({"severity": 3}, "severity", f"'severity' is '3'; {ONE_OF}"),
    "empty list": ({"solutions": []}, "solutions", f"'solutions' is empty; write it {DOCS}"),
    "empty text": ({"summary": ""}, "summary", f"'summary' is empty; write it {DOCS}"),
    "blank text": ({"summary": " \n "}, "summary", f"'summary' is empty; write it {DOCS}"),
    "missing": ({"summary": None}, "message", f"'summary' is missing; add it {DOCS}"),
    "text for a list": (
        {"solutions": "one"},
        "solutions",
        "'solutions': Input should be a valid tuple, but it is 'one'; see docs/contributing.md",
    ),
    "TODO": ({"summary": "TODO say it"}, "summary", "'summary' still says TODO; write it or leave the field out"),
    "TODO inside": (
        {"misreadings": [{"belief": "A.", "truth": "TODO"}]},
        "truth",
        "'misreadings' still says TODO; write it or leave the field out",
    ),
    "open backtick": (
        {"summary": "use `a"},
        "summary",
        "'summary': a backtick is not closed; write `code` between two single backticks",
    ),
    "link": (
        {"trade_offs": ["fine", "see [this](https://example.org)"]},
        "see",
        "'trade_offs.1': looks like a Markdown link; only backticks are markup, and links go into 'references'",
    ),
    "bold": (
        {"documentation": "a **b** c"},
        "documentation",
        "'documentation': looks like bold Markdown; only backticks are markup, and links go into 'references'",
    ),
    "python": (
        {"validation_code": "x = 1\nif x\n"},
        "validation_code",
        "'validation_code' is not valid Python: expected ':' (line 2 of the sample); mend the sample",
    ),
    "null byte in python": (
        {"type_guard": "x = '\0'"},
        "type_guard",
        "'type_guard' is not valid Python: source code string cannot contain null bytes; mend the sample",
    ),
    "deep python": (
        {"try_catch_pattern": "-" * 20000 + "1"},
        "try_catch_pattern",
        "'try_catch_pattern' is not valid Python: nested too deeply; mend the sample",
    ),
    "json": (
        {"example_fix": {"before": "{}", "after": "{", "language": "json"}},
        "after",
        "'after' is not valid json: Expecting property name enclosed in double quotes: line 1 column 2 (char 1); "
        "mend the sample",
    ),
    "deep yaml": (
        {"example_fix": {"before": "[" * 3000, "after": "a", "language": "yaml"}},
        "before",
        "'before' is not valid yaml: nested too deeply; mend the sample",
    ),
    "unknown tag": ({"tags": ["cache", "nope"]}, "nope", "tag 'nope' is not in data/tags.yml; use one of cache"),
    "bad slug": (
        {"related": [{"slug": "../x", "reason": "r"}]},
        "slug",
        "'related.0.slug': String should match pattern '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$', but it is '../x'; "
        "see docs/contributing.md",
    ),
    "no day": (
        {"reviewed": {"commit": "c794754062", "fingerprint": "0" * 16, "date": "2026-02-30"}},
        "date",
        "'reviewed.date': 2026-02-30 is no day: day is out of range for month; write YYYY-MM-DD",
    ),
    "commit as number": (
        {"reviewed": {"commit": 1234567, "fingerprint": "0" * 16, "date": "2026-02-20"}},
        "commit",
        "'reviewed.commit': Input should be a valid string, but it is '1234567'; see docs/contributing.md",
    ),
    "same wording twice": (
        {"also_worded": [{"message": "b", "why": "w"}, {"message": "a message", "why": "w"}]},
        "message: a message\n  why",
        "this wording is given twice; keep one",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_gives_one_line_with_file_line_and_repair(tmp_path: Path, name: str) -> None:
    changes, start, expected = MISTAKES[name]
    text = analysis_text("a message", **changes)
    line = text[: text.index(start)].count("\n") + 1 if "\n" in start else line_of(text, start)
    assert complaints(tmp_path, text) == [f"data/analysis/x.yml:{line}: {expected}"]


def test_unknown_field(tmp_path: Path) -> None:
    (line,) = complaints(tmp_path, analysis_text("a message") + "colour: red\n")
    assert line.startswith("data/analysis/x.yml:17: unknown field 'colour'; use one of: also_worded, common_situations")


def test_all_problems_of_all_files_at_once(tmp_path: Path) -> None:
    folder = write_data(
        tmp_path / "data",
        bad_yaml="a: [",
        bad_fields=analysis_text("m", severity="fatal", verdict="yours", tags=["No"]),
        bad_text=analysis_text("n", summary="TODO", tags=["nope"]),
        tags="cache: {title: Cache}\nNo: {title: T, description: D}\n",
        renamed="old name: new\n",
        wordings="- message: a\n",
    )
    (folder / "analysis" / "notes.txt").write_text("x")
    (folder / "analysis" / "Upper.yml").write_text(analysis_text("o"))
    (folder / "analysis" / "index.yml").write_text(analysis_text("p"))
    (folder / "analysis" / ".hidden.swp").write_text("an editor's")
    found = load_writing(folder, "data")
    assert found.problems == tuple(sorted(found.problems))
    assert [str(problem).split(";")[0] for problem in found.problems] == [
        "data/analysis/Upper.yml: the file name must be lower-case words joined by hyphens",
        "data/analysis/bad-fields.yml:2: 'severity' is 'fatal'",
        "data/analysis/bad-fields.yml:3: 'verdict' is 'yours'",
        "data/analysis/bad-fields.yml:12: 'tags.0': String should match pattern '^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$', "
        "but it is 'No'",
        "data/analysis/bad-text.yml:5: 'summary' still says TODO",
        "data/analysis/bad-text.yml:12: tag 'nope' is not in data/tags.yml",
        "data/analysis/bad-yaml.yml:1: not valid YAML: while parsing a flow node expected the node content, "
        "but found '<stream end>'",
        "data/analysis/index.yml: the file name must be lower-case words joined by hyphens",
        "data/analysis/notes.txt: is not a .yml file",
        "data/renamed.yml:1: 'old name.[key]': String should match pattern "
        "'^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$', but it is 'old name'",
        "data/tags.yml:1: 'cache.description' is missing",
        "data/tags.yml:2: 'No.[key]': String should match pattern '^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$', but it is 'No'",
        "data/wordings.yml:1: '0.also_worded' is missing",
    ]
    assert [file.slug for file in found.analyses] == ["bad-text"], "a file with a form of its own is still joined"


def test_message_may_say_todo(tmp_path: Path) -> None:
    text = analysis_text("TODO: not yet", also_worded=[{"message": "TODO", "why": "Shorter."}])
    assert complaints(tmp_path, text) == []


def test_samples_do_not_warn(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    assert complaints(tmp_path, analysis_text("a message", validation_code="re.match('\\d', x) is 1\n")) == []
    assert not recwarn.list


@pytest.mark.parametrize("slug", ["index", "", "-a", "a-", "A", "a_b", "a/b", "..", "a.b", "é", "a" * 91, "a\n"])
def test_no_slug(slug: str) -> None:
    assert not is_slug(slug)


# --- The scaffold ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(MESSAGES) - {"lone surrogate"}))
def test_scaffold_is_accepted_once_filled_in(tmp_path: Path, name: str) -> None:
    names = ("x", "d['<b>']!r:>{w}", "x")
    text = scaffold(MESSAGES[name], "c794754062", "0123456789abcdef", "2026-08-14", names)
    found = written(tmp_path, text)
    assert {problem.text.split(";")[0] for problem in found.problems} >= {
        "'summary' still says TODO",
        "'values' still says TODO",
    }
    filled = "".join(
        line if line.startswith("message:") else line.replace("[TODO]", "[cache]").replace("TODO", "Words")
        for line in text.splitlines(keepends=True)
    )
    found = written(tmp_path, filled)
    assert found.problems == ()
    analysis = found.analyses[0].analysis
    assert analysis.message == MESSAGES[name]
    assert list(analysis.values) == ["x", "d['<b>']!r:>{w}"]


def test_scaffold_of_a_real_check_leaves_nothing_to_do(tmp_path: Path) -> None:
    source = "def f(a):\n    if a > 1:\n        raise ValueError(f'{a=} is \"too\" big: {a!r}')\n"
    (error,) = catalog_of({"v1": source}, write_data(tmp_path / "data")).errors
    names = tuple(placeholder.source for placeholder in error.template.placeholders)
    site, pin = error.primary.site, error.primary.pin
    text = scaffold(error.message, pin.commit, site.fingerprint, pin.date, names)
    assert yaml.safe_load(text)["message"] == error.message
    text = text.replace("[TODO]", "[cache]").replace("TODO", "Words")
    catalog = catalog_of({"v1": source}, write_data(tmp_path / "data", **{error.slug: text}))
    assert (catalog.problems, catalog.gaps) == ((), ())


def test_new_file_never_replaces_one(tmp_path: Path) -> None:
    path = tmp_path / "analysis" / "x.yml"
    mask = os.umask(0o022)
    try:
        write_new(path, "first\n", "data/analysis/x.yml")
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o644
    with pytest.raises(ProblemsFound, match=r"^data/analysis/x\.yml: exists already; edit it$"):
        write_new(path, "second\n", "data/analysis/x.yml")
    assert path.read_bytes() == b"first\n"
    assert [each.name for each in path.parent.iterdir()] == ["x.yml"]
