"""Sentences: what they name must exist, and the code is never lost."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from declared import CONFIG, explainer_of

from generator.settings import declared_as
from generator.words import PLATFORMS, STATEMENTS, SUBJECTS

if TYPE_CHECKING:
    from conftest import Real


def conditions(test: str, fields: str) -> list[str]:
    source = f"class Cache:\n    {fields}\nclass VllmConfig:\n    cache: Cache\n    def check(self):\n"
    source += f"        if {test}: raise ValueError('x')\n"
    explainer = explainer_of({"config": source})
    return [each.shown for each in explainer.explain(CONFIG, explainer.extractions[CONFIG].sites[0]).conditions]


def test_negations_and_groups() -> None:
    fields = "a: bool = False; b: bool | None = None; n: int = 1; s: str = ''"
    assert conditions("not self.cache.a", fields) == ["`Cache.a` is off"]
    assert conditions("not self.cache.b", fields) == ["`Cache.b` is off or not set"]
    assert conditions("self.cache.b is False", fields) == ["`Cache.b` is explicitly off"]
    assert conditions("not self.cache.s", fields) == ["`Cache.s` is not set or empty"]
    assert conditions("not (self.cache.n >= 3)", fields) == ["`Cache.n` is less than 3"]
    assert conditions("self.cache.n < self.cache.m", f"{fields}; m: int = 2") == ["`Cache.n` is less than `Cache.m`"]
    assert conditions("self.cache.s in ('x', 'y')", fields) == ["`Cache.s` is one of `x`, `y`"]
    assert conditions("self.cache.a or (self.cache.n > 1 and self.cache.b)", fields) == [
        "`Cache.a` is on, or (`Cache.n` is greater than 1 and `Cache.b` is on)"
    ]
    assert conditions("len(self.cache.s) == 0", fields) == ["`Cache.s` is empty"]
    assert conditions("not self.cache.s.startswith('x')", fields) == ["`Cache.s` does not start with `x`"]


def test_what_cannot_be_said_stays_code() -> None:
    fields = "n: int = 1"
    for test in ("self.cache.n % 2", "self.cache.n + 1 > 2", "0 < self.cache.n < 3", "f(self.cache.n)"):
        assert conditions(test, fields) == [f"code: {ast.unparse(ast.parse(test))} is true"]


def test_hand_written_names_exist_in_the_newest_pin(real: Real) -> None:
    explainer = real.catalog.explainers[real.catalog.latest.label]
    for key in (*SUBJECTS, *STATEMENTS):
        assert declared_as(explainer.arguments, key), f"{key}: delete it from words.py"
    source = "".join(module.text for module in explainer.arguments.declarations.modules.values())
    for name in PLATFORMS:
        assert f"current_platform.{name}()" in source, f"{name}: delete it from words.py"


def test_every_sentence_keeps_its_guard(real: Real) -> None:
    for error in real.catalog.errors:
        for occurrence in error.occurrences:
            explanation = real.catalog.explanation(occurrence)
            for each in explanation.conditions if explanation else ():
                assert each.guard in occurrence.site.guards
                assert each.text is None or each.settings or "platform" in each.text or "config.json" in each.text
