"""Settings, conditions, ways out, lists and next checks of small sources: one readable file per construct."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from declared import CONFIG, explainer_of

from generator.explain import Explainer
from generator.extract import RaiseSite
from generator.settings import How, behind, coverage, declared_as, scope_of, site_readings

if TYPE_CHECKING:
    from conftest import Real

FILES = sorted((Path(__file__).parent / "settings_cases").glob("*.yml"))
CASES = [pytest.param(yaml.safe_load(path.read_text(encoding="utf-8")), id=path.stem) for path in FILES]
EXPECTATIONS = {"reads", "behind", "conditions", "ways", "items", "next"}


def load(case: dict[str, Any]) -> tuple[Explainer, dict[str, RaiseSite]]:
    sources = {name: text for name, text in case.items() if name in ("config", "envs", "arguments")}
    explainer = explainer_of(sources)
    return explainer, {site.template.text: site for site in explainer.extractions[CONFIG].sites}


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    explainer, sites = load(case)
    arguments = explainer.arguments
    assert set(case) - {"config", "envs", "arguments"} <= EXPECTATIONS
    for message, expected in case.get("reads", {}).items():
        site = sites[message]
        found = {
            each.name: each.detail if each.how is How.UNRESOLVED else [setting.name for setting in each.settings]
            for each in site_readings(scope_of(arguments, CONFIG, site), site)
        }
        assert {name: found[name] for name in expected} == expected
    for key, expected in case.get("behind", {}).items():
        setting = declared_as(arguments, key)
        assert setting is not None
        assert [each.key for each in behind(arguments, setting)] == expected
    for message, expected in case.get("conditions", {}).items():
        assert [each.shown for each in explainer.explain(CONFIG, sites[message]).conditions] == expected
    for message, expected in case.get("ways", {}).items():
        ways = explainer.explain(CONFIG, sites[message]).ways
        assert [form.text for way in ways for change in way.changes for form in change.forms] == expected
    for message, expected in case.get("items", {}).items():
        lists = explainer.explain(CONFIG, sites[message]).lists
        found_items = [[item.text, *(each.shown for each in item.conditions)] for each in lists for item in each.items]
        assert found_items == expected
    for message, expected in case.get("next", {}).items():
        assert [each.site.template.text for each in explainer.explain(CONFIG, sites[message]).next] == expected


def test_coverage_of_the_real_pins(real: Real) -> None:
    shares: dict[str, float] = {}
    for label, explainer in real.catalog.explainers.items():
        sites = [(path, site) for path, each in explainer.extractions.items() for site in each.sites]
        found = coverage(explainer.arguments, sites)
        assert all(reason for _, _, reason in found.rest), "each name that is left has its reason"
        shares[label] = found.share
    assert shares["v0.33.0"] >= 0.9
    assert min(shares.values()) >= 0.9
