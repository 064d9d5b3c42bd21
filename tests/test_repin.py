"""A new pin: by tag, branch, full and short commit, and from a wheel; what is told, what is written, and exit codes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_source import Index, wheel_of
from tiny import PATH, Tiny, analysis_text, git

from generator.cli import cli
from generator.pins import read_pins
from generator.repin import stamp_reviewed

FIRST = 'def start(size):\n    if size < 0:\n        raise ValueError("size must not be negative")\n'
SECOND = FIRST.replace("size < 0", "size < 1") + 'def stop():\n    raise RuntimeError("nothing is running")\n'


@pytest.fixture
def project(tiny: Callable[..., Tiny]) -> Tiny:
    """One pinned release, v1.0.0, with a current analysis; v2.0.0 widens the guard and adds an error, unpinned."""
    made = tiny({"v1.0.0": FIRST}, size_must_not_be_negative=analysis_text("size must not be negative"))
    run(made, "reviewed", "size-must-not-be-negative", "--date", "2026-01-05")
    (made.upstream / PATH).write_text(SECOND)
    git(made.upstream, "commit", "--quiet", "--all", "--message=v2.0.0")
    git(made.upstream, "tag", "--annotate", "--message=two", "v2.0.0")
    git(made.upstream, "branch", "next")
    return made


def run(project: Tiny, command: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [command, "--config-file", str(project.config), *arguments])


def labels(project: Tiny) -> list[str]:
    return [pin.label for pin in read_pins(project.facts / "pins.toml")]


def head(project: Tiny) -> str:
    return git(project.upstream, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize("name", ["tag", "branch", "full", "short"])
def test_every_kind_of_name_pins_the_same_commit(project: Tiny, name: str) -> None:
    ref = {"tag": "v2.0.0", "branch": "next", "full": head(project), "short": head(project)[:9]}[name]
    result = run(project, "pin", ref)
    assert result.exit_code == 3, result.output
    newest = read_pins(project.facts / "pins.toml")[0]
    assert (newest.commit, newest.tag, newest.wheel) == (head(project), "v2.0.0", "demo==2.0.0")
    assert newest.blobs == {PATH: git(project.upstream, "rev-parse", f"HEAD:{PATH}").strip()}


def test_the_report_names_changes_and_the_work_that_is_left(project: Tiny) -> None:
    told = run(project, "pin", "v2.0.0").output
    assert "added: nothing is running" in told
    assert "no longer asked: size < 0" in told
    assert "newly asked: size < 1" in told
    assert "Analyses to write\n\n- nothing is running (vllm-errors new " in told
    assert "Analyses to read again\n\n- size-must-not-be-negative (vllm-errors reviewed " in told


def test_check_tells_the_same_and_writes_nothing(project: Tiny) -> None:
    before = (project.facts / "pins.toml").read_bytes()
    result = run(project, "pin", "v2.0.0", "--check")
    assert result.exit_code == 3
    assert "added: nothing is running" in result.output
    assert (project.facts / "pins.toml").read_bytes() == before


def test_a_pin_that_is_there_is_nothing_new(project: Tiny) -> None:
    result = run(project, "pin", "v1.0.0")
    assert result.exit_code == 0
    assert "is pinned already" in result.output
    assert labels(project) == ["v1.0.0"]


@pytest.mark.parametrize("ref", ["v9.9.9", "0" * 40, "abcdef0", "--upload-pack=touch", "a..b", "no such thing"])
def test_what_is_not_there_fails_and_writes_nothing(project: Tiny, ref: str) -> None:
    before = (project.facts / "pins.toml").read_bytes()
    result = run(project, "pin", "--", ref)
    assert isinstance(result.exception, SystemExit | Exception)
    assert result.exit_code == 1
    assert ref in str(result.exception)
    assert (project.facts / "pins.toml").read_bytes() == before


def test_a_commit_without_the_documented_file_is_refused(project: Tiny) -> None:
    git(project.upstream, "rm", "--quiet", PATH)
    git(project.upstream, "commit", "--quiet", "--message=gone")
    result = run(project, "pin", head(project))
    assert result.exit_code == 1
    assert f"does not have {PATH}" in str(result.exception)
    assert labels(project) == ["v1.0.0"]


def test_markdown_and_json_for_a_scheduled_job(project: Tiny) -> None:
    markdown = run(project, "pin", "v2.0.0", "--check", "--markdown").output
    assert markdown.startswith("v2.0.0 (")
    assert "## Analyses to write" in markdown
    data = json.loads(run(project, "pin", "v2.0.0", "--check", "--json").output)
    assert data["isNew"] and data["pin"] == "v2.0.0"
    assert data["stale"] == ["size-must-not-be-negative"]
    assert [each["errorMessage"] for each in data["missing"]] == ["nothing is running"]
    assert data["changes"]["counts"]["added"] == 1


def test_a_wheel_is_pinned_without_the_git_host(project: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    version = f"__commit_id__ = commit_id = 'g{head(project)[:9]}'\n"
    wheel = wheel_of({PATH: SECOND.encode(), "demo/_version.py": version.encode()})
    with Index(wheel, "json") as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", server.url)
        result = run(project, "pin", "--wheel", "demo==2.0")
        server.shutdown()
    assert result.exit_code == 1
    assert "does not record commit and date" in str(result.exception)  # this index does not tell upload times
    assert labels(project) == ["v1.0.0"]


def test_abbreviated_commits_are_completed(project: Tiny) -> None:
    file = project.facts / "pins.toml"
    (pin,) = read_pins(file)
    file.write_text(file.read_text().replace(pin.commit, pin.commit[:9]))
    assert run(project, "pin", "--complete").exit_code == 3
    assert read_pins(file) == (pin,)
    assert run(project, "pin", "--complete").exit_code == 0


def test_exactly_one_thing_to_pin(project: Tiny) -> None:
    assert run(project, "pin").exit_code == 2
    assert run(project, "pin", "v2.0.0", "--complete").exit_code == 2


def test_the_page_says_what_has_changed_since_the_analysis(project: Tiny) -> None:
    run(project, "pin", "v2.0.0")
    page = (project.build() / "errors/size-must-not-be-negative/index.html").read_text()
    assert "The check has changed since this was written" in page
    assert "written for v1.0.0; the check has changed since" in page
    assert run(project, "check").exit_code == 1
    assert run(project, "reviewed", "size-must-not-be-negative").exit_code == 0
    assert "size-must-not-be-negative" not in run(project, "check").output
    assert "has changed since" not in (project.build() / "errors/size-must-not-be-negative/index.html").read_text()


def test_reviewed_renews_the_record_and_nothing_else(project: Tiny) -> None:
    path: Path = project.facts / "analysis" / "size-must-not-be-negative.yml"
    text = path.read_text()
    renewed = stamp_reviewed(text, "1" * 40, "2" * 16, "2026-03-04")
    assert renewed.partition("reviewed:")[0] == text.partition("reviewed:")[0]
    assert renewed.endswith(f'reviewed:\n  commit: "{"1" * 40}"\n  fingerprint: "{"2" * 16}"\n  date: "2026-03-04"\n')
