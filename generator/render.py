"""One `Error` → Markdown, and the index of all errors, through `templates/`.

Decides what a page shows; how it looks is in the templates. Reads nothing but the templates.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

import jinja2

from generator import escape
from generator.catalog import Catalog, Error, Occurrence
from generator.endpoints import github_url, placeholder_documents, status_document
from generator.errors import TemplateError
from generator.extract import RaiseSite
from generator.guards import Guard, Kind, Origin
from generator.message import Placeholder
from generator.related import related_errors
from generator.settings import names_read

VERDICTS = {
    "configuration": "Your configuration",
    "version": "Your vLLM version",
    "hardware": "Your hardware",
    "environment": "Your environment",
    "vllm-bug": "A bug in vLLM",
    "misuse": "Code that uses vLLM's internals",
}


@dataclass(frozen=True)
class Addresses:
    """Where the site is published."""

    site_url: str | None = None
    """Root of the site, with a final slash; None when it is not known, and then no absolute address is written."""
    repo_url: str | None = None
    """Our own repository, without a final slash; None leaves out the report link."""


def render_error(error: Error, catalog: Catalog, addresses: Addresses) -> str:
    """The page of one error."""
    return _render("error.md.jinja", **_view(error, catalog, addresses))


def render_twin(error: Error, catalog: Catalog, addresses: Addresses) -> str:
    """The same as plain Markdown for programs: no theme syntax, code in fences, text as it is."""
    return _render("error.twin.md.jinja", **_view(error, catalog, addresses))


def render_index(catalog: Catalog) -> str:
    """The table of all errors."""
    return _render("index.md.jinja", catalog=catalog, rows=[_row(error, catalog) for error in catalog.errors])


def render_llms(catalog: Catalog, addresses: Addresses) -> str:
    """`llms.txt`: what there is, for a language model that reads one file."""
    return _render("llms.txt.jinja", catalog=catalog, root=addresses.site_url or "")


def log_lines(site: RaiseSite, message: str) -> list[tuple[str, str]]:
    """How a printed message looks in a log: (where it is seen, text), likeliest first."""
    found: list[tuple[str, str]] = []
    for appearance in site.appearances:
        if appearance == "validation":
            label, kind = ("Assertion failed", "assertion_error") if site.kind == "assert" else ("Value error", "value_error")
            tail = f"[type={kind}, input_value=ArgsKwargs((), {{...}}), input_type=ArgsKwargs]"
            title = f"pydantic_core._pydantic_core.ValidationError: 1 validation error for {site.class_name}"
            found.append(("while the configuration is built", f"{title}\n  {label}, {message} {tail}"))
        else:
            found.append(("when other code calls the function", f"{site.exception}: {message}"))
    return found


def _view(error: Error, catalog: Catalog, addresses: Addresses) -> dict[str, Any]:
    """All that the two templates of an error print."""
    site = error.primary.site
    placeholders = placeholder_documents(error)
    examples = {each.placeholder: each.example for each in placeholders if each.example is not None}
    printed = "".join(
        part if isinstance(part, str) else part.prefix + examples.get(part.source, f"{{{part.source}}}")
        for part in error.template.parts
    )
    return {
        "error": error,
        "analysis": error.analysis,
        "site": site,
        "catalog": catalog,
        "title": textwrap.shorten(escape.one_line(error.message), 90, placeholder="…"),
        "status": status_document(error),
        "verdict": VERDICTS[error.analysis.verdict] if error.analysis else None,
        "message_html": _message_html(error),
        "log_lines": log_lines(site, printed),
        "placeholders": placeholders,
        "own_guards": [g for g in site.guards if g.origin is not Origin.CHECK],
        "earlier_checks": [g for g in site.guards if g.origin is Origin.CHECK],
        "guard_words": guard_words,
        "guard_url": lambda guard: error.primary.pin.permalink(error.repository, error.path, guard.line),
        "settings": names_read(site),
        "sources": [_source(error, each) for each in error.occurrences if each.pin.documented],
        "history_only": [each for each in error.occurrences if not each.pin.documented],
        "related": related_errors(error, catalog),
        "report_url": _report_url(error, addresses),
        "root": addresses.site_url or "",
        "json_ld": _json_ld(error, addresses),
    }


def guard_words(guard: Guard) -> str:
    """What must be the case, after the code of the guard."""
    match guard.kind:
        case Kind.LOOP:
            return "runs" if guard.holds else "has run to its end"
        case Kind.WITH:
            return "has been entered"
        case Kind.CASE:
            return "matches" if guard.holds else "does not match"
        case Kind.EXCEPT:
            return "has caught an exception"
        case Kind.UNREACHABLE:
            return ": no path leads here"
    return "is true" if guard.holds else "is false"


def _message_html(error: Error) -> str:
    """The message with its placeholders marked, on one line of HTML."""
    return "".join(
        _placeholder_html(part) if isinstance(part, Placeholder) else escape.block(part)
        for part in error.template.parts
    )


def _placeholder_html(placeholder: Placeholder) -> str:
    text = escape.block(f"{{{placeholder.source}}}")
    return f'<span class="ve-placeholder">{text}</span>'


def _source(error: Error, occurrence: Occurrence) -> dict[str, Any]:
    """One source tab."""
    site = occurrence.site
    first, last = site.line - site.excerpt_start + 1, min(site.end_line, site.excerpt_end) - site.excerpt_start + 1
    marked = " ".join(str(number) for number in range(first, last + 1))
    return {
        "occurrence": occurrence,
        "site": site,
        "url": github_url(error, occurrence),
        "fence": escape.fence(site.excerpt, "python", f'linenums="{site.excerpt_start}" hl_lines="{marked}"'),
        "plain_fence": escape.fence(site.excerpt, "python"),
    }


def _row(error: Error, catalog: Catalog) -> dict[str, Any]:
    tags = [catalog.tags[tag].title for tag in error.analysis.tags if tag in catalog.tags] if error.analysis else []
    return {"error": error, "status": status_document(error), "tags": tags, "verdict": _verdict(error)}


def _verdict(error: Error) -> str:
    return VERDICTS[error.analysis.verdict] if error.analysis else "awaits its analysis"


def _report_url(error: Error, addresses: Addresses) -> str | None:
    """A new issue in our own tracker, with the facts filled in."""
    if addresses.repo_url is None:
        return None
    title = f"{error.slug}: "
    body = (
        f"Page: {addresses.site_url or ''}errors/{error.slug}/\nError: {error.id}\n"
        f"Source: {error.path}:{error.primary.site.line} at {error.primary.pin.label}\n\n"
        "What is wrong or missing:\n"
    )
    return f"{addresses.repo_url}/issues/new?title={quote(title)}&body={quote(body)}"


def _json_ld(error: Error, addresses: Addresses) -> str:
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "TechArticle",
        "headline": escape.one_line(error.message)[:110],
        "about": f"{error.primary.site.exception} in {error.repository}, {error.path}",
        "identifier": error.id,
    }
    if error.analysis:
        data |= {"description": error.analysis.summary, "dateModified": error.analysis.reviewed.date}
    if addresses.site_url:
        data["url"] = f"{addresses.site_url}errors/{error.slug}/"
    return escape.json_ld(data)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("generator", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=True,
    )
    environment.filters |= {
        "inline": escape.inline,
        "block": escape.block,
        "code": escape.code,
        "prose": escape.prose,
        "attribute": escape.attribute,
        "front_matter": escape.front_matter,
        "fence": escape.fence,
        "visible": escape.visible,
        "one_line": escape.one_line,
        "labels": _labels,
    }
    return environment


def _labels(pins: Sequence[Any]) -> str:
    return ", ".join(pin.label for pin in pins)


def _render(name: str, **values: Any) -> str:
    try:
        return _environment().get_template(name).render(**values)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"generator/templates/{error.name}:{error.lineno}: {error.message}; mend it") from None
    except jinja2.TemplateError as error:
        raise TemplateError(f"generator/templates/{name}: {error}; mend the template") from None
