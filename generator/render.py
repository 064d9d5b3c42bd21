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
from generator.endpoints import github_url, page_slug, placeholder_documents, status_document
from generator.errors import TemplateError
from generator.extract import RaiseSite
from generator.guards import Guard, Kind, Origin
from generator.history import Change, Comparison, Difference, Step, badges, release_ranges, since_review, timeline
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


_FEW_CHECKS = 4
"""Earlier checks are listed among the conditions up to this number, and folded away beyond it."""


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


def render_reference(schema: dict[str, Any]) -> str:
    """Every field of every JSON document, from the schema."""
    return _render("reference.md.jinja", definitions=list(schema["$defs"].items()))


def render_llms(catalog: Catalog, addresses: Addresses) -> str:
    """`llms.txt`: what there is, for a language model that reads one file."""
    return _render("llms.txt.jinja", catalog=catalog, root=addresses.site_url or "")


def render_changes(comparison: Comparison, catalog: Catalog, linked: bool = True) -> str:
    """What changed between two pins, as Markdown; without links when it goes elsewhere than the site."""

    def link(difference: Difference) -> str:
        text = escape.inline((difference.after or difference.before or difference.error.primary).site.template.text)
        slug = page_slug(difference.error)
        return f"[{text}](../errors/{slug}.md)" if linked and slug else text

    sections = [
        ("Added", f"{comparison.newer.label} raises these; {comparison.older.label} does not.", Change.ADDED),
        (
            "Lifted",
            f"{comparison.older.label} raises these; {comparison.newer.label} no longer makes the check.",
            Change.RETIRED,
        ),
        ("Reworded", "The same check reads differently.", Change.REWORDED),
        ("Conditions changed", "The same check asks for something else.", Change.GUARDS),
        ("Exception class changed", "The same check raises another class.", Change.CLASS),
        ("Moved", "The same check stands in another function.", Change.MOVED),
    ]
    return _render(
        "changes.md.jinja",
        comparison=comparison,
        catalog=catalog,
        counts=[(change.value, len(comparison.having(change))) for change in Change],
        sections=[(heading, lead, comparison.having(change)) for heading, lead, change in sections],
        link=link,
    )


def render_changes_index(comparisons: Sequence[Comparison], catalog: Catalog) -> str:
    """The page that leads to all comparisons, and the upgrade sheet."""
    return _render("changes_index.md.jinja", comparisons=comparisons, catalog=catalog)


def log_lines(site: RaiseSite, message: str) -> list[tuple[str, str]]:
    """How a printed message looks in a log: (where it is seen, text), likeliest first."""
    found: list[tuple[str, str]] = []
    for appearance in site.appearances:
        if appearance == "validation":
            label, kind = (
                ("Assertion failed", "assertion_error") if site.kind == "assert" else ("Value error", "value_error")
            )
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
    few_checks = sum(guard.origin is Origin.CHECK for guard in site.guards) <= _FEW_CHECKS
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
        "shown_guards": [g for g in site.guards if g.origin is not Origin.CHECK or few_checks],
        "hidden_guards": [] if few_checks else [g for g in site.guards if g.origin is Origin.CHECK],
        "guard_words": guard_words,
        "guard_url": lambda guard: error.primary.pin.permalink(error.repository, error.path, guard.line),
        "settings": names_read(site),
        "since_review": since_review(error),
        "proofs": catalog.proofs(error),
        "wordings": [{"text": other.text, "why": _why_same(error, other.text)} for other in error.other_wordings],
        "releases": release_ranges(error, catalog.pins),
        "badges": badges(error, catalog.pins),
        "timeline": timeline_svg(timeline(error, catalog.pins)),
        "steps": [step for step in reversed(timeline(error, catalog.pins)) if step.occurrence or step.changes],
        "sources": _sources(error),
        "history_only": [each for each in error.occurrences if not each.pin.documented],
        "related": related_errors(error, catalog),
        "report_url": _report_url(error, addresses),
        "root": addresses.site_url or "",
        "json_ld": _json_ld(error, addresses),
    }


def timeline_svg(steps: Sequence[Step]) -> str:
    """The story of an error as an inline picture: one mark per pin, oldest first, told apart by shape."""
    width, height = 26 * len(steps) + 30, 74
    marks: list[str] = []
    for index, step in enumerate(steps):
        x = 18 + 26 * index
        label = escape.inline(step.pin.label.removeprefix("v"))
        told = ", ".join(change.value for change in step.changes) or ("raised" if step.occurrence else "not raised")
        title = f"<title>{escape.inline(step.pin.label)}: {told}</title>"
        letter = _LETTERS.get(step.changes[0], "") if step.changes and step.occurrence else ""
        shape = (
            f'<circle class="on" cx="{x}" cy="14" r="8"/>' if step.occurrence else f'<circle cx="{x}" cy="14" r="3"/>'
        )
        text = f'<text class="in" x="{x}" y="18">{letter}</text>' if letter else ""
        name = f'<text class="pin" transform="translate({x + 4} 30) rotate(60)">{label}</text>'
        line = f'<path d="M{x - 26} 14H{x}"/>' if index and step.occurrence and steps[index - 1].occurrence else ""
        marks.append(f"<g>{title}{line}{shape}{text}{name}</g>")
    told = "; ".join(
        f"{step.pin.label}: {', '.join(change.value for change in step.changes)}" for step in steps if step.changes
    )
    described = escape.attribute(f"Timeline over {len(steps)} pins. {told}")
    return (
        f'<svg class="ve-timeline" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{described}">{"".join(marks)}</svg>'
    )


_LETTERS = {Change.ADDED: "+", Change.REWORDED: "R", Change.GUARDS: "C", Change.CLASS: "E", Change.MOVED: "M"}


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


def _sources(error: Error) -> list[dict[str, Any]]:
    """The source tabs, newest pin first; an excerpt that is the same lines as a newer one is not printed again."""
    shown: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    for each in error.occurrences:
        if each.pin.documented:
            same_as = shown.setdefault(each.site.excerpt, each.pin.label)
            found.append(_source(error, each) | {"same_as": same_as if same_as != each.pin.label else None})
    return found


def _source(error: Error, occurrence: Occurrence) -> dict[str, Any]:
    """One source tab. Highlighters drop blank lines at the top, so they are left out, lest all numbers be wrong."""
    site = occurrence.site
    lines = site.excerpt.split("\n")
    blank = next((index for index, line in enumerate(lines) if line.strip()), 0)
    start = site.excerpt_start + blank
    first, last = site.line - start + 1, min(site.end_line, site.excerpt_end) - start + 1
    marked = " ".join(str(number) for number in range(first, last + 1))
    return {
        "occurrence": occurrence,
        "site": site,
        "url": github_url(error, occurrence),
        "fence": escape.fence("\n".join(lines[blank:]), "python", f'linenums="{start}" hl_lines="{marked}"'),
        "plain_fence": escape.fence(site.excerpt, "python"),
    }


def _row(error: Error, catalog: Catalog) -> dict[str, Any]:
    tags = [catalog.tags[tag].title for tag in error.analysis.tags if tag in catalog.tags] if error.analysis else []
    return {"error": error, "status": status_document(error), "tags": tags, "verdict": _verdict(error)}


def _why_same(error: Error, wording: str) -> str | None:
    """Why another wording is the same check, as the analysis says it."""
    others = error.analysis.also_worded if error.analysis else ()
    return next((other.why for other in others if other.message == wording), None)


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
        "json_type": _json_type,
    }
    return environment


def _json_type(body: dict[str, Any]) -> str:
    """The type of a field in a few words."""
    if "anyOf" in body:
        return " or ".join(_json_type(each) for each in body["anyOf"])
    if "$ref" in body:
        return str(body["$ref"]).rpartition("/")[2]
    if body.get("type") == "array":
        return f"list of {_json_type(body['items'])}"
    return str(body.get("type", "any"))


def _render(name: str, **values: Any) -> str:
    try:
        return _environment().get_template(name).render(**values)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"generator/templates/{error.name}:{error.lineno}: {error.message}; mend it") from None
    except jinja2.TemplateError as error:
        raise TemplateError(f"generator/templates/{name}: {error}; mend the template") from None
