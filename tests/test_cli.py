"""The command line: what is printed where, exit codes 0, 1 and 2, and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import jinja2
import pytest
from hostile_messages import MESSAGES
from tiny import PATH, Tiny, analysis_text, catalog_of, write_data

from generator import render
from generator.cli import cli, main

SOURCE = """\
def check(a, b):
    if a and b:
        raise ValueError("a excludes b")
    assert b is None, f"b must be None, not {b!r}"
    raise
"""


CONTEXT = click.Context(cli)
COMMANDS = cli.list_commands(CONTEXT)


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command in this process, as `vllm-errors ARGUMENTS`; anything but an exit code is a failure."""

    def call(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["vllm-errors", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Result(int(ended.value.code or 0), printed.out, printed.err)

    return call


def command(tiny: Tiny, *arguments: str) -> Result:
    """The same in a process of its own, in the folder of a project."""
    done = subprocess.run(
        [sys.executable, "-m", "generator", *arguments],
        cwd=tiny.root,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def project(tiny: Callable[..., Tiny], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """A project whose data is in order: each of its two errors has a current analysis."""
    fingerprints = {
        error.message: error.primary.site.fingerprint
        for error in catalog_of({"v1": SOURCE}, write_data(tmp_path / "plain")).errors
    }
    written = {
        name: analysis_text(message, reviewed={"commit": "1234567", "fingerprint": mark, "date": "2026-01-01"})
        for name, (message, mark) in zip(("first", "second"), fingerprints.items(), strict=True)
    }
    made = tiny({"v1": SOURCE}, **written)
    monkeypatch.chdir(made.root)
    return made


# --- Help and wrong use ---------------------------------------------------------------------------------------------


def test_help_of_the_program_names_every_command(run: Callable[..., Result]) -> None:
    for option in ("--help", "-h"):
        shown = run(option)
        assert (shown.code, shown.err) == (0, "")
        assert all(f"\n  {name} " in shown.out for name in COMMANDS)
    assert run("--version").out.startswith("vllm-errors, version ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_explains_every_option(run: Callable[..., Result], name: str) -> None:
    shown = run(name, "--help")
    assert (shown.code, shown.err) == (0, "")
    described = cli.get_command(CONTEXT, name)
    assert described
    assert len(" ".join((described.help or "").split())) > 40
    for parameter in described.params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[0] in shown.out and parameter.help, parameter.name
        else:
            assert (parameter.make_metavar(click.Context(described))).strip("[]").upper() in shown.out


WRONG = {
    "no such command": (["nope"], "No such command 'nope'."),
    "no such option": (["check", "--colour"], "No such option '--colour'."),
    "missing argument": (["new"], "Missing argument 'MESSAGE_OR_ID'."),
    "too many arguments": (["check", "x"], "Got unexpected extra argument (x)"),
    "missing file": (["extract", "nothing.py"], "File 'nothing.py' does not exist."),
    "folder for a file": (["extract", "."], "File '.' is a directory."),
    "missing clone": (["check", "--clone", "nowhere"], "Directory 'nowhere' does not exist."),
    "folder as configuration": (["check", "-f", "."], "File '.' is a directory."),
    "path as page name": (["new", "a", "--slug", "../a"], "use lower-case words joined by hyphens"),
    "name of the list": (["new", "a", "--slug", "index"], "use lower-case words joined by hyphens"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_exit_code_2(
    run: Callable[..., Result], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, reason = WRONG[name]
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert reason in result.err and "--help" in result.err


def test_no_command_shows_help(run: Callable[..., Result]) -> None:
    result = run()
    assert result.code == 2 and "Commands:" in result.err


# --- extract --------------------------------------------------------------------------------------------------------


def test_extract(run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("any.py").write_text(SOURCE)
    result = run("extract", "any.py")
    assert (result.code, result.err) == (0, "")
    ids = {row["errorMessage"]: row["id"] for row in json.loads(run("extract", "any.py", "--json").out)["messages"]}
    assert result.out == (
        "any.py:3: ValueError: a excludes b\n"
        f"    {ids['a excludes b']}  raise in check\n"
        "    branch: a\n"
        "    branch: b\n"
        "any.py:4: AssertionError: b must be None, not {b!r}\n"
        f"    {ids['b must be None, not {b!r}']}  assert in check\n"
        "    earlier check: not a or not b\n"
        "    own test: b is not None\n"
        "any.py:5: raise without page: re-raise\n"
        "2 messages, 1 statements without one\n"
    )


def test_extract_as_data(run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("any.py").write_text(SOURCE)
    data = json.loads(run("extract", "any.py", "--json", "--repository", "example/demo").out)
    first, second = data["messages"]
    assert data["filePath"] == "any.py"
    assert (first["lineNumber"], first["errorClass"], first["kind"], first["function"]) == (
        3,
        "ValueError",
        "raise",
        "check",
    )
    assert [guard["text"] for guard in second["guards"]] == ["not a or not b", "b is not None"]
    assert data["withoutMessage"] == [
        {"kind": "raise", "lineNumber": 5, "function": "check", "status": "re-raise", "reason": ""}
    ]
    assert run("extract", "any.py", "--json").out != json.dumps(data), "the id depends on the repository"


def test_extract_prints_any_message_on_any_terminal(tmp_path: Path) -> None:
    path = tmp_path / "hostile.py"
    path.write_bytes("".join(f"raise ValueError({m!a})\n" for m in MESSAGES.values()).encode())
    for options in ([], ["--json"]):
        done = subprocess.run(
            [sys.executable, "-m", "generator", "extract", str(path), *options],
            env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if options:
            found = json.loads(done.stdout.decode())["messages"]
            assert [row["errorMessage"] for row in found] == list(MESSAGES.values())
        else:
            assert not set(done.stdout) & {*range(9), *range(11, 32), 127}, "a message must not steer the terminal"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = (\n", ":1: cannot be parsed: '(' was never closed; a newer Python may be able to parse it"),
        (b"a = 1\nb = '\xff'\n", ":2: not UTF-8 (byte 11: invalid start byte); save it as UTF-8"),
        (b"a = 1\n\0\n", ":2: cannot be parsed: holds a null byte; is it a text file?"),
    ],
)
def test_extract_of_what_is_no_python(run: Callable[..., Result], tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "x.py").write_bytes(data)
    result = run("extract", tmp_path / "x.py")
    assert (result.code, result.out, result.err) == (1, "", f"{tmp_path / 'x.py'}{reason}\n")


# --- check and new --------------------------------------------------------------------------------------------------


def test_check_with_nothing_to_do(run: Callable[..., Result], project: Tiny) -> None:
    assert run("check") == Result(0, "2 errors, each explained; nothing to do\n", "")
    assert json.loads(run("check", "--json").out) == {"errors": 2, "problems": []}


def test_check_reports_everything_at_once(run: Callable[..., Result], project: Tiny) -> None:
    (project.facts / "analysis" / "first.yml").unlink()
    second = project.facts / "analysis" / "second.yml"
    second.write_text(second.read_text().replace("severity: error", "severity: fatal"))
    (project.facts / "analysis" / "bad.yml").write_text("a: [")
    result = run("check")
    lines = result.out.split("\n")
    assert result.code == 1 and result.err == ""
    assert [line.split(": ")[0] for line in lines[:4]] == [
        "facts/analysis/bad.yml:1",
        "facts/analysis/second.yml:2",
        f"{PATH}@v1:3",
        f"{PATH}@v1:4",
    ]
    assert lines[4:] == ["", "2 problems, 2 gaps", ""]
    as_data = run("check", "--json")
    assert as_data.code == 1
    rows = json.loads(as_data.out)["problems"]
    assert [f"{row['path']}:{row['line']}: {row['text']}" for row in rows] == lines[:4]


def test_check_with_a_file_name_that_is_not_utf8(run: Callable[..., Result], project: Tiny) -> None:
    Path(os.fsdecode(bytes(project.facts / "analysis") + b"/\xff.yml")).write_text("a: 1")
    assert r"facts/analysis/\udcff.yml:1: 'message' is missing" in run("check").out
    assert run("check", "--json").code == 1


def test_new_by_id_by_slug_and_by_part_of_the_message(run: Callable[..., Result], project: Tiny) -> None:
    (error, _) = project.catalog().errors
    for number, wanted in enumerate((error.id, "first", "A EXCLUDES", "a excludes b")):
        result = run("new", wanted, "--slug", f"copy-{number}")
        assert result == Result(
            0, f"facts/analysis/copy-{number}.yml\nReplace each TODO, then run: vllm-errors check\n", ""
        )
        assert 'message: "a excludes b"\n' in (project.facts / "analysis" / f"copy-{number}.yml").read_text()


def test_new_for_an_error_without_analysis(run: Callable[..., Result], project: Tiny) -> None:
    (project.facts / "analysis" / "second.yml").unlink()
    assert run("new", "must be None").code == 0
    path = project.facts / "analysis" / "b-must-be-none-not.yml"
    text = path.read_text()
    assert '  "b!r":\n' in text
    assert run("check").code == 1
    path.write_text(text.replace("[TODO]", "[cache]").replace("TODO", "Words"))
    assert run("check") == Result(0, "2 errors, each explained; nothing to do\n", "")


def test_new_that_cannot_be(run: Callable[..., Result], project: Tiny) -> None:
    before = {path.name for path in (project.facts / "analysis").iterdir()}
    ambiguous, unknown, there = run("new", "b"), run("new", "zzz"), run("new", "a excludes b")
    assert {ambiguous.code, unknown.code, there.code} == {1}
    ids = [error.id for error in project.catalog().errors]
    assert ambiguous.err == (
        f"2 errors match 'b'; give the id of one:\n  {ids[0]}  a excludes b\n  {ids[1]}  b must be None, not {{b!r}}\n"
    )
    assert unknown.err == "no error matches 'zzz'; give an id, the name of a page or a part of its message\n"
    assert there.err == "facts/analysis/first.yml: exists already; edit it\n\n1 problems\n"
    assert {path.name for path in (project.facts / "analysis").iterdir()} == before


# --- export ---------------------------------------------------------------------------------------------------------


def test_export_into_a_new_and_an_empty_folder(run: Callable[..., Result], project: Tiny, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "new" / "inner"):
        result = run("export", folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert result == Result(0, f"{len(files)} files in {folder}\n", "")
        assert (folder / "errors" / "first.md").read_text().startswith("---\ntitle: ")
        assert json.loads((folder / "api" / "index.json").read_text())["repo"] == "example/demo"


def test_export_never_overwrites(run: Callable[..., Result], project: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / ".mine").write_text("mine")
    assert run("export", folder) == Result(1, "", f"{folder}: is not empty; name a new folder\n")
    assert [path.name for path in folder.iterdir()] == [".mine"]


def test_export_of_wrong_data_writes_nothing(run: Callable[..., Result], project: Tiny, tmp_path: Path) -> None:
    (project.facts / "analysis" / "bad.yml").write_text("a: [")
    result = run("export", tmp_path / "new")
    assert result.code == 1 and result.err.startswith("facts/analysis/bad.yml:1: not valid YAML")
    assert not (tmp_path / "new").exists()


# --- build ----------------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_build_says_where_to_open_it(project: Tiny) -> None:
    result = command(project, "build")
    assert result.code == 0
    assert f"Open {(project.site / 'index.html').as_uri()}\n" in result.out
    assert "INFO" in result.err
    assert (project.site / "errors" / "first" / "index.html").exists()
    elsewhere = command(project, "build", "--site-dir", "other/place")
    assert elsewhere.code == 0 and contents(project.root / "other" / "place") == contents(project.site)


FAILURES: dict[str, tuple[Callable[[Tiny], object], str]] = {
    "bad YAML": (
        lambda tiny: (tiny.facts / "analysis" / "bad.yml").write_text("a: 1\nb: [\n"),
        "facts/analysis/bad.yml:3: not valid YAML",
    ),
    "strict warning": (
        lambda tiny: (tiny.root / "docs" / "index.md").write_text("[a](nowhere.md)\n"),
        "contains a link 'nowhere.md'",
    ),
    "bad configuration": (
        lambda tiny: tiny.config.write_text("site_name: ["),
        "mkdocs.yml: MkDocs encountered an error",
    ),
    "no pins": (lambda tiny: (tiny.facts / "pins.toml").unlink(), "pins.toml: no such file; write it with"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failed_build_leaves_the_previous_site(project: Tiny, name: str) -> None:
    before = contents(project.build())
    spoil, reason = FAILURES[name]
    spoil(project)
    result = command(project, "build")
    assert result.code == 1 and reason in result.err, result.err
    assert contents(project.site) == before
    assert sorted(path.name for path in project.root.iterdir()) == ["docs", "facts", "mkdocs.yml", "site"]


def test_strict_can_be_turned_off(project: Tiny) -> None:
    (project.root / "docs" / "index.md").write_text("[a](nowhere.md)\n")
    assert command(project, "build", "--no-strict").code == 0
    assert (project.site / "index.html").exists()


BROKEN = {
    "{{ error.nothing }}": "generator/templates/error.md.jinja: ",
    "{% if %}": "generator/templates/error.md.jinja:1: ",
    "{{ 1 | no_filter }}": "generator/templates/error.md.jinja:1: ",
}


@pytest.mark.parametrize("template", BROKEN)
def test_broken_template_leaves_the_previous_site(
    project: Tiny,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    run: Callable[..., Result],
    template: str,
) -> None:
    before = contents(project.build())
    environment = render._environment().overlay(cache_size=0)
    loader = environment.loader
    assert loader is not None
    environment.loader = jinja2.ChoiceLoader([jinja2.DictLoader({"error.md.jinja": template}), loader])
    monkeypatch.setattr(render, "_environment", lambda: environment)
    assert run("build").code == 1
    assert BROKEN[template] in caplog.text and "mend" in caplog.text
    assert contents(project.site) == before


# --- What is not there or cannot be read ------------------------------------------------------------------------------

ABORTED = "mkdocs.yml: Aborted with a configuration error!"
UNREADABLE = "mkdocs.yml: MkDocs encountered an error parsing the configuration file"
CONFIGURATIONS: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "no YAML": (lambda good: "site_name: [", UNREADABLE),
    "not UTF-8": (lambda good: b"site_name: \xff\n", UNREADABLE),
    "list": (lambda good: "- a\n", "mkdocs.yml: The configuration is invalid."),
    "empty": (lambda good: "", ABORTED),
    "without the plugin": (
        lambda good: "site_name: x\n",
        "mkdocs.yml does not list the plugin vllm-errors; add it under 'plugins'",
    ),
    "other kind of option": (lambda good: good.replace("[demo/config.py]", "demo"), ABORTED),
    "no such path": (
        lambda good: good.replace("config.py", "typo.py"),
        "no pin has demo/typo.py; correct 'paths' in mkdocs.yml, or pin a commit that has it",
    ),
    "number as path": (lambda good: good.replace("demo/config.py", "1"), "no pin has 1; correct 'paths'"),
    "no such folder": (lambda good: good.replace("facts", "none"), "pins.toml: no such file; write it with"),
    "no such theme": (lambda good: good.replace("name: material", "name: nothing"), ABORTED),
    "no such plugin": (lambda good: good.replace("- search", "- nothing"), ABORTED),
    "inherits nothing": (lambda good: f"INHERIT: none.yml\n{good}", "Inherited config file 'none.yml' does not exist"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration_that_cannot_be_used(run: Callable[..., Result], project: Tiny, name: str) -> None:
    spoil, reason = CONFIGURATIONS[name]
    text = spoil(project.config.read_text())
    project.config.write_bytes(text if isinstance(text, bytes) else text.encode())
    for arguments in (["check"], ["new", "b"], ["export", "new"]):
        result = run(*arguments)
        assert (result.code, result.out) == (1, "")
        assert reason in result.err


@pytest.mark.parametrize("name", ["check", "build", "serve", "new", "export", "diff", "reviewed"])
def test_missing_configuration(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = {"new": ["x"], "export": ["x"], "diff": ["a", "b"], "reviewed": ["x"]}.get(name, [])
    result = run(name, *arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("mkdocs.yml: no such file; run this in the project's folder or give --config-file\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"x = [", b"", b"pin = 1\n", b"\xff", b"[[pin]]\ncommit = 1\n", None])
def test_pins_that_cannot_be_read(run: Callable[..., Result], project: Tiny, data: bytes | None) -> None:
    path = project.facts / "pins.toml"
    path.unlink()
    path.mkdir() if data is None else path.write_bytes(data)
    result = run("check")
    assert (result.code, result.out) == (1, "") and result.err.startswith("pins.toml: ")


def test_source_that_cannot_be_had(run: Callable[..., Result], project: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_ERRORS_REMOTE", "file:///nowhere")
    result = run("check")
    assert (result.code, result.out) == (1, "")
    assert "git remote file:///nowhere" in result.err and "What to do" in result.err


def test_folder_that_cannot_be_written(run: Callable[..., Result], project: Tiny, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = run("export", tmp_path / "file" / "inner")
    assert (result.code, result.out) == (1, "") and result.err.startswith(str(tmp_path / "file" / "inner"))
    assert result.err.endswith(": Not a directory; check the path, its permissions and the space left\n")
