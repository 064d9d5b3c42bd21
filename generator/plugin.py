"""Hands the site files to MkDocs; the only module that imports it.

Holds no content: what is published is decided in `site.py`. Everything is computed before MkDocs clears its output
folder, so a mistake in the data never costs the site that was built before.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build as mkdocs_build
from mkdocs.commands.serve import serve as mkdocs_serve
from mkdocs.config import base, config_options, load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, MkDocsException, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from generator.build import Project, build_site
from generator.error_page import Addresses
from generator.errors import GeneratorError
from generator.pins import read_pins
from generator.site import SiteFile
from generator.slim import slim
from generator.source import Sources

log = logging.getLogger("mkdocs.plugins.vllm-errors")


class _Options(base.Config):  # type: ignore[no-untyped-call]
    repository = config_options.Type(str, default="vllm-project/vllm")
    """`owner/name` of the documented project."""
    paths = config_options.Type(list, default=["vllm/config/vllm.py"])
    """Files whose errors are documented."""
    context = config_options.Type(list, default=[])
    """Glob patterns of further files to pin: where settings are declared."""
    data_dir = config_options.Type(str, default="data")
    """Folder of pins and analyses, relative to `mkdocs.yml`."""


class VllmErrorsPlugin(BasePlugin[_Options]):  # type: ignore[no-untyped-call]
    """Adds the generated pages and files to a MkDocs site."""

    def __init__(self) -> None:
        self._files: tuple[SiteFile, ...] = ()
        self._date = ""

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Compute everything."""
        project = _project(config)
        try:
            self._files = build_site(project, Sources.from_environment(project.repository), log.info)
            self._date = read_pins(project.data_folder / "pins.toml")[0].date
        except GeneratorError as error:
            raise PluginError(str(error)) from None

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the generated files."""
        for each in self._files:
            if each.fills is None:
                files.append(_mkdocs_file(each, config))
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Fill the places for computed text, and give every page the date of the newest pin: MkDocs would write
        today's date into the sitemap.
        """
        page.update_date = self._date
        for each in self._files:
            if each.fills == page.file.src_uri:
                markdown = markdown.replace(f"<!-- {each.path} -->", each.text)
        return markdown

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Make the page lighter."""
        return slim(output)

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[..., Any]
    ) -> LiveReloadServer:
        """Rebuild when data or templates change."""
        server.watch(str(_project(config).data_folder))
        server.watch(str(Path(__file__).parent / "templates"))
        return server


def read_project(config_file: Path) -> Project:
    """The project that a `mkdocs.yml` describes.

    Raises:
        GeneratorError: the file is missing or MkDocs does not accept it, or it does not use the plugin.
    """
    return _project(_load(config_file))


def build(config_file: Path, site_dir: Path, strict: bool) -> None:
    """Build the site beside its place, then put it there: a failed build leaves the previous site untouched.

    Raises:
        GeneratorError: MkDocs or the generator failed; the message has been made for a person.
    """
    site_dir.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=site_dir.parent, prefix=f".{site_dir.name}-") as beside:
        config = _load(config_file, site_dir=str(Path(beside) / "new"), strict=strict)
        try:
            config.plugins.on_startup(command="build", dirty=False)
            mkdocs_build(config)
            config.plugins.on_shutdown()
        except Abort as error:
            raise GeneratorError(f"the site was not built: {error}; mend the warnings above") from None
        except MkDocsException as error:
            raise GeneratorError(str(error)) from None
        (Path(beside) / "new").chmod(0o755)
        if site_dir.exists():
            site_dir.rename(Path(beside) / "old")
        (Path(beside) / "new").rename(site_dir)


def serve(config_file: Path, address: str | None) -> None:
    """Live preview until interrupted."""
    _must_be_there(config_file)
    options: dict[str, Any] = {"dev_addr": address} if address else {}
    try:
        mkdocs_serve(str(config_file), **options)
    except (Abort, MkDocsException) as error:
        raise GeneratorError(str(error)) from None


def _must_be_there(config_file: Path) -> None:
    if not config_file.is_file():
        raise GeneratorError(
            f"{config_file.name}: no such file; run this in the project's folder or give --config-file"
        )


def _load(config_file: Path, **options: Any) -> MkDocsConfig:
    _must_be_there(config_file)
    try:
        return load_config(str(config_file), **options)
    except (Abort, MkDocsException) as error:
        raise GeneratorError(f"{config_file.name}: {error}") from None


def _project(config: MkDocsConfig) -> Project:
    plugin = config.plugins.get("vllm-errors")
    if not isinstance(plugin, VllmErrorsPlugin):
        raise GeneratorError("mkdocs.yml does not list the plugin vllm-errors; add it under 'plugins'")
    site_url = config.site_url.rstrip("/") + "/" if config.site_url else None
    repo_url = config.repo_url.rstrip("/") if config.repo_url else None
    return Project(
        root=Path(config.config_file_path).resolve().parent,
        repository=plugin.config.repository,
        paths=tuple(plugin.config.paths),
        context=tuple(plugin.config.context),
        data=plugin.config.data_dir,
        addresses=Addresses(site_url, repo_url),
    )


def _mkdocs_file(each: SiteFile, config: MkDocsConfig) -> File:
    if each.is_page:
        file = File.generated(config, each.path, content=each.text, inclusion=InclusionLevel.NOT_IN_NAV)
        if each.edit_path and config.repo_url and config.edit_uri:
            root = config.edit_uri.replace("/docs", "")
            file.edit_uri = f"{config.repo_url.rstrip('/')}/{root.strip('/')}/{each.edit_path}"
        return file
    if not each.path.endswith(".md"):
        return File.generated(config, each.path, content=each.text)
    file = File.generated(config, f"{each.path}.txt", content=each.text)
    file.dest_uri = each.path
    file.url = each.path
    return file
