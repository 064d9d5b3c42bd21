"""The bytes of a pinned file, from the first source that has them: object store, clone, git remote or wheel.

Never accepts bytes of another git blob id than the pinned one, never clones, never runs hooks, never asks a question.
The only module that knows GitPython.
"""

from __future__ import annotations

import configparser
import functools
import hashlib
import logging
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import platformdirs

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # without git, `import git` would fail instead of our message
import git

from generator.errors import SourceError
from generator.pins import Pin
from generator.wheel import read_wheel

_PARALLEL = 16
"""Releases fetched at a time."""

_REMOTE = re.compile(
    r"(?:https|ssh)://(?:[A-Za-z0-9_][^@/\s]*@)?(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?/\S+"
    r"|file:///.+"
)
"""A git address that can be nothing but an address: no option, no `ext::` helper, no host that starts with a dash."""

_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_BLOB = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]*")
"""`pins.py` checks the same; but a `Pin` made elsewhere must not smuggle an option into a git command either."""

_CONFIG = ("core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false", "http.lowSpeedLimit=1")

_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",  # set but empty: also hides SSH_ASKPASS and core.askPass
    "GIT_NO_LAZY_FETCH": "1",  # git before 2.45 ignores it; GIT_ALLOW_PROTOCOL=none does the same
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
}

_MEANINGS = {
    "not our ref": "the remote does not have this commit",
    "unadvertised object": "the remote gives out branch tips and tags only, and this commit is neither",
    "couldn't find remote ref": "the remote does not have this tag",
}
"""Words of git → what they mean here."""

_ADVICE = """\
What to do, one of:
  - connect to the network and run again; what has been fetched is kept and not fetched twice
  - name a clone that has these commits: --clone PATH or VLLM_ERRORS_CLONE=PATH
  - name another git remote or package index: VLLM_ERRORS_REMOTE=URL or PIP_INDEX_URL=URL"""

_Answer = bytes | str
"""The bytes of a file, or one line that says why a source does not have them."""

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
) -> Iterator[tuple[str, Callable[[Mapping[str, str]], Mapping[str, _Answer]]]]:
    """Name and function of each source; the function takes path → blob id and gives path → answer."""
    yield f"object store {sources.store}", lambda wanted: _from_repository(sources.store, wanted, sources.timeout)
    clone = sources.clone
    if clone is not None:
        yield f"clone {clone}", lambda wanted: _from_repository(clone, wanted, sources.timeout)
    yield f"git remote {sources.remote}", lambda wanted: _from_remote(pin, wanted, sources)
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


@dataclass(frozen=True)
class _Repository:
    """A git repository in which commands run until a moment of `time.monotonic`."""

    folder: Path
    objects: Path
    deadline: float

    @classmethod
    def opened(cls, path: Path, timeout: float) -> _Repository:
        try:
            with git.Repo(path, expand_vars=False) as repository:
                common = Path(repository.common_dir)
                return cls(Path(repository.git_dir), common / "objects", time.monotonic() + timeout)
        except git.exc.NoSuchPathError:
            raise SourceError("does not exist") from None
        except git.exc.InvalidGitRepositoryError:
            raise SourceError("is not a git repository") from None
        except (configparser.Error, UnicodeDecodeError):
            raise SourceError("has a config file that cannot be read") from None

    @classmethod
    def made(cls, path: Path, timeout: float) -> _Repository:
        """A new bare repository in an empty folder; `git init` would obey templates, hash formats and GIT_WORK_TREE."""
        (path / "HEAD").write_text("ref: refs/heads/main\n")
        (path / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        (path / "refs").mkdir()
        (path / "objects").mkdir()
        return cls.opened(path, timeout)

    def run(self, *arguments: str, stdin: BinaryIO | None = None, protocols: str = "none") -> bytes:
        """Standard output of one git command, which may use the network only through `protocols`."""
        seconds = max(self.deadline - time.monotonic(), 0.1)
        options = [word for setting in (*_CONFIG, f"http.lowSpeedTime={seconds:.0f}") for word in ("-c", setting)]
        try:
            status, output, said = git.Git(self.folder.absolute()).execute(
                [git.Git.GIT_PYTHON_GIT_EXECUTABLE or "git", *options, *arguments],
                istream=stdin,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=None if sys.platform == "win32" else seconds,
                env={
                    **_ENVIRONMENT,
                    "GIT_DIR": str(self.folder.absolute()),  # these three replace what git has set if a hook runs us
                    "GIT_OBJECT_DIRECTORY": str(self.objects.absolute()),
                    "GIT_INDEX_FILE": str(self.folder.absolute() / "index"),
                    "GIT_ALLOW_PROTOCOL": protocols,
                    "GIT_SSH_COMMAND": f"{os.environ.get('GIT_SSH_COMMAND') or 'ssh'} -oBatchMode=yes",
                },
            )
        except git.exc.GitCommandNotFound:
            raise SourceError("needs git, which is not on the PATH; install it") from None
        if status != 0:
            raise SourceError(_last_words(said))
        return output

    def listing(self, commit: str, paths: Sequence[str]) -> dict[str, str]:
        """Path → blob id, for those paths that the commit has."""
        entries = self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths).decode("utf-8", "replace")
        pairs = (entry.split("\t", 1) for entry in entries.split("\0") if entry)
        return {path: about.split(" ")[2] for about, path in pairs}

    def read(self, blob: str) -> _Answer:
        """The bytes of an object, not yet verified; git fetches nothing and runs nothing for it."""
        if not _BLOB.fullmatch(blob):
            return f"refused: {blob!r} is not a blob id"
        try:
            return self.run("cat-file", "blob", blob)
        except SourceError as error:
            absent = any(words in str(error) for words in ("bad file", "promisor remote"))
            return "does not have it" if absent else str(error)

    def write(self, file: SourceFile) -> None:
        """Keep a verified file: git writes it beside its place and renames it, so it is there whole or not at all."""
        loose = self.objects / file.blob[:2] / file.blob[2:]
        if loose.exists() and self.read(file.blob) != file.data:
            loose.unlink()  # damaged, and hash-object would not replace it
        with tempfile.TemporaryFile() as stdin:
            stdin.write(file.data)
            stdin.seek(0)
            self.run("hash-object", "-w", "--no-filters", "--stdin", stdin=stdin)
        if self.read(file.blob) != file.data:
            raise SourceError(f"blob {file.blob} stays damaged there; delete the folder")


def _last_words(said: str) -> str:
    """Why git failed, in one line."""
    if said.startswith("Timeout:"):
        return "no answer in time"
    lines = dict.fromkeys(
        line.strip() for line in said.splitlines() if line and not line.startswith(("warning:", "hint:"))
    )
    words = "; ".join([line for line in lines if not line.startswith("error:")] or lines) or "git failed without a word"
    meaning = next((meaning for needle, meaning in _MEANINGS.items() if needle in said), None)
    return f"{meaning} ({words})" if meaning else words


def _from_repository(folder: Path, wanted: Mapping[str, str], timeout: int) -> dict[str, _Answer]:
    """_Answers of the store or of a clone. Blobs are asked for by id, whatever commit or branch they belong to."""
    repository = _Repository.opened(folder, timeout)
    return {path: repository.read(blob) for path, blob in wanted.items()}


def _from_remote(pin: Pin, wanted: Mapping[str, str], sources: Sources) -> Mapping[str, _Answer]:
    """_Answers of the git remote, by way of a temporary repository."""
    if not _REMOTE.fullmatch(sources.remote) or not sources.remote.isprintable():
        raise SourceError("refused: a git remote must be an https://, ssh:// or file:/// address")
    if not _COMMIT.fullmatch(pin.commit) or not _TAG.fullmatch(pin.tag or "v0"):
        raise SourceError(f"refused: the pin has commit {pin.commit!r} and tag {pin.tag!r}; mend data/pins.toml")
    if len(pin.commit) < 40 and pin.tag is None:
        raise SourceError(f"cannot find abbreviated commit {pin.commit} without a tag; pin all 40 digits of it")
    deadline = time.monotonic() + sources.timeout
    try:
        return _fetch_commit(pin, wanted, sources.remote, deadline, blobless=True)
    except _BlobsRefused:
        return _fetch_commit(pin, wanted, sources.remote, deadline, blobless=False)


class _BlobsRefused(SourceError):
    """The remote filters, but does not give out single blobs."""


def _fetch_commit(
    pin: Pin, wanted: Mapping[str, str], remote: str, deadline: float, *, blobless: bool
) -> dict[str, _Answer]:
    """Fetch one commit without history, and in a second request the wanted blobs that did not come with it."""
    with tempfile.TemporaryDirectory(prefix="vllm-errors-", ignore_cleanup_errors=True) as folder:
        repository = _Repository.made(Path(folder), deadline - time.monotonic())
        repository.run("remote", "add", "--", "origin", remote)
        fetch = functools.partial(repository.run, "fetch", "--quiet", "--no-tags", protocols="https:ssh:file")
        ref = pin.commit if len(pin.commit) == 40 else f"refs/tags/{pin.tag}"
        fetch("--depth=1", *(["--filter=blob:none"] if blobless else []), "--", "origin", ref)
        commit = repository.run("rev-parse", "--verify", "FETCH_HEAD^{commit}").decode().strip()
        if not commit.startswith(pin.commit):
            raise SourceError(f"its {ref} is commit {commit}, not {pin.commit}")
        there = repository.listing(commit, tuple(wanted))
        absent = {blob for blob in wanted.values() if blob in there.values() and isinstance(repository.read(blob), str)}
        if absent and blobless:
            try:
                fetch("--", "origin", *sorted(absent))
            except SourceError as error:
                raise _BlobsRefused(str(error)) from None
        return {
            path: repository.read(blob) if there.get(path) == blob else _not_pinned(commit, there.get(path))
            for path, blob in wanted.items()
        }


def _not_pinned(commit: str, blob: str | None) -> str:
    if blob is None:
        return f"commit {commit} has no such path; correct the path in data/pins.toml"
    return (
        f"commit {commit} has blob {blob} at this path, not the pinned one; pin the commit anew with: vllm-errors pin"
    )


def _keep(files: Sequence[SourceFile], sources: Sources) -> str | None:
    """Write fetched files into the store, made if need be. If that fails, why: it costs time later, not the build."""
    if not files:
        return None
    try:
        _make_store(sources)
        repository = _Repository.opened(sources.store, sources.timeout)
        for file in files:
            repository.write(file)
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
        _Repository.made(fresh, sources.timeout)
        try:
            fresh.rename(sources.store)
        except OSError:
            if not sources.store.exists():
                raise
            # another process was faster, or something else is there: opening it will tell


def _reason(error: SourceError | OSError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
