"""Which texts a list can hold when it is joined into a message: those that its function, or the one it calls, puts in.

Reads the assignments of one file; evaluates nothing. One item that is not determined makes the whole undetermined.
"""

from __future__ import annotations

import ast

from generator.syntax import Function, Module
from generator.wording import Scope, Unknown, wordings

_DEEPEST = 3


def joined_texts(source: str, scope: Scope) -> tuple[str, ...]:
    """The items of `', '.join(name)`, as templates, in the order of the source.

    Raises:
        Unknown: the expression is another one, or an item is not determined.
    """
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError:  # a placeholder with a conversion or a format
        raise Unknown("not a joined list") from None
    match tree.body:
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str()), attr="join"), args=[ast.Name(id=name)], keywords=[]
        ) if scope.function is not None:
            return tuple(dict.fromkeys(_items(scope.module, scope.function, name, _DEEPEST)))
    raise Unknown("not a joined list")


def _items(module: Module, function: Function, name: str, depth: int) -> list[str]:
    """What a function puts into one of its lists."""
    found: list[str] = []
    is_made_here = False
    for node in _in_order(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value)
                | ast.AugAssign(target=ast.Name(id=target), value=ast.expr() as value)
            ) if target == name:
                is_made_here = is_made_here or not isinstance(node, ast.AugAssign)
                found += _listed(module, function, value, depth)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr=method), args=[value]) if target == name:
                if method == "append":
                    found += [each.template.text for each in wordings(value, Scope(module, _statement(module, value)))]
                elif method == "extend":
                    found += _listed(module, function, value, depth)
                else:
                    raise Unknown(f"the list is changed by `{method}`")
    if not found or not is_made_here:
        raise Unknown("the list comes from elsewhere, or nothing is put into it")
    return found


def _listed(module: Module, function: Function, value: ast.expr, depth: int) -> list[str]:
    """The items of a list display, or of the list that a method of the same file returns."""
    if isinstance(value, ast.List):
        scope = Scope(module, _statement(module, value))
        return [each.template.text for item in value.elts for each in wordings(item, scope)]
    holder = module.class_of(function)
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[], keywords=[]) if (
            holder is not None and depth
        ):
            called = module.functions.get(f"{module.qualified_name(holder)}.{name}")
            if called is not None:
                return [item for back in _in_order(called) for item in _returned(module, called, back, depth - 1)]
    raise Unknown("the list comes from elsewhere")


def _returned(module: Module, function: Function, node: ast.AST, depth: int) -> list[str]:
    match node:
        case ast.Return(value=ast.Name(id=name)):
            return _items(module, function, name, depth)
        case ast.Return(value=ast.expr() as value):
            return _listed(module, function, value, depth)
    return []


def _in_order(function: Function) -> list[ast.AST]:
    """The nodes of a function as the source has them."""
    return sorted(ast.walk(function), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))


def _statement(module: Module, node: ast.AST) -> ast.stmt:
    return next(above for above in module.above(node) if isinstance(above, ast.stmt))
