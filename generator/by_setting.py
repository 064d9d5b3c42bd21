"""The errors turned round: every setting that a check of a documented pin reads, and what it conflicts with.

Pure; a setting is the same one in two pins when its class and field are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.catalog import Catalog, Error, Occurrence
from generator.explain import Explainer, Explanation
from generator.lists import Item
from generator.pins import Pin
from generator.settings import Setting, Sort, behind, declared_as

EVERYWHERE = frozenset({"VllmConfig.model_config", "ModelConfig.is_submodel_config"})
"""Settings that guards ask for only to be able to go on: they conflict with nothing."""


@dataclass(frozen=True)
class Entry:
    """One setting over all documented pins."""

    name: str
    """The name of its page: as users spell it at the newest pin with a check that reads it."""
    keys: tuple[str, ...]
    """`Class.field`, or the name of the variable; several when a field has moved to another class, newest first."""
    pin: Pin
    """The newest pin with a check that reads it."""
    setting: Setting
    """As in that pin."""
    releases: tuple[tuple[Pin, Setting], ...]
    """The documented pins that declare it, newest first."""
    errors: tuple[Error, ...]
    """The errors whose check reads it, itself or through a property, in the order of the catalog."""


@dataclass(frozen=True)
class Conflict:
    """Two settings that some check does not let stand together, and the errors that say so."""

    one: Entry
    other: Entry
    errors: tuple[Error, ...]
    """Those that the newest pin raises, in the order of the catalog; never empty."""


@dataclass(frozen=True)
class Listed:
    """One text that a list in a message can hold, under the same conditions; another row when they are others."""

    text: str
    pins: tuple[Pin, ...]
    """The documented pins that print it so, newest first."""
    items: tuple[Item, ...]
    """As the newest of them adds it; several when several statements do."""


@dataclass(frozen=True)
class Settings:
    """All settings of the site."""

    entries: tuple[Entry, ...]
    """By name."""
    conflicts: tuple[Conflict, ...]
    """Each pair once, the smaller name first."""

    def with_entry(self, entry: Entry) -> tuple[tuple[Entry, Conflict], ...]:
        """What an entry conflicts with, by name."""
        found = [
            (each.other if each.one.name == entry.name else each.one, each)
            for each in self.conflicts
            if entry.name in (each.one.name, each.other.name)
        ]
        return tuple(sorted(found, key=lambda pair: pair[0].name.lower()))


def collect(catalog: Catalog) -> Settings:
    """Every setting that takes part in a check of a documented pin."""
    seen: dict[str, dict[str, tuple[Pin, Setting]]] = {}
    errors: dict[str, dict[str, Error]] = {}
    for error in catalog.errors:
        for occurrence, explanation in explained(error, catalog):
            for each in explanation.involved:
                key = each.setting.key
                seen.setdefault(key, {}).setdefault(occurrence.pin.label, (occurrence.pin, each.setting))
                errors.setdefault(key, {})[error.slug] = error
    order = {pin.label: index for index, pin in enumerate(catalog.pins)}
    newest = {key: min(pins.values(), key=lambda pair: order[pair[0].label]) for key, pins in seen.items()}
    names: dict[str, list[str]] = {}
    for key in sorted(newest, key=lambda key: order[newest[key][0].label]):
        names.setdefault(newest[key][1].name, []).append(key)
    entries = [
        Entry(
            name,
            tuple(keys),
            *newest[keys[0]],
            _releases(keys, catalog),
            tuple(error for error in catalog.errors if any(error.slug in errors[key] for key in keys)),
        )
        for name, keys in names.items()
    ]
    entries.sort(key=lambda entry: entry.name.lower())
    by_key = {key: entry for entry in entries for key in entry.keys}
    return Settings(tuple(entries), tuple(_conflicts(catalog, by_key)))


def _releases(keys: list[str], catalog: Catalog) -> tuple[tuple[Pin, Setting], ...]:
    """Where a setting is declared."""
    found: list[tuple[Pin, Setting]] = []
    for pin in catalog.pins:
        explainer = catalog.explainers.get(pin.label)
        setting = next((each for key in keys if explainer and (each := declared_as(explainer.arguments, key))), None)
        if setting is not None:
            found.append((pin, setting))
    return tuple(found)


def explained(error: Error, catalog: Catalog) -> Iterator[tuple[Occurrence, Explanation]]:
    """The occurrences of an error at documented pins, with what is computed about them."""
    for occurrence in error.occurrences:
        explanation = catalog.explanation(occurrence)
        if explanation is not None:
            yield occurrence, explanation


def listed_items(error: Error, catalog: Catalog) -> dict[str, list[Listed]]:
    """Placeholder → what its list can hold, at any documented pin."""
    found: dict[str, dict[tuple[str, tuple[str, ...]], list[tuple[Pin, tuple[Item, ...]]]]] = {}
    for occurrence, explanation in explained(error, catalog):
        for each in explanation.lists:
            by_text: dict[str, list[Item]] = {}
            for item in each.items:
                by_text.setdefault(item.text, []).append(item)
            for text, items in by_text.items():
                asked = tuple(f"{c.text or c.guard}" for item in items for c in item.conditions)
                pins = found.setdefault(each.placeholder, {}).setdefault((text, asked), [])
                if occurrence.pin not in [pin for pin, _ in pins]:
                    pins.append((occurrence.pin, tuple(items)))
    return {
        placeholder: [Listed(text, tuple(pin for pin, _ in seen), seen[0][1]) for (text, _), seen in listed.items()]
        for placeholder, listed in found.items()
    }


def _conflicts(catalog: Catalog, entries: Mapping[str, Entry]) -> Iterator[Conflict]:
    pairs: dict[tuple[str, str], dict[str, Error]] = {}
    for error in catalog.errors:
        if error.is_retired:
            continue
        for occurrence, explanation in explained(error, catalog):
            if occurrence.pin == catalog.latest:
                for pair in _pairs(catalog.explainers[catalog.latest.label], explanation):
                    if all(key in entries for key in pair):
                        pairs.setdefault(pair, {})[error.slug] = error
    found: dict[tuple[str, str], Conflict] = {}
    for (first, second), told in pairs.items():
        if _is_part(entries[first], entries[second]):
            continue
        one, other = sorted((entries[first], entries[second]), key=lambda entry: entry.name.lower())
        found[one.name.lower(), other.name.lower()] = Conflict(one, other, tuple(told.values()))
    yield from (found[pair] for pair in sorted(found))


def _is_part(one: Entry, other: Entry) -> bool:
    """Whether one is a key of the other, which has to be set for the key to be there."""
    return one.name.startswith(f"{other.name}.") or other.name.startswith(f"{one.name}.")


def _pairs(explainer: Explainer, explanation: Explanation) -> Iterator[tuple[str, str]]:
    """The settings of the last condition, which the check is about, each with those of the other conditions."""
    conditions = [
        tuple(
            dict.fromkeys(
                key for each in sentence.settings if (key := _acting(explainer, each)) and key not in EVERYWHERE
            )
        )
        for sentence in explanation.conditions
    ]
    conditions = [keys for keys in conditions if keys]
    if len(conditions) == 1:
        first = conditions[0]
        yield from ((min(first[0], key), max(first[0], key)) for key in first[1:])
    for keys in conditions[:-1]:
        for last in conditions[-1]:
            yield from ((min(last, key), max(last, key)) for key in keys if key != last)


def _acting(explainer: Explainer, setting: Setting) -> str | None:
    """The key of what readers can act on: the setting, or the one field that a property hands on."""
    if setting.sort is Sort.COMPUTED:
        handed_on = behind(explainer.arguments, setting)
        return handed_on[0].key if len(handed_on) == 1 and handed_on[0].routes else setting.key
    return setting.key if setting.routes or setting.sort is Sort.ENVIRONMENT else None
