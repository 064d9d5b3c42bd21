"""Fixtures that several test modules share."""

from __future__ import annotations

import difflib
import functools
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tiny import Tiny, make_tiny
from website import build_real, chromium, served

from generator.analysis import load_writing
from generator.build import Project, explain_all, extract_all
from generator.catalog import Catalog, join
from generator.extract import Extraction
from generator.pins import Pin, read_pins
from generator.plugin import read_project
from generator.proof import load_runs
from generator.site import SiteFile, site_files
from generator.source import SourceFile, Sources, fetch_sources


@dataclass(frozen=True)
class PinnedRepo:
    """A real, tiny upstream repository: three commits of two files, the second neither tagged nor a branch tip."""

    folder: Path
    commits: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.folder.as_uri()

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(self.folder), *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    def pin(self, number: int, **changes: object) -> Pin:
        """The pin of commit 0, 1 or 2 with the blobs of both files."""
        commit = self.commits[number]
        blobs = {path: self.git("rev-parse", f"{commit}:{path}") for path in ("demo/config.py", "demo/raw.bin")}
        return Pin(**{"commit": commit, "date": f"2026-01-0{number + 1}", "blobs": blobs, **changes})  # type: ignore[arg-type]

    def data(self, number: int) -> dict[str, bytes]:
        """What commit 0, 1 or 2 holds, byte for byte."""
        return {
            "demo/config.py": f'raise ValueError("wording {number}")\n'.encode(),
            "demo/raw.bin": b"no utf-8: \xff\x00, no line ends of ours: \r\n\n" + bytes([number]),
        }


ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Test"), ("EMAIL", "test@example.invalid"), ("DATE", "2026-01-01T00:00:00Z"))
    },
}


@pytest.fixture(scope="session")
def built_repo(tmp_path_factory: pytest.TempPathFactory) -> PinnedRepo:
    """The repository that `pinned_repo` copies."""
    folder = tmp_path_factory.mktemp("built") / "upstream"
    (folder / "demo").mkdir(parents=True)
    repo, commits = PinnedRepo(folder, ()), []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        repo.git("init", "--quiet", "--initial-branch=main")
        for number in range(3):
            for path, data in repo.data(number).items():
                (folder / path).write_bytes(data)
            repo.git("add", ".")
            repo.git("commit", "--quiet", f"--message={number}")
            commits.append(repo.git("rev-parse", "HEAD"))
        repo.git("tag", "--annotate", "--message=zero", "v0", commits[0])
        repo.git("tag", "v2")
    return PinnedRepo(folder, tuple(commits))


@pytest.fixture
def pinned_repo(built_repo: PinnedRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PinnedRepo:
    """`PinnedRepo` with tag v0 (annotated) on commit 0 and v2 (lightweight) on commit 2, which is also `main`."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return PinnedRepo(shutil.copytree(built_repo.folder, tmp_path / "upstream"), built_repo.commits)


@dataclass(frozen=True)
class Real:
    """The real pinned vLLM, as far as a build takes it before it renders."""

    project: Project
    pins: tuple[Pin, ...]
    """Newest first."""
    files: Mapping[str, Mapping[str, SourceFile]]
    """Pin label → path → file."""
    extractions: Mapping[str, Sequence[Extraction]]
    """Pin label → the extractions of its documented files."""
    catalog: Catalog
    """With the analyses as they are now, whatever problems they have."""


@pytest.fixture(scope="session")
def real() -> Real:
    """The project of our own `mkdocs.yml`. The first run needs the network, later ones the store that it filled."""
    project = read_project(Path(__file__).parent.parent / "mkdocs.yml")
    pins = read_pins(project.data_folder / "pins.toml")
    files = fetch_sources(pins, Sources.from_environment(project.repository))
    extractions = extract_all(project.paths, pins, files)
    writing = load_writing(project.data_folder, project.data)
    runs, _ = load_runs(project.data_folder)
    catalog = join(project.repository, pins, extractions, writing, project.data, runs)
    catalog = replace(catalog, explainers=explain_all(pins, files, extractions))
    return Real(project, pins, files, extractions, catalog)


@pytest.fixture(scope="session")
def real_files(real: Real) -> dict[str, SiteFile]:
    """Path → everything that is published of the real project."""
    return {file.path: file for file in site_files(real.catalog, real.project.addresses)}


@pytest.fixture(scope="session")
def seed_source(real: Real) -> bytes:
    """`vllm/config/vllm.py` of the seed pin."""
    return real.files["c794754062"]["vllm/config/vllm.py"].data


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Tiny]:
    """Makes a tiny project of releases and data files, see `make_tiny`."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return functools.partial(make_tiny, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where our own site is served."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; each test opens pages in a context of its own."""
    with chromium() as browser:
        yield browser


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write tests/snapshots/ anew instead of comparing")


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file of `snapshots/`, which a person can read and git can diff."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "snapshots" / name
        if request.config.getoption("--renew"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        difference = list(difflib.unified_diff(expected.split("\n"), text.split("\n"), name, "now", lineterm=""))
        renew = f"pytest {request.node.nodeid} --renew"
        assert not difference, "\n".join([*difference, "", f"If this is right, renew the file: {renew}"])

    return compare


def _not_run(config: pytest.Config) -> list[pytest.TestReport]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    stats = reporter.stats if reporter else {}
    return [report for outcome in ("skipped", "xfailed", "xpassed") for report in stats.get(outcome, [])]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skip is not a pass: a test that was skipped or expected to fail makes the run fail."""
    if session.exitstatus == pytest.ExitCode.OK and _not_run(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why the run failed."""
    for report in _not_run(terminalreporter.config):
        terminalreporter.write_line(f"{report.nodeid}: {report.outcome}; a test that does not run proves nothing")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own site, built once for all tests that look at it."""
    return build_real(tmp_path_factory.mktemp("built-site") / "site")
