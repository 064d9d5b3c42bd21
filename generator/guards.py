"""The guards of a statement: what must hold for control to reach it, from the tree alone.

Evaluates nothing and follows no calls: a condition is told as it is written, in the order in which it is met.
"""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from generator.syntax import Function, Module, Try, is_irrefutable, may_swallow


class Origin(enum.StrEnum):
    """Why a guard holds."""

    BRANCH = "branch"
    """The statement stands inside this branch, loop, `with`, `case` or `except`."""
    EXIT = "earlier exit"
    """An earlier statement would have returned, continued or broken out otherwise."""
    CHECK = "earlier check"
    """An earlier statement would have raised otherwise: another error would have been seen."""
    OWN = "own test"
    """The assertion's own test, negated."""
    WORDING = "wording"
    """A conditional expression inside the message chose this wording."""


class Kind(enum.StrEnum):
    """What sort of text a guard has."""

    CONDITION = "condition"
    """A Python expression."""
    LOOP = "loop"
    WITH = "with"
    CASE = "case"
    EXCEPT = "except"
    UNREACHABLE = "unreachable"
    """Control cannot get here at all."""


@dataclass(frozen=True)
class Guard:
    """One condition that must hold."""

    text: str
    """The condition, normalised by `ast.unparse`: an expression if `kind` is `condition`, else the head of a block."""
    holds: bool
    """Whether the condition must be true or false."""
    line: int
    """Line of the condition, from 1."""
    origin: Origin
    kind: Kind = Kind.CONDITION

    def __str__(self) -> str:
        if self.holds:
            return self.text
        if self.kind is not Kind.CONDITION:
            return f"not {self.text}"
        return ast.unparse(ast.UnaryOp(ast.Not(), ast.parse(self.text, mode="eval").body))


_EXITS = ast.Return | ast.Continue | ast.Break
_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def guards_of(module: Module, statement: ast.stmt) -> tuple[Guard, ...]:
    """The guards of a statement within its function, in order of evaluation."""
    levels: list[list[Guard]] = []
    node: ast.AST = statement
    for parent in module.above(statement):
        levels.append([*_entering(parent, node), *_passing_earlier(parent, node)])
        if isinstance(parent, Function):
            break
        node = parent
    found = [guard for level in reversed(levels) for guard in level]
    if isinstance(statement, ast.Assert):
        found += conditions(statement.test, False, Origin.OWN)
    once = dict.fromkeys(found)
    dead = [guard for guard in once if guard.kind is Kind.UNREACHABLE]
    return tuple(guard for guard in once if guard not in dead[1:])


def guards_within(module: Module, expression: ast.expr) -> list[Guard]:
    """What must hold, within its statement, for an expression to be evaluated: the left of an `and`, for instance."""
    found: list[Guard] = []
    node: ast.AST = expression
    for parent in module.above(expression):
        match parent:
            case ast.BoolOp() if node in parent.values:
                holds = isinstance(parent.op, ast.And)
                earlier = parent.values[: parent.values.index(node)]
                found[:0] = [guard for value in earlier for guard in conditions(value, holds, Origin.BRANCH)]
            case ast.IfExp() if node is not parent.test:
                found[:0] = conditions(parent.test, node is parent.body, Origin.BRANCH)
            case ast.stmt():
                break
        node = parent
    return found


def conditions(test: ast.expr, holds: bool, origin: Origin) -> list[Guard]:
    """A test as separate guards: conjunctions split, negations pushed inward, what always holds left out."""
    return [guard for part in _conjuncts(test if holds else _negate(test)) for guard in _guard(part, origin)]


def _guard(part: ast.expr, origin: Origin) -> list[Guard]:
    bare = part.operand if _is_not(part) else part
    negated = bare is not part
    if isinstance(bare, ast.Constant):
        holds = bool(bare.value) is not negated
        return [] if holds else [Guard("unreachable", True, bare.lineno, origin, Kind.UNREACHABLE)]
    return [Guard(ast.unparse(bare), not negated, bare.lineno, origin)]


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    """The parts of a conjunction; a negated test is pushed inward first."""
    if _is_not(test):
        pushed = _negate(test.operand)
        return [pushed] if _is_not(pushed) and pushed.operand is test.operand else _conjuncts(pushed)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conjuncts(value)]
    return [test]


def _negate(test: ast.expr) -> ast.expr:
    """The opposite of a test. A chained comparison, one of sets and anything that is not logic get a plain `not`."""
    if _is_not(test):
        return test.operand
    if isinstance(test, ast.BoolOp):
        opposite = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        negated = [_negate(value) for value in test.values]
        flat = [part for value in negated for part in (value.values if _same_op(value, opposite) else [value])]
        return ast.copy_location(ast.BoolOp(opposite, flat), test)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and not _compares_sets(test):
        flipped = _FLIPPED[type(test.ops[0])]()
        return ast.copy_location(ast.Compare(test.left, [flipped], test.comparators), test)
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def _is_not(test: ast.expr) -> TypeGuard[ast.UnaryOp]:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _compares_sets(test: ast.Compare) -> bool:
    """Whether `<` and the like visibly ask for a subset: of two sets, each can lack what the other has."""
    ordered = isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    return ordered and any(_is_set(side) for side in (test.left, *test.comparators))


def _is_set(side: ast.expr) -> bool:
    match side:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")) | ast.Call(func=ast.Attribute(attr="keys" | "items")):
            return True
        case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.Sub()):
            return _is_set(side.left) or _is_set(side.right)
    return False


def _same_op(test: ast.expr, op: ast.boolop) -> TypeGuard[ast.BoolOp]:
    return isinstance(test, ast.BoolOp) and type(test.op) is type(op)


def _entering(parent: ast.AST, child: ast.AST) -> list[Guard]:
    """What must hold for control to go from a compound statement into the block that holds `child`."""
    match parent:
        case ast.If() | ast.While() if child is not parent.test:
            return conditions(parent.test, child in parent.body, Origin.BRANCH)
        case ast.For() | ast.AsyncFor():
            bare = ast.For(parent.target, parent.iter, [ast.Pass()], [], lineno=parent.lineno)
            head = ast.unparse(bare).partition("\n")[0].removesuffix(":")
            return [Guard(head, child in parent.body, parent.lineno, Origin.BRANCH, Kind.LOOP)]
        case ast.With() | ast.AsyncWith():
            head = f"with {', '.join(ast.unparse(item) for item in parent.items)}"
            return [Guard(head, True, parent.lineno, Origin.BRANCH, Kind.WITH)]
        case ast.ExceptHandler():
            head = f"except {ast.unparse(parent.type)}" if parent.type else "except"
            return [Guard(head, True, parent.lineno, Origin.BRANCH, Kind.EXCEPT)]
        case ast.Match() if isinstance(child, ast.match_case):
            earlier = parent.cases[: parent.cases.index(child)]
            refused = [guard for case in earlier for guard in _case(parent, case, False, Origin.BRANCH)]
            return [*refused, *_case(parent, child, True, Origin.BRANCH)]
    return []


def _case(match: ast.Match, case: ast.match_case, holds: bool, origin: Origin) -> list[Guard]:
    head = f"case {ast.unparse(case.pattern)} of {ast.unparse(match.subject)}"
    if holds:
        catches_all = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        own = [] if catches_all else [Guard(head, True, case.pattern.lineno, origin, Kind.CASE)]
        return [*own, *(conditions(case.guard, True, origin) if case.guard else [])]
    if case.guard:
        head = f"case {ast.unparse(case.pattern)} if {ast.unparse(case.guard)} of {ast.unparse(match.subject)}"
    return [Guard(head, False, case.pattern.lineno, origin, Kind.CASE)]


def _passing_earlier(parent: ast.AST, child: ast.AST) -> list[Guard]:
    """What must hold for control to pass the statements before `child` in its block."""
    if isinstance(parent, Try) and child in parent.orelse:
        return [guard for earlier in parent.body for guard in _passing(earlier)] + _within(parent.orelse, child)
    return [guard for block in _blocks(parent) if child in block for guard in _within(block, child)]


def _within(block: Sequence[ast.AST], child: ast.AST) -> list[Guard]:
    return [guard for earlier in block[: block.index(child)] for guard in _passing(earlier)]


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The statement lists that a node holds directly."""
    blocks = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [block for block in blocks if isinstance(block, list)]


def _passing(statement: ast.AST) -> list[Guard]:
    """What must hold for control to get past a statement; nothing where the tree cannot tell."""
    match statement:
        case ast.Assert():
            return conditions(statement.test, True, Origin.CHECK)
        case ast.If():
            return _passing_if(statement)
        case ast.With() | ast.AsyncWith() if not may_swallow(statement):
            return [guard for inner in statement.body for guard in _passing(inner)]
        case ast.Try() | ast.TryStar() if not _leaves_one(statement):
            undisturbed = all(_leaves(handler.body) for handler in statement.handlers)
            blocks = [statement.body, statement.orelse] if undisturbed else []
            return [guard for block in [*blocks, statement.finalbody] for inner in block for guard in _passing(inner)]
        case ast.Match() if not _leaves_one(statement):
            # Only the first cases: a later one is not tried when one before it is taken and goes on.
            left = itertools.takewhile(lambda case: _leaves(case.body), statement.cases)
            return [guard for case in left for guard in _case(statement, case, False, _origin(case.body))]
        case _ if isinstance(statement, ast.stmt) and _leaves([statement]):
            return [Guard("unreachable", True, statement.lineno, Origin.EXIT, Kind.UNREACHABLE)]
    return []


def _passing_if(statement: ast.If) -> list[Guard]:
    body, other = _leaves(statement.body), _leaves(statement.orelse)
    if body and other:
        return [Guard("unreachable", True, statement.lineno, Origin.EXIT, Kind.UNREACHABLE)]
    if body:
        rest = [guard for inner in statement.orelse for guard in _passing(inner)]
        return conditions(statement.test, False, _origin(statement.body)) + rest
    if other:
        rest = [guard for inner in statement.body for guard in _passing(inner)]
        return conditions(statement.test, True, _origin(statement.orelse)) + rest
    return [
        guard
        for path, leaving in _leaving_paths(statement)
        for guard in conditions(ast.copy_location(ast.BoolOp(ast.And(), path), path[-1]), False, _origin([leaving]))
    ]


def _leaving_paths(statement: ast.If) -> Iterator[tuple[list[ast.expr], ast.stmt]]:
    """The ways out through nested `if`s: the tests that must hold together, and the statement that leaves."""
    for test, block in ((statement.test, statement.body), (_negate(statement.test), statement.orelse)):
        for inner in block:
            if isinstance(inner, ast.Assert):
                yield [test, _negate(inner.test)], inner
            elif isinstance(inner, ast.Raise | _EXITS):
                yield [test], inner
            elif isinstance(inner, ast.If):
                for path, leaving in _leaving_paths(inner):
                    yield [test, *path], leaving


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether control never gets past the end of a block."""
    return any(_leaves_one(statement) for statement in block)


def _leaves_one(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise() | ast.Return() | ast.Continue() | ast.Break():
            return True
        case ast.Assert(test=ast.Constant(value=value)):
            return not value
        case ast.If():
            return _leaves(statement.body) and _leaves(statement.orelse)
        case ast.With() | ast.AsyncWith():
            return _leaves(statement.body) and not may_swallow(statement)
        case ast.Match():
            return is_irrefutable(statement.cases[-1]) and all(_leaves(case.body) for case in statement.cases)
        case ast.Try() | ast.TryStar():
            normal = _leaves(statement.body) or _leaves(statement.orelse)
            return _leaves(statement.finalbody) or (normal and all(_leaves(each.body) for each in statement.handlers))
        case ast.While():
            endless = isinstance(statement.test, ast.Constant) and bool(statement.test.value)
            return endless and not any(isinstance(inner, ast.Break) for inner in ast.walk(statement))
    return False


def _origin(block: Sequence[ast.stmt]) -> Origin:
    """Whether a block that leaves does so by raising (an earlier check) or otherwise (an earlier exit)."""
    raising = any(isinstance(node, ast.Raise | ast.Assert) for statement in block for node in ast.walk(statement))
    leaving = any(isinstance(node, _EXITS) for statement in block for node in ast.walk(statement))
    return Origin.CHECK if raising and not leaving else Origin.EXIT
