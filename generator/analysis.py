"""Hand-written YAML → validated `Analysis` records, with line numbers for every complaint.

Reads and writes `data/analysis/` and `data/tags.yml`; never looks at vLLM's source. Whether an analysis fits the
extracted errors is `catalog.py`'s business.
"""

from __future__ import annotations

import ast
import datetime
import json
import re
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from generator.errors import Problem, ProblemsFound
from generator.yamlfile import YamlFile, read_yaml, validate

Severity = Literal["critical", "error", "warning", "info"]
Verdict = Literal["configuration", "version", "hardware", "environment", "vllm-bug", "misuse"]
Strategy = Literal["try-catch", "type-guard", "validation", "retry", "fallback"]
Language = Literal["bash", "python", "yaml", "json", "text"]


def _no_markup(text: str) -> str:
    """Prose is plain text; code stands between single backticks, and a blank line starts a paragraph."""
    if text.count("`") % 2:
        raise ValueError("a backtick is not closed; write `code` between two single backticks")
    outside = re.sub(r"`[^`]*`", "", text)
    for mark, meaning in (("](", "a Markdown link"), ("**", "bold Markdown")):
        if mark in outside:
            raise ValueError(f"looks like {meaning}; only backticks are markup, and links go into 'references'")
    return text


def _a_day(text: str) -> str:
    """A day that is in the calendar."""
    try:
        datetime.date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text} is no day: {error}; write YYYY-MM-DD") from None
    return text


Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_no_markup)]
"""Plain text with `code` in single backticks; a blank line starts a new paragraph."""
Code = Annotated[str, StringConstraints(min_length=1)]
Tag = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$", max_length=90)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_a_day)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OlderWording(_Record):
    """Another wording of the same check, from an older or newer release."""

    message: Annotated[str, StringConstraints(min_length=1)]
    """The other template, exactly."""
    why: Prose
    """What changed, and why it is the same check."""


class ExampleFix(_Record):
    """A complete command or snippet that fails, and its repair."""

    before: Code
    after: Code
    language: Language = "bash"


class Misreading(_Record):
    """What the message makes people believe, and what is true."""

    belief: Prose
    truth: Prose


class Value(_Record):
    """What a placeholder of the message stands for."""

    meaning: Prose
    example: str
    """A realistic value, as it is printed."""


class RelatedError(_Record):
    """Another error that readers of this one should know."""

    slug: Slug
    reason: Prose


class Reference(_Record):
    """An upstream issue or pull request."""

    kind: Literal["issue", "pull"]
    number: Annotated[int, Field(gt=0)]
    note: Prose
    """What it says that matters here."""


class Simulation(_Record):
    """The smallest patch that makes a CPU machine look like another one."""

    what: Prose
    """What it pretends, such as `Triton is present`."""
    patch: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*$")]
    """Dotted name of the attribute that is replaced, such as `vllm.config.vllm.HAS_TRITON`."""
    value: Code
    """The replacement as a Python expression."""


class ProofCase(_Record):
    """One run of the real vLLM."""

    args: dict[str, Any] = {}
    """Arguments of `EngineArgs`, besides those that every run has (a tiny local model)."""
    python: str | None = None
    """Python statements to run instead of building the engine configuration; None normally."""
    env: dict[str, str] = {}
    """Environment variables."""
    model: dict[str, Any] = {}
    """Entries of the tiny model's `config.json` that differ from the usual ones."""
    simulate: tuple[Simulation, ...] = ()


class Proof(_Record):
    """How to see the error on the real vLLM, and how to see it gone."""

    fails: ProofCase | None = None
    """Fails with exactly this message; None when it cannot be reached."""
    passes: ProofCase | None = None
    """The same with the first solution applied; None when that cannot be expressed."""
    releases: tuple[str, ...] = ()
    """Versions on which the cases work, such as `0.28.0`; empty when they work wherever the error is raised."""
    unreachable: Prose | None = None
    """Why a CPU machine cannot show the error even with a simulation; None when `fails` is given."""


class Reviewed(_Record):
    """What the analysis was checked against."""

    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,40}$")]
    """Commit of the pin whose source was read."""
    fingerprint: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    """Fingerprint of the check at that commit."""
    date: Day


class Analysis(_Record):
    """Everything that people wrote about one error."""

    message: Annotated[str, StringConstraints(min_length=1)]
    """The template that it explains, exactly as extracted."""
    also_worded: tuple[OlderWording, ...] = ()
    severity: Severity
    verdict: Verdict
    """The answer to "is it me?"."""
    verdict_reason: Prose
    """One sentence that makes the verdict concrete."""
    summary: Prose
    """One or two sentences: what happened and the way out. Shown in search results and lists."""
    documentation: Prose
    """What the check protects against, and why vLLM has it."""
    trigger_scenarios: Prose
    """What exactly makes it fire."""
    common_situations: Prose
    """Where people meet it."""
    solutions: Annotated[tuple[Prose, ...], Field(min_length=1)]
    """Likeliest first; each says what to do and what it costs."""
    example_fix: ExampleFix | None = None
    trade_offs: tuple[Prose, ...] = ()
    misreadings: tuple[Misreading, ...] = ()
    values: dict[str, Value] = {}
    """Placeholder, as between the braces of the message → what it stands for."""
    handling_strategy: Strategy | None = None
    validation_code: Code | None = None
    """Python that checks the configuration before vLLM does."""
    type_guard: Code | None = None
    """A Python function that tells whether a configuration is safe."""
    try_catch_pattern: Code | None = None
    """Python that catches the error where that makes sense."""
    prevention_tips: tuple[Prose, ...] = ()
    tags: Annotated[tuple[Tag, ...], Field(min_length=1)]
    """From `data/tags.yml`, the most telling first."""
    related: tuple[RelatedError, ...] = ()
    references: tuple[Reference, ...] = ()
    ways_out: dict[str, Literal["keeps", "drops"]] = {}
    """Setting of a way out, as the page names it (`--pipeline-parallel-size`) → whether the feature is kept."""
    proof: Proof | None = None
    reviewed: Reviewed

    @property
    def messages(self) -> tuple[str, ...]:
        """All wordings: the canonical one, then the others."""
        return (self.message, *(other.message for other in self.also_worded))


class TagInfo(_Record):
    """A topic."""

    title: Annotated[str, StringConstraints(min_length=1)]
    description: Prose
    """One sentence for lists."""
    introduction: Prose | None = None
    """Two to four sentences for the page of the topic; None until someone writes them."""


class HistoryWording(_Record):
    """Wordings of one check that only pins without pages raise."""

    message: Annotated[str, StringConstraints(min_length=1)]
    """The newest wording, exactly as extracted."""
    also_worded: Annotated[tuple[OlderWording, ...], Field(min_length=1)]


class KnownName(_Record):
    """A name that analyses may mention although no pinned file declares it."""

    name: Annotated[str, StringConstraints(min_length=2)]
    """A flag with its dashes, a variable, a dotted field, or `--flag.key`."""
    reason: Prose
    """Why it is right to mention it."""


@dataclass(frozen=True)
class AnalysisFile:
    """One analysis and the file that it is from."""

    slug: str
    """File name without `.yml`."""
    analysis: Analysis
    file: YamlFile


@dataclass(frozen=True)
class Writing:
    """All hand-written data of a project."""

    analyses: tuple[AnalysisFile, ...]
    """By slug."""
    tags: dict[str, TagInfo]
    renamed: dict[str, str]
    """Old slug → new slug."""
    wordings: tuple[HistoryWording, ...]
    """Joined wordings of errors that have no page."""
    problems: tuple[Problem, ...]
    """What is wrong with the files themselves; a file with a problem has no entry in `analyses`."""
    known_names: tuple[KnownName, ...] = ()
    """Names that need not be declared."""


def load_writing(folder: Path, data: str) -> Writing:
    """Read `analysis/*.yml` and the files beside it, in a folder that messages call `data`.

    Collects problems instead of raising.
    """
    problems: list[Problem] = []
    tags = dict(_load_side_file(folder, data, "tags.yml", _Tags, problems).content)
    renamed = dict(_load_side_file(folder, data, "renamed.yml", _Renamed, problems).content)
    wordings = _load_side_file(folder, data, "wordings.yml", _Wordings, problems).content
    known_names = _load_side_file(folder, data, "known_names.yml", _KnownNames, problems).content
    found: list[AnalysisFile] = []
    for path in sorted((folder / "analysis").glob("*")):
        shown = f"{data}/analysis/{path.name}"
        if path.name.startswith(".") or path.is_dir():
            continue
        if path.suffix != ".yml":
            problems.append(Problem(shown, 0, "is not a .yml file; rename or move it"))
            continue
        unwritten: list[Problem] = []
        try:
            file = read_yaml(path, shown)
            unwritten = list(_unwritten(file))
            problems += unwritten
            analysis = validate(file, Analysis)
        except ProblemsFound as error:
            told = {problem.line for problem in unwritten}
            problems += [problem for problem in error.problems if problem.line not in told]
            continue
        if not is_slug(path.stem):
            problems.append(Problem(shown, 0, "the file name must be lower-case words joined by hyphens; rename it"))
            continue
        problems += _own_problems(file, analysis, tags, data)
        found.append(AnalysisFile(path.stem, analysis, file))
    return Writing(tuple(found), tags, renamed, wordings, tuple(sorted(problems)), known_names)


def is_slug(text: str) -> bool:
    """Whether a text can name a page and its analysis; the page `index` is the list of all errors."""
    return re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,88}[a-z0-9])?", text) is not None and text != "index"


def write_new(path: Path, text: str, shown: str) -> None:
    """Write a new file; never replaces one. Messages call it `shown`.

    Raises:
        ProblemsFound: the file exists already.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ProblemsFound([Problem(shown, 0, "exists already; edit it")]) from None


def replace_file(path: Path, text: str) -> None:
    """Replace a file: beside it first, then renamed over it, so that it is never half-written."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".", delete=False
    ) as beside:
        beside.write(text)
    Path(beside.name).chmod(path.stat().st_mode if path.exists() else 0o644)
    Path(beside.name).replace(path)


def scaffold(message: str, commit: str, fingerprint: str, date: str, placeholders: tuple[str, ...]) -> str:
    """The text of a new analysis file: every required field, each with what belongs there."""
    quoted = _quoted(message)
    values = "".join(
        f"  {_quoted(name)}:\n    meaning: TODO what this value is\n    example: TODO\n"
        for name in dict.fromkeys(placeholders)
    )
    return (
        f"# docs/contributing.md explains every field. Replace each TODO, then run: vllm-errors check\n"
        f"message: {quoted}\n"
        "severity: error                # critical, error, warning or info\n"
        "verdict: configuration         # configuration, version, hardware, environment, vllm-bug or misuse\n"
        "verdict_reason: TODO one sentence, is it me?\n"
        "summary: >-\n  TODO what happened and the way out, in one or two sentences\n"
        "documentation: >-\n  TODO what the check protects against and why vLLM has it\n"
        "trigger_scenarios: >-\n  TODO what exactly makes it fire\n"
        "common_situations: >-\n  TODO where people meet it\n"
        "solutions:\n  - TODO the likeliest first, with what it costs\n"
        + (f"values:\n{values}" if values else "")
        + "tags: [TODO]                   # from data/tags.yml\n"
        f"reviewed:\n  commit: {json.dumps(commit)}\n  fingerprint: {json.dumps(fingerprint)}\n"
        f"  date: {json.dumps(date)}\n"
    )


def _quoted(text: str) -> str:
    """A double-quoted YAML string; what YAML would refuse or take for a line end is escaped."""
    return re.sub(
        r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]",
        lambda found: f"\\u{ord(found[0]):04x}",
        json.dumps(text, ensure_ascii=False),
    )


class _Tags(BaseModel):
    content: dict[Tag, TagInfo] = {}


class _Renamed(BaseModel):
    content: dict[Slug, Slug] = {}


class _Wordings(BaseModel):
    content: tuple[HistoryWording, ...] = ()


class _KnownNames(BaseModel):
    content: tuple[KnownName, ...] = ()


_SideT = TypeVar("_SideT", bound=BaseModel)


def _load_side_file(folder: Path, data: str, name: str, model: type[_SideT], problems: list[Problem]) -> _SideT:
    """One of the small files beside the analyses; a missing one is empty."""
    if not (folder / name).exists():
        return model()
    try:
        file = read_yaml(folder / name, f"{data}/{name}")
        lines = {("content", *location): line for location, line in file.lines.items()}
        return validate(YamlFile(file.path, {"content": file.data} if file.data else {}, lines), model)
    except ProblemsFound as error:
        for problem in error.problems:
            text = problem.text.replace("'content.", "'").replace("'content'", "the file")
            problems.append(Problem(problem.path, problem.line, text))
        return model()


def _unwritten(file: YamlFile) -> Iterator[Problem]:
    """What is left of the scaffold; a message may say TODO."""
    for location, text in _texts(file.data):
        if "TODO" in text and location[-1:] != ("message",):
            yield file.problem(location, f"'{location[0]}' still says TODO; write it or leave the field out")


def _own_problems(file: YamlFile, analysis: Analysis, tags: dict[str, TagInfo], data: str) -> Iterator[Problem]:
    """What one analysis shows to be wrong without looking at vLLM."""
    for index, tag in enumerate(analysis.tags):
        if tag not in tags:
            yield file.problem(("tags", index), f"tag '{tag}' is not in {data}/tags.yml; use one of {', '.join(tags)}")
    for name in ("validation_code", "type_guard", "try_catch_pattern"):
        sample = getattr(analysis, name)
        if sample is not None and (reason := _unparsable(sample, "python")):
            yield file.problem((name,), f"'{name}' is not valid Python: {reason}; mend the sample")
    if analysis.example_fix is not None:
        for side in ("before", "after"):
            if reason := _unparsable(getattr(analysis.example_fix, side), analysis.example_fix.language):
                language = analysis.example_fix.language
                yield file.problem(
                    ("example_fix", side), f"'{side}' is not valid {language}: {reason}; mend the sample"
                )
    messages = analysis.messages
    for index, message in enumerate(messages[1:]):
        if message in messages[: index + 1]:
            yield file.problem(("also_worded", index), "this wording is given twice; keep one")


def _unparsable(sample: str, language: str) -> str | None:
    """Why a code sample does not parse; None when it does or when the language has no parser here."""
    try:
        match language:
            case "python":
                with warnings.catch_warnings(action="ignore"):
                    ast.parse(sample)
            case "json":
                json.loads(sample)
            case "yaml":
                yaml.safe_load(sample)
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno} of the sample)" if error.lineno else error.msg
    except (ValueError, yaml.YAMLError) as error:
        return " ".join(str(error).split())
    except (RecursionError, MemoryError):
        return "nested too deeply"
    return None


def _texts(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """All strings of nested data, with where they stand."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*at, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*at, index))
