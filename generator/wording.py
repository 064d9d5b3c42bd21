"""The message templates that an expression can evaluate to: every alternative that the source determines.

Never guesses: what the source of this one file does not determine is `Unknown`, with the reason.
"""

from __future__ import annotations

import ast
import itertools
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator.assignments import reaching
from generator.fstring import fstring_parts
from generator.guards import Guard, Origin, conditions
from generator.message import MessageTemplate, Placeholder
from generator.syntax import Function, Module

_MOST_ALTERNATIVES = 32
_DEEPEST = 8
_PERCENT = re.compile(
    r"%(?:\((?P<name>[^)]*)\))?(?P<format>[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?)[hlL]?(?P<type>[a-zA-Z%])"
)


@dataclass(frozen=True)
class Wording:
    """One alternative of a message."""

    parts: tuple[str | Placeholder, ...]
    """Fixed texts and placeholders, not yet joined."""
    chosen_by: tuple[Guard, ...] = ()
    """The conditions under which a conditional expression chose this alternative."""

    @property
    def template(self) -> MessageTemplate:
        """The message template of this alternative."""
        return MessageTemplate.of(*self.parts)


class Unknown(Exception):
    """The source does not determine the text; `str()` says why, without location."""


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: what names in it mean."""

    module: Module
    statement: ast.stmt
    """The statement that holds the expression; only assignments before it count."""
    arguments: Mapping[str, tuple[ast.expr, Scope]] = field(default_factory=dict)
    """Parameter → the argument that the caller passed, when a helper's body is followed."""
    depth: int = 0
    """How many names and calls have been followed to get here."""

    def at(self, statement: ast.stmt) -> Scope:
        """The same function, at another statement, one step deeper."""
        if self.depth >= _DEEPEST:
            raise Unknown("too many names and calls lie between the statement and the text")
        return replace(self, statement=statement, depth=self.depth + 1)

    @property
    def function(self) -> Function | None:
        """The function around the statement; None at module and class level."""
        return self.module.function_of(self.statement)


def wordings(expression: ast.expr, scope: Scope) -> list[Wording]:
    """Every text that an expression can have, when it is a message by itself.

    Raises:
        Unknown: the source does not determine the text.
    """
    match expression:
        case ast.Constant():
            return [Wording((str(expression.value),))]
        case ast.JoinedStr():
            return [Wording(tuple(fstring_parts(expression, scope.module.segment(expression))))]
        case ast.BinOp(op=ast.Add()):
            return _sum(expression, scope)
        case ast.BinOp(op=ast.Mod()):
            return _percent(expression, scope)
        case ast.IfExp():
            return _either(expression, scope)
        case ast.Tuple():
            return tuple_wordings(expression.elts, scope)
        case ast.NamedExpr():
            return wordings(expression.value, scope)
        case ast.Name() | ast.Attribute():
            return _named(expression, scope)
        case ast.Call():
            return _called(expression, scope)
    raise Unknown(f"`{_short(expression)}` is not a text that the source determines")


def tuple_wordings(elements: Sequence[ast.expr], scope: Scope) -> list[Wording]:
    """How an exception with several arguments prints: as the tuple of their representations."""
    if any(isinstance(element, ast.Starred) for element in elements):
        raise Unknown("the arguments are unpacked from a sequence")
    shown = [_represented(element, scope) for element in elements]
    commas: list[list[Wording]] = [[Wording((", ",))] if index else [Wording(("(",))] for index in range(len(shown))]
    closing = [Wording((",)" if len(shown) == 1 else ")",))]
    return _product([*itertools.chain.from_iterable(zip(commas, shown, strict=True)), closing])


def represented(wording: Wording) -> Wording:
    """The representation of a text: in quotes, as `repr` shows it when it holds no quote of its own."""
    if all(isinstance(part, str) for part in wording.parts):
        return replace(wording, parts=(repr("".join(str(part) for part in wording.parts)),))
    escaped = [repr(part)[1:-1] if isinstance(part, str) else part for part in wording.parts]
    return replace(wording, parts=("'", *escaped, "'"))


def _represented(element: ast.expr, scope: Scope) -> list[Wording]:
    if isinstance(element, ast.Constant) and not isinstance(element.value, str):
        return [Wording((repr(element.value),))]
    try:
        return [represented(wording) for wording in wordings(element, scope)]
    except Unknown:
        text = ast.unparse(element)
        return [Wording((Placeholder(f"{text}!r", text),))]


def _pieces(expression: ast.expr, scope: Scope) -> list[Wording]:
    """Every text of a part of a message; a part that is not determined becomes a placeholder."""
    try:
        return wordings(expression, scope)
    except Unknown:
        text = ast.unparse(expression)
        return [Wording((Placeholder(text, text),))]


def _sum(expression: ast.BinOp, scope: Scope) -> list[Wording]:
    """`left + right`, when at least one of the two is known to be text."""
    sides = (expression.left, expression.right)
    if any(isinstance(side, ast.Constant) and not isinstance(side.value, str) for side in sides):
        raise Unknown(f"`{_short(expression)}` adds numbers")
    columns = [_pieces(side, scope) for side in sides]
    if not any(isinstance(part, str) for column in columns for wording in column for part in wording.parts):
        raise Unknown(f"`{_short(expression)}` is not a text that the source determines")
    return _product(columns)


def _product(columns: Iterable[list[Wording]]) -> list[Wording]:
    """All combinations of the alternatives of neighbouring parts, in order."""
    rows = [Wording(())]
    for column in columns:
        rows = [Wording(a.parts + b.parts, a.chosen_by + b.chosen_by) for a in rows for b in column]
        _limit(rows)
    return rows


def _limit(rows: Sequence[object]) -> None:
    if len(rows) > _MOST_ALTERNATIVES:
        raise Unknown(f"more than {_MOST_ALTERNATIVES} alternatives")


def _either(expression: ast.IfExp, scope: Scope) -> list[Wording]:
    found: list[Wording] = []
    for branch, holds in ((expression.body, True), (expression.orelse, False)):
        chosen = tuple(conditions(expression.test, holds, Origin.WORDING))
        found += [replace(wording, chosen_by=chosen + wording.chosen_by) for wording in wordings(branch, scope)]
    return found


def _percent(expression: ast.BinOp, scope: Scope) -> list[Wording]:
    """`text % values`, with positional or named values."""
    values = expression.right
    found: list[Wording] = []
    for wording in wordings(expression.left, scope):
        template = wording.template
        if template.placeholders:
            raise Unknown("the text on the left of % has placeholders of its own")
        named = isinstance(values, ast.Dict) and all(isinstance(key, ast.Constant) for key in values.keys)
        by_name = {str(k.value): v for k, v in zip(values.keys, values.values, strict=True)} if named else {}  # type: ignore[attr-defined]
        in_order = iter(values.elts if isinstance(values, ast.Tuple) else [values])
        parts: list[str | Placeholder] = []
        end = 0
        for match in _PERCENT.finditer(template.text):
            parts.append(template.text[end : match.start()])
            end = match.end()
            if match["type"] == "%":
                parts.append("%")
                continue
            value = by_name.get(match["name"]) if match["name"] is not None else next(in_order, None)
            if value is None or "*" in match["format"] or isinstance(value, ast.Starred):
                raise Unknown(f"`{match.group()}` has no value of its own in the source")
            parts.append(_formatted(value, match["format"], match["type"]))
        found.append(replace(wording, parts=(*parts, template.text[end:])))
    return found


def _formatted(value: ast.expr, form: str, kind: str) -> Placeholder:
    """A `%` conversion written as in an f-string: `%r` → `{x!r}`, `%5.1f` → `{x:5.1f}`."""
    text = ast.unparse(value)
    if kind in "ra":
        return Placeholder(f"{text}!{kind}", text)
    spec = form + ("" if kind in "sdiu" and (kind == "s" or not form) else kind)
    return Placeholder(f"{text}:{spec}" if spec else text, text)


def _called(call: ast.Call, scope: Scope) -> list[Wording]:
    match call.func:
        case ast.Attribute(attr="format"):
            return _format_method(call, call.func.value, scope)
        case ast.Attribute(attr="join") if len(call.args) == 1 and not call.keywords:
            return _join_method(call.func.value, call.args[0], scope)
        case ast.Name(id="str") if len(call.args) == 1 and not call.keywords:
            return wordings(call.args[0], scope)
        case ast.Name() | ast.Attribute():
            return _helper(call, scope)
    raise Unknown(f"the result of `{_short(call)}` is not known")


def _format_method(call: ast.Call, receiver: ast.expr, scope: Scope) -> list[Wording]:
    """`text.format(...)`, with positional, numbered and named fields."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in named or any(isinstance(argument, ast.Starred) for argument in call.args):
        raise Unknown("the values of .format() are unpacked")
    found: list[Wording] = []
    for wording in wordings(receiver, scope):
        if wording.template.placeholders:
            raise Unknown("the text before .format() has placeholders of its own")
        parts: list[str | Placeholder] = []
        numbers = itertools.count()
        try:
            fields = list(string.Formatter().parse(wording.template.text))
        except ValueError as error:
            raise Unknown(f"the format string is malformed: {error}") from None
        for text, name, spec, conversion in fields:
            parts.append(text)
            if name is None:
                continue
            head = re.match(r"[^.\[]*", name)
            key = head.group() if head else ""
            rest = name[len(key) :]
            index = next(numbers) if not key else int(key) if key.isdecimal() else None
            positional = call.args[index] if index is not None and index < len(call.args) else None
            value = named.get(key) if index is None else positional
            if value is None:
                raise Unknown(f"`{{{name}}}` has no value in .format()")
            expression = ast.unparse(value) + rest
            source = expression + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            parts.append(Placeholder(source, expression))
        found.append(replace(wording, parts=tuple(parts)))
    return found


def _join_method(separator: ast.expr, items: ast.expr, scope: Scope) -> list[Wording]:
    """`separator.join(items)`, when the items are written out."""
    if not isinstance(items, ast.List | ast.Tuple) or any(isinstance(item, ast.Starred) for item in items.elts):
        raise Unknown("the joined items are not written out in the source")
    columns: list[list[Wording]] = []
    for index, item in enumerate(items.elts):
        columns += [_pieces(separator, scope)] if index else []
        columns.append(_pieces(item, scope))
    return _product(columns)


def _named(name: ast.Name | ast.Attribute, scope: Scope) -> list[Wording]:
    """A name or dotted name: every value that earlier assignments of the function can have given it."""
    dotted = ast.unparse(name)
    function = scope.function
    body = function.body if function else scope.module.tree.body
    bindings = reaching(body, dotted, scope.statement)
    found: list[Wording] = []
    for binding in bindings:
        if binding is None:
            found += _outer(dotted, function, scope)
        else:
            found += _bound(binding, name, scope)
    if not bindings:
        raise Unknown("control cannot get here")
    _limit(found)
    return list(dict.fromkeys(found))


def _bound(binding: ast.AST, name: ast.Name | ast.Attribute, scope: Scope) -> list[Wording]:
    """The texts that one binding statement gives a name."""
    match binding:
        case ast.Assign(targets=[ast.Name() | ast.Attribute()]) | ast.AnnAssign(value=ast.expr()):
            assert binding.value is not None
            return wordings(binding.value, scope.at(binding))
        case ast.AugAssign(op=ast.Add()):
            before = scope.at(binding)
            return _product([_named(name, before), _pieces(binding.value, before)])
        case ast.expr() | ast.stmt():
            values = [node.value for node in ast.walk(binding) if isinstance(node, ast.NamedExpr)]
            if isinstance(binding, ast.expr) and len(values) == 1:
                return wordings(values[0], replace(scope, depth=scope.depth + 1))
    raise Unknown(f"`{ast.unparse(name)}` is not given a text where it is bound (line {getattr(binding, 'lineno', 0)})")


def _outer(dotted: str, function: Function | None, scope: Scope) -> list[Wording]:
    """A name that its function does not bind: an argument that is known, or a constant of the module."""
    if function is not None and dotted in _parameters(function):
        if dotted in scope.arguments:
            argument, outer = scope.arguments[dotted]
            return wordings(argument, outer)
        raise Unknown(f"`{dotted}` is a parameter: the callers decide")
    if "." in dotted:
        raise Unknown(f"`{dotted}` is not assigned before the statement in its function")
    for above in scope.module.above(function) if function else ():
        if isinstance(above, Function) and (dotted in _parameters(above) or _assigned(above.body, dotted)):
            raise Unknown(f"`{dotted}` belongs to the enclosing function `{above.name}`")
    constants = _assigned(scope.module.tree.body, dotted)
    rebound = any(isinstance(node, ast.Global) and dotted in node.names for node in ast.walk(scope.module.tree))
    if len(constants) == 1 and constants[0].value is not None and not rebound:
        return wordings(constants[0].value, scope.at(constants[0]))
    raise Unknown(f"`{dotted}` is not determined in this file")


def _assigned(body: Sequence[ast.stmt], name: str) -> list[ast.Assign | ast.AnnAssign]:
    """The plain assignments to a name in the statements of a block and in the blocks that it holds."""
    found: list[ast.Assign | ast.AnnAssign] = []
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found += [node for target in targets if isinstance(target, ast.Name) and target.id == name]
        if isinstance(statement, Function | ast.ClassDef):
            found = [node for node in found if node not in set(ast.walk(statement))]
    return found


def _helper(call: ast.Call, scope: Scope) -> list[Wording]:
    """The texts that a function of the same module or a method of the same class returns."""
    helper = _find_helper(call.func, scope)
    if helper is None:
        raise Unknown(f"`{_short(call.func)}` is not a function of this file")
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(helper)) or isinstance(
        helper, ast.AsyncFunctionDef
    ):
        raise Unknown(f"`{helper.name}` does not simply return a text")
    arguments = bind_arguments(helper, call, scope)
    returns = [
        node
        for node in ast.walk(helper)
        if isinstance(node, ast.Return) and scope.module.function_of(node) is helper and node.value is not None
    ]
    found: list[Wording] = []
    for statement in returns:
        inner = replace(scope.at(statement), arguments=arguments)
        assert statement.value is not None
        found += wordings(statement.value, inner)
    if not found:
        raise Unknown(f"`{helper.name}` returns no text")
    _limit(found)
    return list(dict.fromkeys(found))


def _find_helper(function: ast.expr, scope: Scope) -> Function | None:
    match function:
        case ast.Name():
            return scope.module.functions.get(function.id)
        case ast.Attribute(value=ast.Name(id=owner)):
            holder = scope.module.class_of(scope.statement)
            if holder is not None and owner in ("self", "cls", holder.name):
                return scope.module.functions.get(f"{scope.module.qualified_name(holder)}.{function.attr}")
    return None


def bind_arguments(function: Function, call: ast.Call, scope: Scope) -> dict[str, tuple[ast.expr, Scope]]:
    """Parameter → argument of a call, defaults included; what is unpacked is left out."""
    names = [*function.args.posonlyargs, *function.args.args]
    owner = scope.module.parents.get(function)
    static = any(ast.unparse(decorator) == "staticmethod" for decorator in function.decorator_list)
    if isinstance(owner, ast.ClassDef) and not static:
        names = names[1:]
    bound: dict[str, tuple[ast.expr, Scope]] = {}
    defaults = function.args.defaults
    for parameter, default in zip(names[len(names) - len(defaults) :], defaults, strict=False):
        bound[parameter.arg] = (default, scope)
    for keyword_only, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            bound[keyword_only.arg] = (value, scope)
    for parameter, argument in zip(names, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        bound[parameter.arg] = (argument, scope)
    bound |= {keyword.arg: (keyword.value, scope) for keyword in call.keywords if keyword.arg}
    return bound


def _parameters(function: Function) -> set[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {argument.arg for argument in every if argument}


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}..."
