"""Related errors: those of the same function, topic or setting, at most six, each with its reason.

Pure and deterministic; what an analysis names itself comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

from generator.catalog import Catalog, Error
from generator.names import names_read

_MOST = 6


@dataclass(frozen=True)
class Related:
    """One neighbour of an error."""

    error: Error
    reason: str
    """Why it is related: plain text with `code` in backticks."""


def related_errors(error: Error, catalog: Catalog) -> tuple[Related, ...]:
    """The neighbours of an error, the closest first."""
    chosen: dict[str, Related] = {}
    for named in error.analysis.related if error.analysis else ():
        if named.slug in catalog.by_slug:
            chosen[named.slug] = Related(catalog.by_slug[named.slug], named.reason)
    scored = [(_closeness(error, other), other) for other in catalog.errors if other.slug != error.slug]
    scored.sort(key=lambda pair: (-pair[0][0], _distance(error, pair[1]), pair[1].slug))
    for (score, reason), other in scored:
        if score > 0:
            chosen.setdefault(other.slug, Related(other, reason))
    return tuple(chosen.values())[:_MOST]


def _closeness(error: Error, other: Error) -> tuple[int, str]:
    """A score, and the reasons in words."""
    score, reasons = 0, []
    here, there = error.primary.site, other.primary.site
    shared = [name for name in names_read(here) if name in names_read(there) and "." in name]
    if shared:
        score += 2 * len(shared)
        reasons.append("reads " + ", ".join(f"`{name}`" for name in shared[:2]) + " too")
    if here.function == there.function:
        score += 1 if here.function.endswith("__post_init__") else 3
        reasons.append(f"raised by the same function, `{here.function}`")
    if error.analysis and other.analysis:
        topics = [tag for tag in error.analysis.tags if tag in other.analysis.tags]
        score += 2 * len(topics)
        if topics:
            reasons.append(f"same topic: {topics[0]}")
    return score, "; ".join(reasons)


def _distance(error: Error, other: Error) -> int:
    return abs(error.primary.site.line - other.primary.site.line)
