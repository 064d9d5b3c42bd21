"""Everything that can go wrong, as one tree; messages say what, where and what to do next.

    GeneratorError            anything a person can mend: shown without a traceback
    ├── PinError              data/pins.toml cannot be read or written, or a pin is malformed
    ├── SourceError           no source has the pinned bytes of a file
    ├── ExtractError          a pinned file cannot be parsed
    ├── TemplateError         a page template is broken
    └── ProblemsFound         a list of problems in the data, all reported at once

`cli.py` turns a `GeneratorError` into exit code 1, `plugin.py` into MkDocs' `PluginError`.
This module never formats for one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class GeneratorError(Exception):
    """Base of all expected failures. `str()` is the whole message for a person, possibly of several lines."""


class PinError(GeneratorError):
    """A pin or the pins file is malformed; the message names the file and the field."""


class SourceError(GeneratorError):
    """The bytes of a pinned file could not be had; the message lists every source that was tried."""


class ExtractError(GeneratorError):
    """A source file cannot be read as Python; the message names file, line and cause."""


class TemplateError(GeneratorError):
    """A template of `generator/templates/` failed; the message names the template and the line."""


@dataclass(frozen=True, order=True)
class Problem:
    """One complaint about a hand-written file."""

    path: str
    """File, relative to the project folder, with forward slashes."""
    line: int
    """Line of the complaint, counted from 1; 0 when the file as a whole is meant."""
    text: str
    """What is wrong and what to do, in one line, without the location."""

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else self.path
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in f"{where}: {self.text}")


class ProblemsFound(GeneratorError):
    """Problems in hand-written data. `problems` is sorted and never empty."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))
