"""One guard → a plain sentence about settings, or its code where no sentence would be true.

Says what the code says and nothing more: "is set" means that the value is there, whoever set it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from generator.declarations import Field, Helper
from generator.guards import Guard, Kind, Origin
from generator.names import chain_parts, is_chain, variable_read
from generator.settings import How, Reading, Scope, Setting, Sort, local_values, read, read_names

SUBJECTS = {
    "ModelConfig.architecture": "the model's architecture",
    "VllmConfig.model_config": "the model configuration",
    "VllmConfig.num_speculative_tokens": "the number of speculative tokens",
}
"""Key → what readers call it, where there is no flag to name."""

STATEMENTS = {
    "ModelConfig.is_diffusion": ("the model is a diffusion model", "the model is not a diffusion model"),
    "ModelConfig.is_moe": ("the model is a mixture of experts", "the model is not a mixture of experts"),
    "ModelConfig.supports_replayssm": ("the model supports ReplaySSM", "the model does not support ReplaySSM"),
    "ModelConfig.use_mla": ("the model uses MLA attention", "the model does not use MLA attention"),
    "ParallelConfig.use_ubatching": (
        "microbatching (`--enable-dbo`, `--ubatch-size`) is on",
        "microbatching (`--enable-dbo`, `--ubatch-size`) is off",
    ),
    "VllmConfig.use_v2_model_runner": ("Model Runner V2 is on", "Model Runner V2 is off"),
}
"""Key of a computed truth → how it reads when true and when false."""

PLATFORMS = {
    "is_cpu": "a CPU",
    "is_cuda": "NVIDIA CUDA",
    "is_cuda_alike": "CUDA or ROCm",
    "is_out_of_tree": "one of a plug-in",
    "is_rocm": "AMD ROCm",
    "is_tpu": "a TPU",
    "is_xpu": "an Intel XPU",
}

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "is",
    ast.NotEq: "is not",
    ast.Gt: "is greater than",
    ast.GtE: "is at least",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.In: "is one of",
    ast.NotIn: "is none of",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.GtE: ast.Lt,
    ast.Lt: ast.GtE,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True)
class Sentence:
    """One condition, as a reader sees it."""

    guard: Guard
    text: str | None
    """Plain text with `code` in backticks; None where only the code would be true."""
    settings: tuple[Setting, ...]
    """What it is about, in order."""
    computed: str = ""
    """Of a condition on a local name: the lines that compute it."""

    @property
    def shown(self) -> str:
        """The sentence, or the code and whether it holds."""
        return self.text or f"code: {self.guard.text} {'is true' if self.guard.holds else 'is false'}"


def say(scope: Scope, guard: Guard) -> Sentence:
    """The sentence of one guard."""
    code = guard.text.partition(" in ")[2] if guard.kind is Kind.LOOP else guard.text
    readings = read_names(scope, code) if guard.kind in (Kind.CONDITION, Kind.LOOP) else ()
    settings = tuple(dict.fromkeys(each for reading in readings for each in reading.settings))
    lines = "; ".join(each.detail for each in readings if each.how is How.COMPUTED and each.detail)
    text = None
    if guard.kind is Kind.CONDITION:
        text = phrase(scope, ast.parse(guard.text, mode="eval").body, guard.holds)
    return Sentence(guard, text, settings, "" if text else lines)


def own_guards(guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
    """Without those that hold only because an earlier check did not fire."""
    return tuple(guard for guard in guards if guard.origin is not Origin.CHECK)


def phrase(scope: Scope, node: ast.expr, holds: bool) -> str | None:
    """A condition in words; None when it cannot be said truthfully."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return phrase(scope, operand, not holds)
        case ast.BoolOp(op=op, values=values):
            parts = [
                _grouped(phrase(scope, value, holds)) if _is_compound(value) else phrase(scope, value, holds)
                for value in values
            ]
            joint = " and " if isinstance(op, ast.And) is holds else ", or "
            return None if None in parts else joint.join(part for part in parts if part)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(scope, left, op if holds else _OPPOSITE[type(op)](), right)
        case ast.Call():
            return _called(scope, node, holds)
        case _ if is_chain(node) or (isinstance(node, ast.expr) and variable_read(node)):
            return _truth(scope, node, holds)
    return None


def _is_compound(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.BoolOp)


def _grouped(text: str | None) -> str | None:
    return f"({text})" if text else None


def setting_at(scope: Scope, node: ast.expr) -> Setting | None:
    """The one setting whose value an expression is, exactly."""
    if not (variable_read(node) or is_chain(node)):
        return None
    reading = read(scope, node)
    exact = reading.how is How.SETTING and len(reading.settings) == 1 and not reading.rest
    return reading.settings[0] if exact else None


def computed_by(scope: Scope, node: ast.expr) -> ast.expr | None:
    """The one logical expression that a local name stands for; None for other names."""
    if not isinstance(node, ast.Name) or read(scope, node).how is not How.COMPUTED:
        return None
    values = local_values(scope, node.id)
    logical = isinstance(values[0], ast.BoolOp | ast.Compare | ast.UnaryOp) if len(values) == 1 else False
    return values[0] if logical else None


def subject(setting: Setting) -> str:
    """How a sentence names a setting."""
    return SUBJECTS.get(setting.key) or f"`{setting.label}`"


def is_truth(setting: Setting) -> bool:
    """Whether its value is true or false."""
    declared = setting.declared
    if isinstance(declared, Helper):
        return declared.node.returns is not None and ast.unparse(declared.node.returns) == "bool"
    return "bool" in declared.annotation


def is_object(scope: Scope, setting: Setting) -> bool:
    """Whether it is a config object or nothing, so that a plain test asks whether it is there."""
    declared = setting.declared
    return isinstance(declared, Field) and scope.arguments.declarations.class_in(declared.annotation) is not None


def value_text(scope: Scope, node: ast.expr) -> str | None:
    """A constant as users write it; None for anything else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=int() | float() as number):
            return str(number)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return f"-{number}"
        case ast.Attribute(value=ast.Name(id="torch"), attr=name):
            return name
        case ast.Attribute(value=ast.Name(id=holder), attr=name):
            declared = scope.arguments.declarations.classes.get(holder)
            return declared.members.get(name) if declared else None
    return None


def value_texts(scope: Scope, node: ast.expr) -> tuple[str, ...] | None:
    """The constants of a tuple, list or set; None when one of them is no constant."""
    if not isinstance(node, ast.Tuple | ast.List | ast.Set):
        return None
    found = [value_text(scope, each) for each in node.elts]
    return None if None in found else tuple(each for each in found if each is not None)


def _truth(scope: Scope, node: ast.expr, holds: bool) -> str | None:
    setting = setting_at(scope, node)
    if setting is None:
        value = computed_by(scope, node)
        return phrase(scope, value, holds) if value is not None else None
    if setting.key in STATEMENTS:
        return STATEMENTS[setting.key][0 if holds else 1]
    name = subject(setting)
    if setting.sort is Sort.COMPUTED:
        return f"{name} is {'true' if holds else 'false'}" if is_truth(setting) else None
    if any(route.switches for route in setting.routes):
        return f"{name} is {'on' if holds else 'off'}"
    if is_truth(setting):
        empty = "off or not set" if "None" in getattr(setting.declared, "annotation", "") else "off"
        return f"{name} is {'on' if holds else empty}"
    if is_object(scope, setting):
        return f"{name} is {'set' if holds else 'not set'}"
    return f"{name} is set and not empty" if holds else f"{name} is not set or empty"


def _compared(scope: Scope, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str | None:
    variable = _contained(scope, left, op, right)
    if variable:
        return variable
    setting = setting_at(scope, left)
    if setting is None:
        return None
    name = subject(setting)
    if isinstance(right, ast.Constant) and right.value is None:
        if not isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            return None
        there = isinstance(op, ast.IsNot | ast.NotEq)
        return f"{name} is {'set' if there else 'not set'}"
    if isinstance(right, ast.Constant) and isinstance(right.value, bool):
        same = isinstance(op, ast.Is | ast.Eq)
        state = "on" if right.value else "off"
        return f"{name} is {'explicitly ' if same and not right.value else ''}{state if same else 'not ' + state}"
    if isinstance(op, ast.In | ast.NotIn):
        values = value_texts(scope, right)
        return f"{name} {_COMPARED[type(op)]} {', '.join(f'`{each}`' for each in values)}" if values else None
    other = setting_at(scope, right)
    if other is not None:
        verb = {ast.Eq: "is the same as", ast.NotEq: "is not the same as"}.get(type(op), _COMPARED[type(op)])
        return f"{name} {verb} {subject(other)}"
    value = value_text(scope, right)
    if value is None:
        return None
    quoted = value if isinstance(right, ast.Constant) and not isinstance(right.value, str) else f"`{value}`"
    return f"{name} {_COMPARED[type(op)]} {quoted}"


def _contained(scope: Scope, left: ast.expr, op: ast.cmpop, right: ast.expr) -> str | None:
    """`"text" in variable`, and `len(x)` against nothing."""
    match left, right:
        case ast.Constant(value=str(text)), _ if isinstance(op, ast.In | ast.NotIn):
            setting = setting_at(scope, right)
            verb = "contains" if isinstance(op, ast.In) else "does not contain"
            return f"{subject(setting)} {verb} `{text}`" if setting else None
        case ast.Call(func=ast.Name(id="len"), args=[counted]), ast.Constant(value=0):
            setting = setting_at(scope, counted)
            empty = isinstance(op, ast.LtE | ast.Eq)
            if setting and (empty or isinstance(op, ast.Gt | ast.NotEq)):
                return f"{subject(setting)} is {'empty' if empty else 'not empty'}"
    return None


def _called(scope: Scope, node: ast.Call, holds: bool) -> str | None:
    if is_chain(node) or variable_read(node):
        return _truth(scope, node, holds)
    if isinstance(node.func, ast.Name) and node.func.id == "hasattr" and len(node.args) == 2:
        return _has_attribute(scope, node, holds)
    if not isinstance(node.func, ast.Attribute) or not is_chain(node.func):
        return None
    reading = read(scope, node.func)
    if reading.how is How.MACHINE and not node.args and node.func.attr in PLATFORMS:
        return f"the platform is {'' if holds else 'not '}{PLATFORMS[node.func.attr]}"
    if reading.rest in (("startswith",), ("endswith",)) and len(reading.settings) == 1 and len(node.args) == 1:
        text = value_text(scope, node.args[0])
        verb = {"startswith": ("starts", "start"), "endswith": ("ends", "end")}[reading.rest[0]]
        told = f"{verb[0]} with" if holds else f"does not {verb[1]} with"
        return f"{subject(reading.settings[0])} {told} `{text}`" if text else None
    return _helper_call(scope, node, reading, holds)


def _helper_call(scope: Scope, node: ast.Call, reading: Reading, holds: bool) -> str | None:
    if reading.how is not How.SETTING or len(reading.settings) != 1 or reading.rest:
        return None
    setting = reading.settings[0]
    if setting.sort is not Sort.COMPUTED or node.keywords:
        return None
    arguments = [value_text(scope, each) for each in node.args]
    if setting.key == "KVTransferConfig.has_connector" and len(arguments) == 1 and arguments[0]:
        return f"the KV connector is {'' if holds else 'not '}`{arguments[0]}`, alone or among several"
    if arguments or not is_truth(setting):
        return None
    if setting.key in STATEMENTS:
        return STATEMENTS[setting.key][0 if holds else 1]
    return f"`{setting.key}()` is {'true' if holds else 'false'}"


def _has_attribute(scope: Scope, node: ast.Call, holds: bool) -> str | None:
    """`hasattr(the model's own configuration, "key")`."""
    owner, name = node.args
    if not (is_chain(owner) and chain_parts(owner)[-1] in ("hf_config", "hf_text_config")):
        return None
    key = value_text(scope, name)
    return f"the model's `config.json` has {'' if holds else 'no '}`{key}`" if key else None
