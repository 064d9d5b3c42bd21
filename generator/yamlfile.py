"""Reading a hand-written YAML file so that every complaint can name a line.

Plain data only: no aliases, no tags, no duplicate keys, no file over 64 KiB. Knows nothing about what the file means.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from generator.errors import Problem, ProblemsFound

_LARGEST = 64 * 1024
_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{name}" for name in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp")
}
_ALIAS = "alias"
_TOO_DEEP = "nested too deeply; an analysis has a few levels"
ModelT = TypeVar("ModelT", bound=BaseModel)
Location = tuple[str | int, ...]


@dataclass(frozen=True)
class YamlFile:
    """A YAML file as data, with the line of every key and item."""

    path: str
    """Path for messages, relative to the project folder."""
    data: Any
    """Mappings, lists, strings, numbers, booleans, None; dates stay strings."""
    lines: dict[Location, int]
    """Where a value stands, as keys and list positions from the top → its line, from 1."""

    def line(self, location: Location) -> int:
        """The line of a value, or of the nearest one around it that is in the file."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location, 1)

    def problem(self, location: Location, text: str) -> Problem:
        """A complaint about the value at a location."""
        return Problem(self.path, self.line(location), text)


class _Loader(yaml.SafeLoader):
    """Makes an alias a node of its own instead of following it, so that a complaint can name its line."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.get_event()  # type: ignore[no-untyped-call]
            return yaml.ScalarNode(_ALIAS, event.anchor, event.start_mark, event.end_mark)
        return super().compose_node(parent, index)


def read_yaml(path: Path, shown: str, largest: int = _LARGEST) -> YamlFile:
    """Read a YAML file.

    Args:
        path: Where it is.
        shown: The path to name in messages.
        largest: Bytes; a larger file is refused.

    Raises:
        ProblemsFound: it is missing, too large, not UTF-8, not YAML, or uses more of YAML than plain data.
    """
    try:
        size = path.stat().st_size
        if size > largest:
            raise _one(shown, 0, f"has {size} bytes; keep it under {largest}: an analysis reads in two minutes")
        text = path.read_bytes().decode("utf-8")
        node = yaml.compose(text, Loader=_Loader)
    except OSError as error:
        raise _one(shown, 0, f"cannot be read: {error.strerror}; check its name and permissions") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _one(shown, line, f"not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise _one(
            shown, mark.line + 1 if mark else 1, f"not valid YAML: {reason}; quote the text or indent it"
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _one(shown, line, f"not valid YAML: holds the character {chr(error.character)!r}; delete it") from None
    except RecursionError:
        raise _one(shown, 1, _TOO_DEEP) from None
    lines: dict[Location, int] = {}
    problems: list[Problem] = []
    try:
        data = _plain(node, (), lines, shown, problems) if node is not None else None
    except RecursionError:
        raise _one(shown, 1, _TOO_DEEP) from None
    if problems:
        raise ProblemsFound(problems)
    return YamlFile(shown, data, lines)


def validate(file: YamlFile, model: type[ModelT]) -> ModelT:
    """The file as a value of a pydantic model.

    Raises:
        ProblemsFound: one problem per field that does not fit, each with its line.
    """
    if not isinstance(file.data, dict):
        raise _one(file.path, 1, "must be a mapping of field names to values; start from: vllm-errors new MESSAGE")
    try:
        return model.model_validate(file.data)
    except ValidationError as error:
        raise ProblemsFound(
            file.problem(detail["loc"], _sentence(detail["loc"], dict(detail), model))
            for detail in error.errors()
            if detail["type"] != "too_short" or not detail["input"]  # else its items have been complained about
        ) from None


def _sentence(location: Location, detail: dict[str, Any], model: type[BaseModel]) -> str:
    """A pydantic complaint in words, with the repair."""
    name = ".".join(str(part) for part in location) or "the file"
    match detail["type"]:
        case "missing":
            return f"'{name}' is missing; add it (docs/contributing.md says what belongs there)"
        case "extra_forbidden":
            known = ", ".join(sorted(model.model_fields)) if len(location) == 1 else "those of docs/contributing.md"
            return f"unknown field '{name}'; use one of: {known}"
        case "literal_error" | "enum":
            return f"'{name}' is {str(detail['input'])[:60]!r}; use one of {detail['ctx']['expected']}"
        case "too_short" | "string_too_short":
            return f"'{name}' is empty; write it (docs/contributing.md says what belongs there)"
        case "value_error":
            return f"'{name}': {detail['ctx']['error']}"
    return f"'{name}': {detail['msg']}, but it is {str(detail['input'])[:60]!r}; see docs/contributing.md"


def _plain(node: yaml.Node, at: Location, lines: dict[Location, int], shown: str, problems: list[Problem]) -> Any:
    """The value of a node; notes its line and everything that is more than plain data."""
    line = node.start_mark.line + 1
    lines.setdefault(at, line)
    if node.tag == _ALIAS:
        problems.append(Problem(shown, line, f"uses the alias *{node.value}; write the text out, in quotes if need be"))
        return None
    if node.tag not in _PLAIN_TAGS:
        problems.append(Problem(shown, line, f"uses the tag {node.tag!r}; write plain text, in quotes if need be"))
        return None
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else None
            key_line = key_node.start_mark.line + 1
            if key is None:
                problems.append(Problem(shown, key_line, "has a key that is not text; use a field name"))
                continue
            if key in result:
                problems.append(Problem(shown, key_line, f"'{key}' is given twice; keep one"))
            lines[(*at, key)] = key_line
            result[key] = _plain(value_node, (*at, key), lines, shown, problems)
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*at, index), lines, shown, problems) for index, item in enumerate(node.value)]
    if node.tag == "tag:yaml.org,2002:timestamp":
        return node.value
    try:
        return yaml.SafeLoader("").construct_object(node)
    except ValueError:
        problems.append(Problem(shown, line, f"{node.value[:60]!r} is not a number; put it in quotes if it is text"))
        return None


def _one(path: str, line: int, text: str) -> ProblemsFound:
    return ProblemsFound([Problem(path, line, text)])
