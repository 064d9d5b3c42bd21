"""How users reach a config field: command-line flags, Python arguments, JSON keys.

Reads the module that defines `EngineArgs` by the tree; follows what is written there and assumes nothing else.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from generator.declarations import ConfigClass, Declarations, Field
from generator.syntax import Function, Module

ENGINE = "EngineArgs"
"""The class whose fields are the arguments of `LLM(...)`."""
ROOT = "VllmConfig"
"""The class of the whole configuration: its fields are objects that the others describe."""
_DEEPEST = 3


@dataclass(frozen=True)
class Flag:
    """One option of the command line."""

    name: str
    """The long form with its dashes."""
    aliases: tuple[str, ...]
    negative: str | None
    """The `--no-` form; None for what is not a switch."""
    is_switch: bool
    """Whether it takes no value."""
    argument: str
    """The field of `EngineArgs` that it sets."""
    path: str
    line: int


@dataclass(frozen=True)
class Argument:
    """One field of `EngineArgs`: a Python argument."""

    name: str
    annotation: str
    default: str | None
    path: str
    line: int


@dataclass(frozen=True)
class Route:
    """A way from the outside to a config field."""

    flag: Flag | None
    argument: str | None
    """Python argument; None when there is none."""
    keys: tuple[str, ...] = ()
    """JSON keys below it; empty when flag and argument set the field itself."""
    switches: bool = False
    """Whether it is the switch that makes the field's object at all."""

    @property
    def name(self) -> str:
        """As after the dashes of a flag: `pipeline-parallel-size`, `speculative-config.method`."""
        start = self.flag.name.lstrip("-") if self.flag else str(self.argument)
        return ".".join([start, *self.keys])


@dataclass(frozen=True)
class Arguments:
    """All flags and arguments of one pin."""

    declarations: Declarations
    names: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """`Class.field` → the name of its page, which is the same in all releases; missing for what none can set."""

    @cached_property
    def module(self) -> Module | None:
        """The file that defines `EngineArgs`; None when no pinned file does."""
        return next((each for each in self.declarations.modules.values() if ENGINE in each.classes), None)

    @cached_property
    def arguments(self) -> Mapping[str, Argument]:
        """Name → Python argument."""
        declared = self.declarations.classes.get(ENGINE)
        fields = declared.fields.values() if declared else ()
        return {each.name: Argument(each.name, each.annotation, each.default, each.path, each.line) for each in fields}

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """Every option, in the order of the source."""
        return tuple(flag for flag, _ in self._declared)

    @cached_property
    def by_name(self) -> Mapping[str, Flag]:
        """Any spelling, with dashes → the option."""
        return {
            name: flag for flag in self.flags for name in (flag.name, *flag.aliases, flag.negative) if name is not None
        }

    @cached_property
    def _declared(self) -> tuple[tuple[Flag, tuple[str, str] | None], ...]:
        """Each option with the class and field that its keyword arguments come from."""
        if self.module is None:
            return ()
        function = self.module.functions.get(f"{ENGINE}.add_cli_args")
        return tuple(self._options(self.module, function)) if function else ()

    def _options(self, module: Module, function: Function) -> Iterator[tuple[Flag, tuple[str, str] | None]]:
        tables: dict[str, str] = {}
        aliases: dict[str, tuple[str, str]] = {}
        for node in ast.walk(function):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(func=ast.Name(id="get_kwargs"), args=[ast.Name(id=held)]),
                ):
                    tables[name] = held
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(key))),
                ) if table in tables:
                    aliases[name] = (tables[table], key)
        for node in ast.walk(function):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".add_argument")):
                continue
            names = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if not names:
                continue
            given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            source = next(
                (found for keyword in node.keywords for found in _sources(keyword.value, tables, aliases)), None
            )
            yield self._flag(module, node, names, given, source), source

    def _flag(
        self,
        module: Module,
        node: ast.Call,
        names: list[str],
        given: Mapping[str, ast.expr],
        source: tuple[str, str] | None,
    ) -> Flag:
        action = ast.unparse(given["action"]) if "action" in given else ""
        member = self.declarations.member(*source) if source else None
        annotation = getattr(member, "annotation", "")
        both = "BooleanOptionalAction" in action or (not action and is_switch(annotation))
        dest = given.get("dest")
        name = next((each for each in names if each.startswith("--")), names[0])
        argument = dest.value if isinstance(dest, ast.Constant) else name.lstrip("-").replace("-", "_")
        return Flag(
            name=name,
            aliases=tuple(each for each in names if each != name),
            negative=f"--no-{name[2:]}" if both and name.startswith("--") else None,
            is_switch=both or "store_true" in action,
            argument=str(argument),
            path=module.path,
            line=node.lineno,
        )

    @cached_property
    def passed(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """(Class, field) → the arguments of `EngineArgs` that are passed on to it, as the source has it."""
        found: dict[tuple[str, str], list[str]] = {}
        for flag, source in self._declared:
            if source is not None:
                found.setdefault(source, []).append(flag.argument)
        holder = self.module.classes.get(ENGINE) if self.module else None
        for node in ast.walk(holder) if holder else ():
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in self.declarations.classes:
                    for keyword in node.keywords:
                        argument = self._own_argument(keyword.value)
                        if keyword.arg and argument:
                            found.setdefault((name, keyword.arg), []).append(argument)
                case ast.Assign(targets=[ast.Attribute(value=owner, attr=attribute)]):
                    name = ast.unparse(owner).removeprefix("self.")
                    root = next((each for each in self._roots() if name in each.fields), None)
                    held = self.declarations.class_in(root.fields[name].annotation) if root else None
                    argument = self._own_argument(node.value)
                    if held and argument:
                        found.setdefault((held, attribute), []).append(argument)
        known = {name for name in self.arguments if name not in self.without_effect}
        return {key: tuple(dict.fromkeys(a for a in value if a in known)) for key, value in found.items()}

    @cached_property
    def without_effect(self) -> frozenset[str]:
        """Arguments that `EngineArgs` reads only to warn about them, if at all: setting them changes nothing."""
        holder = self.module.classes.get(ENGINE) if self.module else None
        if holder is None or self.module is None:
            return frozenset()
        used: set[str] = set()
        for node in ast.walk(holder):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Load)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("self", "args", "engine_args")
                and not self._is_warning(self.module, node)
            ):
                used.add(node.attr)
        return frozenset(name for name in self.arguments if name not in used and not name.startswith("_"))

    def _is_warning(self, module: Module, node: ast.AST) -> bool:
        """Whether a read stands in the test of an `if` that does nothing but warn."""
        inner = node
        for above in module.above(node):
            if isinstance(above, ast.If):
                return inner is above.test and all(_only_warns(each) for each in (*above.body, *above.orelse))
            inner = above
        return False

    @cached_property
    def switches(self) -> Mapping[str, str]:
        """Name of an object → the argument without which it is not made: `X(...) if self.argument else None`."""
        holder = self.module.classes.get(ENGINE) if self.module else None
        found: dict[str, str] = {}
        for node in ast.walk(holder) if holder else ():
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.IfExp(
                        test=ast.Attribute(value=ast.Name(id="self"), attr=argument), orelse=ast.Constant(value=None)
                    ),
                ) if argument in self.arguments:
                    found[name] = argument
        return found

    def routes(self, holder: str, name: str, depth: int = 0) -> tuple[Route, ...]:
        """The ways to a field, the most direct first."""
        found: list[Route] = []
        roots = {each.name for each in self._roots()}
        arguments = self.passed.get((holder, name), ())
        if (holder in roots or holder == ENGINE) and name in self.arguments:
            arguments = tuple(dict.fromkeys((*arguments, name)))
        for argument in arguments:
            flags = [flag for flag in self.flags if flag.argument == argument]
            found += [Route(flag, argument) for flag in flags] or [Route(None, argument)]
        if holder in roots and name in self.switches:
            argument = self.switches[name]
            flag = next((flag for flag in self.flags if flag.argument == argument), None)
            found.append(Route(flag, argument, switches=True))
        if depth < _DEEPEST:
            for outer in self._holders.get(holder, ()):
                found += [
                    Route(route.flag, route.argument, (*route.keys, name))
                    for route in self.routes(outer.holder, outer.name, depth + 1)
                    if not route.switches
                ]
        return tuple(dict.fromkeys(sorted(found, key=lambda route: (len(route.keys), route.flag is None))))

    @cached_property
    def _holders(self) -> Mapping[str, tuple[Field, ...]]:
        """Class → the fields that users give as an object of it; those of the whole configuration, where it has one."""
        found: dict[str, list[Field]] = {}
        for each in self.declarations.classes.values():
            for outer in each.fields.values() if each.name != ENGINE else ():
                held = self.declarations.class_in(outer.annotation)
                if held and held != each.name and "SkipValidation" not in outer.annotation:
                    found.setdefault(held, []).append(outer)
        whole = {name: [each for each in fields if each.holder == ROOT] for name, fields in found.items()}
        return {name: tuple(whole[name] or fields) for name, fields in found.items()}

    def _roots(self) -> Iterator[ConfigClass]:
        """The class that holds the whole configuration."""
        if ROOT in self.declarations.classes:
            yield self.declarations.classes[ROOT]

    def _own_argument(self, value: ast.expr) -> str | None:
        """The one `self.x` that an expression reads; None when it reads several or none."""
        if isinstance(value, ast.IfExp) and not isinstance(value.body, ast.Constant):
            value = value.body
        names = {
            node.attr
            for node in ast.walk(value)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        }
        simple = isinstance(value, ast.Attribute | ast.BoolOp | ast.Call | ast.Subscript)
        return names.pop() if len(names) == 1 and simple else None


def _only_warns(statement: ast.stmt) -> bool:
    called = statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    return called is not None and ast.unparse(called).partition(".")[0] in ("logger", "warnings")


def page_names(pins: Iterable[Arguments]) -> dict[str, str]:
    """`Class.field` → the most direct way to set it in the newest pin that has one. `pins` are newest first."""
    found: dict[str, str] = {}
    for each in pins:
        for declared in each.declarations.classes.values():
            for member in declared.fields.values():
                if member.is_given and declared.name != ENGINE and member.key not in found:
                    routes = each.routes(member.holder, member.name)
                    found |= {member.key: routes[0].name} if routes else {}
    return found


def is_switch(annotation: str) -> bool:
    """Whether `get_kwargs` makes `--x` and `--no-x` of a field: what contains bool, unless it is bool, str and None."""
    parts = {part.strip() for part in annotation.split("|")}
    return "bool" in parts and parts != {"bool", "str", "None"}


def json_value(text: str) -> str:
    """A value as JSON: numbers, `true`, `false`, `null` as they are, everything else a string."""
    try:
        json.loads(text)
        return text
    except ValueError:
        return json.dumps(text)


def _sources(
    value: ast.expr, tables: Mapping[str, str], aliases: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    for node in ast.walk(value):
        match node:
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(key))) if table in tables:
                yield tables[table], key
            case ast.Name(id=name) if name in aliases:
                yield aliases[name]
