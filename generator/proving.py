"""Runs the proof cases of all errors on one release of the real vLLM, in a separate environment.

Starts `prover.py` there and judges what comes back; never imports vLLM itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.analysis import Proof, ProofCase
from generator.catalog import Catalog, Error, Occurrence
from generator.errors import GeneratorError
from generator.proof import Outcome, Run, case_hash, prints, trimmed

_PROVER = Path(__file__).parent / "prover.py"


@dataclass(frozen=True)
class Proven:
    """The result of a run."""

    run: Run
    """The outcomes that hold."""
    failures: tuple[str, ...]
    """One line for each proof that did not come out as its analysis says."""
    without_proof: tuple[str, ...]
    """Slugs of errors of this release whose analysis has no case to run, with the reason where one is given."""


def prove(catalog: Catalog, release: str, python: Path, platform: str, progress: Callable[[int, int], None]) -> Proven:
    """Run every proof of the errors that a release raises.

    Args:
        catalog: The errors and their analyses.
        release: Version without `v`.
        python: The interpreter of the environment in which that release is installed.
        platform: What runs, in words, for the record.
        progress: Told how many cases are done, of how many.

    Raises:
        GeneratorError: the release is not pinned, or the environment does not work.
    """
    if all(pin.tag != f"v{release}" for pin in catalog.pins):
        raise GeneratorError(f"{release} is not pinned; use one of {', '.join(p.tag or '' for p in catalog.pins)}")
    there = [(error, here) for error in catalog.errors if (here := _at(error, release)) is not None]
    with_case = [
        (error, here, proof)
        for error, here in there
        if (proof := _proof(error)) and proof.fails and release in (proof.releases or (release,))
    ]
    answers = _run([case for error, _, proof in with_case for case in _cases(error, proof)], release, python, progress)
    outcomes: list[Outcome] = []
    failures: list[str] = []
    for error, here, proof in with_case:
        result = _judge(error, here, proof, answers)
        if isinstance(result, Outcome):
            outcomes.append(result)
        else:
            failures.append(f"{error.analysis_path}: {result}")
    proven = {error.slug for error, _, _ in with_case}
    missing = [_reason(error) for error, _ in there if error.slug not in proven]
    return Proven(Run(release, platform, tuple(outcomes)), tuple(failures), tuple(missing))


def _at(error: Error, release: str) -> Occurrence | None:
    return next((each for each in error.occurrences if each.pin.tag == f"v{release}"), None)


def _proof(error: Error) -> Proof | None:
    return error.analysis.proof if error.analysis else None


def _reason(error: Error) -> str:
    proof = _proof(error)
    if proof and proof.releases:
        return f"{error.slug}: its case is for {', '.join(proof.releases)}"
    return f"{error.slug}: {proof.unreachable if proof and proof.unreachable else 'no proof in the analysis'}"


def _cases(error: Error, proof: Proof) -> Iterator[dict[str, Any]]:
    for side, case in (("fails", proof.fails), ("passes", proof.passes)):
        if case is not None:
            yield {"key": f"{error.slug}/{side}", **case.model_dump(mode="json")}


def _run(
    cases: list[dict[str, Any]], release: str, python: Path, progress: Callable[[int, int], None]
) -> dict[str, dict[str, Any]]:
    """Key of the case → what the prover says of it."""
    answers: dict[str, dict[str, Any]] = {}
    command = [str(python), str(_PROVER), release]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "PYTORCH_"))}
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryDirectory() as cache:
        # vLLM keeps what it learns of model classes; of another release that would be wrong
        environment["VLLM_CACHE_ROOT"] = cache
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True, env=environment
            )
        except OSError as error:
            raise GeneratorError(f"{python}: {error.strerror}; name another Python with --python") from None
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(cases))
        process.stdin.close()
        for line in process.stdout:
            answer = json.loads(line)
            answers[answer["key"]] = answer
            progress(len(answers), len(cases))
        if process.wait() != 0:
            said.seek(0)
            last = said.read().strip().splitlines()[-1:] or ["it said nothing"]
            raise GeneratorError(f"the environment of {python} does not work: {last[0]}; see docs/contributing.md")
    return answers


def _judge(error: Error, here: Occurrence, proof: Proof, answers: dict[str, dict[str, Any]]) -> Outcome | str:
    """The outcome of a proof, or one line that says what is wrong with it."""
    failed = answers[f"{error.slug}/fails"]
    if failed["outcome"] != "raised":
        return f"'fails' was expected to raise, but was {failed['outcome']}"
    if not prints(failed["text"], here.site.template):
        return f"'fails' raised something else: {trimmed(failed['text'])[:300]!r}"
    passes, other = _judge_passing(error, proof.passes, answers, here)
    if passes is None:
        return f"'passes' did not pass: {other!r}"
    assert proof.fails is not None
    return Outcome(
        slug=error.slug,
        message=here.site.template.text,
        fingerprint=here.site.fingerprint,
        case=case_hash(proof),
        fails="simulated" if proof.fails.simulate else "reproduced",
        printed=trimmed(failed["text"]),
        simulated=tuple(each.what for each in proof.fails.simulate),
        passes=passes,
        passes_printed=other,
    )


def _judge_passing(
    error: Error, case: ProofCase | None, answers: dict[str, dict[str, Any]], here: Occurrence
) -> tuple[Any, str | None]:
    if case is None:
        return "untested", None
    answer = answers[f"{error.slug}/passes"]
    if answer["outcome"] == "accepted":
        return "accepted", None
    if answer["outcome"] != "raised":
        return None, str(answer["outcome"])
    text = trimmed(answer["text"])
    if prints(answer["text"], here.site.template):
        return None, text[:300]
    return "another error", text[:300]
