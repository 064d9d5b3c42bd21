"""Errors of two real pins against what a person read off their source before the code was run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from generator.explain import Explanation

if TYPE_CHECKING:
    from conftest import Real

CASES = yaml.safe_load((Path(__file__).parent / "hand_checked.yml").read_text(encoding="utf-8"))


def explained(real: Real, case: dict[str, Any]) -> Explanation:
    error = real.catalog.by_slug[case["error"]]
    occurrence = next(each for each in error.occurrences if each.pin.label == str(case["pin"]))
    explanation = real.catalog.explanation(occurrence)
    assert explanation is not None
    return explanation


@pytest.mark.parametrize("case", CASES, ids=[f"{case['pin']} {case['error']}" for case in CASES])
def test_as_read_by_hand(real: Real, case: dict[str, Any]) -> None:
    explanation = explained(real, case)
    if "conditions" in case:
        assert [each.shown for each in explanation.conditions] == case["conditions"]
    names = {each.setting.name for each in explanation.involved}
    assert set(case.get("settings", ())) <= names
    forms = {form.text for way in explanation.ways for change in way.changes for form in change.forms}
    assert set(case.get("ways", ())) <= forms
    assert not set(case.get("not_ways", ())) & forms
    if "next" in case:
        wordings = real.catalog.by_wording
        following = [wordings["vllm/config/vllm.py", each.site.template.text].slug for each in explanation.next]
        assert following == case["next"]
    if "items" in case:
        found = [item.text for each in explanation.lists for item in each.items]
        assert sorted(found) == sorted(case["items"])


def test_there_are_enough_of_different_shape() -> None:
    assert len(CASES) >= 15
    assert {str(case["pin"]) for case in CASES} == {"v0.33.0", "c794754062"}
