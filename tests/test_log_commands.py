"""The commands about a log: `explain` and `run`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiny import Tiny, analysis_text

from generator import cli

SOURCE = """\
def check(x):
    if x:
        raise ValueError(f"the flux capacitor needs {x} gigawatts, not fewer")
"""


def explain(tiny: Tiny, *arguments: str, text: str | bytes = "") -> tuple[int, str]:
    result = CliRunner().invoke(cli.cli, ["explain", "--config-file", str(tiny.config), *arguments], input=text)
    return result.exit_code, result.output


def test_command(tiny: Callable[..., Tiny], tmp_path: Path) -> None:
    project = tiny({"v1": SOURCE})
    log = "Traceback\nValueError: the flux capacitor needs 1.21 gigawatts, not fewer\n"
    code, output = explain(project, text=log)
    assert code == 0
    assert "you have x = 1.21" in output
    assert "errors/the-flux-capacitor-needs-gigawatts-not-fewer/" in output
    assert "\x1b" not in output
    (tmp_path / "log").write_bytes(log.encode("utf-16"))
    assert explain(project, str(tmp_path / "log")) == (code, output)


def test_command_as_json(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    code, output = explain(project, "--json", text="ValueError: the flux capacitor needs 1.21 gigawatts, not fewer\n")
    assert code == 0
    document = json.loads(output)
    assert document["schemaVersion"] == 1
    assert set(document) == {
        *("schemaVersion", "status", "matches", "complaints", "message", "file", "version", "lines")
    }
    match = document["matches"][0]
    assert match | {"id": "", "template": ""} == {
        "id": "",
        "slug": "the-flux-capacitor-needs-gigawatts-not-fewer",
        "url": "errors/the-flux-capacitor-needs-gigawatts-not-fewer/",
        "template": "",
        "canonical": True,
        "confidence": "certain",
        "values": {"x": "1.21"},
        "releases": ["v1"],
        "liftedIn": None,
        "line": 1,
        "lines": [1],
        "file": None,
    }


def test_command_exit_codes(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    assert explain(project, text="all is well\n")[0] == 1
    assert explain(project, text="KeyError: 'x'\n")[0] == 1
    assert explain(project, "no-such-file")[0] == 2


def test_control_characters_do_not_reach_the_terminal(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    log = b"ValueError: the flux capacitor needs \x1b]0;owned\x07 gigawatts, not fewer\nKeyError: \x9b31m\x00\n"
    _, output = explain(project, text=log)
    assert not {"\x1b", "\x07", "\x00", "\x9b"} & set(output)


def test_card_says_why_and_what_to_do(tiny: Callable[..., Tiny]) -> None:
    message = "the flux capacitor needs {x} gigawatts, not fewer"
    project = tiny({"v1": SOURCE}, flux=analysis_text(message, summary="Too little power.", solutions=["Buy more."]))
    _, output = explain(project, text="ValueError: the flux capacitor needs 1.21 gigawatts, not fewer\n")
    assert "why     Too little power.\nfix     Buy more.\n" in output


def test_card_leads_to_the_site_that_is_there(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    log = "ValueError: the flux capacitor needs 1.21 gigawatts, not fewer\n"
    path = "errors/the-flux-capacitor-needs-gigawatts-not-fewer/"
    assert f"read    https://demo.example/{path}\n" in explain(project, text=log)[1]
    project.config.write_text(project.config.read_text().replace("site_url: https://demo.example/", "site_url: ''"))
    assert f"read    {path}\n" in explain(project, text=log)[1]
    page = project.site / path / "index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    assert f"read    {page.as_uri()}\n" in explain(project, text=log)[1]


def process(folder: Path, *arguments: str, new_group: bool = False) -> subprocess.Popen[bytes]:
    """`vllm-errors ARGUMENTS` in a folder, output and errors apart."""
    return subprocess.Popen(
        [sys.executable, "-m", "generator", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=new_group,
    )


SERVER = """\
import sys, time
print("INFO started", *sys.argv[1:], flush=True)
print("ValueError: the flux capacitor needs 1.21 gigawatts, not fewer", file=sys.stderr, flush=True)
time.sleep(float(sys.argv[1]))
sys.exit(7)
"""


def test_run_passes_output_and_exit_code_on_and_explains(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    out, err = (done := process(project.root, "run", sys.executable, "-c", SERVER, "0", "--json", "-h")).communicate()
    assert done.returncode == 7
    assert out.decode().splitlines() == [
        "INFO started 0 --json -h",
        "ValueError: the flux capacitor needs 1.21 gigawatts, not fewer",
    ]
    assert "you have x = 1.21" in err.decode()


def test_run_is_silent_about_success(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    done = process(project.root, "run", sys.executable, "-c", "print('fine')")
    assert (done.communicate(), done.returncode) == ((b"fine\n", b""), 0)


def test_run_hands_signals_on(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    with process(project.root, "run", sys.executable, "-c", SERVER, "600") as running:
        assert running.stdout and running.stdout.readline() == b"INFO started 600\n"
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (128 + signal.SIGTERM, b"")


def test_run_leaves_the_interrupt_of_a_terminal_to_the_program(tiny: Callable[..., Tiny]) -> None:
    """A terminal interrupts both; the program must not be interrupted twice, and its way to end is its own."""
    project = tiny({"v1": SOURCE})
    program = (
        "import signal, time\n"
        "count = []\n"
        "signal.signal(signal.SIGINT, lambda *_: count.append(1))\n"
        "print('ready', flush=True)\n"
        "while not count: time.sleep(0.01)\n"
        "time.sleep(0.5)\n"
        "raise SystemExit(len(count))\n"
    )
    with process(project.root, "run", sys.executable, "-c", program, new_group=True) as running:
        assert running.stdout and running.stdout.readline() == b"ready\n"
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 1


def test_run_explains_a_program_that_was_killed(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    program = "import os, signal; print('ValueError: the flux capacitor needs 1.21 gigawatts, not fewer', flush=True)"
    done = process(project.root, "run", sys.executable, "-c", f"{program}; os.kill(os.getpid(), signal.SIGKILL)")
    _, err = done.communicate()
    assert done.returncode == 128 + signal.SIGKILL
    assert "you have x = 1.21" in err.decode()


def test_run_without_program(tiny: Callable[..., Tiny]) -> None:
    done = process(tiny({"v1": SOURCE}).root, "run", "no-such-program")
    _, err = done.communicate()
    assert done.returncode == 2
    assert "no-such-program: No such file or directory; give a program" in err.decode()


def test_run_keeps_the_exit_code_when_there_is_no_handbook(tiny: Callable[..., Tiny]) -> None:
    project = tiny({"v1": SOURCE})
    (project.facts / "pins.toml").write_text("broken")
    done = process(project.root, "run", sys.executable, "-c", SERVER, "0")
    _, err = done.communicate()
    assert done.returncode == 7
    assert "pins.toml" in err.decode() and "Traceback" not in err.decode()


def test_answers_from_any_folder(tmp_path: Path, real: object) -> None:
    """The reference of this project, when the folder has none; `real` has filled the store."""
    (tmp_path / "mkdocs.yml").write_text("site_name: another site\n")
    (tmp_path / "log").write_text("ValueError: Model Runner V2 requires Triton.\n")
    out, err = (done := process(tmp_path, "explain", "log")).communicate()
    assert (done.returncode, err) == (0, b"")
    assert b"model-runner-v2-requires-triton" in out


LIGHT = """\
import sys
from generator.cli import main
sys.argv = ["vllm-errors", "explain", "log"]
try:
    main()
except SystemExit as ended:
    assert ended.code == 0, ended.code
heavy = {"mkdocs", "git", "griffe", "jinja2", "requests", "generator.catalog"} & set(sys.modules)
assert not heavy, f"explain has imported {heavy}"
"""


def test_the_second_call_reads_no_pin(tiny: Callable[..., Tiny], monkeypatch: pytest.MonkeyPatch) -> None:
    """Once there is a handbook, neither pins nor the libraries that read them are needed."""
    project = tiny({"v1": SOURCE})
    (project.root / "log").write_text("ValueError: the flux capacitor needs 1.21 gigawatts, not fewer\n")
    assert process(project.root, "explain", "log").wait() == 0
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    subprocess.run([sys.executable, "-c", LIGHT], cwd=project.root, env=environment, check=True)
