"""Where the documented project itself assigns a config field: "you did not set this, it did".

Finds assignments to fields in the pinned files by the tree; knows nothing of those in other files.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from generator.arguments import ENGINE, ROOT, Arguments
from generator.declarations import Field
from generator.guards import Kind, Origin, guards_of
from generator.names import chain_parts, is_chain
from generator.settings import How, Scope, read
from generator.syntax import Function, Module
from generator.words import Sentence, say


@dataclass(frozen=True)
class Automatic:
    """One assignment to a config field."""

    value: str
    """The value as in the source."""
    function: str
    """Qualified name of the function that assigns."""
    path: str
    line: int
    """From 1."""
    conditions: tuple[Sentence, ...]
    """What must hold for it, in order, as far as the function itself shows; earlier checks left out."""


def automatic(arguments: Arguments, keys: Collection[str]) -> Mapping[str, tuple[Automatic, ...]]:
    """Key of a field → the assignments to it, by file and line; only for the given keys."""
    names = {key.rpartition(".")[2] for key in keys}
    passed: dict[str, set[str]] = {}
    for (holder, name), given in arguments.passed.items():
        for each in given:
            passed.setdefault(each, set()).add(f"{holder}.{name}")
    whole = arguments.declarations.classes.get(ROOT)
    owners = {"self", *(whole.fields if whole else ())}  # the draft model's configuration is another object
    found: dict[str, list[Automatic]] = {}
    for path in sorted(arguments.declarations.modules):
        module = arguments.declarations.modules[path]
        for statement, target, value in _assignments(module):
            function = module.function_of(statement)
            if function is None or function.name == "__init__" or _passes_on(value):
                continue
            targets: set[str] = set()
            around = module.class_of(statement)
            if around is not None and around.name == ENGINE and ast.unparse(target.value) == "self":
                targets = passed.get(target.attr, set()) & set(keys)
            elif target.attr in names and is_chain(target) and chain_parts(target)[-2] in owners:
                reading = read(Scope(arguments, module, function, statement), ast.Attribute(target.value, target.attr))
                exact = reading.how is How.SETTING and not reading.rest
                targets = (
                    {each.key for each in reading.settings if isinstance(each.declared, Field)} if exact else set()
                )
            for key in sorted(targets & set(keys)):
                found.setdefault(key, []).append(_automatic(arguments, module, function, statement, value))
    return {key: tuple(each) for key, each in found.items()}


def _assignments(module: Module) -> Iterator[tuple[ast.stmt, ast.Attribute, ast.expr]]:
    for node in module.parents:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Attribute):
                        yield node, target, value
            case ast.AnnAssign(target=ast.Attribute() as target, value=ast.expr() as value):
                yield node, target, value


def _passes_on(value: ast.expr) -> bool:
    """Whether the value is one that users gave: `self.argument` of `EngineArgs`, under the same name."""
    return isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "self"


def _automatic(
    arguments: Arguments, module: Module, function: Function, statement: ast.stmt, value: ast.expr
) -> Automatic:
    scope = Scope(arguments, module, function, statement)
    guards = [
        guard
        for guard in guards_of(module, statement)
        if guard.origin is not Origin.CHECK and guard.kind in (Kind.CONDITION, Kind.LOOP)
    ]
    return Automatic(
        value=ast.unparse(value),
        function=module.qualified_name(function),
        path=module.path,
        line=statement.lineno,
        conditions=tuple(say(scope, guard) for guard in guards),
    )
