"""How the argument of a `raise` or `assert` prints: exception class → the templates of its text.

Knows the built-in exceptions and those defined in the same file; for any other class with several arguments it does
not guess.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, replace

from generator.assignments import reaching
from generator.message import Placeholder
from generator.syntax import Function, Module
from generator.wording import Scope, Unknown, Wording, bind_arguments, represented, tuple_wordings, wordings

_BUILTIN = {name: value for name, value in vars(builtins).items() if isinstance(value, type)}


class NoMessage(Exception):
    """The statement raises without a text; `str()` says in which way: `re-raise` or `no message`."""


@dataclass(frozen=True)
class Raised:
    """What one `raise` or `assert` raises."""

    exception: str
    """Dotted name of the exception class as written, such as `ValueError`."""
    wordings: tuple[Wording, ...]
    """Every text it can print; never empty."""


def raised_by(module: Module, statement: ast.Raise | ast.Assert) -> Raised:
    """The exception class and texts of a statement.

    Raises:
        NoMessage: the statement re-raises, or raises without a text.
        Unknown: the source does not determine class or text.
    """
    scope = Scope(module, statement)
    if isinstance(statement, ast.Assert):
        if statement.msg is None:
            raise NoMessage("no message")
        return Raised("AssertionError", tuple(wordings(statement.msg, scope)))
    if statement.exc is None:
        raise NoMessage("re-raise")
    return _raised(statement.exc, scope)


def is_value_error(name: str) -> bool | None:
    """Whether pydantic turns this class into a validation error (ValueError, AssertionError and their subclasses);
    None when the class is not a built-in one.
    """
    known = _BUILTIN.get(name)
    return None if known is None else issubclass(known, ValueError | AssertionError)


def _raised(expression: ast.expr, scope: Scope) -> Raised:
    match expression:
        case ast.Call(func=ast.Attribute(value=inner, attr="with_traceback")):
            return _raised(inner, scope)
        case ast.Call(func=ast.Name() | ast.Attribute()):
            return _constructed(expression, scope)
        case ast.Name() | ast.Attribute():
            return _raised_name(expression, scope)
        case ast.IfExp():
            raise Unknown("a conditional expression chooses the exception")
    raise Unknown("the exception is not constructed in the statement")


def _raised_name(name: ast.Name | ast.Attribute, scope: Scope) -> Raised:
    """`raise name`: a class without arguments, an exception made earlier, or one that was caught."""
    dotted = ast.unparse(name)
    body = scope.function.body if scope.function else scope.module.tree.body
    bindings = reaching(body, dotted, scope.statement)
    made = [binding for binding in bindings if isinstance(binding, ast.Assign)]
    if any(isinstance(binding, ast.ExceptHandler) for binding in bindings):
        raise NoMessage("re-raise")
    if made and len(made) == len(bindings):
        found = [_raised(binding.value, scope.at(binding)) for binding in made]
        if len({each.exception for each in found}) > 1:
            raise Unknown(f"`{dotted}` can hold exceptions of different classes")
        every = [wording for each in found for wording in each.wordings]
        return Raised(found[0].exception, tuple(dict.fromkeys(every)))
    last = dotted.rpartition(".")[2]
    if bindings == (None,) and (dotted in _BUILTIN or dotted in scope.module.classes or last[:1].isupper()):
        raise NoMessage("no message")
    raise Unknown(f"`{dotted}` is bound elsewhere: which exception it holds is not determined here")


def _constructed(call: ast.Call, scope: Scope) -> Raised:
    name = ast.unparse(call.func)
    own = scope.module.classes.get(name)
    if own is not None:
        return Raised(name, tuple(_own_class(own, call, scope)))
    if not call.args and not call.keywords:
        raise NoMessage("no message")
    if call.keywords and name not in _BUILTIN:
        raise Unknown(f"`{name}` is defined elsewhere: what it does with keyword arguments is not known")
    return Raised(name, tuple(_printed(name, call.args, scope)))


def _printed(name: str, arguments: list[ast.expr], scope: Scope) -> list[Wording]:
    """How a built-in exception prints its arguments."""
    if any(isinstance(argument, ast.Starred) for argument in arguments):
        raise Unknown("the arguments are unpacked from a sequence")
    known = _BUILTIN.get(name)
    if len(arguments) == 1:
        found = wordings(arguments[0], scope)
        return [represented(wording) for wording in found] if known is KeyError else found
    if known is None:
        raise Unknown(f"`{name}` is defined elsewhere: how it prints several arguments is not known")
    if issubclass(known, OSError) and len(arguments) == 2:
        number = ast.unparse(arguments[0])
        head: tuple[str | Placeholder, ...] = ("[Errno ", Placeholder(number, number), "] ")
        return [replace(wording, parts=head + wording.parts) for wording in wordings(arguments[1], scope)]
    if issubclass(known, OSError | UnicodeError | SyntaxError | ImportError):
        raise Unknown(f"`{name}` prints several arguments in a form of its own")
    return tuple_wordings(arguments, scope)


def _own_class(own: ast.ClassDef, call: ast.Call, scope: Scope) -> list[Wording]:
    """An exception class of this file: its `__str__`, else what its `__init__` hands to the base class."""
    methods = {node.name: node for node in own.body if isinstance(node, Function)}
    initialiser, shown = methods.get("__init__"), methods.get("__str__")
    if initialiser is not None:
        bound = bind_arguments(initialiser, call, scope)
        inner = Scope(scope.module, initialiser.body[-1], bound, scope.depth + 1)
        printed = _handed_to_base(initialiser, inner)
    else:
        bound = {}
        if not call.args and shown is None:
            raise NoMessage("no message")
        printed = _printed(_base_of(own), call.args, scope) if call.args else [Wording(("",))]
    return _shown(shown, initialiser, printed, bound, scope) if shown is not None else printed


def _base_of(own: ast.ClassDef) -> str:
    return ast.unparse(own.bases[0]) if own.bases else "Exception"


def _handed_to_base(initialiser: Function, scope: Scope) -> list[Wording]:
    """The text that `__init__` passes on with `super().__init__(...)`."""
    for node in ast.walk(initialiser):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__")):
                statement = next(each for each in scope.module.above(node) if isinstance(each, ast.stmt))
                return _printed("Exception", node.args, replace(scope, statement=statement))
    return [Wording(("",))]


def _shown(
    method: Function,
    initialiser: Function | None,
    printed: list[Wording],
    bound: dict[str, tuple[ast.expr, Scope]],
    scope: Scope,
) -> list[Wording]:
    """The text that a `__str__` with a single `return` makes of the stored message."""
    returns = [node for node in ast.walk(method) if isinstance(node, ast.Return)]
    if len(returns) != 1 or returns[0].value is None:
        raise Unknown("`__str__` has more than one way to return")
    stored = {
        ast.unparse(node.targets[0]): bound[node.value.id]
        for node in ast.walk(initialiser or ast.Pass())
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in bound
    }
    shown = wordings(returns[0].value, Scope(scope.module, returns[0], {}, scope.depth + 1))
    found: list[Wording] = []
    for wording in shown:
        rows = [Wording((), wording.chosen_by)]
        for part in wording.parts:
            column = _filled(part, printed, stored)
            rows = [Wording(a.parts + b.parts, a.chosen_by + b.chosen_by) for a in rows for b in column]
        found += rows
    return list(dict.fromkeys(found))


def _filled(
    part: str | Placeholder, printed: list[Wording], stored: dict[str, tuple[ast.expr, Scope]]
) -> list[Wording]:
    """A part of `__str__`, with the stored message put in where the part prints it."""
    if isinstance(part, Placeholder) and part.source == part.expression:
        if part.expression in ("self.args[0]", "super().__str__()", "self.message") and part.expression not in stored:
            return printed
        if part.expression in stored:
            expression, outer = stored[part.expression]
            try:
                return wordings(expression, outer)
            except Unknown:
                text = ast.unparse(expression)
                return [Wording((Placeholder(text, text),))]
    return [Wording((part,))]
