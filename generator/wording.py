"""The message templates that an expression can evaluate to: every alternative that the source determines.

Never guesses: what the source of this one file does not determine is `Unknown`, with the reason.
"""

from __future__ import annotations

import ast
import itertools
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    is_text: bool = True
    """Whether the value is a `str`. Another value prints the same by itself, but without quotes inside a tuple."""
    homes: tuple[tuple[str, Scope], ...] = field(default=(), compare=False, repr=False)
    """Where each placeholder is written: its source and what the names in it mean there."""

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
            return [Wording((str(expression.value),), is_text=isinstance(expression.value, str))]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return [Wording((str(-number),), is_text=False)]
        case ast.JoinedStr():
            return [_of_parts(fstring_parts(expression, scope.module.segment(expression)), scope)]
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


def _of_parts(parts: Iterable[str | Placeholder], scope: Scope) -> Wording:
    """A wording whose placeholders are written in `scope`."""
    kept = tuple(parts)
    return Wording(kept, homes=tuple((part.source, scope) for part in kept if isinstance(part, Placeholder)))


def _value(expression: ast.expr, scope: Scope, conversion: str = "") -> Wording:
    """A placeholder for a value that is not written as one in the source."""
    text = ast.unparse(expression)
    return _of_parts([Placeholder(text + conversion, text)], scope)


def tuple_wordings(elements: Sequence[ast.expr], scope: Scope) -> list[Wording]:
    """How an exception with several arguments prints: as the tuple of their representations."""
    if any(isinstance(element, ast.Starred) for element in elements):
        raise Unknown("the arguments are unpacked from a sequence")
    shown = [_represented(element, scope) for element in elements]
    commas: list[list[Wording]] = [[Wording((", ",))] if index else [Wording(("(",))] for index in range(len(shown))]
    closing = [Wording((",)" if len(shown) == 1 else ")",))]
    rows = product([*itertools.chain.from_iterable(zip(commas, shown, strict=True)), closing])
    return [replace(row, is_text=False) for row in rows]


def represented(wording: Wording) -> Wording:
    """The representation of a text: in quotes, as `repr` shows it when no placeholder's value holds a quote."""
    if not wording.is_text:
        return wording
    fixed = wording.template.fixed_text
    quote = '"' if "'" in fixed and '"' not in fixed else "'"
    inner = [_escaped(part, quote) if isinstance(part, str) else part for part in wording.parts]
    return replace(wording, parts=(quote, *inner, quote), is_text=False)


def _escaped(text: str, quote: str) -> str:
    """A part of a text as `repr` of the whole shows it between such quotes."""
    both = repr("'\"" + text)[len("'\\'\"") : -1]
    return both if quote == "'" else both.replace("\\'", "'")


def _represented(element: ast.expr, scope: Scope) -> list[Wording]:
    try:
        return [represented(wording) for wording in wordings(element, scope)]
    except Unknown:
        return [_value(element, scope, "!r")]


def pieces(expression: ast.expr, scope: Scope) -> list[Wording]:
    """Every text of a part of a message; a part that is not determined becomes a placeholder."""
    try:
        return wordings(expression, scope)
    except Unknown:
        return [_value(expression, scope)]


def _sum(expression: ast.BinOp, scope: Scope) -> list[Wording]:
    """`left + right`, when at least one of the two is known to be text."""
    columns = [pieces(side, scope) for side in (expression.left, expression.right)]
    if any(not wording.is_text for column in columns for wording in column):
        raise Unknown(f"`{_short(expression)}` adds something other than texts")
    if not any(isinstance(part, str) for column in columns for wording in column for part in wording.parts):
        raise Unknown(f"`{_short(expression)}` is not a text that the source determines")
    return product(columns)


def product(columns: Iterable[list[Wording]]) -> list[Wording]:
    """All combinations of the alternatives of neighbouring parts, in order."""
    rows = [Wording(())]
    for column in columns:
        rows = [
            Wording(a.parts + b.parts, a.chosen_by + b.chosen_by, homes=a.homes + b.homes) for a in rows for b in column
        ]
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
        if not wording.is_text:
            raise Unknown(f"`{_short(expression)}` is not a text that the source determines")
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
        made = _of_parts([*parts, template.text[end:]], scope)
        found.append(replace(made, chosen_by=wording.chosen_by))
    return found


def _formatted(value: ast.expr, form: str, kind: str) -> Placeholder:
    """A `%` conversion written as in an f-string: `%r` → `{x!r}`, `%5.1f` → `{x:5.1f}`, `%-5d` → `{x:<5d}`."""
    text = ast.unparse(value)
    flags, size = re.fullmatch(r"([-#0 +]*)(.*)", form).groups()  # type: ignore[union-attr]
    conversion = ""
    if kind in "sra":
        spec = size if size[:1] in ("", ".") else ("<" if "-" in flags else ">") + size
        conversion = f"!{kind}" if spec or kind != "s" else ""
    else:
        sign = next((sign for sign in "+ " if sign in flags), "")
        zero = "0" if "0" in flags and "-" not in flags else ""
        spec = f"{'<' if '-' in flags else ''}{sign}{'#' if '#' in flags else ''}{zero}{size}"
        spec += "" if kind in "diu" and not spec else "d" if kind in "iu" else kind
    return Placeholder(f"{text}{conversion}:{spec}" if spec else text + conversion, text)


def _called(call: ast.Call, scope: Scope) -> list[Wording]:
    match call.func:
        case ast.Attribute(attr="format"):
            return _format_method(call, call.func.value, scope)
        case ast.Attribute(attr="join") if len(call.args) == 1 and not call.keywords:
            return _join_method(call.func.value, call.args[0], scope)
        case ast.Name(id="str") if len(call.args) == 1 and not call.keywords:
            return [replace(wording, is_text=True) for wording in wordings(call.args[0], scope)]
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
        if not wording.is_text:
            raise Unknown(f"the result of `{_short(call)}` is not known")
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
            expression = _field(name, numbers, call.args, named)
            source = expression + (f"!{conversion}" if conversion else "")
            for index, piece in enumerate(re.split(r"\{([^{}]*)\}", f":{spec}" if spec else "")):
                source += f"{{{_field(piece, numbers, call.args, named)}}}" if index % 2 else piece
            parts.append(Placeholder(source, expression))
        made = _of_parts(parts, scope)
        found.append(replace(made, chosen_by=wording.chosen_by))
    return found


def _field(
    name: str, numbers: Iterator[int], positional: Sequence[ast.expr], named: Mapping[str | None, ast.expr]
) -> str:
    """The expression whose value a field of a format string shows: `{0.name[key]}` → `x.name['key']`."""
    key, rest = re.fullmatch(r"([^.\[]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    index = next(numbers) if not key else int(key) if key.isdecimal() else None
    value = named.get(key) if index is None else positional[index] if index < len(positional) else None
    if value is None:
        raise Unknown(f"`{{{name}}}` has no value in .format()")
    text = ast.unparse(value)
    if rest and not isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        text = f"({text})"
    return text + re.sub(r"\[([^\]]*)\]", lambda each: f"[{each[1] if each[1].isdecimal() else repr(each[1])}]", rest)


def _join_method(separator: ast.expr, items: ast.expr, scope: Scope) -> list[Wording]:
    """`separator.join(items)`, when the items are written out."""
    if not isinstance(items, ast.List | ast.Tuple) or any(isinstance(item, ast.Starred) for item in items.elts):
        raise Unknown("the joined items are not written out in the source")
    columns: list[list[Wording]] = []
    for index, item in enumerate(items.elts):
        columns += [pieces(separator, scope)] if index else []
        columns.append(pieces(item, scope))
    if any(not wording.is_text for column in columns for wording in column):
        raise Unknown("not all joined items are texts")
    return product(columns)


def _named(name: ast.Name | ast.Attribute, scope: Scope) -> list[Wording]:
    """A name or dotted name: every value that earlier assignments of the function can have given it."""
    dotted = ast.unparse(name)
    function = scope.function
    body = function.body if function else scope.module.tree.body
    bindings = reaching(body, dotted, scope.statement)
    found: list[Wording] = []
    for binding in bindings:
        if binding is not None:
            found += _bound(binding, name, scope)
        elif len(bindings) == 1 or "." in dotted or (function and dotted in parameters(function)):
            found += _outer(dotted, function, scope)
        # Else the name is local and not bound yet: Python would complain about that instead.
    if not bindings:
        raise Unknown("control cannot get here")
    _limit(found)
    return list(dict.fromkeys(found))


def _bound(binding: ast.AST, name: ast.Name | ast.Attribute, scope: Scope) -> list[Wording]:
    """The texts that one binding statement gives a name."""
    dotted = ast.unparse(name)
    match binding:
        case ast.Assign() if any(ast.unparse(target) == dotted for target in binding.targets):
            return wordings(binding.value, scope.at(binding))
        case ast.AnnAssign(value=ast.expr() as value) if ast.unparse(binding.target) == dotted:
            return wordings(value, scope.at(binding))
        case ast.AugAssign(op=ast.Add()) if ast.unparse(binding.target) == dotted:
            before = scope.at(binding)
            columns = [_named(name, before), pieces(binding.value, before)]
            if all(wording.is_text for column in columns for wording in column):
                return product(columns)
        case ast.expr():
            values = [node.value for node in ast.walk(binding) if isinstance(node, ast.NamedExpr)]
            if len(values) == 1:
                statement = next(above for above in scope.module.above(binding) if isinstance(above, ast.stmt))
                return wordings(values[0], scope.at(statement))
    raise Unknown(f"`{dotted}` is not given a text where it is bound (line {getattr(binding, 'lineno', 0)})")


def _outer(dotted: str, function: Function | None, scope: Scope) -> list[Wording]:
    """A name that its function does not bind: an argument that is known, or a constant of the module."""
    if function is not None and dotted in parameters(function):
        if dotted in scope.arguments:
            argument, outer = scope.arguments[dotted]
            return wordings(argument, outer)
        raise Unknown(f"`{dotted}` is a parameter: the callers decide")
    if "." in dotted:
        raise Unknown(f"`{dotted}` is not assigned before the statement in its function")
    for above in scope.module.above(function) if function else ():
        if isinstance(above, Function) and (
            dotted in parameters(above) or reaching(above.body, dotted, None) != (None,)
        ):
            raise Unknown(f"`{dotted}` belongs to the enclosing function `{above.name}`")
    if any(isinstance(node, ast.Global) and dotted in node.names for node in scope.module.parents):
        raise Unknown(f"`{dotted}` is a global name that functions of this file change")
    constants = [binding for binding in reaching(scope.module.tree.body, dotted, None) if binding is not None]
    if function is None or not constants:
        raise Unknown(f"`{dotted}` is not determined in this file")
    constant = ast.Name(dotted, ast.Load())
    return [wording for binding in constants for wording in _bound(binding, constant, scope)]


def _helper(call: ast.Call, scope: Scope) -> list[Wording]:
    """The texts that a function of the same module or a method of the same class returns."""
    found = [wording for value, inner in returned_by(call, scope) for wording in wordings(value, inner)]
    _limit(found)
    return list(dict.fromkeys(found))


def returned_by(call: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """What a called function of the same file can return: each expression, and what the names in it mean.

    Raises:
        Unknown: the function is defined elsewhere or does not simply return something.
    """
    helper = _find_helper(call.func, scope)
    if helper is None:
        raise Unknown(f"`{_short(call.func)}` is not a function of this file")
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(helper)) or isinstance(
        helper, ast.AsyncFunctionDef
    ):
        raise Unknown(f"`{helper.name}` does not simply return a text")
    for decorator in helper.decorator_list:
        if not re.search(r"\b(staticmethod|classmethod|cache|lru_cache)\b", ast.unparse(decorator)):
            raise Unknown(f"`{helper.name}` is changed by its decorator `{_short(decorator)}`")
    arguments = bind_arguments(helper, call, scope)
    found = [
        (node.value, replace(scope.at(node), arguments=arguments))
        for node in ast.walk(helper)
        if isinstance(node, ast.Return) and scope.module.function_of(node) is helper and node.value is not None
    ]
    if not found:
        raise Unknown(f"`{helper.name}` returns nothing")
    return sorted(found, key=lambda each: (each[0].lineno, each[0].col_offset))


def _find_helper(function: ast.expr, scope: Scope) -> Function | None:
    match function:
        case ast.Name():
            here = reaching(scope.function.body, function.id, scope.statement) if scope.function else (None,)
            if any(binding is not None and not isinstance(binding, Function) for binding in here) or (
                scope.function and function.id in parameters(scope.function)
            ):
                return None
            name = scope.module.visible_function(function.id, scope.statement)
            return scope.module.functions[name] if name else None
        case ast.Attribute(value=ast.Name(id=owner)):
            holder = scope.module.class_of(scope.statement)
            if holder is not None and owner in ("self", "cls", holder.name):
                family = scope.module.family(scope.module.qualified_name(holder))
                methods = (scope.module.functions.get(f"{each}.{function.attr}") for each in family)
                return next((method for method in methods if method is not None), None)
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
    around = replace(scope, statement=function, arguments={})
    for parameter, default in zip(names[len(names) - len(defaults) :], defaults, strict=False):
        bound[parameter.arg] = (default, around)
    for keyword_only, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            bound[keyword_only.arg] = (value, around)
    for parameter, argument in zip(names, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        bound[parameter.arg] = (argument, scope)
    bound |= {keyword.arg: (keyword.value, scope) for keyword in call.keywords if keyword.arg}
    return bound


def parameters(function: Function) -> set[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {argument.arg for argument in every if argument}


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}..."
