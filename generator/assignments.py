"""Which assignments can have given a name its value when a statement is reached.

A small data-flow analysis of one function; it follows no calls and evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from generator.syntax import Function, Try, is_irrefutable, may_swallow

State = frozenset[ast.AST | None] | None
"""The statements that may have bound the name last; None inside means "not bound here yet", a bare None that control
cannot get here."""


class _Reached(Exception):
    """Ends the walk when the statement in question is met."""

    def __init__(self, state: State) -> None:
        self.state = state


def reaching(body: Sequence[ast.stmt], name: str, statement: ast.stmt | None) -> tuple[ast.AST | None, ...]:
    """The statements of `body` that may have bound `name` last when `statement` is reached, in source order.

    Args:
        body: The statements of a function or module.
        name: A plain or dotted name such as `msg` or `self.msg`.
        statement: A statement somewhere inside `body`; None for the end of `body`.

    Returns:
        Binding statements of any kind (whether they determine a value is for the caller to judge); None among them
        means that the name may still be unbound. Empty when control cannot get to the statement.
    """
    try:
        end = _run(body, name, statement, frozenset([None]))
        state = end if statement is None else None
    except _Reached as reached:
        state = reached.state
    return tuple(sorted(state or (), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))))


def _run(block: Sequence[ast.stmt], name: str, target: ast.stmt | None, state: State) -> State:
    """The state after a block, or `_Reached` when the target is met inside it."""
    for statement in block:
        if statement is target:
            raise _Reached(state)
        state = _step(statement, name, target, state)
        if state is None and target is None:
            return None
    return state


def _step(statement: ast.stmt, name: str, target: ast.stmt | None, state: State) -> State:
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return None
        case ast.If():
            state = _bind_inside(statement.test, name, state)
            return _join(_run(statement.body, name, target, state), _run(statement.orelse, name, target, state))
        case ast.ClassDef():
            _run(statement.body, name, target, state)
        case ast.For() | ast.AsyncFor() | ast.While():
            everywhere = _join(state, _all_bindings([statement], name))
            body = _run(statement.body, name, target, everywhere)
            other = _run(statement.orelse, name, target, everywhere)
            return _join(everywhere, _join(body, other))
        case ast.With() | ast.AsyncWith():
            bound = statement if any(_binds(item.optional_vars, name) for item in statement.items) else None
            after = _run(statement.body, name, target, frozenset([bound]) if bound else state)
            return _join(state, after, _all_bindings([statement], name)) if may_swallow(statement) else after
        case ast.Try() | ast.TryStar():
            return _step_try(statement, name, target, state)
        case ast.Match():
            captured = frozenset([statement]) if _captures(statement, name) else state
            cases = [_run(case.body, name, target, captured) for case in statement.cases]
            return _join(None if is_irrefutable(statement.cases[-1]) else captured, *cases)
    return frozenset([statement]) if _binds_here(statement, name) else state


def _step_try(statement: Try, name: str, target: ast.stmt | None, state: State) -> State:
    after = _run(statement.orelse, name, target, _run(statement.body, name, target, state))
    broken_off = _join(state, _all_bindings(statement.body, name))
    for handler in statement.handlers:
        caught = frozenset([handler]) if handler.name == name else broken_off
        after = _join(after, _run(handler.body, name, target, caught))
    if not statement.finalbody:
        return after
    _run(statement.finalbody, name, target, _join(after, broken_off, _all_bindings([statement], name)))
    return _run(statement.finalbody, name, None, after)


def _join(*states: State) -> State:
    reachable = [state for state in states if state is not None]
    return frozenset().union(*reachable) if reachable else None


def _all_bindings(block: Sequence[ast.stmt], name: str) -> State:
    return frozenset(node for statement in block for node in _same_scope(statement) if _binds_here(node, name))


def _same_scope(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that run in the same scope: nested functions and classes are not entered."""
    yield node
    if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _same_scope(child)


def _binds_here(node: ast.AST, name: str) -> bool:
    """Whether a node binds the name itself (its nested blocks are not looked at, its expressions are)."""
    match node:
        case ast.Assign():
            return any(_binds(target, name) for target in node.targets) or _has_walrus(node.value, name)
        case ast.AnnAssign():
            return node.value is not None and (_binds(node.target, name) or _has_walrus(node.value, name))
        case ast.AugAssign():
            return _binds(node.target, name) or _has_walrus(node.value, name)
        case ast.For() | ast.AsyncFor():
            return _binds(node.target, name)
        case ast.With() | ast.AsyncWith():
            return any(_binds(item.optional_vars, name) for item in node.items)
        case ast.ExceptHandler():
            return node.name == name
        case ast.Match():
            return _captures(node, name)
        case ast.Delete():
            return any(_binds(target, name) for target in node.targets)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name == name
        case ast.Import() | ast.ImportFrom():
            return any((alias.asname or alias.name.split(".")[0]) == name for alias in node.names)
        case ast.Global() | ast.Nonlocal():
            return name in node.names
        case ast.stmt():
            return any(_has_walrus(child, name) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
    return False


def _bind_inside(test: ast.expr, name: str, state: State) -> State:
    """The state after a test; of a walrus that `and`, `or` or a conditional may skip, both outcomes remain."""
    if not _has_walrus(test, name):
        return state
    skippable = any(_has_walrus(part, name) for node in ast.walk(test) for part in _skippable_parts(node))
    return _join(state, frozenset([test])) if skippable else frozenset([test])


def _skippable_parts(node: ast.AST) -> list[ast.expr]:
    """The parts of an expression that need not be evaluated when the expression is."""
    match node:
        case ast.BoolOp():
            return node.values[1:]
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.Lambda():
            return [node.body]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return []


def _has_walrus(expression: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.NamedExpr) and node.target.id == name for node in ast.walk(expression))


def _binds(target: ast.expr | None, name: str) -> bool:
    """Whether an assignment target (of any shape) includes the name, or the object that a dotted name begins with."""
    if target is None:
        return False
    if isinstance(target, ast.Tuple | ast.List):
        return any(_binds(element, name) for element in target.elts)
    if isinstance(target, ast.Starred):
        return _binds(target.value, name)
    return isinstance(target, ast.Name | ast.Attribute) and f"{name}.".startswith(f"{ast.unparse(target)}.")


def _captures(match: ast.Match, name: str) -> bool:
    return any(
        getattr(node, "name", None) == name or getattr(node, "rest", None) == name
        for case in match.cases
        for node in ast.walk(case.pattern)
    )
