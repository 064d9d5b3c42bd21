"""The pages of settings, prepared for their templates: one setting over all releases, and the table of conflicts.

Returns values; the templates turn them into Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator import escape
from generator.by_setting import Entry, Settings
from generator.catalog import Catalog, Error
from generator.conditions import (
    SettingRow,
    anchor,
    automatic_html,
    conditions_html,
    declared_url,
    pin_ranges,
    spellings_html,
    type_html,
)
from generator.declarations import Field, Variable
from generator.pins import Pin
from generator.settings import Setting


def setting_view(entry: Entry, settings: Settings, catalog: Catalog) -> dict[str, Any]:
    """What the page of one setting prints."""
    pin, setting = entry.pin, entry.setting
    explainer = catalog.explainers[pin.label]
    declared = setting.declared
    row = SettingRow(
        anchor=anchor(entry.name),
        name=entry.name,
        label=setting.label,
        spellings=spellings_html(setting),
        type_html=type_html(setting, explainer),
        meaning_html=escape.inline(declared.summary or ""),
        url=declared_url(catalog.repository, setting, explainer),
        automatic=(),
        more=0,
        through="",
    )
    values: tuple[str, ...] = ()
    if isinstance(declared, Field | Variable):
        values = explainer.arguments.declarations.values_of(declared.annotation)
    return {
        "entry": entry,
        "pin": pin,
        "row": row,
        "values": values,
        "automatic": [
            automatic_html(catalog.repository, each, explainer) for each in explainer.automatic.get(setting.key, ())
        ],
        "conflicts": _conflicts(entry, settings, catalog),
        "releases": _releases(entry, catalog),
        "anchor": anchor,
        "catalog": catalog,
    }


@dataclass(frozen=True)
class ConflictRow:
    """One check that reads a setting together with others."""

    error: Error
    conditions: tuple[str, ...]
    """When the newest pin raises it, as HTML."""
    anchors: tuple[str, ...]
    """Of the other settings; each is in one row only, the first."""


def _conflicts(entry: Entry, settings: Settings, catalog: Catalog) -> list[ConflictRow]:
    others: dict[str, tuple[Error, list[str]]] = {}
    for other, conflict in settings.with_entry(entry):
        for number, error in enumerate(conflict.errors):
            anchors = others.setdefault(error.slug, (error, []))[1]
            anchors += [anchor(other.name)] if number == 0 else []
    return [
        ConflictRow(error, tuple(conditions_html(error.primary, catalog)), tuple(anchors))
        for error, anchors in others.values()
    ]


def index_view(settings: Settings, catalog: Catalog) -> dict[str, Any]:
    """What the list of settings and its table of conflicts print."""
    names = {each.name for conflict in settings.conflicts for each in (conflict.one, conflict.other)}
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for conflict in settings.conflicts:
        for row, column in ((conflict.one, conflict.other), (conflict.other, conflict.one)):
            single = conflict.errors[0]
            cells[row.name, column.name] = {
                "count": len(conflict.errors),
                "url": f"../errors/{single.slug}/"
                if len(conflict.errors) == 1
                else f"{row.name}/#{anchor(column.name)}",
                "label": f"{row.setting.label} with {column.setting.label}",
            }
    return {
        "settings": settings,
        "columns": [entry for entry in settings.entries if entry.name in names],
        "cells": cells,
        "catalog": catalog,
    }


def _releases(entry: Entry, catalog: Catalog) -> list[dict[str, str]]:
    """Neighbouring releases in which a setting is declared alike, newest first."""
    documented = [pin for pin in catalog.pins if pin.documented]
    groups: list[tuple[tuple[str, str, str], list[Pin]]] = []
    for pin, setting in entry.releases:
        facts = (_spelled(setting), _annotation(setting), _default(setting))
        if groups and groups[-1][0] == facts:
            groups[-1][1].append(pin)
        else:
            groups.append((facts, [pin]))
    return [
        {"releases": pin_ranges(pins, documented), "spelled": spelled, "type": kind, "default": default}
        for (spelled, kind, default), pins in groups
    ]


def _spelled(setting: Setting) -> str:
    return escape.code(setting.label)


def _annotation(setting: Setting) -> str:
    return setting.declared.annotation if isinstance(setting.declared, Field | Variable) else "computed"


def _default(setting: Setting) -> str:
    return (setting.declared.default or "") if isinstance(setting.declared, Field | Variable) else ""
