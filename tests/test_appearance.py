"""How an error looks in a log, against what the real vLLM printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from generator.error_page import log_lines

if TYPE_CHECKING:
    from conftest import Real

CASES = yaml.safe_load((Path(__file__).parent / "appearance_cases.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['pin']} {case['kind']} {case['printed'][40:80]}")
def test_as_printed(real: Real, case: dict[str, str]) -> None:
    wrapped = re.search(r"(?:Value error|Assertion failed), (.*) \[type=", case["printed"], re.DOTALL)
    message = wrapped[1] if wrapped else case["printed"]
    [site] = [
        site
        for extraction in real.extractions[case["pin"]]
        for site in extraction.sites
        if re.fullmatch(site.template.pattern, message)
    ]
    assert bool(wrapped) is (case["kind"] != "plain")
    assert ("validation" if wrapped else "bare") in site.appearances
    if case["kind"] == "validator":
        assert any("validator" in decorator for decorator in site.decorators)
    if wrapped:
        expected = f"pydantic_core._pydantic_core.ValidationError: {case['printed']}"
    else:
        expected = f"{case['exception']}: {case['printed']}"
    assert expected in [text for _, text in log_lines(site, message)]


def test_three_of_each_kind() -> None:
    for kind in ("post_init", "validator", "plain"):
        assert len({case["printed"] for case in CASES if case["kind"] == kind}) >= 3
