"""Joins the raise sites of all pins with the analyses into `Error`s; every gap is in one report.

Pure: reads no files. An error is all sites, over all pins, that share one template, or templates that an analysis
declares to be wordings of the same check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from generator.analysis import Analysis, AnalysisFile, TagInfo, Writing
from generator.errors import Problem
from generator.explain import Explainer, Explanation
from generator.extract import Extraction, OtherStatement, RaiseSite
from generator.message import MessageTemplate, message_id
from generator.pins import Pin
from generator.proof import LONGEST_PRINTED, Outcome, Run, case_hash, find, prints

_SLUG_LENGTH = 70


@dataclass(frozen=True)
class Occurrence:
    """One raise site in one pin."""

    pin: Pin
    path: str
    """File, relative to the repository."""
    site: RaiseSite


@dataclass(frozen=True)
class Error:
    """One check of the documented project, over all pins."""

    repository: str
    """`owner/name`."""
    path: str
    """File, relative to the repository."""
    slug: str
    """Name of its page and of its analysis."""
    template: MessageTemplate
    """The canonical wording: the one that the analysis names, else the one of the newest pin."""
    occurrences: tuple[Occurrence, ...]
    """Newest pin first, then by line; never empty."""
    lifted_in: Pin | None
    """The pin after the last one that raises it; None while the newest one does."""
    analysis: Analysis | None
    analysis_path: str | None
    """The analysis file, relative to the project folder; None when there is none."""

    @cached_property
    def id(self) -> str:
        """16 hex digits, from the canonical wording."""
        return self.template.error_id(self.repository, self.path)

    @property
    def message(self) -> str:
        """The canonical wording with its placeholders."""
        return self.template.text

    @property
    def primary(self) -> Occurrence:
        """The occurrence that is shown first: of the newest pin that raises the error."""
        return self.occurrences[0]

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """The pins that raise it, newest first."""
        return tuple({each.pin.label: each.pin for each in self.occurrences}.values())

    @property
    def is_retired(self) -> bool:
        """Whether the newest pin no longer raises it."""
        return self.lifted_in is not None

    @cached_property
    def other_wordings(self) -> tuple[MessageTemplate, ...]:
        """Wordings other than the canonical one, newest first."""
        found = {each.site.template.text: each.site.template for each in self.occurrences}
        return tuple(template for text, template in found.items() if text != self.message)

    @cached_property
    def other_ids(self) -> tuple[str, ...]:
        """The ids of the other wordings, which lead to the same document."""
        return tuple(template.error_id(self.repository, self.path) for template in self.other_wordings)

    @property
    def is_stale(self) -> bool:
        """Whether the check has changed since the analysis was written: no pin with its commit has its fingerprint,
        or the newest pin that raises it has another one.
        """
        return self.analysis is not None and self.analysis.reviewed.fingerprint != self.primary.site.fingerprint


@dataclass(frozen=True)
class Catalog:
    """Everything that is known."""

    repository: str
    pins: tuple[Pin, ...]
    """Newest first."""
    errors: tuple[Error, ...]
    """Those that a documented pin raises; by path and line of the primary occurrence, retired ones last."""
    history_only: tuple[Error, ...]
    """Those that only pins without pages raise, in the same order; they have no page."""
    undocumented: Mapping[str, tuple[OtherStatement, ...]]
    """Pin label → statements that get no page."""
    runs: tuple[Run, ...]
    """What the real vLLM printed, by release."""
    tags: Mapping[str, TagInfo]
    renamed: Mapping[str, str]
    """Old slug → new slug."""
    problems: tuple[Problem, ...]
    """What makes the data wrong; a build stops at these."""
    gaps: tuple[Problem, ...]
    """What is missing or stale; a build shows these on the pages and goes on."""
    explainers: Mapping[str, Explainer] = field(default_factory=dict, repr=False)
    """Pin label → what computes conditions, settings and ways out of a documented pin; empty when nobody asked."""

    def explanation(self, occurrence: Occurrence) -> Explanation | None:
        """What is computed about a raise site; None at pins without pages, and when nobody asked."""
        explainer = self.explainers.get(occurrence.pin.label)
        return explainer.explain(occurrence.path, occurrence.site) if explainer else None

    @cached_property
    def setting_pages(self) -> frozenset[str]:
        """The names of all settings that have a page: those that a check of a documented pin involves."""
        explained = (self.explanation(each) for error in self.errors for each in error.occurrences)
        return frozenset(each.setting.name for found in explained if found for each in found.involved)

    @cached_property
    def by_wording(self) -> dict[tuple[str, str], Error]:
        """Path and wording of a raise site → the error with a page that it belongs to."""
        return {(each.path, each.site.template.text): error for error in self.errors for each in error.occurrences}

    @cached_property
    def by_slug(self) -> dict[str, Error]:
        """Slug → error."""
        return {error.slug: error for error in self.errors}

    def proofs(self, error: Error) -> tuple[tuple[Run, Outcome], ...]:
        """The recorded outcomes that still hold for an error, newest release first."""
        return tuple(reversed([each for each in find(self.runs, error.slug) if not _proof_complaint(error, *each)]))

    @property
    def latest(self) -> Pin:
        """The newest pin."""
        return self.pins[0]


def join(
    repository: str,
    pins: Sequence[Pin],
    extractions: Mapping[str, Sequence[Extraction]],
    writing: Writing,
    data: str,
    runs: Sequence[Run] = (),
) -> Catalog:
    """Join sites and analyses.

    Args:
        repository: `owner/name` of the documented project.
        pins: Newest first.
        extractions: Pin label → the extractions of its files.
        writing: The hand-written data.
        data: Name of the data folder, for messages.
        runs: The recorded proofs.
    """
    problems = list(writing.problems)
    groups = _group(pins, extractions)
    owners = _owners(writing, problems)
    canonical = {m: file.analysis.message for m, file in owners.items()}
    canonical |= {other.message: each.message for each in writing.wordings for other in each.also_worded}
    errors: list[Error] = []
    used: set[str] = set()
    taken = {"index", *(file.slug for file in writing.analyses)}
    for path in sorted({path for path, _ in groups}):
        merged: dict[str, list[Occurrence]] = {}
        for (group_path, text), found in groups.items():
            if group_path == path:
                merged.setdefault(canonical.get(text, text), []).extend(found)
        for message, found in merged.items():
            file = owners.get(message)
            slug = file.slug if file and file.slug not in used else None  # two files may raise one message
            used |= {file.slug} if file else set()
            errors.append(_error(repository, path, pins, message, found, file, slug, taken, data))
    errors.sort(key=lambda error: (error.is_retired, error.path, error.primary.site.line, error.message))
    history_only = tuple(error for error in errors if not any(pin.documented for pin in error.pins))
    errors = [error for error in errors if any(pin.documented for pin in error.pins)]
    known = {text for _, text in groups}
    problems += _unmatched(writing.analyses, known)
    problems += [
        Problem(f"{data}/wordings.yml", 0, f"no pin raises {_short(message)!r}; copy it exactly or delete it")
        for each in writing.wordings
        for message in (each.message, *(other.message for other in each.also_worded))
        if message not in known
    ]
    problems += [
        Problem(
            f"{data}/wordings.yml", 0, f"{owners[other.message].file.path} has {_short(other.message)!r} too; delete it"
        )
        for each in writing.wordings
        for other in each.also_worded
        if other.message in owners
    ]
    problems += _bad_references(writing, {error.slug for error in errors}, data)
    return Catalog(
        repository=repository,
        pins=tuple(pins),
        errors=tuple(errors),
        history_only=history_only,
        undocumented={label: tuple(o for e in found for o in e.others) for label, found in extractions.items()},
        runs=tuple(runs),
        tags=writing.tags,
        renamed=writing.renamed,
        problems=tuple(sorted(set(problems))),
        gaps=tuple(sorted([*_gaps(errors, data), *_void_proofs(errors, runs, data)])),
    )


def slug_of(template: MessageTemplate) -> str:
    """Whole lower-case words of the fixed text, up to about 70 characters; never empty."""
    words = re.findall(r"[a-z0-9]+", template.fixed_text.lower().replace("'", ""))
    slug = ""
    for word in words:
        if slug and len(slug) + 1 + len(word) > _SLUG_LENGTH:
            break
        slug = f"{slug}-{word}" if slug else word[:_SLUG_LENGTH]
    return slug or message_id("", template.text, "")


def _group(
    pins: Sequence[Pin], extractions: Mapping[str, Sequence[Extraction]]
) -> dict[tuple[str, str], list[Occurrence]]:
    """(Path, template text) → occurrences, newest pin first, then by line."""
    groups: dict[tuple[str, str], list[Occurrence]] = {}
    for pin in pins:
        for extraction in extractions[pin.label]:
            for site in extraction.sites:
                key = (extraction.path, site.template.text)
                groups.setdefault(key, []).append(Occurrence(pin, extraction.path, site))
    return groups


def _owners(writing: Writing, problems: list[Problem]) -> dict[str, AnalysisFile]:
    """Template text → the analysis that explains it."""
    owners: dict[str, AnalysisFile] = {}
    for file in writing.analyses:
        for index, message in enumerate(file.analysis.messages):
            if message in owners:
                where = ("also_worded", index - 1) if index else ("message",)
                other = owners[message].file.path
                problems.append(file.file.problem(where, f"{other} explains this message too; keep it in one of them"))
            else:
                owners[message] = file
    return owners


def _error(
    repository: str,
    path: str,
    pins: Sequence[Pin],
    message: str,
    found: list[Occurrence],
    file: AnalysisFile | None,
    slug: str | None,
    taken: set[str],
    data: str,
) -> Error:
    order = {pin.label: index for index, pin in enumerate(pins)}
    found = sorted(found, key=lambda each: (order[each.pin.label], each.site.line))
    template = next((each.site.template for each in found if each.site.template.text == message), None)
    template = template or found[0].site.template
    if slug is None:
        words = slug_of(template)
        slug = f"{words}-{template.error_id(repository, path)[:6]}" if words in taken else words
    taken.add(slug)
    return Error(
        repository=repository,
        path=path,
        slug=slug,
        template=template,
        occurrences=tuple(found),
        lifted_in=pins[last - 1] if (last := order[found[0].pin.label]) else None,
        analysis=file.analysis if file else None,
        analysis_path=f"{data}/analysis/{file.slug}.yml" if file else None,
    )


def _unmatched(analyses: Sequence[AnalysisFile], known: set[str]) -> list[Problem]:
    """Analyses whose message no pin raises."""
    found: list[Problem] = []
    for file in analyses:
        if file.analysis.message not in known:
            text = "no pin raises this message; copy it exactly from: vllm-errors extract"
            found.append(file.file.problem(("message",), text))
        for index, message in enumerate(file.analysis.messages[1:]):
            if message not in known:
                text = "no pin raises this wording; copy it exactly from: vllm-errors extract"
                found.append(file.file.problem(("also_worded", index, "message"), text))
    return found


def _bad_references(writing: Writing, slugs: set[str], data: str) -> list[Problem]:
    """Related slugs and renames that lead nowhere, and values of placeholders that the message does not have."""
    found: list[Problem] = []
    for file in writing.analyses:
        for index, related in enumerate(file.analysis.related):
            if related.slug not in slugs or related.slug == file.slug:
                text = f"'{related.slug}' is not another error; use the name of a page"
                found.append(file.file.problem(("related", index, "slug"), text))
        for name in file.analysis.values:
            if not any(f"{{{name}}}" in message for message in file.analysis.messages):
                text = f"the message has no placeholder {{{name}}}; write it as in the message"
                found.append(file.file.problem(("values", name), text))
    for old, new in writing.renamed.items():
        if new not in slugs or old in slugs:
            reason = f"'{old}' is still a page" if old in slugs else f"'{new}' is not a page"
            found.append(Problem(f"{data}/renamed.yml", 0, f"{reason}; name an old page and the one that replaced it"))
    return found


def _gaps(errors: Sequence[Error], data: str) -> list[Problem]:
    """Errors without analysis, and analyses written for a check that has changed since."""
    found: list[Problem] = []
    for error in errors:
        site = error.primary.site
        if error.analysis is None:
            text = f"no analysis of {_short(error.message)!r}; write one with: vllm-errors new {error.id}"
            found.append(Problem(f"{error.path}@{error.primary.pin.label}", site.line, text))
        elif error.is_stale:
            now, then = site.fingerprint, error.analysis.reviewed.fingerprint
            text = (
                f"written for a check with fingerprint {then}; in {error.primary.pin.label} it is {now} "
                f"({error.path}:{site.line}); read it again, then set 'fingerprint: {now}'"
            )
            found.append(Problem(f"{data}/analysis/{error.slug}.yml", 0, text))
    return found


def _void_proofs(errors: Sequence[Error], runs: Sequence[Run], data: str) -> list[Problem]:
    """Recorded proofs that no longer belong to their error."""
    by_slug = {error.slug: error for error in errors}
    found: list[Problem] = []
    for run in runs:
        for outcome in run.outcomes:
            error = by_slug.get(outcome.slug)
            complaint = _proof_complaint(error, run, outcome) if error else "there is no such error"
            if complaint:
                text = f"{outcome.slug}: {complaint}; run again: vllm-errors prove {run.release}"
                found.append(Problem(f"{data}/proofs/{run.release}.yml", 0, text))
    return found


def _proof_complaint(error: Error, run: Run, outcome: Outcome) -> str | None:
    """Why a recorded outcome does not hold; None when it does."""
    proof = error.analysis.proof if error.analysis else None
    here = next((each for each in error.occurrences if each.pin.tag == f"v{run.release}"), None)
    if proof is None or case_hash(proof) != outcome.case:
        return "the case in the analysis has changed since"
    if here is None or here.site.template.text != outcome.message:
        return f"{run.release} does not raise this message"
    if here.site.fingerprint != outcome.fingerprint:
        return "the record has another fingerprint than the check"
    if not prints(outcome.printed, here.site.template) and len(outcome.printed) < LONGEST_PRINTED:
        return "the printed text is not this message"
    return None


def _short(text: str) -> str:
    return text if len(text) <= 70 else f"{text[:67]}..."
