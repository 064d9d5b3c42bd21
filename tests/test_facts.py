"""Fact checks: true names pass, false names are found, with line, release and since when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from declared import arguments_of
from tiny import analysis_text

from generator.analysis import AnalysisFile, KnownName, load_writing
from generator.arguments import Arguments
from generator.facts import check_facts
from generator.mentions import in_command, in_inline_code, in_sample
from generator.pins import Pin

if TYPE_CHECKING:
    from conftest import Real

ENVS = "environment_variables: dict = {\n%s}\n"
ARGUMENTS = """
class EngineArgs:
    size: int = 1
    %s
    fast: bool = False
    cache_config: CacheConfig | None = None
    def add_cli_args(parser):
        cache = get_kwargs(CacheConfig)
        parser.add_argument("--size", "-s", **cache["size"])
        %s
        parser.add_argument("--fast", **cache["fast"])
        vllm = get_kwargs(VllmConfig)
        parser.add_argument("--cache-config", **vllm["cache_config"])
"""
CONFIG = """
class CacheConfig:
    size: int = 1
    fast: bool = False
    %s
class VllmConfig:
    cache_config: CacheConfig | None = None
"""


def release(number: int, has_old: bool) -> Arguments:
    """A release; `old` is a flag, a field and a variable that later ones lose."""
    old = ("old: int = 1", 'parser.add_argument("--old", **cache["old"])') if has_old else ("", "")
    sources = {
        "config": CONFIG % old[0],
        "arguments": ARGUMENTS % old,
        "envs": ENVS % ('    "VLLM_NEW": 1,\n' + ('    "VLLM_OLD": 1,\n' if has_old else "")),
    }
    return arguments_of(sources, f"v{number}")


PINNED = {"v3": release(3, False), "v2": release(2, True), "v1": release(1, True)}
PINS = [each.declarations.pin for each in PINNED.values()]


def checked(
    folder: Path, reviewed: str, known: tuple[KnownName, ...] = (), **fields: Any
) -> tuple[list[str], list[str]]:
    pin: Pin = next(pin for pin in PINS if pin.label == reviewed)
    review = {"commit": pin.commit, "fingerprint": "0" * 16, "date": "2026-01-01"}
    (folder / "analysis").mkdir(parents=True, exist_ok=True)
    (folder / "tags.yml").write_text("cache: {title: Cache, description: Keeping things.}\n")
    (folder / "analysis" / "one.yml").write_text(analysis_text("no", reviewed=review, **fields))
    writing = load_writing(folder, "data")
    assert not writing.problems
    files: tuple[AnalysisFile, ...] = writing.analyses
    facts = check_facts(files, known, PINNED, PINS, "data")
    return [str(each) for each in facts.problems], [str(each) for each in facts.gaps]


TRUE = [
    "`--size`, `-s 3`, `--fast`, `--no-fast`, `--size=3`",
    "`--cache-config '{\"size\": 1}'` and `--cache-config.size 1`",
    "`VLLM_NEW=1`, `VLLM_OLD`",
    "`cache_config.size`, `CacheConfig.fast`, `cache_config.size.bit_length`",
    "`CUDA_VISIBLE_DEVICES=1`, `os.environ`, `torch.bfloat16`, `--no-`, `--fast...`",
    "--wrong outside of code, and `docker run --gpus all` inside",
    "`kubectl logs --previous | vllm serve m --size 1`",
]


@pytest.mark.parametrize("text", TRUE)
def test_true_names(tmp_path: Path, text: str) -> None:
    assert checked(tmp_path, "v2", documentation=text)[0] == []


FALSE = {
    "`--sise`": "flag '--sise' does not exist in v2 (in no documented release)",
    "`--no-size`": "flag '--no-size' does not exist in v2 (in no documented release)",
    "`--size 1 --fats`": "flag '--fats' does not exist in v2 (in no documented release)",
    "`vllm serve m -q 1`": "flag '-q' does not exist in v2 (in no documented release)",
    "`--cache-config '{\"sise\": 1}'`": (
        "JSON key '--cache-config.sise' does not exist in v2 (in no documented release)"
    ),
    "`--cache-config.sise 1`": "flag '--cache-config.sise' does not exist in v2 (in no documented release)",
    "`VLLM_NWE=1`": "environment variable 'VLLM_NWE' does not exist in v2 (in no documented release)",
    "`cache_config.sise`": "config field 'cache_config.sise' does not exist in v2 (in no documented release)",
    "`CacheConfig.sise`": "config field 'CacheConfig.sise' does not exist in v2 (in no documented release)",
}


@pytest.mark.parametrize(("text", "complaint"), FALSE.items())
def test_false_names(tmp_path: Path, text: str, complaint: str) -> None:
    problems, gaps = checked(tmp_path, "v2", documentation=text)
    repair = "correct the name, or give the reason in known_names.yml"
    assert problems == [f"data/analysis/one.yml:6: {complaint}; {repair}"]
    assert gaps == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`--old`", "flag '--old'"),
        ("`VLLM_OLD`", "environment variable 'VLLM_OLD'"),
        ("`cache_config.old`", "config field 'cache_config.old'"),
    ],
)
def test_since_when_a_name_is_gone(tmp_path: Path, text: str, name: str) -> None:
    problems, gaps = checked(tmp_path, "v1", documentation=text)
    assert problems == []
    told = f"{name} no longer exists since v3; say so, or name what replaced it"
    assert gaps == [f"data/analysis/one.yml:6: {told}"]
    problems, gaps = checked(tmp_path, "v3", documentation=text)
    assert gaps == []
    assert [f"{name} does not exist in v3 (no longer since v3)" in each for each in problems] == [True]


def test_code_samples(tmp_path: Path) -> None:
    fix = {
        "language": "bash",
        "before": "docker run --gpus all img\nexport VLLM_BAD=1\n"
        "vllm serve m \\\n  --size 1 --wrong 2 | tee --append log\n",
        "after": "vllm serve m --size 1\n",
    }
    problems, _ = checked(tmp_path, "v2", example_fix=fix)
    assert [each.partition(" does not")[0] for each in problems] == [
        "data/analysis/one.yml:19: environment variable 'VLLM_BAD'",
        "data/analysis/one.yml:19: flag '--wrong'",
    ]
    code = "llm = LLM('m', size=1, sise=2)\nif config.cache_config.sise: pass\nd = cache_config.get('x')\n"
    problems, _ = checked(tmp_path, "v2", validation_code=code)
    assert [each.partition(" does not")[0].partition(": ")[2] for each in problems] == [
        "Python argument 'sise'",
        "config field 'config.cache_config.sise'",
    ]


def test_excuses_and_stale_ones(tmp_path: Path) -> None:
    wrong = KnownName(name="--wrong", reason="It is a flag of docker.")
    assert checked(tmp_path, "v2", (wrong,), documentation="`--wrong`") == ([], [])
    told = "no analysis names it, or every release has it; delete the entry"
    stale = f"data/known_names.yml: '--wrong' needs no excuse: {told}"
    assert checked(tmp_path, "v2", (wrong,), documentation="`--size`") == ([stale], [])


def test_a_project_without_flags_is_not_checked(tmp_path: Path) -> None:
    assert check_facts((), (KnownName(name="--x", reason="None."),), {}, PINS, "data").problems == ()


def test_what_counts_as_a_name() -> None:
    assert list(in_inline_code("--a 1 -b --c=2")) == [("flag", "--a"), ("flag", "-b"), ("flag", "--c")]
    assert list(in_inline_code("not --a flag")) == []
    assert list(in_command("A=1 vllm serve m --x; other --y && python -m vllm.entrypoints.openai --z")) == [
        ("flag", "--x"),
        ("flag", "--z"),
    ]
    assert list(in_sample("# vllm serve --config\nmodel: m\nno-fast: true\n", "yaml")) == [
        ("flag", "--model"),
        ("flag", "--no-fast"),
    ]


def test_real_analyses_name_only_what_exists(real: Real) -> None:
    writing = load_writing(real.project.data_folder, real.project.data)
    arguments = {label: each.arguments for label, each in real.catalog.explainers.items()}
    facts = check_facts(writing.analyses, writing.known_names, arguments, real.pins, real.project.data)
    assert [str(each) for each in (*facts.problems, *facts.gaps)] == []
