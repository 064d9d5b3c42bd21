"""The form of every JSON document, as pydantic models: field names, types and meanings.

Builds nothing: `endpoints.py` fills these, and the schema is made from them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from generator.analysis import Severity, Strategy, Verdict
from generator.setting_documents import (
    Document,
    ItemListDocument,
    NextCheckDocument,
    UnresolvedDocument,
    WayOutDocument,
)


class GuardDocument(Document):
    """One condition that must hold for control to reach the statement."""

    text: str
    """The condition as Python, or the head of a block (`for x in y`)."""
    holds: bool
    """Whether it must be true or false."""
    line_number: int
    """From 1."""
    origin: str
    """`branch`, `earlier exit`, `earlier check` (another error would have been raised), `own test` or `wording`."""
    words: str | None
    """The same as a sentence; null where no sentence would be true, and for what is not computed."""
    settings: list[str]
    """Names of the settings that it reads, see `/api/settings.json`."""


class CallerDocument(Document):
    """A call of the function from the same file."""

    function: str
    line_number: int
    guards: list[GuardDocument]


class OccurrenceDocument(Document):
    """One raise site in one pin."""

    pin: str
    """Release tag, or ten hex digits."""
    commit: str
    """Commit id; abbreviated where the release records no more."""
    date: str
    """`YYYY-MM-DD`."""
    error_message: str
    """The wording of this pin."""
    line_number: int
    """First line of the statement, from 1."""
    end_line_number: int
    """Last line, inclusive."""
    function: str
    """Qualified name."""
    error_class: str
    kind: Literal["raise", "assert"]
    source_code: str | None
    """Lines `sourceCodeStart` to `sourceCodeEnd`; null in the pins that are history only."""
    source_code_start: int | None
    source_code_end: int | None
    github_url: str
    """Pinned to the commit (or tag) and the lines of the statement."""
    guards: list[GuardDocument]
    """In order of evaluation."""
    called_from: list[CallerDocument]
    appears: list[Literal["validation", "bare"]]
    """Inside a pydantic ValidationError, by itself, or both."""
    fingerprint: str
    """The same as long as the check is the same."""
    ways_out: list[WayOutDocument]
    """What makes the check pass, the last condition first; empty in the pins that are history only."""


class ExampleFixDocument(Document):
    """A repair in two snippets."""

    before: str
    after: str
    language: str


class MisreadingDocument(Document):
    """What people believe, and what is true."""

    belief: str
    truth: str


class PlaceholderDocument(Document):
    """One value that the message prints."""

    placeholder: str
    """As between the braces of the message."""
    meaning: str | None
    example: str | None
    texts: list[str]
    """Texts that the source determines for it; empty when it can be anything."""


class ReferenceDocument(Document):
    """An upstream issue or pull request."""

    kind: Literal["issue", "pull"]
    number: int
    url: str
    note: str


class RelatedDocument(Document):
    """Another error."""

    id: str
    slug: str
    error_message: str
    reason: str


class ProofDocument(Document):
    """What the real vLLM did."""

    release: str
    """Version, without `v`."""
    platform: str
    """What ran, in words."""
    outcome: Literal["reproduced", "simulated"]
    """`simulated` when something had to be pretended."""
    simulated: list[str]
    """What was pretended."""
    arguments: dict[str, Any]
    """`EngineArgs` that fail."""
    environment: dict[str, str]
    """Environment variables of the run."""
    printed: str
    """What vLLM printed, trimmed."""
    first_solution: Literal["accepted", "another error", "untested"]
    """What came of the arguments with the first solution applied."""


class StatusDocument(Document):
    """How far the record can be trusted."""

    analysis: Literal["present", "stale", "missing"]
    raised: Literal["raised", "retired"]
    """`retired` when the newest pin no longer raises it."""
    since: str
    """The oldest pin that raises it, of all that are tracked."""
    lifted_in: str | None
    """The pin after the last one that raises it; null while the newest one does."""


class WordingDocument(Document):
    """Another wording of the same check."""

    id: str
    """Answers with the same document."""
    error_message: str
    message_pattern: str
    pins: list[str]


class ErrorDocument(Document):
    """One error: `/api/errors/<id>`."""

    id: str
    """First 16 hex digits of SHA-256 over repository, message and file, joined by U+0001."""
    repo: str
    """`owner/name`."""
    slug: str
    """Name of the page."""
    error_code: None = None
    """Always null: vLLM's errors have no codes."""
    error_message: str
    """The message with its placeholders in braces."""
    message_pattern: str
    """A regular expression that finds the printed message; at most 500 characters."""
    error_type: Literal["exception"] = "exception"
    """Always `exception`."""
    error_class: str
    """Name of the exception class as raised."""
    severity: Severity | None
    """`critical`, `error`, `warning` or `info`; null without analysis."""
    file_path: str
    """File that raises, relative to the repository."""
    line_number: int
    """First line of the statement at the newest pin that raises it, from 1."""
    source_code: str
    """The lines around the statement."""
    source_code_start: int
    """First line of `sourceCode`, from 1."""
    source_code_end: int
    """Last line of `sourceCode`, inclusive."""
    github_url: str
    """The statement in the source, pinned to a commit or tag."""
    documentation: str | None
    """What the check protects against, and why it is there."""
    trigger_scenarios: str | None
    """What exactly makes it fire."""
    common_situations: str | None
    """Where people meet it."""
    solutions: list[str]
    """What to do, likeliest first, each with its cost; empty without analysis."""
    example_fix: str | None
    """Both snippets of the example in one text; null without one. See `exampleFixParts`."""
    handling_strategy: Strategy | None
    """`try-catch`, `type-guard`, `validation`, `retry` or `fallback`; null when none applies."""
    validation_code: str | None
    """Python that checks a configuration beforehand, or null."""
    type_guard: str | None
    """A Python function that tells whether a configuration is safe, or null."""
    try_catch_pattern: str | None
    """Python that catches the error, or null."""
    prevention_tips: list[str]
    """Short rules that keep it from coming back."""
    tags: list[str]
    """Topics, the most telling first."""
    analyzed_sha: str | None
    """Commit that the analysis was reviewed against; null without one."""
    analyzed_at: str | None
    """`YYYY-MM-DD`."""
    schema_version: Literal[1] = Field(default=1)
    """1; goes up when a field changes its meaning or goes."""
    summary: str | None
    """What happened and the way out, in one or two sentences; null without analysis."""
    verdict: Verdict | None
    """Is it me? `configuration`, `version`, `hardware`, `environment`, `vllm-bug`, `misuse`; null without analysis."""
    verdict_reason: str | None
    """The verdict in one sentence."""
    status: StatusDocument
    """How far the record can be trusted, and whether the newest pin raises the error."""
    example_fix_parts: ExampleFixDocument | None
    """The two snippets of the example, apart; null without one."""
    trade_offs: list[str]
    """What the ways out cost."""
    misreadings: list[MisreadingDocument]
    """What the text makes people believe, and what is true."""
    placeholders: list[PlaceholderDocument]
    """The values that the message prints, in order."""
    references: list[ReferenceDocument]
    """Upstream issues and pull requests."""
    related: list[RelatedDocument]
    """Up to six neighbours, the closest first."""
    proofs: list[ProofDocument]
    """Runs on the real vLLM, newest release first; empty when there is none."""
    also_worded: list[WordingDocument]
    """Other wordings of the same check."""
    url: str
    """Address of the page, relative to the root of the site."""
    settings: list[str]
    """Names of the settings that the check reads, those behind properties last; see `/api/settings.json`."""
    unresolved: list[UnresolvedDocument]
    """Names that the check reads and whose setting is not known."""
    next_checks: list[NextCheckDocument]
    """What the same function tests afterwards."""
    possible_items: list[ItemListDocument]
    """What lists in the message can hold."""
    occurrences: list[OccurrenceDocument]
    """Newest pin first."""


class IndexRow(Document):
    """One error in brief."""

    id: str
    slug: str
    error_message: str
    error_class: str
    severity: Severity | None
    verdict: Verdict | None
    summary: str | None
    tags: list[str]
    pins: list[str]
    """Pins that raise it, newest first."""
    status: StatusDocument
    url: str
    json_url: str


class PinDocument(Document):
    """One tracked commit."""

    pin: str
    commit: str
    date: str
    documented: bool
    without_page: list[dict[str, Any]]
    """`raise` and `assert` statements that get no page: `kind`, `lineNumber`, `function`, `status`, `reason`."""


class IndexDocument(Document):
    """`/api/index.json`."""

    schema_version: Literal[1] = Field(default=1)
    repo: str
    endpoints: dict[str, str]
    """What there is → its address, relative to the root of the site."""
    pins: list[PinDocument]
    errors: list[IndexRow]


class ErrorsDocument(Document):
    """`/api/errors.json`."""

    schema_version: Literal[1] = Field(default=1)
    errors: list[ErrorDocument]


class ChangeDocument(Document):
    """One error that is not the same at two pins."""

    id: str
    error_message: str
    """The wording of the newer pin, or of the older one when it was retired."""
    slug: str | None
    """Its page; null when it has none."""
    changes: list[str]
    """`added`, `retired`, `reworded`, `moved`, `guards changed`, `exception class changed`."""
    settings: list[str]
    """What the check reads."""
    message_before: str | None
    message_after: str | None
    function_before: str | None
    function_after: str | None
    line_before: int | None
    line_after: int | None
    class_before: str | None
    class_after: str | None
    guards_gone: list[str]
    """Conditions that only the older pin has."""
    guards_new: list[str]
    """Conditions that only the newer pin has."""


class ChangesDocument(Document):
    """`/api/changes/<from>..<to>.json`: two neighbouring pins."""

    schema_version: Literal[1] = Field(default=1)
    from_pin: str
    to_pin: str
    counts: dict[str, int]
    """Kind of change → number of errors."""
    errors: list[ChangeDocument]


class StateDocument(Document):
    """One error at one pin."""

    message: int
    """Position in `texts` of the wording."""
    function: int
    """Position in `texts`."""
    error_class: int
    """Position in `texts`."""
    guards: list[int]
    """Positions in `texts` of the conditions of the check itself."""


class HistoryRow(Document):
    """One error at every pin."""

    id: str
    slug: str | None
    settings: list[str]
    topics: list[str]
    """Titles, the most telling first; empty without an analysis."""
    states: list[StateDocument | None]
    """One per pin, in the order of `pins`; null where the pin does not raise it."""


class HistoryDocument(Document):
    """`/api/history.json`: enough to compare any two pins."""

    schema_version: Literal[1] = Field(default=1)
    pins: list[str]
    """Oldest first."""
    texts: list[str]
    """Every text once; the states refer to it by position."""
    errors: list[HistoryRow]


class FlagsDocument(Document):
    """`/api/flags.json`: every flag of the engine, without line breaks and blanks between values."""

    schema_version: Literal[1] = Field(default=1)
    pins: list[str]
    """The documented pins, newest first."""
    flags: dict[str, list[int]]
    """Any spelling → positions in `pins` of those that have it. Flags of the server alone are absent."""


class LookupRow(Document):
    """One error, as far as a search needs it."""

    id: str
    slug: str | None
    """Name of its page; null when only releases without pages raise it."""
    lifted_in: int | None
    """Position in `pins` of the first one that no longer raises it; null while the newest one does."""
    bare: bool
    """Whether it can be printed without pydantic's wrapper."""
    openings: dict[str, list[str]]
    """Placeholder → first words, as a search writes them, of what the source puts there."""
    wordings: list[list[str]]
    """Each as fixed text and placeholders in turn: the second, fourth, … are placeholders; the canonical one first."""


class LookupDocument(Document):
    """`/api/lookup.json`: what the search of a pasted log needs, without line breaks and blanks between values."""

    schema_version: Literal[1] = Field(default=1)
    path: str
    """The documented files, parted by `, `."""
    pins: list[str]
    """Newest first."""
    settings: dict[str, list[str]]
    """Config object → those of its fields that the checks read."""
    errors: list[LookupRow]
    lines: list[str]
    """For each pin, the lines of all wordings in order, parted by commas; `+` between the lines of one wording. Each
    number is the difference to the one before, and nothing stands for a wording that the pin does not have.
    """
