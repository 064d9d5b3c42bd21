"""A new pin: from a git ref or a release on the package index, and what it would change.

Writes nothing: `cli.py` writes the pins once everything has been verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import Requirement

from generator.analysis import load_writing
from generator.build import Project, extract_all
from generator.catalog import Catalog, Error, join
from generator.errors import PinError, SourceError
from generator.history import Comparison, compare
from generator.pins import Pin, read_pins
from generator.proof import load_runs
from generator.remote import look_up
from generator.source import Sources, blob_id, fetch_sources
from generator.wheel import read_release

_VERSION_FILE = "_version.py"
_LEADS_TO = re.compile(r"^__commit_id__ = commit_id = '(?:g)?([0-9a-f]{7,40})'", re.MULTILINE)


@dataclass(frozen=True)
class Proposal:
    """A pin that could be added, and what that means."""

    pin: Pin
    pins: tuple[Pin, ...]
    """All pins with the new one in its place, newest first."""
    is_new: bool
    """Whether the commit or release is not pinned yet."""
    comparison: Comparison | None
    """The new pin against the newest one until now; None when it is pinned already or when it is the only one."""
    catalog: Catalog
    """Everything as it would be with the new pin."""

    @property
    def stale(self) -> tuple[Error, ...]:
        """Errors whose analysis was written for another form of the check."""
        return tuple(error for error in self.catalog.errors if error.is_stale)

    @property
    def missing(self) -> tuple[Error, ...]:
        """Errors without analysis."""
        return tuple(error for error in self.catalog.errors if error.analysis is None)


def propose_ref(project: Project, sources: Sources, ref: str, progress: Callable[[str], None]) -> Proposal:
    """The pin of a tag, branch or commit of the git remote.

    Raises:
        GeneratorError: it cannot be resolved, or does not have the documented files.
    """
    progress(f"looking up {ref}")
    try:
        commit = look_up(sources.remote, ref, _patterns(project), sources.timeout)
    except SourceError as error:
        advice = "connect and try again, name another remote in VLLM_ERRORS_REMOTE, or pin a release with --wheel"
        raise SourceError(f"{ref}: git remote {sources.remote}: {error}; {advice}") from None
    _require_paths(project, list(commit.files), ref)
    package = project.repository.rpartition("/")[2]
    wheel = f"{package}=={commit.tag[1:]}" if commit.tag and re.fullmatch(r"v\d+\.\d+\.\d+", commit.tag) else None
    blobs = {path: blob_id(data) for path, data in sorted(commit.files.items())}
    pin = Pin(commit=commit.commit, date=commit.date, blobs=blobs, tag=commit.tag, wheel=wheel)
    return _propose(project, sources, pin, progress)


def propose_release(project: Project, sources: Sources, requirement: str, progress: Callable[[str], None]) -> Proposal:
    """The pin of a release on the package index, without the git host; without a version, of the newest one.

    Raises:
        GeneratorError: there is no such release, or it does not record its commit.
    """
    progress(f"looking up {requirement}")
    package = project.paths[0].split("/")[0]
    release = read_release(requirement, [*_patterns(project), f"{package}/{_VERSION_FILE}"], sources.timeout)
    _require_paths(project, release.files, requirement)
    recorded = _LEADS_TO.search(release.files.get(f"{package}/{_VERSION_FILE}", b"").decode("utf-8", "replace"))
    if recorded is None or release.date is None:
        raise PinError(f"{requirement}: the wheel does not record commit and date; pin it by git ref instead")
    blobs = {path: blob_id(data) for path, data in sorted(release.files.items()) if not path.endswith(_VERSION_FILE)}
    name = Requirement(requirement).name
    is_final = re.fullmatch(r"\d+\.\d+\.\d+", release.version) is not None
    pin = Pin(
        commit=recorded[1],
        date=release.date,
        blobs=blobs,
        tag=f"v{release.version}" if is_final else None,
        wheel=f"{name}=={release.version}",
    )
    return _propose(project, sources, pin, progress)


def complete(pins: Sequence[Pin], sources: Sources, progress: Callable[[str], None]) -> tuple[Pin, ...]:
    """The pins with abbreviated commit ids completed, where the git remote has their tags.

    Raises:
        GeneratorError: the remote does not answer, or a tag names another commit.
    """
    completed: list[Pin] = []
    for pin in pins:
        if len(pin.commit) < 40 and pin.tag is not None:
            progress(f"completing {pin.tag}")
            commit = look_up(sources.remote, pin.tag, (), sources.timeout).commit
            if not commit.startswith(pin.commit):
                raise PinError(f"{pin.tag}: the remote says {commit}, the pin {pin.commit}; find out which is right")
            pin = replace(pin, commit=commit)
        completed.append(pin)
    return tuple(completed)


def _patterns(project: Project) -> list[str]:
    return [*project.paths, *project.context]


def _require_paths(project: Project, files: Collection[str], name: str) -> None:
    missing = [path for path in project.paths if path not in files]
    if missing:
        raise PinError(
            f"{name} does not have {', '.join(missing)}; only commits that have the documented files can be pinned"
        )


def _propose(project: Project, sources: Sources, pin: Pin, progress: Callable[[str], None]) -> Proposal:
    """Compare a new pin with what is pinned, verifying that its bytes can be fetched again."""
    file = project.data_folder / "pins.toml"
    before = read_pins(file) if file.exists() else ()
    known = next((each for each in before if _is_same(each, pin)), None)
    pins = before if known else tuple(sorted((pin, *before), key=lambda each: each.date, reverse=True))
    progress(f"reading {len(pins)} pinned commits")
    files = fetch_sources(pins, sources)
    extractions = extract_all(project.paths, pins, files)
    runs, _ = load_runs(project.data_folder)
    writing = load_writing(project.data_folder, project.data)
    catalog = join(project.repository, pins, extractions, writing, project.data, runs)
    comparison = None if known or not before else compare(catalog, before[0], pin)
    return Proposal(known or pin, pins, known is None, comparison, catalog)


def _is_same(one: Pin, other: Pin) -> bool:
    """Whether two pins are one commit: the shorter id begins the longer, or they have one tag."""
    shorter, longer = sorted((one.commit, other.commit), key=len)
    return longer.startswith(shorter) or (one.tag is not None and one.tag == other.tag)


def stamp_reviewed(text: str, commit: str, fingerprint: str, date: str) -> str:
    """The text of an analysis with its `reviewed` record renewed; everything else stays as it is written.

    Raises:
        PinError: the text has no `reviewed` block in the usual form.
    """
    block = f'reviewed:\n  commit: "{commit}"\n  fingerprint: "{fingerprint}"\n  date: "{date}"\n'
    renewed, count = re.subn(r"^reviewed:\n(?:[ \t]+\S.*\n?)+", block, text, flags=re.MULTILINE)
    if count != 1:
        raise PinError(
            "no 'reviewed:' block with indented commit, fingerprint and date; write it as docs/contributing.md says"
        )
    return renewed


def analysis_path(project: Project, error: Error) -> Path:
    """The file of an error's analysis."""
    return project.data_folder / "analysis" / f"{error.slug}.yml"
