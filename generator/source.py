"""The bytes of a pinned file, from the first source that has them: object store, clone, git remote or wheel.

Never accepts bytes of another git blob id than the pinned one.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from generator.errors import SourceError
from generator.pins import Pin
from generator.remote import ask_remote
from generator.repository import Answer, Repository
from generator.wheel import read_wheel

_PARALLEL = 16
"""Releases fetched at a time."""

_ADVICE = """\
What to do, one of:
  - connect to the network and run again; what has been fetched is kept and not fetched twice
  - name a clone that has these commits: --clone PATH or VLLM_ERRORS_CLONE=PATH
  - name another git remote or package index: VLLM_ERRORS_REMOTE=URL or PIP_INDEX_URL=URL"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SourceFile:
    """One file of a pinned commit."""

    path: str
    """Path in the repository, with forward slashes."""
    blob: str
    """Git blob id, 40 hex digits; that of `data`, always."""
    data: bytes = field(repr=False)
    """The bytes as git stores them: no change of encoding or line ends."""


@dataclass(frozen=True)
class Sources:
    """Where to look for the bytes of pinned files; fields in the order of asking."""

    store: Path
    """Folder of our own object store, a bare git repository; made on first use."""
    clone: Path | None
    """A clone on this machine, only ever read; None when there is none."""
    remote: str
    """Address of the git remote: `https://`, `ssh://` or `file:///`."""
    timeout: int = 60
    """Seconds that each source may take for one pin."""

    @classmethod
    def from_environment(cls, repository: str, clone: Path | None = None) -> Sources:
        """The sources of `owner/name`; `VLLM_ERRORS_STORE`, `_CLONE` and `_REMOTE` override the defaults."""
        store = os.environ.get("VLLM_ERRORS_STORE")
        clone = clone or (Path(os.environ["VLLM_ERRORS_CLONE"]) if os.environ.get("VLLM_ERRORS_CLONE") else None)
        return cls(
            store=Path(store).expanduser() if store else platformdirs.user_cache_path("vllm-errors") / "objects.git",
            clone=clone.expanduser() if clone else None,
            remote=os.environ.get("VLLM_ERRORS_REMOTE") or f"https://github.com/{repository}",
        )


def blob_id(data: bytes) -> str:
    """The git blob id of bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def fetch_source(pin: Pin, paths: Sequence[str], sources: Sources) -> dict[str, SourceFile]:
    """Path → file, for some of the files of one pin. Bytes that had to be fetched are kept in the store.

    Raises:
        SourceError: a path is not pinned, or no source has its bytes; lists each source and why not.
    """
    outcome = _try_sources(pin, paths, sources)
    _report([outcome])
    return outcome.files


def fetch_sources(
    pins: Sequence[Pin], sources: Sources, progress: Callable[[Pin], None] = lambda pin: None
) -> dict[str, dict[str, SourceFile]]:
    """Label of the pin → path → file, for all files of several pins, fetched in parallel.

    `progress` is called in this thread, once for each pin that has been dealt with, in any order.

    Raises:
        SourceError: some file could not be had. The other files were fetched and kept; all failures are listed.
    """
    pool = ThreadPoolExecutor(max_workers=_PARALLEL)
    try:
        futures = {pool.submit(_try_sources, pin, tuple(pin.blobs), sources): pin for pin in pins}
        for future in as_completed(futures):
            progress(futures[future])
        outcomes = {pin.label: future.result() for future, pin in futures.items()}
    finally:
        pool.shutdown(cancel_futures=True)
    _report(outcomes.values())
    return {label: outcome.files for label, outcome in outcomes.items()}


@dataclass(frozen=True)
class _Outcome:
    """What came of one pin."""

    files: dict[str, SourceFile]
    complaints: list[str]
    warning: str | None
    """Why the files could not be kept; None when they are, or were before."""


def _report(outcomes: Collection[_Outcome]) -> None:
    """Log each warning once, then raise all complaints together."""
    for warning in dict.fromkeys(outcome.warning for outcome in outcomes if outcome.warning):
        _log.warning(warning)
    complaints = [complaint for outcome in outcomes for complaint in outcome.complaints]
    if complaints:
        raise SourceError("\n".join([*complaints, _ADVICE]))


def _try_sources(pin: Pin, paths: Sequence[str], sources: Sources) -> _Outcome:
    """What could be had of one pin, and complaints about the rest. The one place where bytes are accepted."""
    unknown = [
        f"{pin.label}: {path!r} is not pinned; add it to 'blobs' of the pin" for path in paths if path not in pin.blobs
    ]
    reasons: dict[str, list[str]] = {path: [] for path in paths if path in pin.blobs}
    files: dict[str, SourceFile] = {}
    for name, ask in _sources_in_order(pin, sources):
        wanted = {path: pin.blobs[path] for path in reasons if path not in files}
        if not wanted:
            break
        try:
            answers = ask(wanted)
        except (SourceError, OSError) as error:
            answers = dict.fromkeys(wanted, _reason(error))
        for path, blob in wanted.items():
            answer = answers.get(path, "does not have it")
            if isinstance(answer, str):
                reasons[path].append(f"{name}: {answer}")
            elif blob_id(answer) != blob:
                reasons[path].append(f"{name}: has other bytes, of blob {blob_id(answer)}")
            else:
                files[path] = SourceFile(path, blob, answer)
    lost = {path: why for path, why in reasons.items() if path not in files}
    fetched = [file for path, file in files.items() if reasons[path]]  # the store, asked first, lacked these
    return _Outcome(files, unknown + _complaints(pin, lost), _keep(fetched, sources))


def _sources_in_order(
    pin: Pin, sources: Sources
) -> Iterator[tuple[str, Callable[[Mapping[str, str]], Mapping[str, Answer]]]]:
    """Name and function of each source; the function takes path → blob id and gives path → answer."""
    yield f"object store {sources.store}", lambda wanted: _from_repository(sources.store, wanted, sources.timeout)
    clone = sources.clone
    if clone is not None:
        yield f"clone {clone}", lambda wanted: _from_repository(clone, wanted, sources.timeout)
    yield f"git remote {sources.remote}", lambda wanted: ask_remote(pin, wanted, sources.remote, sources.timeout)
    wheel = pin.wheel
    if wheel is not None:
        yield f"wheel {wheel}", lambda wanted: read_wheel(wheel, tuple(wanted), sources.timeout)


def _complaints(pin: Pin, reasons: Mapping[str, Sequence[str]]) -> list[str]:
    """One complaint for all files that failed for the same reasons, fit for a terminal."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for path, why in reasons.items():
        groups.setdefault(tuple(why), []).append(f"{path} (blob {pin.blobs[path]})")
    lines = [
        line
        for why, files in groups.items()
        for line in (f"{pin.label}: no source has {', '.join(files)}:", *(f"  - {reason}" for reason in why))
    ]
    return [_printable(line) for line in lines]


def _printable(line: str) -> str:
    """The line without passwords in addresses and without control characters that a server may have sent."""
    without_password = re.sub(r"//[^@/\s]*@", "//", line)
    return "".join(letter if letter.isprintable() else " " for letter in without_password)


def _from_repository(folder: Path, wanted: Mapping[str, str], timeout: int) -> dict[str, Answer]:
    """Answers of the store or of a clone. Blobs are asked for by id, whatever commit or branch they belong to."""
    repository = Repository.opened(folder, timeout)
    return {path: repository.read(blob) for path, blob in wanted.items()}


def _keep(files: Sequence[SourceFile], sources: Sources) -> str | None:
    """Write fetched files into the store, made if need be. If that fails, why: it costs time later, not the build."""
    if not files:
        return None
    try:
        _make_store(sources)
        repository = Repository.opened(sources.store, sources.timeout)
        for file in files:
            repository.write(file.blob, file.data)
    except (SourceError, OSError) as error:
        return (
            f"object store {sources.store}: {_reason(error)}; nothing is kept. Set VLLM_ERRORS_STORE to another folder."
        )
    return None


def _make_store(sources: Sources) -> None:
    """Make the store beside its place and rename it, so that others see all of it or nothing."""
    if (sources.store / "HEAD").exists():
        return
    sources.store.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=sources.store.parent, prefix=f".{sources.store.name}.") as beside:
        fresh = Path(beside) / "new"
        fresh.mkdir()
        Repository.made(fresh, sources.timeout)
        try:
            fresh.rename(sources.store)
        except OSError:
            if not sources.store.exists():
                raise
            # another process was faster, or something else is there: opening it will tell


def _reason(error: SourceError | OSError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
