"""A git repository on this machine, and the commands that run in it. The only module that knows GitPython.

Never clones, never runs hooks, never asks a question, and lets no value become an option of git. Judges no content:
`source.py` verifies the bytes.
"""

from __future__ import annotations

import configparser
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # without git, `import git` would fail instead of our message
import git

from generator.errors import SourceError

_BLOB = re.compile(r"[0-9a-f]{40}")

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

Answer = bytes | str
"""The bytes of a file, or one line that says why a source does not have them."""


@dataclass(frozen=True)
class Repository:
    """A git repository in which commands run until a moment of `time.monotonic`."""

    folder: Path
    objects: Path
    deadline: float

    @classmethod
    def opened(cls, path: Path, timeout: float) -> Repository:
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
    def made(cls, path: Path, timeout: float) -> Repository:
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

    def read(self, blob: str) -> Answer:
        """The bytes of an object, not yet verified; git fetches nothing and runs nothing for it."""
        if not _BLOB.fullmatch(blob):
            return f"refused: {blob!r} is not a blob id"
        try:
            return self.run("cat-file", "blob", blob)
        except SourceError as error:
            absent = any(words in str(error) for words in ("bad file", "promisor remote"))
            return "does not have it" if absent else str(error)

    def write(self, blob: str, data: bytes) -> None:
        """Keep verified bytes: git writes it beside its place and renames it, so it is there whole or not at all."""
        loose = self.objects / blob[:2] / blob[2:]
        if loose.exists() and self.read(blob) != data:
            loose.unlink()  # damaged, and hash-object would not replace it
        with tempfile.TemporaryFile() as stdin:
            stdin.write(data)
            stdin.seek(0)
            self.run("hash-object", "-w", "--no-filters", "--stdin", stdin=stdin)
        if self.read(blob) != data:
            raise SourceError(f"blob {blob} stays damaged there; delete the folder")


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
