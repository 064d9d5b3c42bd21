"""`MessageTemplate`: the fixed text of a message and its placeholders; its id and its search pattern.

Knows nothing about files, trees or errors: text in, text out.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_PATTERN_LIMIT = 500
"""Characters of a search pattern; readers of the dataset format skip longer ones."""


@dataclass(frozen=True)
class Placeholder:
    """One value that is put into a message."""

    source: str
    """The text between the braces as the f-string has it, conversion and format included: `x!r:>5`."""
    expression: str
    """The expression alone, without conversion, format or a trailing `=`: `x`."""

    @property
    def prefix(self) -> str:
        """What a self-documenting placeholder prints before its value: `x=` for `{x=}`, else nothing."""
        rest = self.source[self.source.find(self.expression) + len(self.expression) :]
        match = re.match(r"\s*=\s*(?=[!:]|$)", rest)
        return self.source[: len(self.source) - len(rest)] + match.group() if match else ""


@dataclass(frozen=True)
class MessageTemplate:
    """A message as the source writes it: fixed text and placeholders in turn."""

    parts: tuple[str | Placeholder, ...]
    """Fixed texts (never empty, never two in a row) and placeholders, in order."""

    @classmethod
    def of(cls, *parts: str | Placeholder) -> MessageTemplate:
        """A template of the given parts, with neighbouring texts joined and empty ones dropped."""
        joined: list[str | Placeholder] = []
        for part in parts:
            if isinstance(part, str) and joined and isinstance(joined[-1], str):
                joined[-1] += part
            elif part != "":
                joined.append(part)
        return cls(tuple(joined))

    @property
    def text(self) -> str:
        """The template in one string, each placeholder as `{source}`; fixed text is as it is printed."""
        return "".join(part if isinstance(part, str) else f"{{{part.source}}}" for part in self.parts)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """The placeholders, in order; an expression that is printed twice is there twice."""
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    @property
    def fixed_text(self) -> str:
        """The fixed text alone."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def has_words(self) -> bool:
        """Whether the fixed text holds a letter or digit, without which no log can be recognised."""
        return any(character.isalnum() for character in self.fixed_text)

    @property
    def pattern(self) -> str:
        r"""A regular expression, valid in Python and JavaScript, that finds the printed message in a text.

        Runs of white space match any white space; each placeholder is one capturing group. A pattern that would be
        longer than 500 characters ends earlier, at the end of a word.
        """
        pattern = ""
        for index, part in enumerate(self.parts):
            if isinstance(part, Placeholder):
                group = "(.*)" if index == len(self.parts) - 1 else "(.*?)"
                pieces = [*_literal_pieces(part.prefix), group]
            else:
                pieces = _literal_pieces(part)
            for piece in pieces:
                if len(pattern) + len(piece) > _PATTERN_LIMIT:
                    return pattern.removesuffix(r"\s+")
                pattern += piece
        return pattern

    def error_id(self, repository: str, path: str) -> str:
        """The id of the error: 16 hex digits that depend on repository, message and file, on nothing else."""
        return message_id(repository, self.text, path)


def message_id(repository: str, text: str, path: str) -> str:
    """First 16 hex digits of the SHA-256 of repository, template text and path, joined by U+0001."""
    key = "\x01".join((repository, text, path))
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _literal_pieces(text: str) -> list[str]:
    r"""Escaped words, and `\s+` for the white space between them; a very long word comes in several pieces."""
    return [
        r"\s+" if piece.isspace() else re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", piece)
        for piece in re.findall(r"\s+|\S{1,60}", text)
    ]
