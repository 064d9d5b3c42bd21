"""The names in analyses against what the pins declare: every flag, variable and field must exist where it is said to.

Checks the release that an analysis was reviewed for and every later documented one. A name that is mentioned though it
does not exist has its reason in `known_names.yml`; an entry there that is no longer needed is a complaint too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.analysis import AnalysisFile, KnownName
from generator.arguments import Arguments
from generator.declarations import Field
from generator.errors import Problem
from generator.mentions import Mention, mentions
from generator.pins import Pin


@dataclass(frozen=True)
class Facts:
    """What came out."""

    problems: tuple[Problem, ...]
    """Names that the release of the review does not have, and entries of `known_names.yml` that nobody needs."""
    gaps: tuple[Problem, ...]
    """Names that a later release no longer has."""


def check_facts(
    analyses: Sequence[AnalysisFile],
    known: Sequence[KnownName],
    arguments: Mapping[str, Arguments],
    pins: Sequence[Pin],
    data: str,
) -> Facts:
    """Check every name of every analysis.

    Args:
        analyses: What was written.
        known: Names that may be mentioned although no pinned file declares them.
        arguments: Label → what the documented pins declare; pins that declare no flags at all are passed over.
        pins: All pins, newest first.
        data: Name of the data folder, for messages.
    """
    documented = [pin for pin in pins if pin.label in arguments and arguments[pin.label].module is not None]
    if not documented:
        return Facts((), ())
    excused = {each.name: each for each in known}
    used: set[str] = set()
    problems: list[Problem] = []
    gaps: list[Problem] = []
    for file in analyses:
        commit = file.analysis.reviewed.commit
        at = next((i for i, pin in enumerate(documented) if _same(pin.commit, commit)), None)
        if at is None:
            continue
        for mention in mentions(file.analysis):
            missing = [pin for pin in documented[: at + 1] if not exists(mention, arguments[pin.label])]
            if not missing:
                continue
            if mention.name in excused:
                used.add(mention.name)
                continue
            reviewed = documented[at]
            told = _complaint(mention, reviewed, missing, documented, arguments)
            place = problems if reviewed in missing else gaps
            place.append(file.file.problem(mention.location, told))
    problems += _stale(known, used, data)
    return Facts(tuple(sorted(set(problems))), tuple(sorted(set(gaps))))


def exists(mention: Mention, arguments: Arguments) -> bool:
    """Whether a pin has a name; what is no name of the documented project counts as there."""
    match mention.kind:
        case "flag":
            return _has_flag(mention.name, arguments)
        case "key":
            flag, _, key = mention.name.partition(".")
            return not _has_flag(flag, arguments) or _has_flag(f"{flag}.{key}", arguments)
        case "argument":
            return mention.name in arguments.arguments
        case "variable":
            ours = mention.name.startswith("VLLM_")
            return not ours or mention.name in arguments.declarations.variables or _is_read(mention.name, arguments)
    return _has_field(mention.name, arguments)


def _has_flag(name: str, arguments: Arguments) -> bool:
    """Whether a flag exists, and the keys below it as far as classes declare them."""
    flag, *keys = name.split(".")
    found = arguments.by_name.get(flag)
    if found is None or not keys:
        return found is not None
    argument = arguments.arguments.get(found.argument)
    targets = [target for target, passed in arguments.passed.items() if found.argument in passed]
    declared = [arguments.declarations.member(holder, field) for holder, field in targets]
    annotations = [each.annotation for each in declared if isinstance(each, Field)]
    annotations += [argument.annotation] if argument and not targets else []
    current = next((held for each in annotations if (held := arguments.declarations.class_in(each))), None)
    return current is None or _follow(current, keys, arguments)


def _follow(current: str, names: Sequence[str], arguments: Arguments) -> bool:
    """Whether attributes exist one below the other, as far as classes are declared."""
    holder: str | None = current
    for name in names:
        if holder is None or arguments.declarations.classes[holder].members:
            return True
        member = arguments.declarations.member(holder, name)
        if member is None:
            return _has_foreign_base(holder, arguments)
        holder = arguments.declarations.class_in(member.annotation) if isinstance(member, Field) else None
    return True


def _has_foreign_base(name: str, arguments: Arguments) -> bool:
    """Whether a class inherits from one that no pinned file declares, which may have any attribute."""
    bases = [base for each in arguments.declarations.family(name) for base in each.bases]
    return any(base not in arguments.declarations.classes and base not in ("object", "Protocol") for base in bases)


def _has_field(dotted: str, arguments: Arguments) -> bool:
    """Whether a dotted name exists, if it begins with a config class or with a field that holds one."""
    root, *names = dotted.split(".")
    while names and root in ("vllm_config", "config", "self"):
        root, *names = names
    classes = arguments.declarations.classes
    if not names:
        return True
    if root in classes and root.endswith(("Config", "Args")):
        return _follow(root, names, arguments)
    held = _object_names(arguments).get(root)
    return held is None or _follow(held, names, arguments)


def _object_names(arguments: Arguments) -> dict[str, str]:
    """Name of a field that ends in `_config` → the class of its object."""
    found: dict[str, str] = {}
    for each in arguments.declarations.classes.values():
        for field in each.fields.values():
            held = arguments.declarations.class_in(field.annotation)
            if held and field.name.endswith("_config"):
                found.setdefault(field.name, held)
    return found


def _is_read(variable: str, arguments: Arguments) -> bool:
    """Whether a pinned file reads a variable by itself."""
    return any(re.search(rf"\b{variable}\b", module.text) for module in arguments.declarations.modules.values())


def _same(commit: str, other: str) -> bool:
    return commit.startswith(other) or other.startswith(commit)


def _complaint(
    mention: Mention,
    reviewed: Pin,
    missing: Sequence[Pin],
    documented: Sequence[Pin],
    arguments: Mapping[str, Arguments],
) -> str:
    """What is wrong, since when, and what to do."""
    kind = {
        "flag": "flag",
        "key": "JSON key",
        "argument": "Python argument",
        "variable": "environment variable",
        "field": "config field",
    }[mention.kind]
    if reviewed not in missing:
        return f"{kind} '{mention.name}' no longer exists since {missing[-1].label}; say so, or name what replaced it"
    had = [pin for pin in documented if exists(mention, arguments[pin.label])]
    if not had:
        when = "in no documented release"
    elif documented.index(had[0]) < documented.index(reviewed):
        when = f"not before {had[-1].label}"
    else:
        gone = documented[documented.index(had[0]) - 1].label
        when = f"no longer since {gone}"
    repair = "correct the name, or give the reason in known_names.yml"
    return f"{kind} '{mention.name}' does not exist in {reviewed.label} ({when}); {repair}"


def _stale(known: Sequence[KnownName], used: set[str], data: str) -> list[Problem]:
    return [
        Problem(
            f"{data}/known_names.yml",
            0,
            f"'{each.name}' needs no excuse: no analysis names it, or every release has it; delete the entry",
        )
        for each in known
        if each.name not in used
    ]
