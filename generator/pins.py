"""`Pin`: one tracked commit; reading and writing `data/pins.toml`, and permanent links.

Fetches nothing and never touches git: whether a pinned blob exists is `source.py`'s business.
"""

from __future__ import annotations

import datetime
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import tomli_w
from packaging.requirements import InvalidRequirement, Requirement

from generator.errors import PinError

_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_BLOB = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]{0,99}")
_KEYS = {"commit", "date", "tag", "wheel", "documented", "context", "blobs"}


@dataclass(frozen=True)
class Pin:
    """One tracked commit of the documented project."""

    commit: str
    """Commit id: 40 lower-case hex digits, or at least 7 of them when the release records no more."""
    date: str
    """Day of the commit or of the release, `YYYY-MM-DD`."""
    blobs: Mapping[str, str]
    """Path in the repository → git blob id (40 hex digits) of every file that is read. Never empty."""
    tag: str | None = None
    """Release tag such as `v0.28.0`; None for a commit between releases."""
    wheel: str | None = None
    """Requirement that names one release on the package index, such as `vllm==0.28.0`; None if there is none."""
    documented: bool = True
    """Whether its errors get pages. A pin that is not documented only extends the history."""
    context: str | None = field(default=None)
    """Label of the pin whose context files (other modules) stand in for its own; None when its own are pinned."""

    @property
    def label(self) -> str:
        """The tag, or the first ten digits of the commit: how pages name this pin."""
        return self.tag or self.commit[:10]

    @property
    def ref(self) -> str:
        """What a link names: the full commit id, or the tag while the id is abbreviated."""
        return self.commit if len(self.commit) == 40 or self.tag is None else self.tag

    def permalink(self, repository: str, path: str, start: int, end: int | None = None) -> str:
        """Address of lines `start` to `end` (from 1, inclusive) of a file of `owner/name` at this pin."""
        lines = f"L{start}" if end is None or end == start else f"L{start}-L{end}"
        return f"https://github.com/{repository}/blob/{self.ref}/{quote(path)}#{lines}"


def read_pins(path: Path) -> tuple[Pin, ...]:
    """The pins of a `pins.toml`, newest first as written there.

    Raises:
        PinError: the file is missing, is not TOML, or one of its pins is malformed; all complaints at once.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PinError(f"{path.name}: no such file; write it with: vllm-errors pin REF") from None
    except OSError as error:
        raise PinError(f"{path.name}: cannot be read: {error.strerror}; restore it from git") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PinError(f"{path.name}: not readable as TOML: {error}; mend it by hand or restore it from git") from None
    tables = data.get("pin")
    if not isinstance(tables, list) or not tables:
        raise PinError(f"{path.name}: no [[pin]] table; write one with: vllm-errors pin REF")
    complaints: list[str] = []
    pins: list[Pin] = []
    for number, table in enumerate(tables, start=1):
        found = list(_complaints(table))
        if found:
            complaints += [f"{path.name}: pin {number}: {text}" for text in found]
        else:
            pins.append(Pin(**{**table, "date": str(table["date"])}))
    complaints += _clashes(path.name, pins)
    if complaints:
        raise PinError("\n".join(complaints))
    return tuple(pins)


def write_pins(path: Path, pins: Iterable[Pin]) -> None:
    """Write a `pins.toml`: beside the old one first, then renamed over it, so that it is never half-written.

    Raises:
        PinError: the folder or the file cannot be written; the old file is as it was.
    """
    tables = [
        {
            key: value
            for key, value in (
                ("commit", pin.commit),
                ("date", pin.date),
                ("tag", pin.tag),
                ("wheel", pin.wheel),
                ("documented", None if pin.documented else False),
                ("context", pin.context),
                ("blobs", dict(sorted(pin.blobs.items()))),
            )
            if value is not None
        }
        for pin in pins
    ]
    header = "# Written by `vllm-errors pin`; newest first. See docs/architecture.md.\n\n"
    text = header + tomli_w.dumps({"pin": tables})
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise PinError(f"{path.name}: cannot be written: {error.strerror}") from None


def _complaints(table: Any) -> Iterable[str]:
    """What is wrong with one `[[pin]]` table, each with its repair; nothing when it is well-formed."""
    if not isinstance(table, dict):
        yield "is not a table; write [[pin]]"
        return
    for key in sorted(set(table) - _KEYS):
        yield f"unknown key {key!r}; use only {', '.join(sorted(_KEYS))}"
    if not _matches(_COMMIT, table.get("commit")):
        yield "'commit' must be 7 to 40 lower-case hex digits"
    if not _is_date(table.get("date")):
        yield "'date' must be a day such as 2026-08-14"
    if "tag" in table and not (_matches(_TAG, table["tag"]) and ".." not in table["tag"]):
        yield "'tag' must be a plain tag name such as v0.28.0"
    if "wheel" in table and not _is_exact_requirement(table["wheel"]):
        yield "'wheel' must name one release such as vllm==0.28.0"
    if not isinstance(table.get("documented", True), bool):
        yield "'documented' must be true or false"
    if "context" in table and not isinstance(table["context"], str):
        yield "'context' must be the label of another pin"
    blobs = table.get("blobs")
    if not isinstance(blobs, dict) or not blobs:
        yield "'blobs' must map at least one path to its git blob id"
        return
    for path, blob in blobs.items():
        parts = PurePosixPath(path).parts
        if not parts or "/".join(parts) != path or ".." in parts or not path.isprintable():
            yield f"path {path!r} must be relative to the repository"
        if not _matches(_BLOB, blob):
            yield f"blob id of {path!r} must be 40 lower-case hex digits"


def _clashes(name: str, pins: list[Pin]) -> list[str]:
    """Complaints about labels used twice and `context` labels that name no pin."""
    labels = [pin.label for pin in pins]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    found = [f"{name}: {label} is pinned twice; delete one of the tables" for label in twice]
    for pin in pins:
        if pin.context is not None and pin.context not in labels:
            found.append(
                f"{name}: {pin.label}: 'context' names {pin.context!r}, which is not pinned; use one of {labels}"
            )
    return found


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_date(value: object) -> bool:
    try:
        return datetime.date.fromisoformat(str(value)).isoformat() == str(value)
    except ValueError:
        return False


def _is_exact_requirement(value: object) -> bool:
    try:
        requirement = Requirement(str(value))
    except InvalidRequirement:
        return False
    specifiers = list(requirement.specifier)
    return len(specifiers) == 1 and specifiers[0].operator == "==" and not specifiers[0].version.endswith("*")
