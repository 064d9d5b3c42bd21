"""How the argument of a `raise` or `assert` prints: exception class → the templates of its text.

Knows the built-in exceptions and those defined in the same file; for any other class with several arguments it does
not guess.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from generator.assignments import reaching
from generator.message import Placeholder
from generator.syntax import Function, Module
from generator.wording import (
    Scope,
    Unknown,
    Wording,
    bind_arguments,
    pieces,
    product,
    represented,
    returned_by,
    tuple_wordings,
    wordings,
)

_BUILTIN = {name: value for name, value in vars(builtins).items() if isinstance(value, type)}
Bound = Mapping[str, tuple[ast.expr, Scope]]
"""Parameter → its argument and where that is written."""


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


def is_value_error(module: Module, name: str) -> bool | None:
    """Whether pydantic turns this class into a validation error (ValueError, AssertionError and their subclasses);
    None when that is not known because a class of another file decides.
    """
    family = module.family(name)
    roots = [_BUILTIN[each] for each in family if each in _BUILTIN]
    if any(issubclass(root, ValueError | AssertionError) for root in roots):
        return True
    return False if all(each in _BUILTIN or each in module.classes for each in family) else None


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
    if any(isinstance(binding, ast.ExceptHandler) for binding in bindings):
        raise NoMessage("re-raise")
    defined = ast.ClassDef | ast.Import | ast.ImportFrom
    known = [binding for binding in bindings if binding is not None and not isinstance(binding, defined)]
    made = [binding for binding in known if _is_plain(binding, dotted)]
    if made and len(made) == len(known):
        return _together([(each.value, scope.at(each)) for each in made if each.value is not None], dotted)
    if dotted in scope.module.classes:
        return Raised(dotted, tuple(_own_class(dotted, ast.Call(name, [], []), scope)))
    if not known and (dotted in _BUILTIN or dotted.rpartition(".")[2].lstrip("_")[:1].isupper()):
        raise NoMessage("no message")
    raise Unknown(f"`{dotted}` is bound elsewhere: which exception it holds is not determined here")


def _is_plain(binding: ast.AST, dotted: str) -> TypeGuard[ast.Assign | ast.AnnAssign]:
    """Whether a binding is an assignment to nothing but the name."""
    match binding:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target, value=ast.expr()):
            return ast.unparse(target) == dotted
    return False


def _together(choices: Sequence[tuple[ast.expr, Scope]], name: str) -> Raised:
    """What one of several expressions raises, when all of them make exceptions of one class."""
    found: list[Raised] = []
    nothing = NoMessage("no message")
    for expression, scope in choices:
        if isinstance(expression, ast.Constant) and expression.value is None:
            continue  # Raising None is a TypeError, another message.
        try:
            found.append(_raised(expression, scope))
        except NoMessage as reason:
            nothing = reason
    if not found:
        raise nothing
    if len({each.exception for each in found}) > 1:
        raise Unknown(f"`{name}` can hold exceptions of different classes")
    return Raised(found[0].exception, tuple(dict.fromkeys(wording for each in found for wording in each.wordings)))


def _constructed(call: ast.Call, scope: Scope) -> Raised:
    name = ast.unparse(call.func)
    if name in scope.module.classes:
        return Raised(name, tuple(_own_class(name, call, scope)))
    last = name.rpartition(".")[2]
    if last.lstrip("_")[:1].islower() and last != "error":
        return _together(returned_by(call, scope), name)
    if not call.args and not call.keywords:
        raise NoMessage("no message")
    if call.keywords and name not in _BUILTIN:
        raise Unknown(f"`{name}` is defined elsewhere: what it does with keyword arguments is not known")
    return Raised(name, tuple(_printed([name], call.args, scope)))


def _printed(family: Sequence[str], arguments: Sequence[ast.expr], scope: Scope) -> list[Wording]:
    """How an exception prints the arguments that its built-in base class gets.

    Args:
        family: The class and its bases, nearest first.
        arguments: What the base class gets.
        scope: Where the arguments are written.
    """
    if any(isinstance(argument, ast.Starred) for argument in arguments):
        raise Unknown("the arguments are unpacked from a sequence")
    if not arguments:
        return [Wording(())]
    known = next((_BUILTIN[name] for name in family if name in _BUILTIN), None)
    if len(arguments) == 1:
        found = wordings(arguments[0], scope)
        return [represented(wording) for wording in found] if known and issubclass(known, KeyError) else found
    if known is None:
        raise Unknown(f"`{family[-1]}` is defined elsewhere: how it prints several arguments is not known")
    if issubclass(known, OSError) and len(arguments) == 2:
        number, text = (pieces(argument, scope) for argument in arguments)
        return product([[Wording(("[Errno ",))], number, [Wording(("] ",))], text])
    if issubclass(known, OSError | UnicodeError | SyntaxError | ImportError | BaseExceptionGroup):
        raise Unknown(f"`{known.__name__}` prints several arguments in a form of its own")
    return tuple_wordings(arguments, scope)


def _own_class(name: str, call: ast.Call, scope: Scope) -> list[Wording]:
    """An exception class of this file: its `__str__`, else what its `__init__` hands to the base class."""
    module = scope.module
    family = module.family(name)
    initialiser, shown = (
        next((module.functions[f"{each}.{method}"] for each in family if f"{each}.{method}" in module.functions), None)
        for method in ("__init__", "__str__")
    )
    bound = bind_arguments(initialiser, call, scope) if initialiser else {}
    try:
        handed = _handed_to_base(initialiser, family, bound, scope) if initialiser else None
        # When `__init__` hands nothing on, `BaseException.__new__` has kept the positional arguments.
        printed = _printed(family, call.args, scope) if handed is None else handed
    except Unknown:
        if shown is None:
            raise
        printed = []
    found = _shown(shown, initialiser, printed, bound, scope) if shown else printed
    if all(not wording.template.parts for wording in found):
        raise NoMessage("no message")
    return found


def _handed_to_base(initialiser: Function, family: Sequence[str], bound: Bound, scope: Scope) -> list[Wording] | None:
    """The texts that `__init__` passes on with `super().__init__(...)`; None when it passes nothing on."""
    module = scope.module
    owner = module.qualified_name(module.parents[initialiser])
    bases = module.family(owner)[1:]
    handed: list[tuple[ast.Call, Sequence[ast.expr]]] = []
    for node in ast.walk(initialiser):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__")):
                handed.append((node, node.args))
            case ast.Call(func=ast.Attribute(value=base, attr="__init__")) if ast.unparse(base) in bases:
                handed.append((node, node.args[1:]))
    if not handed:
        return None
    found: list[Wording] = []
    for node, arguments in handed:
        statement = next(above for above in module.above(node) if isinstance(above, ast.stmt))
        inner = replace(scope.at(statement), arguments=bound)
        own_base = next((base for base in bases if f"{base}.__init__" in module.functions), None)
        if own_base is None:
            found += _printed(family, arguments, inner)
        else:
            passed = ast.Call(node.func, list(arguments), node.keywords)
            above_it = module.functions[f"{own_base}.__init__"]
            texts = _handed_to_base(above_it, family, bind_arguments(above_it, passed, inner), inner)
            if texts is None:
                return None
            found += texts
    return list(dict.fromkeys(found))


def _shown(
    method: Function, initialiser: Function | None, printed: list[Wording], bound: Bound, scope: Scope
) -> list[Wording]:
    """The text that a `__str__` with a single `return` makes of the stored values."""
    returns = [node for node in ast.walk(method) if isinstance(node, ast.Return)]
    if len(returns) != 1 or returns[0].value is None:
        raise Unknown("`__str__` has more than one way to return")
    stored: dict[str, list[ast.Assign]] = {}
    for node in ast.walk(initialiser or ast.Pass()):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            stored.setdefault(ast.unparse(node.targets[0]), []).append(node)
    inner = replace(scope.at(returns[0]), arguments={})
    found: list[Wording] = []
    for wording in pieces(returns[0].value, inner):
        columns = [_filled(part, printed, stored, replace(inner, arguments=bound)) for part in wording.parts]
        found += [replace(row, chosen_by=wording.chosen_by + row.chosen_by) for row in product(columns)]
    return list(dict.fromkeys(found))


def _filled(
    part: str | Placeholder, printed: list[Wording], stored: dict[str, list[ast.Assign]], scope: Scope
) -> list[Wording]:
    """A part of `__str__`, with the stored value put in where the part prints one."""
    if isinstance(part, Placeholder) and part.source == part.expression:
        if part.expression in ("self.args[0]", "super().__str__()"):
            return printed or [Wording((part,))]
        values = stored.get(part.expression, [])
        with contextlib.suppress(Unknown):
            return [text for value in values for text in wordings(value.value, scope.at(value))] or [Wording((part,))]
    return [Wording((part,))]
