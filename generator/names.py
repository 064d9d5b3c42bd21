"""The names that a piece of code reads: dotted chains, `getattr` with a fixed name, environment look-ups.

Pure: knows the tree alone, not what a name stands for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

from generator.extract import RaiseSite
from generator.guards import Kind, Origin

_ENVIRONMENT_READERS = ("os.environ.get", "os.getenv")


def name_nodes(tree: ast.AST) -> Iterator[ast.expr]:
    """The names that an expression reads: whole dotted chains, `getattr` with a fixed name, environment look-ups."""
    bound = {
        node.id
        for each in ast.walk(tree)
        if isinstance(each, ast.comprehension)
        for node in ast.walk(each.target)
        if isinstance(node, ast.Name)
    }
    yield from (node for node in _name_nodes(tree) if not (isinstance(node, ast.Name) and node.id in bound))


def _name_nodes(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.expr) and (variable_read(node) or is_chain(node)):
        yield node
        return
    match node:
        case ast.Call(func=ast.Name(), args=arguments, keywords=keywords):
            for inner in (*arguments, *(keyword.value for keyword in keywords)):
                yield from _name_nodes(inner)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _name_nodes(child)


def variable_read(node: ast.expr) -> str | None:
    """The environment variable that an expression looks up by itself."""
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if (
            ast.unparse(function) in _ENVIRONMENT_READERS
        ):
            return name
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))) if ast.unparse(owner) == "os.environ":
            return name
        case ast.Attribute(value=ast.Name(id="envs"), attr=name):
            return name
    return None


def is_chain(node: ast.AST) -> bool:
    """Whether an expression is a name with attributes, `getattr` with a fixed name among them."""
    while True:
        match node:
            case ast.Name():
                return True
            case ast.Attribute(value=inner):
                node = inner
            case ast.Call(func=ast.Name(id="getattr"), args=[inner, ast.Constant(value=str()), *_]):
                node = inner
            case _:
                return False


def chain_parts(node: ast.AST) -> list[str]:
    """The names of a chain, the first one at the root."""
    match node:
        case ast.Attribute(value=inner, attr=name):
            return [*chain_parts(inner), name]
        case ast.Call(args=[inner, ast.Constant(value=str(name)), *_]):
            return [*chain_parts(inner), name]
        case ast.Name(id=name):
            return [name]
    raise TypeError(ast.dump(node))


def names_read(site: RaiseSite) -> tuple[str, ...]:
    """The dotted names that a site's own guards and placeholders read, in order, without `self.`.

    `model_config.dtype` is a config field, `use_v2_model_runner` a property or local name, `envs.X` and `$X`
    environment variables. Guards of earlier checks do not count: they say nothing about this one.
    """
    texts = [guard.text for guard in site.guards if guard.kind is Kind.CONDITION and guard.origin is not Origin.CHECK]
    texts += [placeholder.expression for placeholder in site.template.placeholders]
    return tuple(dict.fromkeys(name for text in texts for name in _names(text)))


@cache  # every error is compared with every other one, over the same few hundred texts
def _names(text: str) -> tuple[str, ...]:
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return ()
    return tuple(_names_of(tree.body))


def _names_of(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if (
            ast.unparse(function) in _ENVIRONMENT_READERS
        ):
            yield f"${name}"
        case ast.Call(func=ast.Attribute(value=owner), args=arguments):
            for inner in (owner, *arguments):
                yield from _names_of(inner)
        case ast.Call(args=arguments):
            for inner in arguments:
                yield from _names_of(inner)
        case ast.Attribute():
            dotted = ast.unparse(node)
            if all(part.isidentifier() for part in dotted.split(".")):
                name = dotted.removeprefix("self.")
                if not name.split(".")[0][:1].isupper():
                    yield name
            else:
                yield from _names_of(node.value)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _names_of(child)
