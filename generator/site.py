"""The whole site as `SiteFile` values with unique paths.

Writes nothing: how the files get to disk is the business of `plugin.py` and `cli.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from generator import endpoints, listing, render
from generator.by_setting import collect
from generator.catalog import Catalog, Error
from generator.documents import ErrorDocument, ErrorsDocument
from generator.error_page import Addresses
from generator.history import compare
from generator.indexing import build_index
from generator.setting_documents import coverages, settings_document


@dataclass(frozen=True)
class SiteFile:
    """One file that is published."""

    path: str
    """Relative to the root of the site, with forward slashes. A page is named by its Markdown file."""
    text: str
    is_page: bool = False
    """Whether the text is Markdown that becomes an HTML page; everything else is published as it is."""
    edit_path: str | None = None
    """The hand-written file behind a page, relative to the project folder; None when everything is computed."""
    fills: str | None = None
    """The page in whose place for it (`<!-- path -->`) the text belongs; a site has no file of its own for it."""


def site_files(catalog: Catalog, addresses: Addresses) -> tuple[SiteFile, ...]:
    """Everything that is published, by path.

    Raises:
        TemplateError: a template is broken.
        ValueError: two files claim one path, which is a mistake in this module.
    """
    files = sorted(_files(catalog, addresses), key=lambda file: file.path)
    paths = [file.path for file in files]
    twice = {path for path in paths if paths.count(path) > 1} if len(set(paths)) < len(paths) else set()
    if twice:
        raise ValueError(f"published twice: {', '.join(sorted(twice))}")
    return tuple(files)


def _files(catalog: Catalog, addresses: Addresses) -> Iterator[SiteFile]:
    yield SiteFile("errors/index.md", render.render_index(catalog), is_page=True)
    documents: list[ErrorDocument] = []
    for error in catalog.errors:
        document = endpoints.error_document(error, catalog)
        documents.append(document)
        yield from _error_files(error, document, catalog, addresses)
    yield from _redirects(catalog)
    yield from _topics(catalog)
    yield from _changes(catalog)
    yield SiteFile("overview.md", render.render_overview(catalog), fills="index.md")
    yield SiteFile("api/index.json", endpoints.to_json(endpoints.index_document(catalog)))
    yield SiteFile("api/errors.json", endpoints.to_json(ErrorsDocument(errors=documents)))
    lookup = endpoints.to_compact_json(endpoints.lookup_document(build_index(catalog)))
    yield SiteFile("api/lookup.json", lookup)
    yield SiteFile("api/flags.json", endpoints.to_compact_json(endpoints.flags_document(catalog)))
    yield SiteFile("api/lookup.js", f"globalThis.vllmErrorsIndex = {lookup.rstrip()};\n")
    yield SiteFile("lookup/index.md", render.render_lookup(catalog), is_page=True)
    yield from _settings(catalog)
    yield SiteFile("api/schema.json", endpoints.to_json(endpoints.schema()))
    yield SiteFile("api/reference.md", render.render_reference(endpoints.schema()), is_page=True)
    yield SiteFile("llms.txt", render.render_llms(catalog, addresses))
    yield SiteFile("robots.txt", _robots(addresses))


def _error_files(error: Error, document: ErrorDocument, catalog: Catalog, addresses: Addresses) -> Iterator[SiteFile]:
    """The page of one error, its plain Markdown, and its JSON under every id that it ever had."""
    page = render.render_error(error, catalog, addresses)
    yield SiteFile(f"errors/{error.slug}.md", page, is_page=True, edit_path=error.analysis_path)
    yield SiteFile(f"errors/{error.slug}/index.md", render.render_twin(error, catalog, addresses))
    text = endpoints.to_json(document)
    for each in (error.id, *error.other_ids):
        yield SiteFile(f"api/errors/{each}", text)
        yield SiteFile(f"api/errors/{each}.json", text)


def _topics(catalog: Catalog) -> Iterator[SiteFile]:
    """A page for each topic that has errors, and one that leads to them."""
    yield SiteFile("topics/index.md", render.render_topics(catalog), is_page=True)
    for topic, errors in listing.topics(catalog):
        yield SiteFile(f"topics/{topic.tag}.md", render.render_topic(topic, errors, catalog), is_page=True)


def _settings(catalog: Catalog) -> Iterator[SiteFile]:
    """A page for each setting, the list of them with their conflicts, and both as data."""
    settings, covered = collect(catalog), coverages(catalog)
    yield SiteFile("settings/index.md", render.render_settings(settings, catalog, covered), is_page=True)
    yield SiteFile("api/settings.json", endpoints.to_json(settings_document(settings, catalog, covered)))
    for entry in settings.entries:
        yield SiteFile(f"settings/{entry.name}.md", render.render_setting(entry, settings, catalog), is_page=True)


def _changes(catalog: Catalog) -> Iterator[SiteFile]:
    """A page and a document for each pair of neighbouring pins, newest first, and what compares any two."""
    pairs = [compare(catalog, older, newer) for newer, older in itertools.pairwise(catalog.pins)]
    yield SiteFile("changes/index.md", render.render_changes_index(pairs, catalog), is_page=True)
    yield SiteFile("api/history.json", endpoints.to_json(endpoints.history_document(catalog)))
    for each in pairs:
        name = f"{each.older.label}..{each.newer.label}"
        yield SiteFile(f"changes/{name}.md", render.render_changes(each, catalog), is_page=True)
        yield SiteFile(f"api/changes/{name}.json", endpoints.to_json(endpoints.changes_document(each)))


def _redirects(catalog: Catalog) -> Iterator[SiteFile]:
    """Old addresses of renamed pages, kept for ever."""
    for old, new in sorted(catalog.renamed.items()):
        target = f"../{new}/"
        yield SiteFile(
            f"errors/{old}/index.html",
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Moved</title>\n'
            f'<link rel="canonical" href="{target}">\n<meta http-equiv="refresh" content="0; url={target}">\n'
            f'<p>This page has moved: <a href="{target}">{new}</a>.</p>\n</html>\n',
        )


def _robots(addresses: Addresses) -> str:
    sitemap = f"Sitemap: {addresses.site_url}sitemap.xml\n" if addresses.site_url else ""
    return f"User-agent: *\nAllow: /\n{sitemap}"
