"""The handbook that `explain` keeps: when it counts, and when it is made anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from generator.handbook import Advice, Handbook, keep_handbook, read_handbook, state_of
from generator.wordindex import Entry, LookupIndex, Wording

HANDBOOK = Handbook(
    index=LookupIndex(
        path="demo/config.py",
        pins=("v2", "v1"),
        settings=(("cache_config", ("block_size",)),),
        entries=(
            Entry("0123456789abcdef", None, 0, True, (Wording(("a ", "x", " b"), ((1, (3, 9)),)),), (("x", ("one",)),)),
        ),
    ),
    advice={"a-b": Advice("Why.", ("First.", "Second."))},
    site_url="https://errors.example/",
)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration of a project that has a handbook."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = tmp_path / "project"
    (project / "facts" / "analysis").mkdir(parents=True)
    (project / "facts" / "pins.toml").write_text("pins")
    (project / "facts" / "analysis" / "a-b.yml").write_text("analysis")
    (project / "mkdocs.yml").write_text("site_name: x")
    keep_handbook(project / "mkdocs.yml", "facts", state_of(project / "mkdocs.yml", "facts"), HANDBOOK)
    return project / "mkdocs.yml"


def test_it_comes_back_as_it_was(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_handbook(config) == HANDBOOK
    monkeypatch.chdir(config.parent)
    assert read_handbook(Path("mkdocs.yml")) == HANDBOOK


def test_each_project_has_its_own(config: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    other.write_text("site_name: x")
    assert read_handbook(other) is None


CHANGES: dict[str, Callable[[Path], object]] = {
    "pins": lambda root: (root / "facts" / "pins.toml").write_text("other"),
    "analysis": lambda root: (root / "facts" / "analysis" / "a-b.yml").write_text("other"),
    "new analysis": lambda root: (root / "facts" / "analysis" / "new.yml").write_text(""),
    "analysis renamed": lambda root: (root / "facts" / "analysis" / "a-b.yml").rename(root / "facts" / "a-c.yml"),
    "pins gone": lambda root: (root / "facts" / "pins.toml").unlink(),
    "configuration": lambda root: (root / "mkdocs.yml").write_text("site_name: y"),
    "configuration gone": lambda root: (root / "mkdocs.yml").unlink(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_it_counts_until_something_changes(config: Path, name: str) -> None:
    CHANGES[name](config.parent)
    assert read_handbook(config) is None


def test_the_address_of_the_site_may_come_from_the_environment(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_ERRORS_SITE_URL", "https://elsewhere.example")
    assert read_handbook(config) is None


def test_what_changes_while_it_is_made_makes_it_stale(config: Path) -> None:
    before = state_of(config, "facts")
    (config.parent / "facts" / "analysis" / "a-b.yml").write_text("saved meanwhile")
    keep_handbook(config, "facts", before, HANDBOOK)
    assert read_handbook(config) is None


def test_a_damaged_one_does_not_count(config: Path, tmp_path: Path) -> None:
    (kept,) = (tmp_path / "cache").rglob("*.json")
    whole = kept.read_bytes()
    for damaged in (b"", b"\xff", b"[]", whole[:-1], whole.replace(b"advice", b"advise")):
        kept.write_bytes(damaged)
        assert read_handbook(config) is None


def test_no_place_to_keep_it_is_no_failure(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    keep_handbook(config, "facts", state_of(config, "facts"), HANDBOOK)
    assert read_handbook(config) is None
