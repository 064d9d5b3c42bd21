"""The settings behind the names that guards and messages read; what cannot be resolved is said to be so, never guessed.

A name is followed through local aliases, class annotations, properties and helpers of one level, `envs.X`,
`os.environ`, `getattr` with a fixed name, and constants. Runs nothing and reads no files.
"""

from __future__ import annotations

import ast
import builtins
import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property

from generator.arguments import Arguments, Route
from generator.assignments import reaching
from generator.declarations import Field, Helper, Variable
from generator.extract import RaiseSite
from generator.guards import Kind, Origin
from generator.names import chain_parts, is_chain, name_nodes, variable_read
from generator.names import names_read as names_read
from generator.syntax import Function, Module

_BUILT_IN = {*dir(builtins), "get_args", "cast"}
_DEEPEST = 5


class Sort(enum.StrEnum):
    """What a setting is."""

    FIELD = "config field"
    COMPUTED = "computed"
    """A property or method of a config class."""
    ENVIRONMENT = "environment variable"


class How(enum.StrEnum):
    """How a name got its meaning."""

    SETTING = "setting"
    """It is the setting itself, perhaps under a local name."""
    COMPUTED = "computed here"
    """A local name, computed from settings in the same function."""
    CONSTANT = "constant"
    MACHINE = "machine"
    """What vLLM finds out about the machine; no setting."""
    UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class Setting:
    """A config field, an environment variable, or what a property computes from them."""

    sort: Sort
    declared: Field | Helper | Variable
    routes: tuple[Route, ...] = ()
    """The ways for users to set it, the most direct first; empty when there is none."""
    page: str | None = None
    """The name of its page; None when it is the most direct way, or the key."""

    @property
    def key(self) -> str:
        """`Class.name`, or the name of the variable: the same in every release."""
        return self.declared.name if isinstance(self.declared, Variable) else self.declared.key

    @property
    def name(self) -> str:
        """The name of its page: the flag without dashes, the dotted JSON key, or the key."""
        return self.page or (self.routes[0].name if self.routes else self.key)

    @property
    def label(self) -> str:
        """What a reader would type: the flag, else the variable, else `Class.name`."""
        first = self.routes[0] if self.routes else None
        if first is None or first.flag is None:
            return self.key
        return f"--{first.name}"


@dataclass(frozen=True)
class Reading:
    """What one name in a guard or placeholder means."""

    name: str
    """As in the source, without `self.`."""
    how: How
    settings: tuple[Setting, ...] = ()
    """The settings behind it, in the order in which they are met."""
    detail: str = ""
    """Where a computed name gets its value; of what is unresolved, why."""
    rest: tuple[str, ...] = ()
    """Attributes of the value of the setting that the name goes on to read, such as `startswith`."""


@dataclass(frozen=True)
class Scope:
    """A statement in its function, and what its pin declares."""

    arguments: Arguments
    module: Module
    function: Function | None
    statement: ast.stmt | None
    """None: any place in the function."""
    seen: frozenset[str] = frozenset()
    cache: dict[str, Reading] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def holder(self) -> str | None:
        """The class around the function."""
        around = self.module.class_of(self.function) if self.function else None
        return around.name if around else None


@dataclass(frozen=True)
class Coverage:
    """How many of the names that the checks of one pin read are resolved; a name counts once per function."""

    resolved: int
    total: int
    rest: tuple[tuple[str, str, str], ...]
    """Function, name, why not."""

    @property
    def share(self) -> float:
        """Between 0 and 1; 1 when nothing is read."""
        return self.resolved / self.total if self.total else 1.0


def scope_of(arguments: Arguments, path: str, site: RaiseSite) -> Scope:
    """The scope of a raise site."""
    module = arguments.declarations.modules[path]
    statement = module.raising[site.line, site.column]
    return Scope(arguments, module, module.function_of(statement), statement)


def name_scope(arguments: Arguments, helper: Helper) -> Scope:
    """The scope of a helper, any place in it."""
    return Scope(arguments, arguments.declarations.modules[helper.path], helper.node, None)


def read_names(scope: Scope, code: str) -> tuple[Reading, ...]:
    """What the names in an expression mean, in order, each once."""
    try:
        tree = ast.parse(code.strip(), mode="eval").body
    except SyntaxError:
        return ()
    return tuple(dict.fromkeys(read(scope, node) for node in name_nodes(tree)))


def site_readings(scope: Scope, site: RaiseSite) -> tuple[Reading, ...]:
    """What the site's own guards and its placeholders read; guards of earlier checks are left out."""
    codes = site_codes(site, earlier=False)
    return tuple(dict.fromkeys(each for code in codes for each in read_names(scope, code)))


def site_codes(site: RaiseSite, earlier: bool) -> list[str]:
    """The expressions in guards and placeholders; those of earlier checks only when they are asked for."""
    codes = [
        _condition(guard.text, guard.kind)
        for guard in site.guards
        if (earlier or guard.origin is not Origin.CHECK) and guard.kind in (Kind.CONDITION, Kind.LOOP)
    ]
    return [*codes, *(placeholder.expression for placeholder in site.template.placeholders)]


def coverage(arguments: Arguments, sites: Iterable[tuple[str, RaiseSite]]) -> Coverage:
    """The share of names resolved, over (path, site) pairs of one pin."""
    found: dict[tuple[str, str], Reading] = {}
    done: set[tuple[str, str]] = set()
    for path, site in sites:
        scope = scope_of(arguments, path, site)
        for code in site_codes(site, earlier=True):
            if (site.function, code) not in done:
                done.add((site.function, code))
                for each in read_names(scope, code):
                    found.setdefault((site.function, each.name), each)
    rest = tuple((key[0], key[1], each.detail) for key, each in found.items() if each.how is How.UNRESOLVED)
    return Coverage(len(found) - len(rest), len(found), rest)


def _condition(text: str, kind: Kind) -> str:
    """The expression in a guard: of a loop, what it runs over."""
    return text.partition(" in ")[2] if kind is Kind.LOOP else text


def read(scope: Scope, node: ast.expr) -> Reading:
    """What one name means. `node` is one of `name_nodes`."""
    text = ast.unparse(node).removeprefix("self.")
    if text not in scope.cache:
        scope.cache[text] = _read(scope, node, text)
    return scope.cache[text]


def _read(scope: Scope, node: ast.expr, text: str) -> Reading:
    if name := variable_read(node):
        return Reading(name, How.SETTING, (environment(scope.arguments, name),))
    root, *attributes = chain_parts(node)
    if root in ("self", "cls") and scope.holder:
        return _walk(scope, scope.holder, attributes, text)
    return _read_local(scope, root, attributes, text)


def _read_local(scope: Scope, root: str, attributes: list[str], text: str) -> Reading:
    values = _values(scope, root)
    if not values:
        return _read_outside(scope, root, attributes, text)
    if root in scope.seen or len(scope.seen) > _DEEPEST:
        return Reading(text, How.UNRESOLVED, (), f"`{root}` is computed from itself")
    inner = Scope(scope.arguments, scope.module, scope.function, scope.statement, scope.seen | {root})
    aliases = [part for value in values for part in _alternatives(value.expression)]
    if all(is_chain(alias) for alias in aliases) and not any(value.is_loop for value in values):
        found = [_read(inner, _extended(alias, attributes), text) for alias in aliases]
        settings = tuple(dict.fromkeys(each for reading in found for each in reading.settings))
        bad = next((reading for reading in found if reading.how is How.UNRESOLVED), None)
        how = found[0].how if len({reading.how for reading in found}) == 1 else How.COMPUTED
        chosen = bad or found[0]
        return Reading(text, How.UNRESOLVED if bad else how, settings, chosen.detail, chosen.rest)
    readings = [read(inner, each) for value in values for code in value.reads for each in name_nodes(code)]
    foreign = next((name for value in values if (name := _foreign_call(inner, value.expression))), None)
    settings = tuple(dict.fromkeys(each for reading in readings for each in reading.settings))
    lines = ", ".join(str(line) for line in sorted({value.line for value in values}))
    bad = next((reading for reading in readings if reading.how is How.UNRESOLVED), None)
    if foreign or bad:
        why = f"what `{foreign}` returns is decided in a file that is not pinned" if foreign else bad.detail  # type: ignore[union-attr]
        return Reading(text, How.UNRESOLVED, settings, why)
    if not settings and readings and all(reading.how is How.MACHINE for reading in readings):
        return Reading(text, How.MACHINE, (), f"line {lines}")
    return Reading(text, How.COMPUTED, settings, f"line {lines}")


@dataclass(frozen=True)
class _Value:
    """One binding of a local name."""

    expression: ast.expr
    reads: tuple[ast.expr, ...]
    """The expressions that decide the value: its own, and of a constant the conditions around the assignment."""
    line: int
    is_loop: bool = False


def _values(scope: Scope, name: str) -> list[_Value]:
    """What can have been assigned to a local name."""
    if scope.function is None:
        return []
    bound = reaching(scope.function.body, name, scope.statement) if scope.statement else ()
    if not bound or set(bound) == {None}:
        bound = tuple(node for node in ast.walk(scope.function) if _assigns(node, name)) if not scope.statement else ()
    found: list[_Value] = []
    for node in bound:
        match node:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                decides = () if any(True for _ in name_nodes(value)) else _tests_around(scope.module, node)
                found.append(_Value(value, (value, *decides), node.lineno))
            case ast.AugAssign(value=value):
                found.append(_Value(value, (value,), node.lineno, is_loop=True))
            case ast.For(iter=value):
                found.append(_Value(value, (value,), node.lineno, is_loop=True))
    for node in ast.walk(scope.function) if found else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append" | "extend" | "add")) if (
                owner == name
            ):
                found.append(_Value(node, (*node.args, *_tests_around(scope.module, node)), node.lineno, is_loop=True))
    return found


def local_values(scope: Scope, name: str) -> tuple[ast.expr, ...]:
    """The expressions that can have been assigned to a local name when the statement of a scope is reached."""
    return tuple(value.expression for value in _values(scope, name))


def _assigns(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return isinstance(node, ast.Assign | ast.AnnAssign) and any(
        isinstance(target, ast.Name) and target.id == name for target in targets
    )


def _tests_around(module: Module, node: ast.AST) -> tuple[ast.expr, ...]:
    """The tests of the `if`s around a node within its function."""
    found: list[ast.expr] = []
    for above in module.above(node):
        if isinstance(above, Function):
            break
        if isinstance(above, ast.If):
            found.append(above.test)
    return tuple(found)


def _alternatives(value: ast.expr) -> list[ast.expr]:
    """The expressions of which one is the value: both sides of a conditional, the parts of `a or b`."""
    match value:
        case ast.IfExp(body=body, orelse=other):
            return [each for side in (body, other) for each in _alternatives(side)]
        case ast.BoolOp(op=ast.Or(), values=values) if all(is_chain(each) for each in values):
            return list(values)
        case ast.Constant(value=None):
            return []
    return [value]


def _extended(node: ast.expr, attributes: list[str]) -> ast.expr:
    for name in attributes:
        node = ast.Attribute(node, name, ast.Load())
    return node


def _foreign_call(scope: Scope, value: ast.expr) -> str | None:
    """A call in an expression whose result no pinned file decides."""
    for node in ast.walk(value):
        if not isinstance(node, ast.Call):
            continue
        root: ast.AST = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in (*_BUILT_IN, "self", "cls", "os", *scope.seen):
            continue
        if _values(scope, root.id) or "platform" in root.id or root.id in scope.module.functions:
            continue
        if root.id not in scope.arguments.declarations.classes and _is_imported(scope, root.id):
            return f"{ast.unparse(node.func)}(...)"
    return None


def _read_outside(scope: Scope, root: str, attributes: list[str], text: str) -> Reading:
    """A name that the function does not assign: a parameter, an import, a constant of the module."""
    if scope.function and root in (parameters := _parameters(scope.function)):
        held = scope.arguments.declarations.class_in(parameters[root])
        if held:
            return _walk(scope, held, attributes, text)
        return Reading(text, How.UNRESOLVED, (), f"`{root}` is a parameter: whoever calls the function decides")
    if "platform" in root and _is_imported(scope, root):
        return Reading(text, How.MACHINE, (), "the machine that vLLM finds itself on")
    if root in scope.arguments.declarations.classes or root in dir(builtins):
        return Reading(text, How.CONSTANT)
    if _is_imported(scope, root) or _is_global(scope.module, root):
        return Reading(text, How.CONSTANT)
    return Reading(text, How.UNRESOLVED, (), f"nothing in the file assigns `{root}`")


@cache
def _parameters(function: Function) -> dict[str, str]:
    given = function.args
    return {
        each.arg: ast.unparse(each.annotation).strip("'\"") if each.annotation else ""
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)
    }


def _is_imported(scope: Scope, name: str) -> bool:
    return name in _imports(scope.module.tree)


@cache
def _imports(tree: ast.Module) -> frozenset[str]:
    return frozenset(
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )


def _is_global(module: Module, name: str) -> bool:
    return any(_assigns(statement, name) for statement in module.tree.body)


def _walk(scope: Scope, holder: str, attributes: list[str], text: str) -> Reading:
    """Follow attributes from an object of a class, as far as classes are declared."""
    declarations = scope.arguments.declarations
    last: Field | Helper | None = None
    current: str | None = holder
    done = 0
    for attribute in attributes:
        member = declarations.member(current, attribute) if current else None
        if member is None:
            if last is not None and (current is None or declarations.classes[current].members):
                break  # an attribute of a value that is no config object, such as a method of a string
            stated = f" in {declarations.borrowed.label}, which stands in" if declarations.borrowed else ""
            return Reading(text, How.UNRESOLVED, (), f"`{current}` declares no `{attribute}`{stated}")
        if last is not None and current and declarations.classes[current].members:
            break  # of an enum, the field that holds it is what users set
        last = member
        done += 1
        annotation = member.annotation if isinstance(member, Field) else _returns(member.node)
        current = declarations.class_in(annotation)
    if last is None:
        return Reading(text, How.CONSTANT)
    return Reading(text, How.SETTING, (setting_of(scope.arguments, last),), rest=tuple(attributes[done:]))


def _returns(function: Function) -> str:
    return ast.unparse(function.returns).strip("'\"") if function.returns else ""


def setting_of(arguments: Arguments, member: Field | Helper) -> Setting:
    """The setting that a field or helper is."""
    if isinstance(member, Field):
        routes = arguments.routes(member.holder, member.name) if member.is_given else ()
        return Setting(Sort.FIELD, member, routes, arguments.names.get(member.key))
    return Setting(Sort.COMPUTED, member)


def declared_as(arguments: Arguments, key: str) -> Setting | None:
    """What a key is in a pin: `Class.name`, or the name of a variable; None when the pin does not declare it."""
    holder, _, name = key.rpartition(".")
    if not holder:
        return environment(arguments, name) if name in arguments.declarations.variables else None
    member = arguments.declarations.member(holder, name)
    return setting_of(arguments, member) if member else None


def environment(arguments: Arguments, name: str) -> Setting:
    """The setting that an environment variable is, whether or not the pin declares it."""
    known = arguments.declarations.variables.get(name)
    return Setting(Sort.ENVIRONMENT, known or Variable(name, "", None, None, "", 0))


def behind(arguments: Arguments, setting: Setting) -> tuple[Setting, ...]:
    """What a property or helper reads, one level deep: fields, variables and other helpers. Empty for the rest."""
    helper = setting.declared
    if not isinstance(helper, Helper):
        return ()
    scope = name_scope(arguments, helper)
    found: list[Setting] = []
    for statement in helper.node.body:
        for node in name_nodes(statement):
            found += read(scope, node).settings
    return tuple(each for each in dict.fromkeys(found) if each != setting)
