"""The whole story: pinned commits in, site files out.

Gathers everything first and writes nothing; `plugin.py` and `cli.py` hand the result on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator.analysis import load_writing
from generator.arguments import Arguments, page_names
from generator.catalog import Catalog, join
from generator.declarations import declare
from generator.error_page import Addresses
from generator.errors import PinError, ProblemsFound
from generator.explain import Explainer, explainers
from generator.extract import Extraction, extract_raise_sites
from generator.facts import check_facts
from generator.pins import Pin, read_pins
from generator.proof import load_runs
from generator.site import SiteFile, site_files
from generator.source import SourceFile, Sources, fetch_sources


@dataclass(frozen=True)
class Project:
    """What is documented, and where our own files are. Comes from the plugin's options in `mkdocs.yml`."""

    root: Path
    """Folder of `mkdocs.yml`."""
    repository: str
    """`owner/name` of the documented project."""
    paths: tuple[str, ...]
    """Files whose errors are documented, relative to that repository."""
    context: tuple[str, ...]
    """Glob patterns of further files that are pinned with them: where settings are declared."""
    data: str
    """Folder of pins and analyses, relative to `root`."""
    addresses: Addresses
    """Where our own site is published."""

    @property
    def data_folder(self) -> Path:
        """The data folder as a path."""
        return self.root / self.data


def build_site(project: Project, sources: Sources, progress: Callable[[str], None]) -> tuple[SiteFile, ...]:
    """Every file of the site.

    Args:
        project: What to document.
        sources: Where the bytes of pinned files may come from.
        progress: Told each step in a few words.

    Raises:
        GeneratorError: any of its kinds; nothing has been written then, except to the store of sources.
    """
    catalog = build_catalog(project, sources, progress)
    if catalog.problems:
        raise ProblemsFound(catalog.problems)
    progress(f"rendering {len(catalog.errors)} errors")
    return site_files(catalog, project.addresses)


def fetch_all(project: Project, sources: Sources, progress: Callable[[Pin, int], None]) -> None:
    """Bring all pinned files into the local store.

    Args:
        project: What is documented.
        sources: Where the bytes may come from.
        progress: Told each pin that has been dealt with, and how many pins there are.

    Raises:
        GeneratorError: some file could not be had; all failures are listed.
    """
    pins = read_pins(project.data_folder / "pins.toml")
    fetch_sources(pins, sources, lambda pin: progress(pin, len(pins)))


def build_catalog(
    project: Project, sources: Sources, progress: Callable[[str], None], explained: bool = True
) -> Catalog:
    """Everything that is known, with its problems and gaps.

    Args:
        project: What to document.
        sources: Where the bytes of pinned files may come from.
        progress: Told each step in a few words.
        explained: Whether settings, conditions and ways out are computed and names are checked: half of the time.

    Raises:
        GeneratorError: the pins are malformed, or a pinned file could not be had.
    """
    pins = read_pins(project.data_folder / "pins.toml")
    lost = [str(path) for path in project.paths if not any(path in pin.blobs for pin in pins)]
    if lost:
        raise PinError(f"no pin has {', '.join(lost)}; correct 'paths' in mkdocs.yml, or pin a commit that has it")
    progress(f"reading {len(pins)} pinned commits")
    files = fetch_sources(pins, sources, lambda pin: progress(f"read {pin.label}"))
    extractions = extract_all(project.paths, pins, files)
    progress("joining raise sites and analyses")
    writing = load_writing(project.data_folder, project.data)
    runs, problems = load_runs(project.data_folder)
    writing = replace(writing, problems=tuple(sorted((*writing.problems, *problems))))
    catalog = join(project.repository, pins, extractions, writing, project.data, runs)
    if not explained:
        return catalog
    progress("reading what the pins declare")
    found = explain_all(pins, files, extractions)
    arguments = {label: each.arguments for label, each in found.items()}
    facts = check_facts(writing.analyses, writing.known_names, arguments, pins, project.data)
    return replace(
        catalog,
        explainers=found,
        problems=tuple(sorted({*catalog.problems, *facts.problems})),
        gaps=tuple(sorted({*catalog.gaps, *facts.gaps})),
    )


def explain_all(
    pins: Sequence[Pin],
    files: Mapping[str, Mapping[str, SourceFile]],
    extractions: Mapping[str, Sequence[Extraction]],
) -> dict[str, Explainer]:
    """Pin label → what explains the checks of a documented pin, from its own context files or those that stand in."""
    by_label = {pin.label: pin for pin in pins}
    data = {label: {path: file.data for path, file in each.items()} for label, each in files.items()}
    arguments: dict[str, Arguments] = {}
    names: dict[str, str] = {}  # shared by all, and filled before anyone asks
    for pin in pins:
        if pin.documented:
            other = by_label.get(pin.context) if pin.context else None
            borrowed = (other, data[other.label]) if other else None
            arguments[pin.label] = Arguments(declare(pin, data[pin.label], borrowed), names)
    names.update(page_names(arguments.values()))
    return explainers(arguments, extractions)


def extract_all(
    paths: Sequence[str], pins: Sequence[Pin], files: Mapping[str, Mapping[str, SourceFile]]
) -> dict[str, list[Extraction]]:
    """Pin label → the extractions of the documented files that the pin has."""
    return {
        pin.label: [extract_raise_sites(files[pin.label][path].data, path) for path in paths if path in pin.blobs]
        for pin in pins
    }
