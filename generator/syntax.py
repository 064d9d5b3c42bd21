"""`Module`: one parsed Python file, and questions about where a node stands in it.

Reads no files and runs no code: bytes in, tree out.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from generator.errors import ExtractError

Function = ast.FunctionDef | ast.AsyncFunctionDef
Try = ast.Try | ast.TryStar
With = ast.With | ast.AsyncWith
_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True)
class Module:
    """A parsed file."""

    path: str
    """Path in the repository, for messages."""
    text: str
    """The whole source, line ends as they are."""
    tree: ast.Module
    """The parsed source; never changed."""
    parents: dict[ast.AST, ast.AST] = field(repr=False)
    """Node → the node that holds it; the module itself has no entry."""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The source lines without their ends; line 1 is at index 0."""
        return tuple(line.decode() for line in self._byte_lines)

    @cached_property
    def _byte_lines(self) -> list[bytes]:
        lines = _LINE_END.split(self.text.encode())
        return lines[:-1] if lines and not lines[-1] else lines

    @cached_property
    def raising(self) -> dict[tuple[int, int], ast.Raise | ast.Assert]:
        """Line (from 1) and column (from 0) → the `raise` or `assert` that starts there."""
        found = (node for node in self.parents if isinstance(node, ast.Raise | ast.Assert))
        return {(node.lineno, node.col_offset): node for node in found}

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The source text of a node; columns of a tree count UTF-8 bytes, not characters."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        if first == last:
            return self._byte_lines[first][node.col_offset : node.end_col_offset].decode()
        middle = self._byte_lines[first + 1 : last]
        ends = self._byte_lines[first][node.col_offset :], self._byte_lines[last][: node.end_col_offset]
        return b"\n".join([ends[0], *middle, ends[1]]).decode()

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that hold a node, innermost first, the module last."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def function_of(self, node: ast.AST) -> Function | None:
        """The innermost function that a node stands in; None at module or class level."""
        return next((above for above in self.above(node) if isinstance(above, Function)), None)

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class that a node stands in; None outside classes."""
        return next((above for above in self.above(node) if isinstance(above, ast.ClassDef)), None)

    def qualified_name(self, node: ast.AST) -> str:
        """Dotted names of the classes and functions around a node and of the node itself, as in `__qualname__`
        without `<locals>`; `<module>` at module level.
        """
        named = [above for above in (node, *self.above(node)) if isinstance(above, Function | ast.ClassDef)]
        return ".".join(reversed([each.name for each in named])) or "<module>"

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Qualified name → function; of functions defined twice under one name, the last."""
        return {self.qualified_name(node): node for node in self.parents if isinstance(node, Function)}

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """Qualified name → class; of classes defined twice under one name, the last."""
        return {self.qualified_name(node): node for node in self.parents if isinstance(node, ast.ClassDef)}

    def visible_function(self, name: str, node: ast.AST) -> str | None:
        """Qualified name of the function that a bare name at a node means: nested ones are nearer than the module's."""
        above = self.qualified_name(self.function_of(node) or self.tree).split(".")
        nearer = [".".join([*above[:length], name]) for length in range(len(above), 0, -1)]
        for each in (*nearer, name):
            if each in self.functions and not isinstance(self.parents[self.functions[each]], ast.ClassDef):
                return each
        return None

    def family(self, name: str) -> list[str]:
        """A class and its bases, nearest first, as far as this file knows them; the last ones may be of other files."""
        found, pending = [], [name]
        while pending:
            each = pending.pop(0)
            if each not in found:
                found.append(each)
                pending += [ast.unparse(base) for base in self.classes[each].bases] if each in self.classes else []
        return found


def is_irrefutable(case: ast.match_case) -> bool:
    """Whether a `case` takes everything: `case _` or `case name`, without an `if`."""
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def may_swallow(statement: With) -> bool:
    """Whether a context manager may end an exception, as `contextlib.suppress` and `pytest.raises` do."""
    names = " ".join(ast.unparse(item.context_expr) for item in statement.items)
    return "suppress" in names or "raises" in names


def parse_module(data: bytes, path: str) -> Module:
    """Parse the bytes of a Python file.

    Raises:
        ExtractError: the bytes are not UTF-8, or this interpreter cannot parse them.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(data[: error.start])) + 1
        raise ExtractError(f"{path}:{line}: not UTF-8 (byte {error.start}: {error.reason}); save it as UTF-8") from None
    if b"\0" in data:
        line = len(_LINE_END.findall(data[: data.index(b"\0")])) + 1
        raise ExtractError(f"{path}:{line}: cannot be parsed: holds a null byte; is it a text file?")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, filename=path)
        parents = _parents(tree)
    except SyntaxError as error:
        reason = f"{error.msg}; a newer Python may be able to parse it"
        raise ExtractError(f"{path}:{error.lineno or 1}: cannot be parsed: {reason}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExtractError(f"{path}:1: cannot be parsed: {str(error) or type(error).__name__}") from None
    return Module(path, text, tree, parents)


def _parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    """Node → its holder, outermost first; without `ast.Load` and the like, which stand for nothing in the source."""
    found: dict[ast.AST, ast.AST] = {}
    pending: list[ast.AST] = [tree]
    for parent in pending:
        children = [child for child in ast.iter_child_nodes(parent) if not isinstance(child, ast.expr_context)]
        found.update(dict.fromkeys(children, parent))
        pending += children
    return found
