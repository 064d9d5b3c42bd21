"""Source text → `RaiseSite`s: every `raise` and `assert` of a file, with its message, guards and callers.

Pure: reads no files, follows no imports. What the file alone does not determine is reported, never guessed.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass, field

from generator.exceptions import NoMessage, Raised, is_value_error, raised_by
from generator.guards import Guard, Origin, guards_of, guards_within
from generator.members import joined_texts
from generator.message import MessageTemplate
from generator.syntax import Function, Module, parse_module
from generator.wording import Unknown, Wording, wordings

_NONE = Wording(("None",), is_text=False)
"""What a name prints that has no text yet: not an alternative to the texts that it can have."""
EXCERPT_REACH = 18
"""Lines of an excerpt before and after the line of the statement."""


@dataclass(frozen=True)
class Caller:
    """A place in the same file that runs the function of a raise site."""

    function: str
    """Qualified name of the calling function, or `<module>`."""
    line: int
    """Line of the call, from 1."""
    guards: tuple[Guard, ...]
    """What must hold for control to reach the call, within the calling function."""


@dataclass(frozen=True)
class RaiseSite:
    """One `raise` or `assert` with a message. A statement that can print several messages is several sites."""

    template: MessageTemplate
    exception: str
    """Dotted name of the exception class as written; `AssertionError` for an assertion."""
    kind: str
    """`raise` or `assert`."""
    line: int
    """First line of the statement, from 1."""
    end_line: int
    """Last line of the statement, from 1, inclusive."""
    column: int
    """Column of the statement in UTF-8 bytes, from 0; tells two statements on one line apart."""
    function: str
    """Qualified name of the function, such as `VllmConfig.__post_init__`; `<module>` outside functions."""
    class_name: str | None
    """Name of the innermost class; None outside classes."""
    decorators: tuple[str, ...]
    """Decorators of the function as written, without `@`."""
    guards: tuple[Guard, ...]
    """In order of evaluation."""
    callers: tuple[Caller, ...]
    """Calls from the same file, by line; empty when only other files call the function."""
    appearances: tuple[str, ...]
    """How the message can reach the user: `validation` (inside a pydantic ValidationError), `bare`, or both."""
    fills: dict[str, tuple[str, ...]] = field(hash=False)
    """Placeholder source → the texts that this file determines for it, or for the items that it joins; placeholders
    with any other value are absent.
    """
    excerpt: str
    """The source from `excerpt_start` to `excerpt_end`, without a final line end."""
    excerpt_start: int
    """First line of the excerpt, from 1: 18 lines above the statement's first line, or the file's first."""
    excerpt_end: int
    """Last line of the excerpt, from 1, inclusive: 18 below the statement's first line, or the file's last."""

    @property
    def fingerprint(self) -> str:
        """16 hex digits over class, kind, message and guards; the same as long as the check itself is the same.

        Guards that hold because an earlier check did not fire are left out: a new check further up the function
        changes nothing about this one.
        """
        own = [f"{guard.holds}:{guard.text}" for guard in self.guards if guard.origin is not Origin.CHECK]
        text = "\x01".join([self.kind, self.exception, self.template.text, *own])
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class OtherStatement:
    """A `raise` or `assert` that gets no page."""

    kind: str
    """`raise` or `assert`."""
    line: int
    """First line, from 1."""
    column: int
    """Column in UTF-8 bytes, from 0."""
    function: str
    """Qualified name of the function around it, or `<module>`."""
    status: str
    """`re-raise`, `no message` or `undetermined`."""
    reason: str
    """Why the message is not determined; empty for the other two."""


@dataclass(frozen=True)
class Extraction:
    """All `raise` and `assert` statements of one file; each is in one of the two tuples."""

    path: str
    sites: tuple[RaiseSite, ...]
    """By line; the alternatives of one statement in the order in which the source has them."""
    others: tuple[OtherStatement, ...]
    """By line."""


def extract_raise_sites(data: bytes, path: str) -> Extraction:
    """Extract the raise sites of a Python file.

    Raises:
        ExtractError: the file is not UTF-8 or cannot be parsed; the message names file, line and cause.
    """
    module = parse_module(data, path)
    calls = _calls_by_name(module)
    sites: list[RaiseSite] = []
    others: list[OtherStatement] = []
    for node in module.parents:
        if not isinstance(node, ast.Raise | ast.Assert):
            continue
        kind = "raise" if isinstance(node, ast.Raise) else "assert"
        function = module.qualified_name(module.function_of(node) or module.tree)
        try:
            sites += _sites(module, node, kind, calls)
        except (NoMessage, Unknown, RecursionError) as reason:
            deep = "the code is nested too deeply to be followed"
            why = deep if isinstance(reason, RecursionError) else str(reason)
            status, why = (why, "") if isinstance(reason, NoMessage) else ("undetermined", why)
            others.append(OtherStatement(kind, node.lineno, node.col_offset, function, status, why))
    sites.sort(key=lambda site: (site.line, site.column))
    others.sort(key=lambda other: (other.line, other.column))
    return Extraction(path, tuple(sites), tuple(others))


def _sites(
    module: Module, node: ast.Raise | ast.Assert, kind: str, calls: dict[str, list[ast.expr]]
) -> list[RaiseSite]:
    """One site for each text that a statement can print."""
    raised = raised_by(module, node)
    texts = [wording for wording in raised.wordings if wording.template.fixed_text.strip()]
    texts = [wording for wording in texts if wording != _NONE] or texts
    if not texts:
        empty = all(not wording.template.parts for wording in raised.wordings)
        raise NoMessage("no message") if empty else Unknown("the message has no fixed words")
    if not all(wording.template.has_words for wording in texts):
        raise Unknown("the message has no fixed words")
    function = module.function_of(node)
    callers = _callers(module, function, calls) if function else ()
    guards = guards_of(module, node)
    start = max(1, node.lineno - EXCERPT_REACH)
    end = min(len(module.lines), node.lineno + EXCERPT_REACH)
    holder = module.class_of(node)
    return [
        RaiseSite(
            template=wording.template,
            exception=raised.exception,
            kind=kind,
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            column=node.col_offset,
            function=module.qualified_name(function or module.tree),
            class_name=holder.name if holder else None,
            decorators=tuple(ast.unparse(decorator) for decorator in function.decorator_list) if function else (),
            guards=tuple(dict.fromkeys(guards + wording.chosen_by)),
            callers=callers,
            appearances=_appearances(module, raised, function, calls),
            fills=_fills(wording),
            excerpt="\n".join(module.lines[start - 1 : end]),
            excerpt_start=start,
            excerpt_end=end,
        )
        for wording in texts
    ]


def _fills(wording: Wording) -> dict[str, tuple[str, ...]]:
    """The texts of those placeholders that are names with a text determined in this file, or that join such texts."""
    found: dict[str, tuple[str, ...]] = {}
    for source, home in wording.homes:
        try:
            if source.isidentifier():
                texts = [each.template.text for each in wordings(ast.Name(source, ast.Load()), home)]
            elif ".join(" in source:
                texts = list(joined_texts(source, home))
            else:
                continue
        except Unknown:
            continue
        found[source] = tuple(dict.fromkeys((*found.get(source, ()), *(text for text in texts if text != "None"))))
    return {source: texts for source, texts in found.items() if texts}


def _calls_by_name(module: Module) -> dict[str, list[ast.expr]]:
    """Last part of a name → the places where it is called, or read as an attribute (a property runs when read)."""
    found: dict[str, list[ast.expr]] = {}
    for node in module.parents:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.setdefault(node.attr, []).append(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, []).append(node)
    return found


def _callers(module: Module, function: Function, calls: dict[str, list[ast.expr]]) -> tuple[Caller, ...]:
    """The calls of a function in its own file, by line."""
    found: list[Caller] = []
    for use in _uses(module, function, calls):
        statement = next(above for above in module.above(use) if isinstance(above, ast.stmt))
        caller = module.function_of(use)
        name = module.qualified_name(caller or module.tree)
        guards = [guard for guard in guards_of(module, statement) if guard.origin is not Origin.OWN]
        found.append(Caller(name, use.lineno, (*guards, *guards_within(module, use))))
    return tuple(sorted(found, key=lambda caller: (caller.line, caller.function)))


def _uses(module: Module, function: Function, calls: dict[str, list[ast.expr]]) -> list[ast.expr]:
    """Where a function runs: `name(...)`, a method at `self.name(...)` and the like, a property where it is read."""
    owner = next((above for above in module.above(function) if isinstance(above, Function | ast.ClassDef)), None)
    is_property = any("property" in ast.unparse(decorator) for decorator in function.decorator_list)
    found: list[ast.expr] = []
    for use in calls.get(function.name, []):
        parent = module.parents[use]
        called = isinstance(parent, ast.Call) and parent.func is use
        if not (called or is_property) or module.function_of(use) is function:
            continue
        if isinstance(owner, ast.ClassDef):
            fits = isinstance(use, ast.Attribute) and _is_method_of(module, owner, use)
        else:
            fits = isinstance(use, ast.Name) and module.visible_function(use.id, use) == module.qualified_name(function)
        if fits:
            found.append(use)
    return found


def _is_method_of(module: Module, holder: ast.ClassDef, use: ast.Attribute) -> bool:
    """Whether `self.name` and the like can mean the method of a class: its own, an inherited or an overridden one."""
    around, own = module.class_of(use), module.qualified_name(holder)
    match use.value:
        case ast.Name(id=name) if name == holder.name:
            return True
        case ast.Name(id="self" | "cls") if around is not None:
            family = module.family(module.qualified_name(around))
        case ast.Call(func=ast.Name(id="super")) if around is not None:
            family = module.family(module.qualified_name(around))[1:]
        case _:
            return False
    nearest = next((each for each in family if f"{each}.{use.attr}" in module.functions), None)
    is_overridden = isinstance(use.value, ast.Name) and module.qualified_name(around) in module.family(own)
    return nearest == own or is_overridden


def _appearances(
    module: Module, raised: Raised, function: Function | None, calls: dict[str, list[ast.expr]]
) -> tuple[str, ...]:
    """Follow the callers up to where other code enters this file; pydantic wraps what its own hooks raise."""
    wrapped = is_value_error(module, raised.exception)
    if function is None or wrapped is False:
        return ("bare",)
    found: set[str] = set() if wrapped else {"bare"}
    pending, seen = [function], {function}
    while pending:
        current = pending.pop()
        if _is_validator(module, current):
            found.add("validation")
            continue
        uses = _uses(module, current, calls)
        if not uses or not current.name.startswith("_"):
            found.add("bare")
        for use in uses:
            caller = module.function_of(use)
            if caller is None:
                found.add("bare")
            elif caller not in seen:
                seen.add(caller)
                pending.append(caller)
    return tuple(sorted(found, reverse=True))


def _is_validator(module: Module, function: Function) -> bool:
    """Whether pydantic runs a function while it builds an object: a validator, or a dataclass's `__post_init__`."""
    decorators = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
    if "model_validator" in decorators or "field_validator" in decorators:
        return True
    owner = module.parents.get(function)
    if function.name not in ("__post_init__", "model_post_init") or not isinstance(owner, ast.ClassDef):
        return False
    return any(_makes_pydantic_class(module, decorator) for decorator in owner.decorator_list) or any(
        ast.unparse(base).endswith("BaseModel") for base in owner.bases
    )


def _makes_pydantic_class(module: Module, decorator: ast.expr) -> bool:
    """`@config` is vLLM's own name for a pydantic dataclass (vllm/config/utils.py)."""
    name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
    imported = {
        alias.asname or alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pydantic"
        for alias in node.names
    }
    return name in imported or name == "config" or name.startswith("pydantic.")
