"""The flags, environment variables and config fields that an analysis names, in inline code and code samples.

Pure: knows how commands are written, not which names exist. Flags of other programs are told apart by the command that
they follow; in inline code whatever starts with `--` is taken for one of the documented project.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from generator.analysis import Analysis
from generator.yamlfile import Location

PROGRAM = "vllm"
"""The command whose flags are meant."""
_SERVER_MODULE = "vllm.entrypoints"
_FLAG = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.[A-Za-z_][\w.]*)?|-[a-z]{1,4}(?:\.[A-Za-z_][\w.]*)?")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?")
_ENDS_COMMAND = {"|", "||", "&&", ";", "&", ">", ">>", "2>"}


@dataclass(frozen=True)
class Mention:
    """One name in an analysis."""

    kind: str
    """`flag`, `variable`, `field` (dotted), `argument` (of `LLM` and the like) or `key` (of a flag's JSON)."""
    name: str
    """A flag with its dashes; a key as `--flag.key`."""
    location: Location
    """Where it stands."""


def mentions(analysis: Analysis) -> tuple[Mention, ...]:
    """Every name in an analysis, each once per place."""
    found: list[Mention] = []
    for location, text in _prose(analysis):
        for code in re.findall(r"`([^`]*)`", text):
            found += [Mention(kind, name, location) for kind, name in in_inline_code(code)]
    fix = analysis.example_fix
    if fix is not None:
        for side, text in (("before", fix.before), ("after", fix.after)):
            location = ("example_fix", side)
            found += [Mention(kind, name, location) for kind, name in in_sample(text, fix.language)]
    for field in ("validation_code", "type_guard", "try_catch_pattern"):
        text = getattr(analysis, field)
        if text is not None:
            found += [Mention(kind, name, (field,)) for kind, name in in_sample(text, "python")]
    return tuple(dict.fromkeys(found))


def _prose(analysis: Analysis) -> Iterator[tuple[Location, str]]:
    for name in (
        "verdict_reason",
        "summary",
        "documentation",
        "trigger_scenarios",
        "common_situations",
    ):
        yield (name,), getattr(analysis, name)
    for name in ("solutions", "trade_offs", "prevention_tips"):
        for index, text in enumerate(getattr(analysis, name)):
            yield (name, index), text
    for index, misreading in enumerate(analysis.misreadings):
        yield ("misreadings", index, "belief"), misreading.belief
        yield ("misreadings", index, "truth"), misreading.truth
    for name, value in analysis.values.items():
        yield ("values", name, "meaning"), value.meaning
    for index, related in enumerate(analysis.related):
        yield ("related", index, "reason"), related.reason
    for index, reference in enumerate(analysis.references):
        yield ("references", index, "note"), reference.note
    for index, other in enumerate(analysis.also_worded):
        yield ("also_worded", index, "why"), other.why


def in_inline_code(code: str) -> Iterator[tuple[str, str]]:
    """Kind and name of what a piece of inline code names."""
    if code.startswith("--"):
        yield from _flags_of(_words(code))
    elif re.match(rf"(?:[A-Z_0-9]+=\S* )*{PROGRAM} ", code):
        yield from in_command(code)
    elif _DOTTED.fullmatch(code):
        yield "field", code.removesuffix("()").removeprefix("self.")
    for name in _VARIABLE.findall(code) if re.fullmatch(r"(?:export |unset |\$)?[A-Z][A-Z0-9_]+(?:=.*)?", code) else ():
        yield "variable", name


def in_sample(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Kind and name of what a code sample names."""
    if language == "python":
        yield from _in_python(text)
    elif language == "bash":
        for line in re.sub(r"\\\n", " ", text).split("\n"):
            yield from in_command(line) if _is_whole(line) else ()
        if not all(_is_whole(line) for line in re.sub(r"\\\n", " ", text).split("\n")):
            yield from in_command(" ".join(re.sub(r"\\\n", " ", text).split("\n")))
    elif language == "yaml" and f"{PROGRAM} serve --config" in text:
        for key in re.findall(r"^([a-z][a-z0-9-]*):", text, re.MULTILINE):
            yield "flag", f"--{key}"
    for name in dict.fromkeys(re.findall(r"\bVLLM_[A-Z0-9_]*[A-Z0-9]\b", text)):
        yield "variable", name


def _is_whole(line: str) -> bool:
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return False
    return True


def in_command(line: str) -> Iterator[tuple[str, str]]:
    """Kind and name of the flags of our program in one shell line; those of other programs are passed over."""
    command: list[str] = []
    for word in [*_words(line), ";"]:
        if word in _ENDS_COMMAND or word.endswith(";"):
            command += [word[:-1]] if len(word) > 1 and word.endswith(";") else []
            yield from _flags_of(command) if _is_ours(command) else ()
            command = []
        else:
            command.append(word)


def _is_ours(command: list[str]) -> bool:
    words = [word for word in command if not re.fullmatch(r"[A-Za-z_]\w*=.*", word, re.DOTALL)]
    return words[:1] == [PROGRAM] or any(word.startswith(_SERVER_MODULE) for word in words[:4])


def _words(line: str) -> list[str]:
    """The words of a shell line; of one that a shell would not take, what blanks part."""
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def _flags_of(words: list[str]) -> Iterator[tuple[str, str]]:
    ours = next((i for i, word in enumerate(words) if word == PROGRAM or word.startswith(_SERVER_MODULE)), -1)
    for index, word in enumerate(words):
        name, _, value = word.partition("=")
        if index < ours or not _FLAG.fullmatch(name):
            continue
        if not name.startswith("--") and ours < 0 and index == 0:
            continue
        yield "flag", name
        following = value or (words[index + 1] if index + 1 < len(words) else "")
        yield from (("key", f"{name}.{key}") for key in _keys(following))


def _keys(value: str) -> list[str]:
    """The keys of a JSON object; none of what is no JSON."""
    try:
        data = json.loads(value)
    except ValueError:
        return []
    return list(data) if isinstance(data, dict) else []


def _in_python(text: str) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="LLM" | "EngineArgs" | "AsyncEngineArgs"), keywords=keywords):
                yield from (("argument", keyword.arg) for keyword in keywords if keyword.arg)
            case ast.Attribute(attr=name) if name not in dir(dict):
                dotted = ast.unparse(node)
                if _DOTTED.fullmatch(dotted):
                    yield "field", dotted.removeprefix("self.")
