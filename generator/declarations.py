"""What one pin declares: config classes with their fields and helpers, choices, and environment variables.

Static reading only: griffe for classes and fields, the tree for the rest; the documented project is never imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import griffe

from generator.pins import Pin
from generator.syntax import Function, Module, parse_module

_SENTENCE_END = re.compile(r"(?<=[.:!?])\s+(?=[A-Z`\"'(\[-])|\n\s*\n")


@dataclass(frozen=True)
class Field:
    """One field of a config class."""

    holder: str
    """Name of the class."""
    name: str
    annotation: str
    """As in the source; empty when there is none."""
    default: str | None
    """As in the source; None when there is none. Of `Field(default=...)` and `field(...)` the default alone."""
    summary: str | None
    """First sentence of the docstring below it."""
    path: str
    line: int
    """From 1."""
    is_given: bool = True
    """Whether it can be given when an object is made; False for what only the class itself assigns."""

    @property
    def key(self) -> str:
        """`Class.field`."""
        return f"{self.holder}.{self.name}"


@dataclass(frozen=True)
class Helper:
    """A property or method of a class."""

    holder: str
    name: str
    is_property: bool
    summary: str | None
    path: str
    line: int
    node: Function = field(repr=False, compare=False)

    @property
    def key(self) -> str:
        """`Class.helper`."""
        return f"{self.holder}.{self.name}"


@dataclass(frozen=True)
class ConfigClass:
    """A class of a pinned file."""

    name: str
    path: str
    line: int
    bases: tuple[str, ...]
    fields: Mapping[str, Field]
    helpers: Mapping[str, Helper]
    members: Mapping[str, str]
    """Member → how a user spells it, of an `Enum`; empty for others."""


@dataclass(frozen=True)
class Variable:
    """An environment variable."""

    name: str
    annotation: str
    default: str | None
    summary: str | None
    """First sentence of the comment above it."""
    path: str
    line: int


@dataclass(frozen=True)
class Declarations:
    """Everything that one pin declares."""

    pin: Pin
    homes: Mapping[str, Pin]
    """Path → the pin whose file was read: another one where the pin borrows its context."""
    modules: Mapping[str, Module] = field(repr=False)
    """Path → parsed file."""

    @cached_property
    def classes(self) -> Mapping[str, ConfigClass]:
        """Name → class, of all pinned files; the first of two by path."""
        found: dict[str, ConfigClass] = {}
        for path in sorted(self.modules):
            for each in _classes(self.modules[path]):
                found.setdefault(each.name, each)
        return found

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Name → the texts of a `Name = Literal[...]`."""
        found: dict[str, tuple[str, ...]] = {}
        for module in self.modules.values():
            for statement in module.tree.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=ast.Name(id="Literal"))):
                        found.setdefault(name, tuple(_literals(statement.value)))
                    case ast.AnnAssign(target=ast.Name(id=name), value=ast.Subscript(value=ast.Name(id="Literal"))):
                        found.setdefault(name, tuple(_literals(statement.value)))
        return found

    @cached_property
    def variables(self) -> Mapping[str, Variable]:
        """Name → environment variable."""
        return {name: each for module in self.modules.values() for name, each in _variables(module).items()}

    @property
    def borrowed(self) -> Pin | None:
        """The pin whose context stands in for this one's; None when it has its own."""
        return next((pin for pin in self.homes.values() if pin.label != self.pin.label), None)

    def family(self, name: str) -> Iterator[ConfigClass]:
        """A class and its declared bases, nearest first."""
        pending, seen = [name], set()
        while pending:
            each = pending.pop(0)
            if each in self.classes and each not in seen:
                seen.add(each)
                yield self.classes[each]
                pending += self.classes[each].bases

    def member(self, name: str, attribute: str) -> Field | Helper | None:
        """What `attribute` of an object of a class is."""
        for each in self.family(name):
            found = each.fields.get(attribute) or each.helpers.get(attribute)
            if found is not None:
                return found
        return None

    def class_in(self, annotation: str) -> str | None:
        """The declared class that an annotation names: `X`, `X | None`, `Optional[X]`, but no container of it."""
        names = re.findall(r"\w+", re.sub(r"\b(?:list|dict|set|tuple|type|Sequence|Mapping)\[.*\]", "", annotation))
        return next((name for name in names if name in self.classes), None)

    def values_of(self, annotation: str) -> tuple[str, ...]:
        """The texts that an annotation allows, when it allows nothing else; empty otherwise."""
        parts = [part.strip() for part in _plain(annotation).split("|")]
        found: list[str] = []
        for part in parts:
            if part in ("None", ""):
                continue
            if part in self.choices:
                found += self.choices[part]
            elif part.startswith("Literal["):
                found += _literals(ast.parse(part, mode="eval").body)
            elif part in self.classes and self.classes[part].members:
                found += self.classes[part].members.values()
            else:
                return ()
        return tuple(dict.fromkeys(found))

    def permalink(self, repository: str, path: str, line: int) -> str:
        """A line of a file, at the pin whose file was read."""
        return self.homes[path].permalink(repository, path, line)


def declare(pin: Pin, files: Mapping[str, bytes], borrowed: tuple[Pin, Mapping[str, bytes]] | None) -> Declarations:
    """What a pin declares.

    Args:
        pin: The pin.
        files: Path → bytes of its Python files.
        borrowed: The pin that its context is read from, and that pin's files; None when it has its own.

    Raises:
        ExtractError: a file cannot be parsed.
    """
    homes = dict.fromkeys(borrowed[1], borrowed[0]) if borrowed else {}
    sources = {**(borrowed[1] if borrowed else {}), **files}
    homes |= dict.fromkeys(files, pin)
    modules = {path: _parsed(data, path) for path, data in sources.items() if path.endswith(".py")}
    return Declarations(pin, {path: homes[path] for path in modules}, modules)


@lru_cache(maxsize=512)  # neighbouring releases share most of their files
def _parsed(data: bytes, path: str) -> Module:
    return parse_module(data, path)


_known_classes: dict[int, tuple[Module, tuple[ConfigClass, ...]]] = {}


def _classes(module: Module) -> tuple[ConfigClass, ...]:
    """The classes of a file; read once per file, however many pins share it."""
    known = _known_classes.get(id(module))
    if known is None or known[0] is not module:
        known = (module, tuple(_read_classes(module)))
        _known_classes[id(module)] = known
    return known[1]


def _read_classes(module: Module) -> Iterator[ConfigClass]:
    path = Path(module.path)
    tree = griffe.visit(path.stem, filepath=path, code=module.text)
    for each in tree.classes.values():
        if each.is_alias or each.name not in module.classes:
            continue
        node = module.classes[each.name]
        fields: dict[str, Field] = {}
        members: dict[str, str] = {}
        is_enum = any("Enum" in str(base) for base in each.bases)
        own = {function.name for function in node.body if isinstance(function, Function)}
        written = {  # griffe drops the quotes inside a Literal that it cannot trace to typing
            each.target.id: _written(each.annotation)
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        for name, attribute in each.attributes.items():
            if name in own:
                continue  # griffe takes a property for an attribute
            if is_enum and not name.startswith("_"):
                value = _constant(attribute.value)
                members[name] = value if isinstance(value, str) else name
            elif attribute.annotation is not None:
                summary = first_sentence(attribute.docstring.value) if attribute.docstring else None
                annotation = written.get(name) or str(attribute.annotation)
                default = _default(attribute.value)
                is_given = "ClassVar" not in annotation and "init=False" not in str(attribute.value)
                line = attribute.lineno or node.lineno
                fields[name] = Field(each.name, name, annotation, default, summary, module.path, line, is_given)
        for name, line, annotation in _own_attributes(node):
            fields.setdefault(name, Field(each.name, name, annotation, None, None, module.path, line, is_given=False))
        helpers = {
            function.name: Helper(
                each.name,
                function.name,
                any("property" in ast.unparse(decorator) for decorator in function.decorator_list),
                first_sentence(ast.get_docstring(function) or "") or None,
                module.path,
                function.lineno,
                function,
            )
            for function in node.body
            if isinstance(function, Function)
        }
        bases = tuple(str(base) for base in each.bases)
        yield ConfigClass(each.name, module.path, node.lineno, bases, fields, helpers, members)


def _written(annotation: ast.expr) -> str:
    """An annotation as it is written, without quotes around the whole of it."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.unparse(annotation)


def _own_attributes(node: ast.ClassDef) -> Iterator[tuple[str, int, str]]:
    """Attributes that the methods of a class assign to `self`: name, line, annotation."""
    for each in ast.walk(node):
        target = each.target if isinstance(each, ast.AnnAssign) else None
        targets = each.targets if isinstance(each, ast.Assign) else [target]
        for found in targets:
            if isinstance(found, ast.Attribute) and isinstance(found.value, ast.Name) and found.value.id == "self":
                annotation = ast.unparse(each.annotation) if isinstance(each, ast.AnnAssign) else ""
                yield found.attr, found.lineno, annotation


def first_sentence(text: str) -> str:
    """The first sentence of a docstring, on one line."""
    return " ".join(_SENTENCE_END.split(text.strip(), maxsplit=1)[0].split())


def _plain(annotation: str) -> str:
    """An annotation without what only checkers read."""
    annotation = annotation.strip("\"'")
    inner = re.fullmatch(r"(?:Annotated|Optional|InitVar|SkipValidation)\[(.*)\]", annotation, re.DOTALL)
    return re.split(r",\s*(?:Field|Before|After)", inner.group(1))[0] if inner else annotation


def _constant(value: object) -> object:
    try:
        return ast.literal_eval(str(value))
    except (ValueError, SyntaxError):
        return None


def _default(value: object) -> str | None:
    """The default as written, out of `Field(default=...)` and the like."""
    if value is None:
        return None
    tree = ast.parse(str(value), mode="eval").body
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) in ("Field", "field", "PydanticField"):
        given = {keyword.arg: keyword.value for keyword in tree.keywords}
        if "default" in given or tree.args:
            found = given["default"] if "default" in given else tree.args[0]
            return None if isinstance(found, ast.Constant) and found.value is ... else ast.unparse(found)
        factory = given.get("default_factory")
        if isinstance(factory, ast.Lambda):
            return ast.unparse(factory.body)
        return f"{ast.unparse(factory)}()" if factory is not None else None
    return ast.unparse(tree)


def _literals(node: ast.AST | None) -> list[str]:
    return [str(each.value) for each in ast.walk(node) if isinstance(each, ast.Constant)] if node else []


def _variables(module: Module) -> dict[str, Variable]:
    """The variables of a file that has a table `environment_variables`."""
    table = next(
        (
            statement.value
            for statement in module.tree.body
            if isinstance(statement, ast.AnnAssign | ast.Assign)
            and "environment_variables" in ast.unparse(getattr(statement, "target", None) or statement.targets[0])  # type: ignore[union-attr]
            and isinstance(statement.value, ast.Dict)
        ),
        None,
    )
    if not isinstance(table, ast.Dict):
        return {}
    typed = {
        node.target.id: node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id.isupper()
    }
    found: dict[str, Variable] = {}
    for key in table.keys:
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            continue
        known = typed.get(key.value)
        above: list[str] = []
        line = key.lineno - 2
        while line >= 0 and (text := module.lines[line].strip()).startswith("#"):
            above.insert(0, text.lstrip("# "))
            line -= 1
        above = [text for text in above if not text.startswith("=")]
        found[key.value] = Variable(
            key.value,
            ast.unparse(known.annotation) if known else "",
            ast.unparse(known.value) if known and known.value else None,
            first_sentence("\n".join(above)) or None,
            module.path,
            key.lineno,
        )
    return found
