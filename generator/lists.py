"""The items that a placeholder can print: a list is followed to the statements that fill it.

Follows one function and the helpers of its class, no further; of a list filled elsewhere it finds nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from generator.extract import RaiseSite
from generator.guards import Guard, Origin, guards_of
from generator.names import is_chain
from generator.settings import Scope, name_scope
from generator.syntax import Function
from generator.words import Sentence, say

_DEEPEST = 3


@dataclass(frozen=True)
class Item:
    """One text that a list can hold."""

    text: str
    """With `{expression}` where a value is put in."""
    function: str
    """Qualified name of the function that adds it."""
    line: int
    """Of the statement that adds it, from 1."""
    conditions: tuple[Sentence, ...]
    """What must hold for it to be added, in order; of the raise statement's own conditions none."""


@dataclass(frozen=True)
class ItemList:
    """The items of one placeholder."""

    placeholder: str
    """As between the braces of the message."""
    items: tuple[Item, ...]
    """In the order in which they are added; never empty."""


def item_lists(scope: Scope, site: RaiseSite) -> tuple[ItemList, ...]:
    """The lists behind the placeholders of a site, and the names that hold one of several texts."""
    own = {(guard.text, guard.holds) for guard in site.guards}
    found: list[ItemList] = []
    for placeholder in site.template.placeholders:
        name = _joined_name(placeholder.expression)
        if name is None:
            continue
        items = tuple(dict.fromkeys(_items_of_name(scope, name, own, (), 0)))
        if items:
            found.append(ItemList(placeholder.source, items))
    return tuple({each.placeholder: each for each in found}.values())


def _joined_name(expression: str) -> str | None:
    """The list in `", ".join(name)`, or the name that is the whole placeholder."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return None
    match tree:
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join"), args=[ast.Name(id=name)]):
            return name
        case ast.Name(id=name):
            return name
    return None


def _items_of_name(
    scope: Scope, name: str, own: set[tuple[str, bool]], before: tuple[Sentence, ...], depth: int
) -> Iterator[Item]:
    """What the statements of a function put under a name."""
    if scope.function is None or depth > _DEEPEST:
        return
    end = scope.statement.lineno if scope.statement else None
    statements = [each for each in ast.walk(scope.function) if isinstance(each, ast.stmt)]
    for statement in sorted(statements, key=lambda each: (each.lineno, each.col_offset)):
        if end is not None and statement.lineno >= end:
            break
        for value in _added(statement, name):
            conditions = before + _conditions(scope, statement, own)
            yield from _items_of(scope, value, statement, own, conditions, depth)


def _added(statement: ast.stmt, name: str) -> list[ast.expr]:
    """What a statement assigns to a name or adds to its list."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return [value]
        case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
            return [value]
        case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
            return [value]
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="append" | "extend"), args=[value])
        ) if target == name:
            return [value]
    return []


def _items_of(
    scope: Scope,
    value: ast.expr,
    statement: ast.stmt,
    own: set[tuple[str, bool]],
    conditions: tuple[Sentence, ...],
    depth: int,
) -> Iterator[Item]:
    match value:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for element in elements:
                yield from _items_of(scope, element, statement, own, conditions, depth)
        case ast.Constant(value=str()) | ast.JoinedStr():
            assert scope.function is not None
            function = scope.module.qualified_name(scope.function)
            yield Item(_text(value), function, statement.lineno, conditions)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            yield from _items_of_helper(scope, name, own, conditions, depth + 1)


def _items_of_helper(
    scope: Scope, name: str, own: set[tuple[str, bool]], before: tuple[Sentence, ...], depth: int
) -> Iterator[Item]:
    declared = scope.arguments.declarations.classes.get(scope.holder or "")
    helper = declared.helpers.get(name) if declared else None
    if helper is None or depth > _DEEPEST:
        return
    inside = name_scope(scope.arguments, helper)
    seen: set[str] = set()
    for node in _returns(helper.node):
        if isinstance(node.value, ast.Name) and node.value.id not in seen:
            seen.add(node.value.id)
            yield from _items_of_name(inside, node.value.id, own, before, depth)
        elif node.value is not None and not is_chain(node.value):
            conditions = before + _conditions(inside, node, own)
            yield from _items_of(inside, node.value, node, own, conditions, depth)


def _returns(function: Function) -> list[ast.Return]:
    found = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return sorted(found, key=lambda node: node.lineno)


def _conditions(scope: Scope, statement: ast.stmt, own: set[tuple[str, bool]]) -> tuple[Sentence, ...]:
    guards: list[Guard] = [
        guard
        for guard in guards_of(scope.module, statement)
        if guard.origin is not Origin.CHECK and (guard.text, guard.holds) not in own
    ]
    return tuple(say(scope, guard) for guard in guards)


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"  # type: ignore[attr-defined]
            for part in node.values
        )
    assert isinstance(node, ast.Constant)
    return str(node.value)
