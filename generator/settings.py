"""What guards and messages read: config fields, properties and environment variables, as dotted names.

Reads names from the text of conditions; follows local aliases of the same function, no calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache

from generator.extract import RaiseSite
from generator.guards import Kind, Origin

_ENVIRONMENT_READERS = ("os.environ.get", "os.getenv")


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
