"""Ways out on the real pins: each spelling must exist in its release, and each must be what its parser takes."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from generator.arguments import Arguments
from generator.facts import exists
from generator.mentions import Mention
from generator.ways_out import Change, Way

if TYPE_CHECKING:
    from conftest import Real


def real_ways(real: Real) -> Iterator[tuple[Arguments, Way]]:
    for error in real.catalog.errors:
        for occurrence in error.occurrences:
            explanation = real.catalog.explanation(occurrence)
            if explanation is not None:
                arguments = real.catalog.explainers[occurrence.pin.label].arguments
                yield from ((arguments, way) for way in explanation.ways)


def check_form(arguments: Arguments, change: Change, kind: str, text: str) -> None:
    match kind:
        case "flag" | "JSON flag":
            words = shlex.split(text)
            assert exists(Mention("flag", words[0], ()), arguments), text
            for key in json.loads(words[1]) if len(words) > 1 and words[1].startswith('{"') else ():
                assert exists(Mention("key", f"{words[0]}.{key}", ()), arguments), text
        case "YAML":
            assert exists(Mention("flag", f"--{text.partition(':')[0]}", ()), arguments), text
        case "Python":
            name = re.match(r"\w+", text)
            assert name and name[0] in arguments.arguments, text
            if "=" in text:
                ast.parse(f"LLM({text})")
        case "environment":
            assert change.setting.key in text


def test_every_spelling_exists_in_its_release(real: Real) -> None:
    count = 0
    for arguments, way in real_ways(real):
        assert way.changes
        for change in way.changes:
            assert change.forms
            for form in change.forms:
                check_form(arguments, change, form.kind, form.text)
                count += 1
    assert count > 1000


def test_values_are_ones_that_the_declaration_allows(real: Real) -> None:
    for arguments, way in real_ways(real):
        for change in way.changes:
            annotation = getattr(change.setting.declared, "annotation", "")
            allowed = arguments.declarations.values_of(annotation)
            if allowed and change.value not in (None, "true", "false", "…"):
                assert change.value in allowed


def test_most_errors_have_a_way_out(real: Real) -> None:
    newest = real.catalog.latest
    errors = [error for error in real.catalog.errors if not error.is_retired]
    without = [e.slug for e in errors if e.primary.pin == newest and not real.catalog.explanation(e.primary).ways]  # type: ignore[union-attr]
    assert len(without) <= len(errors) // 6, without


def test_effects_name_settings_that_some_way_changes(real: Real) -> None:
    for error in real.catalog.errors:
        labels = {
            change.setting.label
            for occurrence in error.occurrences
            if (explanation := real.catalog.explanation(occurrence))
            for way in explanation.ways
            for change in way.changes
        }
        effects = set(error.analysis.ways_out) if error.analysis else set()
        assert effects <= labels, f"{error.analysis_path}: no way out changes {', '.join(sorted(effects - labels))}"
