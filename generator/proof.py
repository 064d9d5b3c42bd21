"""The recorded outcomes of proof cases: what the real vLLM printed, per release.

Reads and writes `data/proofs/<release>.yml`; runs nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints

from generator.analysis import Proof, replace_file
from generator.errors import Problem, ProblemsFound
from generator.message import MessageTemplate
from generator.yamlfile import read_yaml, validate

LONGEST_PRINTED = 900
"""Characters of printed text that are kept."""


class Outcome(BaseModel):
    """What came of the proof of one error on one release."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slug: str
    """The error's page."""
    message: str
    """The wording that was matched, as this release has it."""
    fingerprint: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    """Fingerprint of the check in this release."""
    case: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    """Hash of the proof case that was run; another one in the analysis makes the record void."""
    fails: Literal["reproduced", "simulated"]
    """`simulated` when something had to be pretended."""
    printed: str
    """What vLLM printed, trimmed and free of paths."""
    simulated: tuple[str, ...] = ()
    """What was pretended."""
    passes: Literal["accepted", "another error", "untested"]
    """What came of the arguments with the first solution applied."""
    passes_printed: str | None = None
    """The beginning of the other error; None unless `passes` is `another error`."""


class _ProofFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    release: str
    platform: str
    """What ran, in words."""
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class Run:
    """All outcomes on one release."""

    release: str
    """Version without `v`, such as `0.28.0`."""
    platform: str
    """What ran, in words: which wheel, on what."""
    outcomes: tuple[Outcome, ...]
    """By slug."""


def load_runs(folder: Path) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    """The runs recorded in `proofs/` of a data folder, by release, and what is wrong with the files."""
    runs: list[Run] = []
    problems: list[Problem] = []
    for path in sorted((folder / "proofs").glob("*.yml")):
        shown = f"{folder.name}/proofs/{path.name}"
        try:
            file = read_yaml(path, shown, largest=1024 * 1024)
            read = validate(file, _ProofFile)
        except ProblemsFound as error:
            problems += error.problems
            continue
        if path.stem != read.release:
            problems.append(Problem(shown, 0, f"is about release {read.release}; rename it"))
        runs.append(Run(read.release, read.platform, read.outcomes))
    return tuple(runs), tuple(problems)


def write_run(folder: Path, run: Run) -> Path:
    """Write the record of a run; the previous one is replaced only when the new one is whole."""
    path = folder / "proofs" / f"{run.release}.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    outcomes = sorted(run.outcomes, key=lambda each: each.slug)
    data = {
        "release": run.release,
        "platform": run.platform,
        "outcomes": [each.model_dump(mode="json", exclude_defaults=True) for each in outcomes],
    }
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110)
    replace_file(path, f"# Written by `vllm-errors prove`; see docs/contributing.md.\n{text}")
    return path


def case_hash(proof: Proof) -> str:
    """16 hex digits over everything that a proof runs."""
    text = json.dumps(proof.model_dump(mode="json", exclude={"unreachable", "releases"}), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def prints(text: str, template: MessageTemplate) -> bool:
    """Whether a printed exception is exactly this template: bare, or as the only message of a validation error."""
    message = "".join(
        re.escape(part) if isinstance(part, str) else re.escape(part.prefix) + ".*?" for part in template.parts
    )
    wrapped = rf"1 validation error for \w+\n  (?:Value error|Assertion failed), {message} \[type=.*"
    return re.fullmatch(f"(?:{message}|{wrapped})", text, re.DOTALL) is not None


def trimmed(text: str) -> str:
    """Printed text without the pydantic address and without paths, cut to a readable length."""
    text = re.sub(r"\n\s*For further information visit \S+", "", text)
    text = re.sub(r"(?<![\w.])/(?:[\w.+-]+/)+[\w.+-]*", "PATH", text)
    return text if len(text) <= LONGEST_PRINTED else f"{text[: LONGEST_PRINTED - 1]}…"


def find(runs: Iterable[Run], slug: str) -> tuple[tuple[Run, Outcome], ...]:
    """The outcomes of one error, oldest release first."""
    return tuple((run, outcome) for run in runs for outcome in run.outcomes if outcome.slug == slug)
