"""The git remote: one commit without its history, and single blobs of it.

Only https, ssh and file addresses; works in a temporary repository, so that nothing half-fetched stays anywhere.
"""

from __future__ import annotations

import datetime
import fnmatch
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from generator.errors import SourceError
from generator.pins import Pin
from generator.repository import Answer, Repository

_REMOTE = re.compile(
    r"(?:https|ssh)://(?:[A-Za-z0-9_][^@/\s]*@)?(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?/\S+"
    r"|file:///.+"
)
"""A git address that can be nothing but an address: no option, no `ext::` helper, no host that starts with a dash."""

_PROTOCOLS = "https:ssh:file"
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_TAG = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]*")
"""`pins.py` checks the same; but a `Pin` made elsewhere must not smuggle an option into a git command either."""
_REF = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/+-]{0,199}")


@dataclass(frozen=True)
class Commit:
    """A commit of the remote, with some of its files."""

    commit: str
    """40 hex digits."""
    tag: str | None
    """A tag that names it, `vX.Y.Z` preferred; None when the remote has none."""
    date: str
    """Day of the commit in UTC, `YYYY-MM-DD`."""
    files: Mapping[str, bytes]
    """Path → bytes of the files that match."""


def ask_remote(pin: Pin, wanted: Mapping[str, str], remote: str, timeout: int) -> Mapping[str, Answer]:
    """Path → bytes, or why not, for the wanted blobs (path → blob id) of a pin.

    Raises:
        SourceError: the remote is refused or does not have the commit; one line says why.
    """
    _check_remote(remote)
    if not _COMMIT.fullmatch(pin.commit) or not _TAG.fullmatch(pin.tag or "v0"):
        raise SourceError(f"refused: the pin has commit {pin.commit!r} and tag {pin.tag!r}; mend data/pins.toml")
    if len(pin.commit) < 40 and pin.tag is None:
        raise SourceError(f"cannot find abbreviated commit {pin.commit} without a tag; pin all 40 digits of it")
    ref = pin.commit if len(pin.commit) == 40 else f"refs/tags/{pin.tag}"
    with _fetched(remote, ref, timeout) as fetched:
        if not fetched.commit.startswith(pin.commit):
            raise SourceError(f"its {ref} is commit {fetched.commit}, not {pin.commit}")
        there = fetched.repository.listing(fetched.commit, tuple(wanted))
        found = fetched.read({path: blob for path, blob in wanted.items() if there.get(path) == blob})
        return {path: found[path] if path in found else _not_pinned(fetched.commit, there.get(path)) for path in wanted}


def look_up(remote: str, ref: str, patterns: Sequence[str], timeout: int) -> Commit:
    """Resolve a tag, branch or commit of the remote, and read those files that match one of the glob patterns.

    An abbreviated commit id is found when a branch or tag of the remote points to it.

    Raises:
        SourceError: one line says why not.
    """
    _check_remote(remote)
    if not _REF.fullmatch(ref) or ".." in ref:
        raise SourceError(f"refused: {ref!r} is not the name of a tag, branch or commit")
    with _temporary(remote, time.monotonic() + timeout) as repository:
        refs = _refs(repository)
    commit = _resolve(refs, ref)
    tags = [name.removeprefix("refs/tags/") for name, each in refs.items() if each == commit and "/tags/" in name]
    with _fetched(remote, commit, timeout) as fetched:
        tree = fetched.repository.listing(commit, ())
        wanted = {path: blob for path, blob in tree.items() if any(fnmatch.fnmatchcase(path, p) for p in patterns)}
        answers = fetched.read(wanted)
        files = {path: answer for path, answer in answers.items() if isinstance(answer, bytes)}
        if len(files) < len(wanted):
            raise SourceError("; ".join(f"{path}: {why}" for path, why in answers.items() if isinstance(why, str)))
        seconds = fetched.repository.run("show", "--no-patch", "--format=%ct", commit).decode().strip()
    date = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).date().isoformat()
    return Commit(commit, min(filter(_TAG.fullmatch, tags), key=_tag_order, default=None), date, files)


@dataclass(frozen=True)
class _Fetched:
    """A temporary repository that holds one commit, perhaps without its blobs."""

    repository: Repository
    commit: str
    blobless: bool

    def read(self, wanted: Mapping[str, str]) -> dict[str, Answer]:
        """Path → bytes or why not; blobs that did not come with the commit are fetched in one request."""
        absent = sorted({blob for blob in wanted.values() if isinstance(self.repository.read(blob), str)})
        if absent and self.blobless:
            try:
                self.repository.run("fetch", "--quiet", "--no-tags", "--", "origin", *absent, protocols=_PROTOCOLS)
            except SourceError:
                # It filters, but gives out no single blobs: take the commit as a whole.
                _fetch_commit(self.repository, self.commit, blobless=False)
        return {path: self.repository.read(blob) for path, blob in wanted.items()}


@contextmanager
def _temporary(remote: str, deadline: float) -> Iterator[Repository]:
    with tempfile.TemporaryDirectory(prefix="vllm-errors-", ignore_cleanup_errors=True) as folder:
        repository = Repository.made(Path(folder), deadline - time.monotonic())
        repository.run("remote", "add", "--", "origin", remote)
        yield repository


@contextmanager
def _fetched(remote: str, ref: str, timeout: int) -> Iterator[_Fetched]:
    """One commit without its history, and without blobs where the remote can leave them out."""
    with _temporary(remote, time.monotonic() + timeout) as repository:
        _fetch_commit(repository, ref, blobless=True)
        commit = repository.run("rev-parse", "--verify", "FETCH_HEAD^{commit}").decode().strip()
        yield _Fetched(repository, commit, blobless=True)


def _fetch_commit(repository: Repository, ref: str, *, blobless: bool) -> None:
    """Fetch one commit of `origin` without its history."""
    options = ["--filter=blob:none"] if blobless else ["--no-filter", "--refetch"]
    repository.run("fetch", "--quiet", "--no-tags", "--depth=1", *options, "--", "origin", ref, protocols=_PROTOCOLS)


def _check_remote(remote: str) -> None:
    if not _REMOTE.fullmatch(remote) or not remote.isprintable():
        raise SourceError("refused: a git remote must be an https://, ssh:// or file:/// address")


def _not_pinned(commit: str, blob: str | None) -> str:
    if blob is None:
        return f"commit {commit} has no such path; correct the path in data/pins.toml"
    return (
        f"commit {commit} has blob {blob} at this path, not the pinned one; pin the commit anew with: vllm-errors pin"
    )


def _refs(repository: Repository) -> dict[str, str]:
    """Name of each branch and tag of the remote → commit; annotated tags are followed to their commit."""
    text = repository.run("ls-remote", "--heads", "--tags", "--", "origin", protocols=_PROTOCOLS).decode()
    pairs = [line.split("\t") for line in text.splitlines() if "\t" in line]
    return {name.removesuffix("^{}"): commit for commit, name in sorted(pairs, key=lambda p: p[1].endswith("^{}"))}


def _resolve(refs: Mapping[str, str], ref: str) -> str:
    for name in (f"refs/tags/{ref}", f"refs/heads/{ref}"):
        if name in refs:
            return refs[name]
    if re.fullmatch(r"[0-9a-f]{40}", ref):
        return ref
    found = {commit for commit in refs.values() if commit.startswith(ref)} if _COMMIT.fullmatch(ref) else set()
    if len(found) == 1:
        return found.pop()
    if found:
        raise SourceError(f"{ref} is short for {len(found)} commits; give more digits")
    raise SourceError(f"the remote has no tag or branch {ref!r} and none that points to such a commit; give 40 digits")


def _tag_order(name: str) -> tuple[bool, str]:
    return (re.fullmatch(r"v\d+\.\d+\.\d+", name) is None, name)
