"""Tiny documented projects: source texts joined in memory, or a real upstream repository and a folder of ours."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator import plugin
from generator.analysis import load_writing
from generator.build import build_catalog
from generator.catalog import Catalog, join
from generator.extract import extract_raise_sites
from generator.pins import Pin, write_pins
from generator.source import Sources

REPOSITORY = "example/demo"
PATH = "demo/config.py"
FINGERPRINT = "0123456789abcdef"
"""Fits no check: an analysis made here is stale unless its test says otherwise."""

MKDOCS = f"""\
site_name: Demo errors
site_url: https://demo.example/
theme:
  name: material
  font: false
plugins:
  - search
  - vllm-errors:
      repository: {REPOSITORY}
      paths: [{PATH}]
      data_dir: facts
markdown_extensions:
  - admonition
  - attr_list
  - md_in_html
  - tables
  - toc:
      permalink: true
  - pymdownx.details
  - pymdownx.highlight:
      line_spans: false
      linenums_style: table
  - pymdownx.superfences
  - pymdownx.tabbed:
      alternate_style: true
"""


def analysis_fields(message: str, **changes: Any) -> dict[str, Any]:
    """A complete analysis as data; a change to None leaves the field out."""
    fields = {
        "message": message,
        "severity": "error",
        "verdict": "configuration",
        "verdict_reason": "Two options exclude each other.",
        "summary": "Choose one of `a` and `b`.",
        "documentation": "The check protects the cache.",
        "trigger_scenarios": "Both options are given.",
        "common_situations": "Copied command lines.",
        "solutions": ["Leave out `a`."],
        "tags": ["cache"],
        "reviewed": {"commit": "c794754062", "fingerprint": FINGERPRINT, "date": "2026-01-01"},
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def analysis_text(message: str, **changes: Any) -> str:
    """A complete analysis as YAML."""
    return yaml.safe_dump(analysis_fields(message, **changes), sort_keys=False, allow_unicode=True, width=1000)


def write_data(folder: Path, **files: str) -> Path:
    """A data folder: `tags` and other names are the files beside the analyses, everything else is an analysis."""
    beside = {"tags", "renamed", "wordings"}
    for name, text in {"tags": "cache: {title: Cache, description: Keeping things.}\n", **files}.items():
        path = folder / f"{name}.yml" if name in beside else folder / "analysis" / f"{name.replace('_', '-')}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return folder


def catalog_of(releases: Mapping[str, str | Mapping[str, str]], data: Path, history: tuple[str, ...] = ()) -> Catalog:
    """The catalog of some releases, newest first: tag → text of `demo/config.py`, or path → text.

    Pins named in `history` get no pages.
    """
    files = {tag: {PATH: each} if isinstance(each, str) else each for tag, each in releases.items()}
    pins = [
        Pin(
            commit=f"{number:040x}",
            date=f"2026-02-{28 - number:02}",
            blobs=dict.fromkeys(files[tag], "0" * 40),
            tag=tag,
            documented=tag not in history,
        )
        for number, tag in enumerate(files)
    ]
    extractions = {
        tag: [extract_raise_sites(text.encode(), path) for path, text in each.items()] for tag, each in files.items()
    }
    return join(REPOSITORY, pins, extractions, load_writing(data, data.name), data.name)


def git(folder: Path, *arguments: str) -> str:
    """Standard output of a git command in a folder."""
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Tiny:
    """A project that documents an upstream repository of one file, both on this machine."""

    root: Path
    """Our folder: `mkdocs.yml`, `docs/`, `facts/`."""
    upstream: Path

    @property
    def config(self) -> Path:
        return self.root / "mkdocs.yml"

    @property
    def site(self) -> Path:
        return self.root / "site"

    @property
    def facts(self) -> Path:
        return self.root / "facts"

    def catalog(self) -> Catalog:
        """The catalog, by way of git, pins and the source store."""
        project = plugin.read_project(self.config)
        return build_catalog(project, Sources.from_environment(project.repository), lambda text: None)

    def build(self, strict: bool = True) -> Path:
        """Build the site as `vllm-errors build` does."""
        plugin.build(self.config, self.site, strict)
        return self.site


def make_tiny(folder: Path, patch: pytest.MonkeyPatch, releases: Mapping[str, str], **data: str) -> Tiny:
    """Make both repositories and point the environment at them.

    Args:
        folder: An empty folder for everything.
        patch: Sets the environment; undone by whoever made it.
        releases: Tag → text of `demo/config.py`, oldest first; each becomes a tagged commit and a pin.
        data: Files of the data folder, see `write_data`.
    """
    tiny = Tiny(folder / "project", folder / "upstream")
    (tiny.upstream / PATH).parent.mkdir(parents=True)
    git(tiny.upstream, "init", "--quiet", "--initial-branch=main")
    pins: list[Pin] = []
    for number, (tag, text) in enumerate(releases.items(), start=1):
        (tiny.upstream / PATH).write_bytes(text.encode())
        git(tiny.upstream, "add", ".")
        git(tiny.upstream, "commit", "--quiet", "--allow-empty", f"--message={tag}")
        git(tiny.upstream, "tag", tag)
        commit, blob = git(tiny.upstream, "rev-parse", "HEAD", f"HEAD:{PATH}").split()
        pins.append(Pin(commit=commit, date=f"2026-01-{number:02}", blobs={PATH: blob}, tag=tag))
    (tiny.root / "docs").mkdir(parents=True)
    for name in ("index", "contributing", "json"):  # what generated pages link to
        (tiny.root / "docs" / f"{name}.md").write_text(f"# {name.title()}\n")
    tiny.config.write_text(MKDOCS)
    write_data(tiny.facts, **data)
    write_pins(tiny.facts / "pins.toml", reversed(pins))
    patch.setenv("VLLM_ERRORS_STORE", str(folder / "store.git"))
    patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    patch.setenv("VLLM_ERRORS_REMOTE", tiny.upstream.as_uri())
    patch.delenv("VLLM_ERRORS_CLONE", raising=False)
    return tiny
