"""Each guard negated: the settings that make a check pass, in every spelling; and what the function tests next.

Builds spellings only from what the pin declares, and gives none where no setting changes the condition.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from generator.arguments import Route
from generator.declarations import Field, Helper, Variable
from generator.extract import RaiseSite
from generator.guards import Guard, Kind, Origin, conditions
from generator.settings import Scope, Setting, Sort, environment, name_scope
from generator.syntax import Module
from generator.words import (
    Sentence,
    computed_by,
    is_object,
    is_truth,
    setting_at,
    value_text,
    value_texts,
)

_ALWAYS_THERE = frozenset({"VllmConfig.model_config"})
"""What every engine has: a condition on it is no way out."""
UNSET = None
"""The value of a change that leaves the setting out."""


@dataclass(frozen=True)
class Form:
    """One way to write a change."""

    kind: str
    """`flag`, `JSON flag`, `YAML`, `Python` or `environment`."""
    text: str


@dataclass(frozen=True)
class Change:
    """One setting, and what it has to become."""

    setting: Setting
    value: str | None
    """As users write it on the command line; `true` and `false` of switches; None to leave it out."""
    bound: str = ""
    """`or more`, `or less` or `or another value`, when other values do as well."""
    forms: tuple[Form, ...] = ()
    """How to write it; never empty."""


@dataclass(frozen=True)
class Way:
    """Something that makes the check pass."""

    guard: Guard
    """The condition that it turns round."""
    changes: tuple[Change, ...]
    """All of them are needed; never empty."""


@dataclass(frozen=True)
class NextCheck:
    """A later check of the same function."""

    site: RaiseSite
    conditions: tuple[Sentence, ...]
    """What it asks for beyond what this one does."""


def ways_out(scope: Scope, guards: Iterable[Guard]) -> tuple[Way, ...]:
    """The ways out of some guards, those of the last guard first: it is what the check is about."""
    found: list[Way] = []
    for guard in reversed([each for each in guards if each.origin is not Origin.CHECK]):
        if guard.kind is Kind.CONDITION:
            tree = ast.parse(guard.text, mode="eval").body
            for changes in _turned(scope, tree, not guard.holds):
                spelled = tuple(_spelled(scope, change) for change in changes)
                if changes and all(change.forms for change in spelled):
                    found.append(Way(guard, spelled))
    once: dict[tuple[tuple[str, str | None], ...], Way] = {}
    for way in found:
        once.setdefault(tuple((change.setting.key, change.value) for change in way.changes), way)
    return tuple(once.values())


def next_checks(
    scope: Scope, site: RaiseSite, sites: Sequence[RaiseSite], sentence: Callable[[RaiseSite, Guard], Sentence]
) -> tuple[NextCheck, ...]:
    """The later checks of the same function that can still fire when this one no longer does.

    Args:
        scope: Of the site.
        site: The check that fired.
        sites: All sites of its file.
        sentence: The sentence of a guard of another site.
    """
    own = set(_innermost(scope))
    around = {(guard.text, guard.holds) for guard in site.guards if guard.origin is not Origin.CHECK}
    kept = around - own
    found: list[NextCheck] = []
    for each in sites:
        if each.function != site.function or (each.line, each.column) <= (site.line, site.column):
            continue
        guards = [guard for guard in each.guards if guard.origin is not Origin.CHECK]
        if any((guard.text, not guard.holds) in kept for guard in guards):
            continue
        more = [guard for guard in guards if (guard.text, guard.holds) not in around]
        found.append(NextCheck(each, tuple(sentence(each, guard) for guard in more)))
    return tuple(found)


def _innermost(scope: Scope) -> list[tuple[str, bool]]:
    """The conditions of the `if` directly around a statement, or of an assertion itself."""
    node = scope.statement
    if isinstance(node, ast.Assert):
        return [(guard.text, guard.holds) for guard in conditions(node.test, False, Origin.OWN)]
    for above in scope.module.above(node) if node else ():
        if isinstance(above, ast.If):
            holds = _stands_in(scope.module, node, above.body)
            return [(guard.text, guard.holds) for guard in conditions(above.test, holds, Origin.BRANCH)]
    return []


def _stands_in(module: Module, node: ast.AST | None, block: Sequence[ast.stmt]) -> bool:
    return node is not None and any(each in block for each in (node, *module.above(node)))


def _turned(scope: Scope, node: ast.expr, wanted: bool) -> list[tuple[Change, ...]]:
    """The alternatives that make a condition come out as wanted; each is a set of changes that all are needed."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _turned(scope, operand, not wanted)
        case ast.BoolOp(op=op, values=values):
            parts = [_turned(scope, value, wanted) for value in values]
            if isinstance(op, ast.Or) is wanted:
                return [each for part in parts for each in part]
            if not all(parts):
                return []
            return [tuple(change for part in parts for change in part[0])]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(scope, left, op, right, wanted)
    setting = setting_at(scope, node)
    if setting is None and isinstance(node, ast.Call):
        setting = setting_at(scope, node.func) if not node.args else None
    if setting is None:
        value = computed_by(scope, node)
        return _turned(scope, value, wanted) if value is not None else []
    if setting.sort is Sort.COMPUTED:
        return _through(scope, setting, wanted)
    if is_truth(setting) or any(route.switches for route in setting.routes):
        return [(Change(setting, "true" if wanted else "false"),)]
    if wanted:
        return [(Change(setting, "…"),)] if is_object(scope, setting) else []
    return [(Change(setting, UNSET),)] if setting.sort is Sort.FIELD else []


def _through(scope: Scope, setting: Setting, wanted: bool) -> list[tuple[Change, ...]]:
    """A property: the one expression that it returns, or the variable that decides it when it is set."""
    helper = setting.declared
    assert isinstance(helper, Helper)
    inside = name_scope(scope.arguments, helper)
    body = [
        each for each in helper.node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    match body:
        case [ast.Return(value=ast.expr() as value)]:
            return _turned(inside, value, wanted)
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id="envs"), attr=variable)):
                decides = any(
                    isinstance(each, ast.If)
                    and ast.unparse(each.test) == f"{name} is not None"
                    and ast.unparse(each.body[0]) == f"return {name}"
                    for each in body
                )
                if decides:
                    found = environment(scope.arguments, variable)
                    return [(Change(found, "true" if wanted else "false"),)]
    return []


def _compared(scope: Scope, left: ast.expr, op: ast.cmpop, right: ast.expr, wanted: bool) -> list[tuple[Change, ...]]:
    if isinstance(left, ast.Constant) or (isinstance(right, ast.Constant) and right.value is None):
        setting = setting_at(scope, right if isinstance(left, ast.Constant) else left)
        if setting is None or isinstance(left, ast.Constant):
            return []
        there = isinstance(op, ast.IsNot | ast.NotEq) is wanted
        if setting.key in _ALWAYS_THERE:
            return [()] if there else []
        if any(route.switches for route in setting.routes):
            return [(Change(setting, "true" if there else "false"),)]
        if there and is_truth(setting):
            return []
        return [(Change(setting, "…" if there else UNSET),)]
    setting = setting_at(scope, left)
    if setting is None or setting.sort is Sort.COMPUTED:
        return []
    if isinstance(right, ast.Constant) and isinstance(right.value, bool):
        same = isinstance(op, ast.Is | ast.Eq) is wanted
        return [(Change(setting, ("true" if right.value else "false") if same else UNSET),)]
    if isinstance(op, ast.In | ast.NotIn):
        values = value_texts(scope, right) or ()
        if isinstance(op, ast.In) is wanted:
            return [(Change(setting, value),) for value in values]
        return _another(scope, setting, values)
    value = value_text(scope, right)
    if value is None:
        return []
    if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
        if isinstance(op, ast.Eq | ast.Is) is wanted:
            return [(Change(setting, value),)]
        return _another(scope, setting, (value,))
    return _bounded(setting, op, right, wanted)


def _bounded(setting: Setting, op: ast.cmpop, right: ast.expr, wanted: bool) -> list[tuple[Change, ...]]:
    if not isinstance(right, ast.Constant) or not isinstance(right.value, int):
        return []
    number = right.value
    match (type(op), wanted):
        case (ast.Gt, False) | (ast.LtE, True):
            return [(Change(setting, str(number), "or less" if number > 1 else ""),)]
        case (ast.Gt, True) | (ast.LtE, False):
            return [(Change(setting, str(number + 1), "or more"),)]
        case (ast.Lt, False) | (ast.GtE, True):
            return [(Change(setting, str(number), "or more"),)]
        case (ast.Lt, True) | (ast.GtE, False):
            return [(Change(setting, str(number - 1), "or less"),)]
    return []


def _another(scope: Scope, setting: Setting, refused: Sequence[str]) -> list[tuple[Change, ...]]:
    """Another value than those refused: the default if it is one, else the first that the declaration allows."""
    declared = setting.declared
    if isinstance(declared, Helper):
        return []
    default = _default_text(declared)
    allowed = scope.arguments.declarations.values_of(declared.annotation)
    choices = [each for each in (default, *allowed) if each is not None and each not in (*refused, "None")]
    return [(Change(setting, choices[0], "or another value"),)] if choices else []


def _default_text(declared: Field | Variable) -> str | None:
    """A constant default as users write it."""
    if declared.default is None:
        return None
    try:
        value = ast.literal_eval(declared.default)
    except (ValueError, SyntaxError):
        return None
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _spelled(scope: Scope, change: Change) -> Change:
    """A change with its spellings; without any when users cannot make it."""
    setting, value = change.setting, change.value
    declared = setting.declared
    if isinstance(declared, Variable):
        text = {"true": "1", "false": "0"}.get(value or "", value)
        form = Form("environment", f"{setting.key}={text}" if text is not None else f"unset {setting.key}")
        return Change(setting, value, change.bound, (form,))
    if not isinstance(declared, Field):
        return change
    allowed = scope.arguments.declarations.values_of(declared.annotation)
    if value not in (UNSET, "true", "false", "…") and allowed and value not in allowed:
        return change
    forms = [form for route in setting.routes[:2] for form in _forms(route, declared, value)]
    return Change(setting, value, change.bound, tuple(dict.fromkeys(forms)))


def _forms(route: Route, declared: Field, value: str | None) -> list[Form]:
    found: list[Form] = []
    flag, switch = route.flag, value in ("true", "false")
    if value is UNSET:
        below = "".join(f".{key}" for key in route.keys)
        if flag:
            found += [Form("flag", flag.name + below), Form("YAML", flag.name[2:] + below)]
        if route.argument:
            found.append(Form("Python", route.argument + "".join(f"[{key!r}]" for key in route.keys)))
        return found
    if route.keys:
        inner = _as_json(declared, value)
        for key in reversed(route.keys):
            inner = f"{{{json.dumps(key)}: {inner}}}"
        if flag:
            found.append(Form("JSON flag", f"{flag.name} '{inner}'"))
            found.append(Form("flag", f"{flag.name}.{'.'.join(route.keys)} {value}"))
            found.append(Form("YAML", f"{flag.name[2:]}: '{inner}'"))
        if route.argument and value != "…":
            found.append(Form("Python", f"{route.argument}={_as_python(inner)}"))
        return found
    if flag and switch and flag.is_switch:
        text = flag.name if value == "true" else flag.negative
        if text:
            found += [Form("flag", text), Form("YAML", f"{text[2:]}: true")]
    elif flag:
        shown = "'{…}'" if value == "…" else value
        found += [Form("flag", f"{flag.name} {shown}"), Form("YAML", f"{flag.name[2:]}: {shown}")]
    if route.argument and value != "…":
        python = value.title() if switch else _as_python(_as_json(declared, value))
        found.append(Form("Python", f"{route.argument}={python}"))
    return found


def _as_json(declared: Field, value: str) -> str:
    """A value as JSON: a string stays one, whatever it looks like."""
    if value == "…":
        return "…"
    text = "str" in declared.annotation or (value not in ("true", "false") and not value.lstrip("-").isdigit())
    return json.dumps(value) if text else value


def _as_python(text: str) -> str:
    return repr(json.loads(text))
