"""What `explain` needs, ready to use: the index of the lookup and the words of each card, kept in the user's cache.

A dead server does not wait for 24 pinned releases to be read: they are read once, and again when anything of which
the handbook is made has changed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from pydantic import TypeAdapter, ValidationError

from generator.wordindex import LookupIndex


@dataclass(frozen=True)
class Advice:
    """What the card of one error says."""

    summary: str
    solutions: tuple[str, ...]
    """The first one is the one to try; may be empty."""


@dataclass(frozen=True)
class Handbook:
    """Everything that an explanation in a terminal needs."""

    index: LookupIndex
    advice: dict[str, Advice]
    """Slug → what its analysis says; those without analysis are absent."""
    site_url: str
    """Address of the published site with a final slash; empty when it is not published."""


@dataclass(frozen=True)
class _Kept:
    state: str
    """Hash of everything that the handbook is made of."""
    data: str
    """Folder of pins and analyses, relative to the configuration file."""
    handbook: Handbook


def read_handbook(config_file: Path) -> Handbook | None:
    """The handbook of a project; None when none is kept, it cannot be read, or its project has changed since."""
    try:
        kept = TypeAdapter(_Kept).validate_json(_place(config_file).read_bytes())
        return kept.handbook if kept.state == state_of(config_file, kept.data) else None
    except (OSError, ValidationError):
        return None


def keep_handbook(config_file: Path, data: str, state: str, handbook: Handbook) -> None:
    """Keep the handbook of a project; does nothing if there is no place.

    Args:
        config_file: The site's configuration.
        data: Folder of pins and analyses, relative to it.
        state: What `state_of` said before the handbook was made: what changes meanwhile makes it stale.
        handbook: What to keep.
    """
    from generator.analysis import replace_file  # whoever made a handbook has read analyses

    try:
        place = _place(config_file)
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, TypeAdapter(_Kept).dump_json(_Kept(state, data, handbook)).decode())
    except OSError:
        return  # it costs time at the next call, nothing else


def _place(config_file: Path) -> Path:
    """One file for each project."""
    name = hashlib.sha256(repr(config_file.resolve()).encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("vllm-errors") / "handbooks" / f"{name}.json"


def state_of(config_file: Path, data: str) -> str:
    """Hash of the configuration, the `VLLM_ERRORS_*` variables, the data and the program.

    Raises:
        OSError: one of the files cannot be read.
    """
    variables = sorted(item for item in os.environ.items() if item[0].startswith("VLLM_ERRORS_"))
    state = hashlib.sha256(repr(variables).encode())
    for path in _made_of(config_file, data):
        content = path.read_bytes()
        state.update(repr((path.name, len(content))).encode() + content)
    return state.hexdigest()


def _made_of(config_file: Path, data: str) -> Iterator[Path]:
    yield config_file
    for folder, ending in ((config_file.parent / data, "*.yml"), (Path(__file__).parent, "*.py")):
        yield from sorted(folder.rglob(ending))
    yield config_file.parent / data / "pins.toml"
