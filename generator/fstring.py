"""The placeholders of an f-string exactly as they are written.

`ast` keeps the values but not their text, and Python 3.11 does not record where they stand, so the source of the
literal is scanned here. Evaluates nothing and never judges whether the Python is valid: the parser has done that.
"""

from __future__ import annotations

import ast
import re

from generator.message import Placeholder

_OPENING = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')")
_BETWEEN = re.compile(r"(?:\s|\\\r?\n|#[^\n]*)*")


def fstring_parts(node: ast.JoinedStr, source: str) -> list[str | Placeholder]:
    """Fixed texts and placeholders of an f-string, implicitly joined neighbours included.

    Args:
        node: The parsed literal.
        source: Its source text, from the first prefix to the last quote.
    """
    values = [value for value in node.values if isinstance(value, ast.FormattedValue)]
    scanned = scan_placeholders(source)
    placeholders = iter(scanned if len(scanned) == len(values) else map(_unparsed, values))
    parts: list[str | Placeholder] = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value))
        elif isinstance(value, ast.FormattedValue):
            placeholder = next(placeholders)
            if placeholder.prefix and parts and isinstance(parts[-1], str):
                parts[-1] = parts[-1].removesuffix(placeholder.prefix)
            parts.append(placeholder)
    return parts


def scan_placeholders(source: str) -> list[Placeholder]:
    """The placeholders of one or more neighbouring string literals, in order."""
    found: list[Placeholder] = []
    position = 0
    while opening := _OPENING.match(source, _skip_between(source, position)):
        position = _scan_string(source, opening, found)
    return found


def _skip_between(source: str, position: int) -> int:
    """The position after white space, comments and line continuations."""
    match = _BETWEEN.match(source, position)
    return match.end() if match else position


def _scan_string(source: str, opening: re.Match[str], found: list[Placeholder] | None) -> int:
    """The position after the literal that `opening` begins; its placeholders are added to `found`."""
    quote, prefix = opening["quote"], opening["prefix"].lower()
    position = opening.end()
    while position < len(source) and not source.startswith(quote, position):
        if "f" in prefix and source.startswith(("{{", "}}"), position):
            position += 2
        elif "f" in prefix and source[position] == "{":
            position = _scan_placeholder(source, position + 1, found)
        elif source.startswith("\\N{", position) and "r" not in prefix:
            position = source.find("}", position) + 1 or len(source)
        elif source[position] == "\\" and not ("f" in prefix and source[position + 1 : position + 2] in ("{", "}")):
            position += 2
        else:
            position += 1
    return position + len(quote)


def _scan_placeholder(source: str, start: int, found: list[Placeholder] | None) -> int:
    """The position after the `}` that closes the placeholder whose text begins at `start`."""
    position, depth, expression_end = start, 0, None
    while position < len(source):
        character = source[position]
        if expression_end is None and character == "#":
            position = source.find("\n", position) + 1 or len(source)
            continue
        if expression_end is None and (opening := _string_at(source, position)):
            position = _scan_string(source, opening, None)
            continue
        if character == "}" and depth == 0:
            break
        if expression_end is not None and character == "{":
            position = _scan_placeholder(source, position + 1, None)
            continue
        if expression_end is None:
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            elif depth == 0 and (character == ":" or (character == "!" and source[position + 1 : position + 2] != "=")):
                expression_end = position
            elif source.startswith(("!=", "==", "<=", ">="), position):
                position += 1
        position += 1
    if found is not None:
        expression = source[start : position if expression_end is None else expression_end]
        bare = expression.rstrip()
        if bare.endswith("=") and not bare.endswith(("==", "!=", "<=", ">=")):
            bare = bare[:-1]
        found.append(Placeholder(source[start:position], bare.strip()))
    return position + 1


def _string_at(source: str, position: int) -> re.Match[str] | None:
    """The opening of a string literal at `position`, unless a name ends there that only looks like a prefix."""
    opening = _OPENING.match(source, position)
    if opening is None or (position and (source[position - 1].isalnum() or source[position - 1] == "_")):
        return None if opening is None or opening["prefix"] else opening
    return opening


def _unparsed(value: ast.FormattedValue) -> Placeholder:
    """A placeholder rebuilt from the tree, for the case that the scan and the tree disagree."""
    text = ast.unparse(ast.JoinedStr([value]))
    return Placeholder(text[text.index("{") + 1 : text.rindex("}")], ast.unparse(value.value))
