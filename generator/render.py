"""Errors, settings, topics and changes → Markdown, through `templates/`.

Decides what a page shows; how it looks is in the templates. Reads nothing but the templates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import jinja2

from generator import escape, listing
from generator.by_setting import Entry, Settings
from generator.catalog import Catalog, Error
from generator.endpoints import page_slug
from generator.error_page import Addresses, error_view
from generator.errors import TemplateError
from generator.history import Change, Comparison, Difference
from generator.listing import VERDICTS, Topic
from generator.pictures import releases_svg, topics_svg
from generator.pins import Pin
from generator.setting_pages import index_view, setting_view
from generator.settings import Coverage


def render_error(error: Error, catalog: Catalog, addresses: Addresses) -> str:
    """The page of one error."""
    return _render("error.md.jinja", **error_view(error, catalog, addresses))


def render_twin(error: Error, catalog: Catalog, addresses: Addresses) -> str:
    """The same as plain Markdown for programs: no theme syntax, code in fences, text as it is."""
    return _render("error.twin.md.jinja", **error_view(error, catalog, addresses))


def render_index(catalog: Catalog) -> str:
    """The table of all errors, with what its filters offer."""
    rows = [listing.row_of(error, catalog) for error in catalog.errors]
    return _render(
        "index.md.jinja",
        catalog=catalog,
        rows=rows,
        topics=sorted((topic for topic, _ in listing.topics(catalog)), key=lambda topic: topic.info.title.lower()),
        exceptions=sorted({error.primary.site.exception for error in catalog.errors}),
        verdicts=[each for each in (*VERDICTS.values(), "awaits its analysis") if any(r.verdict == each for r in rows)],
        settings=sorted({name for row in rows for name in row.settings}),
        states=[state for state in listing.STATES if any(state in row.states for row in rows)],
    )


def render_topics(catalog: Catalog) -> str:
    """The page that leads to all topics."""
    return _render("topics.md.jinja", catalog=catalog, topics=listing.topics(catalog))


def render_topic(topic: Topic, errors: Sequence[Error], catalog: Catalog) -> str:
    """The page of one topic."""
    rows = [listing.row_of(error, catalog) for error in errors]
    return _render("topic.md.jinja", catalog=catalog, topic=topic, rows=rows)


def render_overview(catalog: Catalog) -> str:
    """What the home page says about the whole, as Markdown for its place there."""
    return _render(
        "overview.md.jinja",
        catalog=catalog,
        raised=sum(not error.is_retired for error in catalog.errors),
        changes=listing.latest_changes(catalog),
        page_slug=page_slug,
        topics=listing.topics(catalog),
    )


def render_lookup(catalog: Catalog) -> str:
    """The page for a pasted log."""
    errors = (*catalog.errors, *catalog.history_only)
    messages = sum(1 + len(error.other_wordings) for error in errors)
    return _render("lookup.md.jinja", catalog=catalog, messages=messages)


def render_reference(schema: dict[str, Any]) -> str:
    """Every field of every JSON document, from the schema."""
    return _render("reference.md.jinja", definitions=list(schema["$defs"].items()))


def render_llms(catalog: Catalog, addresses: Addresses) -> str:
    """`llms.txt`: what there is, for a language model that reads one file."""
    return _render("llms.txt.jinja", catalog=catalog, root=addresses.site_url or "")


def render_setting(entry: Entry, settings: Settings, catalog: Catalog) -> str:
    """The page of one setting."""
    return _render("setting.md.jinja", **setting_view(entry, settings, catalog))


def render_settings(settings: Settings, catalog: Catalog, covered: Sequence[tuple[Pin, Coverage]]) -> str:
    """The list of all settings, which of them conflict, and how many names were resolved."""
    return _render("settings_index.md.jinja", **index_view(settings, catalog), covered=covered)


_CHANGED = {
    Change.ADDED: "added",
    Change.RETIRED: "lifted",
    Change.REWORDED: "reworded",
    Change.GUARDS: "with other conditions",
    Change.CLASS: "with another exception class",
    Change.MOVED: "moved to another function",
}


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
            f"{comparison.older.label} raises these; the file no longer makes the check in {comparison.newer.label}.",
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
        is_page=linked,
        counts=[(word, count) for change, word in _CHANGED.items() if (count := len(comparison.having(change)))],
        lists=listing.list_changes(comparison, catalog),
        page_slug=page_slug,
        sections=[(heading, lead, change.value, comparison.having(change)) for heading, lead, change in sections],
        link=link,
    )


def render_changes_index(comparisons: Sequence[Comparison], catalog: Catalog) -> str:
    """The page that leads to all comparisons, the upgrade sheet, and the numbers over time."""
    documented = [pin for pin in catalog.pins if pin.documented]
    counts = listing.counts(catalog, tuple(comparisons))
    return _render(
        "changes_index.md.jinja",
        comparisons=comparisons,
        catalog=catalog,
        counts=counts,
        documented=documented,
        topic_counts=listing.topic_counts(catalog),
        releases_picture=releases_svg(counts),
        topics_picture=topics_svg(listing.growths(catalog), documented[-1].label, documented[0].label),
    )


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
        "unlinked": lambda html: re.sub(r"</?a\b[^>]*>", "", html),
        "linked_once": _linked_once,
    }
    return environment


def _linked_once(text: str) -> str:
    """The text with each address linked at its first place only."""
    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        again = found[1] in seen
        seen.add(found[1])
        return found[2] if again else found[0]

    return re.sub(r'<a href="([^"]*)">(.*?)</a>', link, text)


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
