"""Made-up logs: every message of the catalog, with values put in, in the surroundings in which people paste it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator.wordindex import Entry, LookupIndex, Wording

START, END = "\ue000", "\ue001"
"""Stand where a quarter of the message is over, and where the last quarter begins."""

VALUES = (
    (r"dtype", "torch.bfloat16"),
    (r"supported_dtypes|backends|blockers|unsupported|allowed|sizes", "[torch.float16, torch.float32]"),
    (r"quant", "compressed-tensors"),
    (r"connector", "NixlConnector"),
    (r"method|algorithm|strategy|format", "suffix"),
    (r"model_config\.model\b|architecture", "Org/Some-Model_7B.v2"),
    (r"backend|mode", "external_launcher"),
    (r"delta|scheduled", "-1536"),
)


def value_of(placeholder: str, entry: Entry) -> str:
    """A value as vLLM could print it."""
    if placeholder in dict(entry.openings):
        return f"{dict(entry.openings)[placeholder][0]} and more, prefill"
    return next((value for pattern, value in VALUES if re.search(pattern, placeholder)), "48")


def message_of(wording: Wording, entry: Entry) -> str:
    """The message with values put in, and the two signs."""
    text = "".join(value_of(part, entry) if index % 2 else part for index, part in enumerate(wording.parts)).strip()
    first, last = len(text) // 4, len(text) - len(text) // 4
    return text[:first] + START + text[first:last] + END + text[last:]


def _lines(text: str, prefix: str) -> str:
    return "\n".join(prefix + line for line in text.split("\n"))


def _validation(message: str, entry: Entry) -> str:
    label = "Value error"
    return (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.12/site-packages/vllm/engine/arg_utils.py", line 1800, in create_engine_config\n'
        "    config = VllmConfig(\n             ^^^^^^^^^^^\n"
        '  File "/usr/lib/python3.12/site-packages/pydantic/_internal/_dataclasses.py", line 121, in __init__\n'
        "    s.__pydantic_validator__.validate_python(ArgsKwargs(args, kwargs), self_instance=s)\n"
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig\n"
        f"  {label}, {message} [type=value_error, input_value=ArgsKwargs((), {{'model_co...additional_config': {{}}}}),"
        " input_type=ArgsKwargs]\n    For further information visit https://errors.pydantic.dev/2.12/v/value_error"
    )


def _raw(message: str, entry: Entry) -> str:
    return (
        "Traceback (most recent call last):\n"
        '  File "/opt/venv/lib/python3.11/site-packages/vllm/config/vllm.py", line 99999, in __post_init__\n'
        f"    raise ValueError(\nValueError: {message}"
    )


def _serve(message: str, entry: Entry) -> str:
    head = (
        "INFO 05-18 01:31:10 [api_server.py:1896] vLLM API server version 0.28.0\n"
        "INFO 05-18 01:31:11 [model.py:1745] Using max model len 4096\n"
        "WARNING 05-18 01:31:12 [vllm.py:741] Async scheduling will be disabled because it is not supported.\n"
    )
    return _lines(head + _validation(message, entry), "(APIServer pid=1) ")


def _core(message: str, entry: Entry) -> str:
    return _lines(_raw(message, entry), "(EngineCore_DP0 pid=585) ERROR 05-18 01:31:14 [core.py:1108] ") + (
        "\n(APIServer pid=9) RuntimeError: Engine core initialization failed. See root cause above."
    )


def _compose(message: str, entry: Entry) -> str:
    return _lines(_validation(message, entry), "vllm1-1  | (APIServer pid=1) ")


def _ray(message: str, entry: Entry) -> str:
    return (
        "User exception type <class 'ValidationError'> in RayTaskError can't be subclassed!\n"
        + _lines(
            _raw(message, entry),
            "(RayWorkerWrapper pid=2202490, ip=10.0.0.7) ERROR 04-24 16:06:40 worker_base.py:157] ",
        )
        + " [repeated 2x across cluster]"
    )


def _pytest(message: str, entry: Entry) -> str:
    return (
        "vllm/config/vllm.py:831: in __post_init__\n    self._check()\n"
        "[2025-10-20T13:11:22Z] E     pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig\n"
        f"[2025-10-20T13:11:22Z] E         Value error, {message} [type=value_error, input_value=ArgsKwargs(O, {{}})]\n"
    )


def _coloured(message: str, entry: Entry) -> str:
    return _lines(
        _validation(message, entry), "\x1b[1;36m(EngineCore_DP0 pid=1880)\x1b[0;0m 2026-04-19 12:51:56.342 | "
    )


def _flat(message: str, entry: Entry) -> str:
    return re.sub(r"\n\s*", " ", _lines(_validation(message, entry), "(APIServer pid=1) "))


def _quoted(message: str, entry: Entry) -> str:
    return _lines(f"起動に失敗しました:\n\n    ValueError: {message}\n\nなぜでしょうか？", "> # ")


def _bare(message: str, entry: Entry) -> str:
    return f"- it ends with `{message}` and I do not know why"


STYLES: dict[str, Callable[[str, Entry], str]] = {
    "raw": _raw,
    "pydantic": _validation,
    "serve": _serve,
    "engine core": _core,
    "compose": _compose,
    "ray": _ray,
    "pytest": _pytest,
    "coloured": _coloured,
    "flattened": _flat,
    "quoted": _quoted,
    "retyped": _bare,
}

CUTS: dict[str, Callable[[str], str]] = {
    "whole": lambda text: text,
    "wrapped": lambda text: _wrap(text, False),
    "wrapped in words": lambda text: _wrap(text, True),
    "end cut": lambda text: text.partition(END)[0],
    "start cut": lambda text: text.partition(START)[2],
    "wrapped, end cut": lambda text: _wrap(text.partition(END)[0], False),
    "wrapped, start cut": lambda text: _wrap(text.partition(START)[2], False),
}


def _wrap(text: str, in_words: bool) -> str:
    """Every line at 80 columns, as a terminal or an editor does it."""
    lines: list[str] = []
    for line in text.split("\n"):
        if in_words:
            lines += [line[at : at + 80] for at in range(0, max(1, len(line)), 80)]
        else:
            lines += textwrap.wrap(line, 80, drop_whitespace=True, break_on_hyphens=False) or [""]
    return "\n".join(lines)


@dataclass(frozen=True)
class MadeUp:
    """One made-up log."""

    style: str
    cut: str
    log: str
    entry: Entry
    wording: Wording


def made_up(index: LookupIndex) -> Iterator[MadeUp]:
    """Every wording of every pin in every style, whole and cut."""
    for entry in index.entries:
        for wording in entry.wordings:
            message = message_of(wording, entry)
            for style, write in STYLES.items():
                log = write(message, entry)
                for cut, change in CUTS.items():
                    yield MadeUp(style, cut, change(log).replace(START, "").replace(END, ""), entry, wording)
