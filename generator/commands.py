"""Every command that needs pins or the catalog: arguments in, exit code out; no logic."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from generator import proving, repin, report
from generator.analysis import is_slug, replace_file, scaffold, write_new
from generator.build import Project, build_catalog, build_site, fetch_all
from generator.catalog import Catalog, Error
from generator.endpoints import extraction_document, to_json
from generator.errors import GeneratorError
from generator.escape import one_line, visible
from generator.extract import Extraction, extract_raise_sites
from generator.history import compare
from generator.pins import Pin, read_pins, write_pins
from generator.proof import write_run
from generator.source import Sources

_config_file = click.option(
    "--config-file",
    "-f",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("mkdocs.yml"),
    show_default=True,
    help="The site's configuration; its folder is the project.",
)
_clone = click.option(
    "--clone",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A local clone of the documented project, as a source of pinned files.",
)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")


commands = click.Group()
"""The commands, each under its name."""


@commands.command()
@_config_file
@_clone
@click.option("--site-dir", type=click.Path(path_type=Path), help="Where the site goes  [default: site/]")
@click.option("--strict/--no-strict", default=True, show_default=True, help="Fail on any warning.")
def build(config_file: Path, clone: Path | None, site_dir: Path | None, strict: bool) -> None:
    """Build the site.

    A failed build leaves the previous site as it was. Without network it works from the local store, once the pinned
    files have been fetched.
    """
    from generator import plugin

    _remember(clone)
    project = _project(config_file)
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Pinned files", total=None)
        fetch_all(project, _sources(project, clone), lambda pin, total: bar.update(task, advance=1, total=total))
    _show_log()
    target = (site_dir or config_file.parent / "site").resolve()
    plugin.build(config_file, target, strict)
    click.echo(f"\nOpen {(target / 'index.html').as_uri()}\nor run: vllm-errors serve")


@commands.command()
@_config_file
@_clone
@click.option("--address", metavar="IP:PORT", help="Where to listen  [default: 127.0.0.1:8000]")
def serve(config_file: Path, clone: Path | None, address: str | None) -> None:
    """Show the site live; it reloads when data, templates or pages change."""
    from generator import plugin

    _remember(clone)
    _show_log()
    plugin.serve(config_file, address)


@commands.command()
@_config_file
@_clone
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export(config_file: Path, clone: Path | None, folder: Path) -> None:
    """Write all generated Markdown and JSON into FOLDER, for another site generator.

    FOLDER must not exist or be empty: nothing is ever overwritten.
    """
    if folder.exists() and any(folder.iterdir()):
        raise GeneratorError(f"{folder}: is not empty; name a new folder")
    project = _project(config_file)
    files = build_site(project, _sources(project, clone), _progress())
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="\n", errors="backslashreplace")
    click.echo(f"{len(files)} files in {folder}")


@commands.command()
@_config_file
@_clone
@_as_json
def check(config_file: Path, clone: Path | None, as_json: bool) -> None:
    """Check analyses and data; report everything at once.

    Lists malformed files, analyses that explain no error, errors without analysis, and analyses written for a check
    that has changed since. Exit code 1 when there is anything to do.
    """
    catalog = _catalog(config_file, clone)
    found = (*catalog.problems, *catalog.gaps)
    if as_json:
        rows = [{"path": each.path, "line": each.line, "text": each.text} for each in found]
        click.echo(to_json({"errors": len(catalog.errors), "problems": rows}), nl=False)
    elif found:
        click.echo("\n".join(str(each) for each in found))
        click.echo(f"\n{len(catalog.problems)} problems, {len(catalog.gaps)} gaps")
    else:
        click.echo(f"{len(catalog.errors)} errors, each explained; nothing to do")
    sys.exit(1 if found else 0)


@commands.command()
@_config_file
@_clone
@click.argument("message_or_id")
@click.option("--slug", help="Name of page and file  [default: the first words of the message]")
def new(config_file: Path, clone: Path | None, message_or_id: str, slug: str | None) -> None:
    """Write the scaffold of an analysis: MESSAGE_OR_ID is an id, or any part of a message that only one error has."""
    if slug is not None and not is_slug(slug):
        raise click.BadParameter("use lower-case words joined by hyphens", param_hint="--slug")
    project = _project(config_file)
    catalog = _catalog(config_file, clone)
    error = _find(catalog, message_or_id)
    site, pin = error.primary.site, error.primary.pin
    names = tuple(placeholder.source for placeholder in error.template.placeholders)
    path = project.data_folder / "analysis" / f"{slug or error.slug}.yml"
    shown = f"{project.data}/analysis/{path.name}"
    write_new(path, scaffold(error.message, pin.commit, site.fingerprint, pin.date, names), shown)
    click.echo(f"{shown}\nReplace each TODO, then run: vllm-errors check")


@commands.command()
@_config_file
@_clone
@click.argument("ref", required=False)
@click.option(
    "--wheel",
    metavar="REQUIREMENT",
    help="Pin a release of the package index instead: vllm==0.34.0, or vllm for the newest.",
)
@click.option("--check", "only_tell", is_flag=True, help="Tell what would change; write nothing.")
@click.option("--complete", is_flag=True, help="Complete abbreviated commit ids of the pins from the git remote.")
@click.option("--markdown", is_flag=True, help="Print the report as Markdown, for a pull request.")
@_as_json
def pin(
    config_file: Path,
    clone: Path | None,
    ref: str | None,
    wheel: str | None,
    only_tell: bool,
    complete: bool,
    markdown: bool,
    as_json: bool,
) -> None:
    """Track another commit: REF is a tag, a branch or a commit id of the documented project.

    Prints what changes against the newest pin, which analyses become stale or are missing, and what to do next.
    data/pins.toml is written only when everything could be read and verified.

    Exit codes: 0 nothing new, 3 something new, 1 failure.
    """
    if sum((ref is not None, wheel is not None, complete)) != 1:
        raise click.UsageError("give one of REF, --wheel REQUIREMENT and --complete")
    project = _project(config_file)
    sources = _sources(project, clone)
    path = project.data_folder / "pins.toml"
    if complete:
        before = read_pins(path)
        after = repin.complete(before, sources, _progress())
        if after != before and not only_tell:
            write_pins(path, after)
        click.echo(f"{sum(a != b for a, b in zip(after, before, strict=True))} commit ids completed")
        sys.exit(3 if after != before else 0)
    if wheel is not None:
        proposal = repin.propose_release(project, sources, wheel, _progress())
    else:
        proposal = repin.propose_ref(project, sources, ref or "", _progress())
    click.echo(report.pin_report(proposal, "json" if as_json else "markdown" if markdown else "text", only_tell))
    if proposal.is_new and not only_tell:
        write_pins(path, proposal.pins)
    sys.exit(3 if proposal.is_new else 0)


@commands.command()
@_config_file
@_clone
@click.argument("older")
@click.argument("newer")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@_as_json
def diff(config_file: Path, clone: Path | None, older: str, newer: str, markdown: bool, as_json: bool) -> None:
    """Compare the pins OLDER and NEWER (tags or commit ids): what was added, lifted, reworded, moved or changed."""
    catalog = _catalog(config_file, clone)
    comparison = compare(catalog, _find_pin(catalog, older), _find_pin(catalog, newer))
    click.echo(report.diff_report(comparison, catalog, "json" if as_json else "markdown" if markdown else "text"))


@commands.command()
@_config_file
@_clone
@click.argument("release")
@click.option(
    "--python",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Python of the environment with that release  [default: .venv-RELEASE/bin/python]",
)
@click.option("--platform", default="CPU wheel", show_default=True, help="What runs, in words, for the record.")
@click.option("--check", "only_tell", is_flag=True, help="Tell what came out; write nothing.")
def prove(
    config_file: Path, clone: Path | None, release: str, python: Path | None, platform: str, only_tell: bool
) -> None:
    """Run the proofs of all analyses on the real vLLM RELEASE, such as 0.28.0, and record what it prints.

    Needs an environment in which that release is installed: make prove RELEASE=0.28.0 sets it up. Exit code 1 when a
    proof does not come out as its analysis says; the analysis is wrong then.
    """
    project = _project(config_file)
    catalog = _catalog(config_file, clone)
    interpreter = python or project.root / f".venv-{release}" / "bin" / "python"
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(f"vLLM {release}", total=None)
        result = proving.prove(
            catalog, release, interpreter, platform, lambda done, total: bar.update(task, completed=done, total=total)
        )
    for line in (*result.without_proof, *result.failures):
        click.echo(line)
    simulated = sum(outcome.fails == "simulated" for outcome in result.run.outcomes)
    click.echo(
        f"{len(result.run.outcomes)} reproduced ({simulated} of them simulated), "
        f"{len(result.failures)} not as the analysis says, {len(result.without_proof)} without a case"
    )
    if not only_tell:
        click.echo(f"written: {write_run(project.data_folder, result.run).relative_to(project.root)}")
    sys.exit(1 if result.failures else 0)


@commands.command()
@_config_file
@_clone
@click.argument("slug")
@click.option("--date", help="Day of the review, YYYY-MM-DD  [default: today]")
def reviewed(config_file: Path, clone: Path | None, slug: str, date: str | None) -> None:
    """Record that the analysis SLUG has been read against the newest pin that raises its error."""
    project = _project(config_file)
    error = _find(_catalog(config_file, clone), slug)
    if error.analysis is None:
        raise GeneratorError(f"{slug}: there is no analysis yet; write one with: vllm-errors new {error.id}")
    path = repin.analysis_path(project, error)
    day = date or datetime.date.today().isoformat()
    site, commit = error.primary.site, error.primary.pin.commit
    replace_file(path, repin.stamp_reviewed(path.read_text(encoding="utf-8"), commit, site.fingerprint, day))
    click.echo(f"{error.analysis_path}: reviewed against {error.primary.pin.label} ({site.fingerprint}) on {day}")


@commands.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--repository", default="vllm-project/vllm", show_default=True, help="For the ids.")
@_as_json
def extract(path: Path, repository: str, as_json: bool) -> None:
    """Print the raise sites of any Python file PATH: line, exception, id, message and guards."""
    extraction = extract_raise_sites(path.read_bytes(), path.as_posix())
    if as_json:
        click.echo(to_json(extraction_document(extraction, repository)), nl=False)
    else:
        _print_extraction(extraction, repository)


def _project(config_file: Path) -> Project:
    from generator import plugin

    return plugin.read_project(config_file)


def _sources(project: Project, clone: Path | None) -> Sources:
    return Sources.from_environment(project.repository, clone)


def _catalog(config_file: Path, clone: Path | None) -> Catalog:
    project = _project(config_file)
    return build_catalog(project, _sources(project, clone), _progress())


def _find(catalog: Catalog, wanted: str) -> Error:
    """The one error that an id, a slug or a part of a message means."""
    found = [e for e in catalog.errors if wanted in (e.id, e.slug, e.message, *e.other_ids)]
    found = found or [e for e in catalog.errors if wanted.lower() in e.message.lower()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise GeneratorError(f"no error matches {wanted!r}; give an id, the name of a page or a part of its message")
    listed = "\n".join(f"  {e.id}  {one_line(e.message)[:90]}" for e in found[:20])
    raise GeneratorError(f"{len(found)} errors match {wanted!r}; give the id of one:\n{listed}")


def _find_pin(catalog: Catalog, wanted: str) -> Pin:
    """The pin that a tag (with or without `v`) or the beginning of a commit id means."""
    found = [p for p in catalog.pins if wanted in (p.tag, (p.tag or "").removeprefix("v"))]
    found = found or [p for p in catalog.pins if len(wanted) >= 7 and p.commit.startswith(wanted[:40].lower())]
    if len(found) != 1:
        raise GeneratorError(f"{wanted!r} is not a pin; use one of {', '.join(p.label for p in catalog.pins)}")
    return found[0]


def _remember(clone: Path | None) -> None:
    """The plugin reads the clone from the environment, as `mkdocs build` has no option for it."""
    if clone is not None:
        os.environ["VLLM_ERRORS_CLONE"] = str(clone)


def _progress() -> Callable[[str], None]:
    console = Console(stderr=True)
    return (
        (lambda text: console.print(text, style="dim", highlight=False)) if console.is_terminal else lambda text: None
    )


def _show_log() -> None:
    import logging

    logging.basicConfig(level=logging.INFO, format="%(levelname)-7s %(message)s", stream=sys.stderr)


def _print_extraction(extraction: Extraction, repository: str) -> None:
    for site in extraction.sites:
        identifier = site.template.error_id(repository, extraction.path)
        click.echo(f"{extraction.path}:{site.line}: {site.exception}: {visible(site.template.text)}")
        click.echo(f"    {identifier}  {site.kind} in {site.function}")
        for guard in site.guards:
            click.echo(f"    {guard.origin.value}: {visible(str(guard))}")
    for other in extraction.others:
        reason = f": {other.reason}" if other.reason else ""
        click.echo(f"{extraction.path}:{other.line}: {other.kind} without page: {other.status}{reason}")
    click.echo(f"{len(extraction.sites)} messages, {len(extraction.others)} statements without one")
