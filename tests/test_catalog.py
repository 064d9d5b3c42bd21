"""Raise sites of all pins + analyses → errors: what is joined, in which order, and every gap and mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tiny import PATH, REPOSITORY, analysis_text, catalog_of, write_data

from generator.catalog import Catalog
from generator.message import message_id


def raising(*messages: str) -> str:
    """A function for each message, five lines apart."""
    return "".join(f"def f{n}(a):\n    if a:\n        raise ValueError({m!r})\n\n\n" for n, m in enumerate(messages))


def fingerprint(source: str, message: str, folder: Path) -> str:
    """The fingerprint that an analysis of a message would be reviewed against."""
    catalog = catalog_of({"v": source}, write_data(folder / "plain"))
    return next(error.primary.site.fingerprint for error in catalog.errors if error.message == message)


def told(catalog: Catalog) -> str:
    """The catalog as text: `message @ releases: slug`, retired ones with the release that lifted them."""
    lines = []
    for error in (*catalog.errors, *catalog.history_only):
        lifted = f", lifted in {error.lifted_in.label}" if error.lifted_in else ""
        page = error.slug if error in catalog.errors else "no page"
        lines.append(f"{error.message} @ {' '.join(pin.label for pin in error.pins)}{lifted}: {page}")
    return "\n".join(lines)


def problems(catalog: Catalog) -> list[str]:
    return [str(problem) for problem in catalog.problems]


def test_one_error_for_one_template_over_all_pins(tmp_path: Path) -> None:
    catalog = catalog_of(
        {
            "v4": raising("late", "both", "first"),
            "v3": raising("first", "both", "gone late"),
            "v2": raising("both", "gone early", "gone late"),
            "v1": raising("both", "history"),
        },
        write_data(tmp_path / "data"),
        history=("v1",),
    )
    assert told(catalog) == (
        "late @ v4: late\n"
        "both @ v4 v3 v2 v1: both\n"
        "first @ v4 v3: first\n"
        "gone early @ v2, lifted in v3: gone-early\n"
        "gone late @ v3 v2, lifted in v4: gone-late\n"
        "history @ v1, lifted in v2: no page"
    )
    assert catalog.problems == ()
    assert [gap.path for gap in catalog.gaps] == [f"{PATH}@v2", f"{PATH}@v3", *[f"{PATH}@v4"] * 3]


def test_two_sites_of_one_template_are_one_error(tmp_path: Path) -> None:
    catalog = catalog_of({"v2": raising("x", "a", "x"), "v1": raising("a", "x")}, write_data(tmp_path / "data"))
    (error,) = [error for error in catalog.errors if error.message == "x"]
    assert [(each.pin.label, each.site.line) for each in error.occurrences] == [("v2", 3), ("v2", 13), ("v1", 8)]
    assert error.primary is error.occurrences[0] and not error.is_retired


def test_error_says_what_it_is(tmp_path: Path) -> None:
    (error,) = catalog_of({"v1": raising("x")}, write_data(tmp_path / "data")).errors
    assert error.id == message_id(REPOSITORY, "x", PATH)
    assert (error.repository, error.path, error.analysis, error.analysis_path) == (REPOSITORY, PATH, None, None)
    assert (error.other_wordings, error.other_ids, error.is_stale) == ((), (), False)


def test_wordings_are_joined_under_the_one_that_the_analysis_explains(tmp_path: Path) -> None:
    others = [{"message": message, "why": "Same check."} for message in ("oldest", "older")]
    data = write_data(tmp_path / "data", page=analysis_text("newest", also_worded=others))
    catalog = catalog_of({"v3": raising("newest"), "v2": raising("older"), "v1": raising("oldest")}, data)
    assert told(catalog) == "newest @ v3 v2 v1: page" and problems(catalog) == []
    (error,) = catalog.errors
    assert [template.text for template in error.other_wordings] == ["older", "oldest"]
    assert error.other_ids == tuple(message_id(REPOSITORY, text, PATH) for text in ("older", "oldest"))
    assert error.analysis_path == "data/analysis/page.yml"


def test_analysis_may_explain_an_older_wording(tmp_path: Path) -> None:
    others = [{"message": "new words", "why": "Same check."}]
    data = write_data(tmp_path / "data", page=analysis_text("old words", also_worded=others))
    (error,) = catalog_of({"v2": raising("new words"), "v1": raising("old words")}, data).errors
    assert (error.message, error.primary.site.template.text) == ("old words", "new words")
    assert [template.text for template in error.other_wordings] == ["new words"]


def test_wordings_of_errors_without_page(tmp_path: Path) -> None:
    text = yaml.safe_dump([{"message": "old", "also_worded": [{"message": "older", "why": "Same check."}]}])
    data = write_data(tmp_path / "data", wordings=text)
    catalog = catalog_of({"v3": "", "v2": raising("old"), "v1": raising("older")}, data, history=("v2", "v1"))
    assert told(catalog) == "old @ v2 v1, lifted in v3: no page" and problems(catalog) == []


def test_slugs(tmp_path: Path) -> None:
    words = "one two three four five six seven eight nine ten eleven twelve thirteen"
    messages = ("Don't: use `A-b` {braces}!", "same words!", "same words?", "taken", "index", words, "x" * 99, "é 漢")
    data = write_data(tmp_path / "data", taken=analysis_text("same words!"))
    catalog = catalog_of({"v1": raising(*messages)}, data)
    ids = {message: message_id(REPOSITORY, message, PATH) for message in messages}
    assert [error.slug for error in catalog.errors] == [
        "dont-use-a-b-braces",
        "taken",
        "same-words",
        f"taken-{ids['taken'][:6]}",
        f"index-{ids['index'][:6]}",
        "one-two-three-four-five-six-seven-eight-nine-ten-eleven-twelve",
        "x" * 70,
        message_id("", "é 漢", ""),
    ]


def test_equal_words_get_different_slugs(tmp_path: Path) -> None:
    catalog = catalog_of({"v1": raising("same words!", "same words?")}, write_data(tmp_path / "data"))
    second = message_id(REPOSITORY, "same words?", PATH)
    assert [error.slug for error in catalog.errors] == ["same-words", f"same-words-{second[:6]}"]


def test_one_message_in_two_files_is_two_errors(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data", page=analysis_text("x"))
    catalog = catalog_of({"v1": {"a.py": raising("x"), "b.py": raising("x")}}, data)
    assert [(error.path, error.slug) for error in catalog.errors] == [("a.py", "page"), ("b.py", "x")]
    assert len({error.id for error in catalog.errors}) == 2
    assert {error.analysis_path for error in catalog.errors} == {"data/analysis/page.yml"}


def test_stale_only_when_the_check_has_changed(tmp_path: Path) -> None:
    source = raising("x")
    reviewed = {"commit": "0123456", "fingerprint": fingerprint(source, "x", tmp_path), "date": "2026-01-01"}
    data = write_data(tmp_path / "data", page=analysis_text("x", reviewed=reviewed))

    def gaps(source: str) -> list[str]:
        catalog = catalog_of({"v2": source, "v1": raising("x")}, data)
        assert catalog.problems == ()
        return [str(gap) for gap in catalog.gaps]

    assert gaps(source) == []
    assert gaps("import os\n" * 9 + source.replace("f0", "renamed")) == [], "another place is the same check"
    widened = source.replace("if a:", "if a or b:")
    now = fingerprint(widened, "x", tmp_path)
    assert gaps(widened) == [
        f"data/analysis/page.yml: written for a check with fingerprint {reviewed['fingerprint']}; in v2 it is {now} "
        f"({PATH}:3); read it again, then set 'fingerprint: {now}'"
    ]
    assert len(gaps(source.replace("ValueError", "TypeError"))) == 1


def test_missing_analysis_names_the_way_to_write_it(tmp_path: Path) -> None:
    catalog = catalog_of({"v1": raising("a\nb" + "c" * 99)}, write_data(tmp_path / "data"))
    (gap,) = catalog.gaps
    assert str(gap) == (
        f"{PATH}@v1:3: no analysis of 'a\\nb{'c' * 64}...'; write one with: vllm-errors new {catalog.errors[0].id}"
    )


# --- Mistakes -------------------------------------------------------------------------------------------------------

AGAIN = {"message": "m", "why": "Same check."}
MISTAKES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "message that no pin raises": (
        {"a": {"message": "typo"}},
        ["data/analysis/a.yml:1: no pin raises this message; copy it exactly from: vllm-errors extract"],
    ),
    "wording that no pin raises": (
        {"a": {"message": "m", "also_worded": [{"message": "typo", "why": "w"}]}},
        ["data/analysis/a.yml:18: no pin raises this wording; copy it exactly from: vllm-errors extract"],
    ),
    "message that no pin raises, with a wording that one does": (
        {"a": {"message": "typo", "also_worded": [AGAIN]}},
        ["data/analysis/a.yml:1: no pin raises this message; copy it exactly from: vllm-errors extract"],
    ),
    "two analyses of one message": (
        {"a": {"message": "m"}, "b": {"message": "m"}},
        ["data/analysis/b.yml:1: data/analysis/a.yml explains this message too; keep it in one of them"],
    ),
    "message and wording of another": (
        {"a": {"message": "n", "also_worded": [AGAIN]}, "b": {"message": "m"}},
        ["data/analysis/b.yml:1: data/analysis/a.yml explains this message too; keep it in one of them"],
    ),
    "wording of two": (
        {"a": {"message": "m"}, "b": {"message": "n", "also_worded": [AGAIN]}},
        ["data/analysis/b.yml:18: data/analysis/a.yml explains this message too; keep it in one of them"],
    ),
    "related to nothing": (
        {"a": {"message": "m", "related": [{"slug": "n", "reason": "r"}, {"slug": "nowhere", "reason": "r"}]}},
        ["data/analysis/a.yml:20: 'nowhere' is not another error; use the name of a page"],
    ),
    "related to itself": (
        {"a": {"message": "m", "related": [{"slug": "a", "reason": "r"}]}},
        ["data/analysis/a.yml:18: 'a' is not another error; use the name of a page"],
    ),
    "value that the message does not print": (
        {
            "a": {
                "message": "m {x!r}",
                "values": {"x!r": {"meaning": "M.", "example": "1"}, "x": {"meaning": "M.", "example": "1"}},
            }
        },
        ["data/analysis/a.yml:21: the message has no placeholder {x}; write it as in the message"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_gives_one_line(tmp_path: Path, name: str) -> None:
    analyses, expected = MISTAKES[name]
    texts = {slug: analysis_text(**fields) for slug, fields in analyses.items()}
    source = raising("m", "n") + "def g(x):\n    raise ValueError(f'm {x!r}')\n"
    assert problems(catalog_of({"v1": source}, write_data(tmp_path / "data", **texts))) == expected


@pytest.mark.parametrize(
    ("wordings", "expected"),
    [
        ([{"message": "typo", "also_worded": [AGAIN]}], ["no pin raises 'typo'; copy it exactly or delete it"]),
        (
            [{"message": "m", "also_worded": [{"message": "typo", "why": "w"}]}],
            ["no pin raises 'typo'; copy it exactly or delete it"],
        ),
        (
            [{"message": "m", "also_worded": [{"message": "explained", "why": "w"}]}],
            ["data/analysis/page.yml has 'explained' too; delete it"],
        ),
    ],
)
def test_wordings_that_fit_nothing(tmp_path: Path, wordings: list[Any], expected: list[str]) -> None:
    data = write_data(tmp_path / "data", wordings=yaml.safe_dump(wordings), page=analysis_text("explained"))
    found = problems(catalog_of({"v1": raising("m", "explained")}, data))
    assert found == [f"data/wordings.yml: {line}" for line in expected]


@pytest.mark.parametrize(
    ("renamed", "expected"),
    [
        ("old: m\nolder: m\n", []),
        ("old: typo\n", ["'typo' is not a page; name an old page and the one that replaced it"]),
        ("n: m\n", ["'n' is still a page; name an old page and the one that replaced it"]),
    ],
)
def test_renamed_pages(tmp_path: Path, renamed: str, expected: list[str]) -> None:
    catalog = catalog_of({"v1": raising("m", "n")}, write_data(tmp_path / "facts", renamed=renamed))
    assert problems(catalog) == [f"facts/renamed.yml: {line}" for line in expected]
    assert set(catalog.renamed.values()) <= {"m", "typo"}


def test_problems_are_sorted_and_each_is_there_once(tmp_path: Path) -> None:
    data = write_data(
        tmp_path / "data", b=analysis_text("typo"), a=analysis_text("m", severity="fatal"), renamed="m: nowhere\n"
    )
    catalog = catalog_of({"v2": raising("m"), "v1": raising("m")}, data)
    assert [line.split(";")[0] for line in problems(catalog)] == [
        "data/analysis/a.yml:2: 'severity' is 'fatal'",
        "data/analysis/b.yml:1: no pin raises this message",
        "data/renamed.yml: 'm' is still a page",
    ]
    assert len(catalog.gaps) == 1
