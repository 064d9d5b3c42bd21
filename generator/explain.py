"""What is computed about one error at one pin: conditions in words, settings, ways out, next checks, possible items.

Joins what the modules above find; decides which pin speaks. Nothing here is written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from generator.arguments import Arguments
from generator.automatic import Automatic, automatic
from generator.declarations import Field, Helper
from generator.extract import Extraction, RaiseSite
from generator.guards import Guard
from generator.lists import ItemList, item_lists
from generator.settings import How, Reading, Setting, Sort, behind, scope_of, site_readings
from generator.ways_out import NextCheck, Way, next_checks, ways_out
from generator.words import Sentence, own_guards, say


@dataclass(frozen=True)
class Involved:
    """One setting of a check."""

    setting: Setting
    through: tuple[Setting, ...]
    """The properties and helpers that read it, when the check itself does not; empty otherwise."""


@dataclass(frozen=True)
class Explanation:
    """All that is computed about one raise site."""

    conditions: tuple[Sentence, ...]
    """The check's own, in order; those of earlier checks are not among them."""
    involved: tuple[Involved, ...]
    """In the order in which the check reads them; what properties read, as far as users can set it, and what
    decides the items of a list come last."""
    unresolved: tuple[Reading, ...]
    ways: tuple[Way, ...]
    next: tuple[NextCheck, ...]
    lists: tuple[ItemList, ...]


@dataclass(frozen=True)
class Explainer:
    """Explains the raise sites of one pin; what has been worked out is kept."""

    arguments: Arguments
    extractions: Mapping[str, Extraction]
    """Path → what was extracted from it."""
    _known: dict[tuple[str, RaiseSite], Explanation] = field(default_factory=dict, repr=False, compare=False)
    _sentences: dict[tuple[str, RaiseSite, Guard], Sentence] = field(default_factory=dict, repr=False, compare=False)

    def explain(self, path: str, site: RaiseSite) -> Explanation:
        """Everything about one site."""
        if (path, site) not in self._known:
            self._known[path, site] = self._explain(path, site)
        return self._known[path, site]

    def sentence(self, path: str, site: RaiseSite, guard: Guard) -> Sentence:
        """One guard of a site in words."""
        key = (path, site, guard)
        if key not in self._sentences:
            self._sentences[key] = say(scope_of(self.arguments, path, site), guard)
        return self._sentences[key]

    @cached_property
    def automatic(self) -> Mapping[str, tuple[Automatic, ...]]:
        """Key of a field → where it is assigned, for all fields that a check of this pin involves."""
        keys = {
            each.setting.key
            for path, extraction in self.extractions.items()
            for site in extraction.sites
            for each in self.explain(path, site).involved
            if isinstance(each.setting.declared, Field)
        }
        return automatic(self.arguments, keys)

    def _explain(self, path: str, site: RaiseSite) -> Explanation:
        scope = scope_of(self.arguments, path, site)
        readings = site_readings(scope, site)
        direct = list(dict.fromkeys(each for reading in readings for each in reading.settings))
        indirect: dict[Setting, list[Setting]] = {}
        for setting in direct:
            for each in behind(self.arguments, setting) if isinstance(setting.declared, Helper) else ():
                indirect.setdefault(each, []).append(setting)
        involved = [Involved(each, ()) for each in direct]
        involved += [
            Involved(each, tuple(through))
            for each, through in indirect.items()
            if each not in direct and (each.routes or each.sort is Sort.ENVIRONMENT)
        ]
        lists = item_lists(scope, site)
        listed = [s for each in lists for item in each.items for told in item.conditions for s in told.settings]
        known = {each.setting for each in involved}
        involved += [Involved(each, ()) for each in dict.fromkeys(listed) if each not in known]
        sites = self.extractions[path].sites
        return Explanation(
            conditions=tuple(self.sentence(path, site, guard) for guard in own_guards(site.guards)),
            involved=tuple(involved),
            unresolved=tuple(each for each in readings if each.how is How.UNRESOLVED),
            ways=ways_out(scope, site.guards),
            next=next_checks(scope, site, sites, lambda other, guard: self.sentence(path, other, guard)),
            lists=lists,
        )


def explainers(
    arguments: Mapping[str, Arguments], extractions: Mapping[str, Sequence[Extraction]]
) -> dict[str, Explainer]:
    """Pin label → its explainer, for the pins whose declarations are known."""
    return {
        label: Explainer(each, {extraction.path: extraction for extraction in extractions[label]})
        for label, each in arguments.items()
    }
