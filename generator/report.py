"""Comparisons and pin proposals as text, Markdown or JSON, for the command line and for pull requests.

Prints nothing and decides nothing: values in, text out.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from generator.catalog import Catalog
from generator.endpoints import changes_document, to_json
from generator.errors import Problem
from generator.history import Change, Comparison, Difference
from generator.render import render_changes
from generator.repin import Proposal

Form = Literal["text", "markdown", "json"]


def diff_report(comparison: Comparison, catalog: Catalog, form: Form) -> str:
    """What differs between two pins."""
    if form == "json":
        return to_json(changes_document(comparison)).rstrip("\n")
    if form == "markdown":
        return render_changes(comparison, catalog, linked=False).rstrip("\n")
    lines = [f"{comparison.older.label} → {comparison.newer.label}"]
    for each in comparison.differences:
        lines += _difference_lines(each)
    counts = [f"{len(comparison.having(change))} {change.value}" for change in Change]
    return "\n".join([*lines, ", ".join(counts)])


def pin_report(proposal: Proposal, form: Form, only_tell: bool) -> str:
    """What a new pin changes, and what to do next."""
    pin = proposal.pin
    if form == "json":
        return json.dumps(_proposal_data(proposal), indent=2, ensure_ascii=False)
    if not proposal.is_new:
        return f"{pin.label} ({pin.commit}) is pinned already; nothing to do"
    head = f"{pin.label} ({pin.commit}, {pin.date}), {len(pin.blobs)} files verified"
    parts = [head]
    if proposal.comparison is not None:
        parts.append(diff_report(proposal.comparison, proposal.catalog, form))
    parts += _work_left(proposal, "## " if form == "markdown" else "")
    if form == "text":
        verb = "would be" if only_tell else "is now"
        parts.append(
            f"data/pins.toml {verb} written. Next: vllm-errors check; write or review what it lists; make test"
        )
    return "\n\n".join(parts)


def _difference_lines(each: Difference) -> list[str]:
    newest = each.after or each.before or each.error.primary
    where = f"{newest.path}:{newest.site.line}"
    lines = [f"{', '.join(each.changes)}: {newest.site.template.text}", f"    {each.error.id}  {where}"]
    if each.before and each.after:
        if Change.REWORDED in each.changes:
            lines.append(f"    was: {each.before.site.template.text}")
        if Change.MOVED in each.changes:
            lines.append(f"    from {each.before.site.function} to {each.after.site.function}")
        if Change.CLASS in each.changes:
            lines.append(f"    {each.before.site.exception} became {each.after.site.exception}")
    lines += [f"    no longer asked: {guard}" for guard in each.guards_gone]
    lines += [f"    newly asked: {guard}" for guard in each.guards_new]
    return lines


def _work_left(proposal: Proposal, mark: str) -> list[str]:
    """The analyses to write, to read again, and to mend."""
    groups = [
        ("Analyses to write", [f"{error.message} (vllm-errors new {error.id})" for error in proposal.missing]),
        (
            "Analyses to read again",
            [f"{error.slug} (vllm-errors reviewed {error.slug})" for error in proposal.stale],
        ),
        ("Problems", [str(problem) for problem in proposal.catalog.problems]),
    ]
    return ["\n".join([f"{mark}{title}", "", *(f"- {line}" for line in lines)]) for title, lines in groups if lines]


def _proposal_data(proposal: Proposal) -> dict[str, Any]:
    def rows(problems: tuple[Problem, ...]) -> list[str]:
        return [str(problem) for problem in problems]

    comparison = proposal.comparison
    return {
        "pin": proposal.pin.label,
        "commit": proposal.pin.commit,
        "date": proposal.pin.date,
        "isNew": proposal.is_new,
        "changes": changes_document(comparison).model_dump(by_alias=True) if comparison else None,
        "stale": [error.slug for error in proposal.stale],
        "missing": [{"id": error.id, "errorMessage": error.message} for error in proposal.missing],
        "problems": rows(proposal.catalog.problems),
    }
