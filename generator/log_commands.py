"""The commands about a log. They import little: what they need is in the handbook, unless that has to be made first."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import click
from rich.console import Console, Group
from rich.panel import Panel

from generator import lookup
from generator.card import card
from generator.errors import GeneratorError
from generator.handbook import Handbook, keep_handbook, read_handbook, state_of
from generator.logtext import decode

_CONFIG = Path("mkdocs.yml")
_KEPT = 2_000_000
"""Bytes at the end of a program's output in which its error is looked for."""


@click.command()
@click.option(
    "--config-file",
    "-f",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The site's configuration  [default: mkdocs.yml here if it uses vllm-errors, else that of the program]",
)
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
@click.argument("file", type=click.File("rb"), default="-")
def explain(config_file: Path | None, file: BinaryIO, as_json: bool) -> None:
    """Find the error in the log FILE, or in standard input: vllm serve ... 2>&1 | vllm-errors explain.

    The whole log is fine, with prefixes, colours and several tracebacks. Nothing leaves this machine.

    Exit codes: 0 an error was found that has a record here, 1 none was, 2 wrong use.
    """
    if file.isatty():
        raise click.UsageError("give a FILE, or pipe a log: vllm serve ... 2>&1 | vllm-errors explain")
    project = config_file or _nearest_project()
    explanation, handbook = _explained(file.read(), project)
    if as_json:
        click.echo(json.dumps(lookup.explanation_document(explanation), indent=2, ensure_ascii=False))
    else:
        _show(explanation, handbook, project, Console(highlight=False))
    sys.exit(0 if explanation.matches else 1)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(command: tuple[str, ...]) -> None:
    """Run COMMAND and, when it fails, explain why below its output: vllm-errors run vllm serve ...

    Its output passes through as it comes, and its exit code is passed on. Nothing leaves this machine.
    """
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise click.UsageError(f"{command[0]}: {error.strerror}; give a program and its arguments") from None
    signal.signal(signal.SIGINT, lambda got, frame: None)  # a terminal sends it to the program, too
    signal.signal(signal.SIGTERM, lambda got, frame: process.send_signal(got))
    assert process.stdout
    kept = bytearray()
    while part := process.stdout.read1(65536):  # type: ignore[attr-defined]
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
        kept += part
        if len(kept) > 2 * _KEPT:
            del kept[:-_KEPT]
    code = process.wait()
    if code not in (0, -signal.SIGINT, -signal.SIGTERM):
        try:
            project = _nearest_project()
            explanation, handbook = _explained(bytes(kept[-_KEPT:]), project)
            _show(explanation, handbook, project, Console(highlight=False, stderr=True))
        except (GeneratorError, OSError) as error:  # the exit code of the program matters more
            click.echo(str(error), err=True)
    sys.exit(code if code >= 0 else 128 - code)


def _nearest_project() -> Path:
    """The project that is meant when none is named: a server dies in any folder."""
    try:
        here = "vllm-errors" in _CONFIG.read_text(encoding="utf-8", errors="replace")
    except OSError:
        here = False
    beside = Path(__file__).parent.parent / _CONFIG
    return beside if beside.exists() and not here else _CONFIG


def _explained(log: bytes, config_file: Path) -> tuple[lookup.Explanation, Handbook]:
    handbook = read_handbook(config_file) or _made(config_file)
    return lookup.explain(decode(log), handbook.index), handbook


def _made(config_file: Path) -> Handbook:
    """A new handbook, kept for the next time."""
    from generator.build import build_catalog
    from generator.indexing import build_handbook
    from generator.plugin import read_project
    from generator.source import Sources

    project = read_project(config_file)
    state = state_of(config_file, project.data)
    with Console(stderr=True).status("Reading the pinned releases; the next call will be faster"):
        catalog = build_catalog(
            project, Sources.from_environment(project.repository), lambda text: None, explained=False
        )
    handbook = build_handbook(catalog, project.addresses.site_url or "")
    keep_handbook(config_file, project.data, state, handbook)
    return handbook


def _show(explanation: lookup.Explanation, handbook: Handbook, config_file: Path, console: Console) -> None:
    lines = Group(*card(explanation, handbook, _links(handbook, config_file)))
    console.print(Panel(lines) if console.is_terminal else lines, soft_wrap=not console.is_terminal)


def _links(handbook: Handbook, config_file: Path) -> Callable[[str], str]:
    """Path in the site → where to read it: published, or built here, or else just the path."""
    built = config_file.resolve().parent / "site"

    def link(path: str) -> str:
        page = built / path / "index.html"
        if handbook.site_url or not page.exists():
            return f"{handbook.site_url}{path}"
        return page.as_uri()

    return link
