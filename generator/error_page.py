"""The page of one error, prepared for its templates.

Returns values; the templates turn them into Markdown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from generator import conditions, escape, listing
from generator.catalog import Catalog, Error
from generator.endpoints import github_url, placeholder_documents, status_document
from generator.excerpt import CLOSE, Excerpt, excerpt_html
from generator.extract import RaiseSite
from generator.guards import Guard, Origin
from generator.history import Step, badges, release_ranges, since_review, timeline
from generator.listing import VERDICTS
from generator.message import Placeholder
from generator.pictures import timeline_svg
from generator.related import related_errors
from generator.words import Sentence

_FEW_CHECKS = 4
"""Earlier checks are listed among the conditions up to this number, and folded away beyond it."""

_INPUT = "ArgsKwargs((), {'model_co... 'shutdown_timeout': 0})"
"""How pydantic shortens the arguments of the configuration, as seen with vLLM 0.28.0 and 0.33.0."""

_FURTHER = "For further information visit https://errors.pydantic.dev/2.14/v/"
"""The last line; the number is the version of pydantic."""

_FEW_SETTINGS = 6
"""So many settings are named at the top of a page; the table below has them all."""


@dataclass(frozen=True)
class Addresses:
    """Where the site is published."""

    site_url: str | None = None
    """Root of the site, with a final slash; None when it is not known, and then no absolute address is written."""
    repo_url: str | None = None
    """Our own repository, without a final slash; None leaves out the report link."""


def log_lines(site: RaiseSite, message: str) -> list[tuple[str, str]]:
    """How a printed message looks in a log: (where it is seen, text), likeliest first."""
    found: list[tuple[str, str]] = []
    for appearance in site.appearances:
        if appearance == "validation":
            label, kind = (
                ("Assertion failed", "assertion_error") if site.kind == "assert" else ("Value error", "value_error")
            )
            tail = f"[type={kind}, input_value={_INPUT}, input_type=ArgsKwargs]\n    {_FURTHER}{kind}"
            title = f"pydantic_core._pydantic_core.ValidationError: 1 validation error for {site.class_name}"
            found.append(("while the configuration is built", f"{title}\n  {label}, {message} {tail}"))
        else:
            found.append(("when other code calls the function", f"{site.exception}: {message}"))
    return found


def error_view(error: Error, catalog: Catalog, addresses: Addresses) -> dict[str, Any]:
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
        "topics": listing.topics_of(error, catalog),
        "lead_settings": listing.settings_of(error, catalog)[:_FEW_SETTINGS],
        "verdict": VERDICTS[error.analysis.verdict] if error.analysis else None,
        "message_html": _message_html(error),
        "log_lines": log_lines(site, printed),
        "placeholders": placeholders,
        **_computed(error, catalog),
        "since_review": since_review(error),
        "proofs": catalog.proofs(error),
        "wordings": [
            {"text": o.text, "why": _why_same(error, o.text), "releases": release_ranges(error, catalog.pins, o.text)}
            for o in error.other_wordings
        ],
        "releases": release_ranges(error, catalog.pins),
        "dated_releases": _dated(release_ranges(error, catalog.pins), error),
        "badges": badges(error, catalog.pins),
        "timeline": timeline_svg(timeline(error, catalog.pins)),
        "steps": _steps(error, catalog),
        "sources": _sources(error),
        "history_only": [each for each in error.occurrences if not each.pin.documented],
        "related": related_errors(error, catalog),
        "report_url": _report_url(error, addresses),
        "root": addresses.site_url or "",
        "json_ld": _json_ld(error, addresses),
    }


def _computed(error: Error, catalog: Catalog) -> dict[str, Any]:
    """What the templates print of the explanation at the newest pin that raises the error."""
    occurrence, site = error.primary, error.primary.site
    explainer, explanation = catalog.explainers.get(occurrence.pin.label), catalog.explanation(occurrence)

    def rows(guards: Sequence[Guard]) -> list[conditions.ConditionRow]:
        told = [explainer.sentence(error.path, site, g) if explainer else Sentence(g, None, ()) for g in guards]
        return conditions.condition_rows(error, occurrence, told, catalog)

    earlier = [guard for guard in site.guards if guard.origin is Origin.CHECK]
    lists = conditions.item_rows(error, catalog)
    few = len(earlier) <= _FEW_CHECKS
    shown = rows([guard for guard in site.guards if few or guard.origin is not Origin.CHECK])
    ways = conditions.way_rows(error, explanation, explainer) if explanation and explainer else []
    linked = "".join([*(each.html for each in shown), *(each.html for each in ways)])
    return {
        "shown_conditions": shown,
        "anchors": frozenset(re.findall(r'href="#(set-[^"]*)"', linked)),
        "hidden_conditions": [] if few else rows(earlier),
        "setting_rows": conditions.setting_rows(error, occurrence, catalog),
        "unresolved": explanation.unresolved if explanation else (),
        "borrowed": explainer.arguments.declarations.borrowed if explainer else None,
        "ways": ways,
        "next_rows": conditions.next_rows(error, explanation, catalog) if explanation else [],
        "item_lists": lists,
        "listed": {placeholder: number for number, (placeholder, _) in enumerate(lists, start=1)},
    }


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
    """The source tabs, newest pin first. The newest has colours and all lines; an older one has the lines close by,
    and none when a newer one shows the same.
    """
    shown: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    for each in error.occurrences:
        if each.pin.documented:
            excerpt = _excerpt(each.site)
            close = excerpt.within(CLOSE)
            same_as = shown.setdefault(close.text, each.pin.label)
            found.append(
                {
                    "occurrence": each,
                    "site": each.site,
                    "url": github_url(error, each),
                    "same_as": same_as if same_as != each.pin.label else None,
                    "far": 0 if found else excerpt.far,
                    "html": excerpt_html(close if found else excerpt, coloured=not found),
                    "plain_fence": escape.fence(each.site.excerpt, "python"),
                }
            )
    return found


def _steps(error: Error, catalog: Catalog) -> list[Step]:
    """The pins at which something changed, newest first, and the first one of all that raises the error."""
    steps = timeline(error, catalog.pins)
    first = next(step for step in steps if step.occurrence)
    return [step for step in reversed(steps) if step.changes or step is first]


def _excerpt(site: RaiseSite) -> Excerpt:
    """Without blank lines at the top."""
    lines = site.excerpt.split("\n")
    blank = next((index for index, line in enumerate(lines) if line.strip()), 0)
    return Excerpt("\n".join(lines[blank:]), site.excerpt_start + blank, site.line, site.end_line)


def _dated(releases: str, error: Error) -> str:
    """Releases in words, with the day of each commit that is none."""
    for pin in error.pins:
        if pin.tag is None:
            releases = releases.replace(pin.label, f"{pin.label} ({pin.date})")
    return releases


def _why_same(error: Error, wording: str) -> str | None:
    """Why another wording is the same check, as the analysis says it."""
    others = error.analysis.also_worded if error.analysis else ()
    return next((other.why for other in others if other.message == wording), None)


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
        data["dateModified"] = error.analysis.reviewed.date
    if addresses.site_url:
        data["url"] = f"{addresses.site_url}errors/{error.slug}/"
    return escape.json_ld(data)
