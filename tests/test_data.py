"""The hand-written data against the real catalog: complete, current, without copies, and with samples that run."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from difflib import SequenceMatcher
from typing import Any

import pytest
from conftest import Real

from generator.analysis import Analysis
from generator.catalog import Error

PROSE = (
    "verdict_reason", "summary", "documentation", "trigger_scenarios", "common_situations",
    "solutions", "trade_offs", "misreadings", "prevention_tips",
)  # fmt: skip
SHARED_WORDS = 9
"""A run of words this long in two analyses is a copy."""


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in strings(each)]
    if isinstance(value, list | tuple):
        return [text for each in value for text in strings(each)]
    return []


def prose(analysis: Analysis) -> list[str]:
    return [text for name, value in analysis.model_dump().items() if name in PROSE for text in strings(value)]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_`'.=/-]+", text.lower())


def printed(error: Error) -> str:
    """The message with its example values."""
    values = error.analysis.values if error.analysis else {}
    return "".join(
        part if isinstance(part, str) else part.prefix + (values[part.source].example if part.source in values else "7")
        for part in error.template.parts
    )


def analysed(real: Real) -> list[tuple[Error, Analysis]]:
    return [(error, error.analysis) for error in real.catalog.errors if error.analysis is not None]


def test_nothing_is_missing_stale_unused_or_wrong(real: Real) -> None:
    assert [str(each) for each in (*real.catalog.problems, *real.catalog.gaps)] == []


def test_every_placeholder_is_explained(real: Real) -> None:
    unexplained = [
        f"{error.slug}: {{{placeholder.source}}}"
        for error, analysis in analysed(real)
        for placeholder in error.template.placeholders
        if placeholder.source not in analysis.values
    ]
    assert unexplained == []


def test_no_two_analyses_share_a_sentence(real: Real) -> None:
    owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for error, analysis in analysed(real):
        for text in prose(analysis):
            found = words(text)
            for start in range(len(found) - SHARED_WORDS + 1):
                owners[tuple(found[start : start + SHARED_WORDS])].add(error.slug)
    shared = {" ".join(run): sorted(slugs) for run, slugs in owners.items() if len(slugs) > 1}
    assert shared == {}


def test_no_meaning_restates_the_message(real: Real) -> None:
    restated = []
    for error, analysis in analysed(real):
        for name in ("documentation", "verdict_reason"):
            first = re.split(r"(?<=[.!?])\s", getattr(analysis, name))[0]
            if SequenceMatcher(None, words(first), words(error.message)).ratio() > 0.75:
                restated.append(f"{error.slug}: {name}: {first}")
    assert restated == []


def test_pages_read_in_two_minutes(real: Real) -> None:
    long = {e.slug: n for e, a in analysed(real) if (n := sum(len(words(text)) for text in prose(a))) > 560}
    assert long == {}


def test_every_pattern_finds_its_own_message_and_no_other(real: Real) -> None:
    patterns = {error.slug: re.compile(error.template.pattern) for error in real.catalog.errors}
    for error, _ in analysed(real):
        message = printed(error)
        found = [slug for slug, pattern in patterns.items() if pattern.search(message)]
        assert found == [error.slug], message


def samples(real_errors: list[tuple[Error, Analysis]]) -> list[tuple[str, str]]:
    found = []
    for error, analysis in real_errors:
        for name in ("validation_code", "type_guard", "try_catch_pattern"):
            if code := getattr(analysis, name):
                found.append((f"{error.slug}/{name}", code))
        fix = analysis.example_fix
        if fix and fix.language == "python":
            found += [(f"{error.slug}/before", fix.before), (f"{error.slug}/after", fix.after)]
    return found


def imports(code: str) -> set[str]:
    """The top-level packages that a sample imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_python_samples_compile_and_run_where_they_need_no_vllm(real: Real) -> None:
    found = samples(analysed(real))
    assert found
    ran = 0
    for name, code in found:
        compiled = compile(code, name, "exec")
        if name.endswith(("/validation_code", "/type_guard")) and not imports(code) & {
            "vllm",
            "torch",
            "transformers",
            "ray",
        }:
            try:
                exec(compiled, {"__name__": "sample"})
            except Exception as error:
                pytest.fail(f"{name}: {type(error).__name__}: {error}")
            ran += 1
    assert ran


def test_recorded_proofs_cover_the_releases(real: Real) -> None:
    """At least 85 % of the errors raised in the two recorded releases are reproduced, real or simulated."""
    for release in ("0.28.0", "0.32.0"):
        raised = {e.slug for e in real.catalog.errors if any(pin.tag == f"v{release}" for pin in e.pins)}
        proven = {
            error.slug
            for error in real.catalog.errors
            for run, _ in real.catalog.proofs(error)
            if run.release == release
        }
        assert proven <= raised
        assert len(proven) >= 0.85 * len(raised), sorted(raised - proven)
