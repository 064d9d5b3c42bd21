"""Runs proof cases on the real vLLM. Started by `proof.py` with the Python of a separate environment.

Imports nothing of this package: it runs where only vLLM is installed. vLLM is imported once; each case then runs in a
forked process of its own, so that no case sees what another one changed.

    python prover.py RELEASE < cases.json > results.jsonl

Cases are a list of {"key", "args", "python", "env", "model", "simulate"}; each result is one line
{"key", "outcome", "exception", "text"} with the outcome `raised`, `accepted`, `timeout` or `broken`.
"""

import contextlib
import importlib
import io
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

SECONDS = 60
MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": 1000,
    "max_position_embeddings": 512,
    "torch_dtype": "float32",
}


def patch(name: str, expression: str) -> None:
    """Replace the attribute `name` (dotted) by the value of a Python expression."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            owner = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:-1]:
            owner = getattr(owner, part)
        import torch
        import vllm

        getattr(owner, parts[-1])  # a name that does not exist would prove nothing
        setattr(owner, parts[-1], eval(expression, {"torch": torch, "vllm": vllm, "os": os}))
        return
    raise ModuleNotFoundError(name)


def run(case: dict[str, Any]) -> dict[str, Any]:
    """The outcome of one case, in this process."""
    os.environ.update(case.get("env") or {})
    folder = tempfile.mkdtemp(prefix="vllm-errors-model-")
    (Path(folder) / "config.json").write_text(json.dumps({**MODEL, **(case.get("model") or {})}))
    try:
        for simulation in case.get("simulate") or ():
            patch(simulation["patch"], simulation["value"])
        if case.get("python"):
            exec(case["python"], {"__name__": "proof", "MODEL": folder})
        else:
            from vllm.engine.arg_utils import EngineArgs

            arguments = {"model": folder, "tokenizer": folder, "skip_tokenizer_init": True, **(case.get("args") or {})}
            arguments = json.loads(json.dumps(arguments).replace("$MODEL", folder))
            EngineArgs(**arguments).create_engine_config()
    except BaseException as error:
        text = str(error).replace(folder, "MODEL")[:20000]
        where = [
            f"{frame.name}:{frame.lineno}"
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.endswith("vllm/config/vllm.py")
        ]
        return {"outcome": "raised", "exception": type(error).__name__, "text": text, "where": where[-1:] or None}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"outcome": "accepted", "exception": None, "text": None, "where": None}


def fork(case: dict[str, Any]) -> dict[str, Any]:
    """Run a case in a child process with a time limit."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        silent = os.open(os.devnull, os.O_WRONLY)
        if not os.environ.get("PROVER_VERBOSE"):
            os.dup2(silent, 1)
            os.dup2(silent, 2)
        result = run(case)
        os.write(writing, json.dumps(result).encode())
        os._exit(0)
    os.close(writing)
    answer, end = b"", time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        if not select.select([reading], [], [], left)[0]:
            break
        piece = os.read(reading, 65536)
        if not piece:
            break
        answer += piece
    timed_out = not answer and time.monotonic() >= end
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    if answer:
        answered: dict[str, Any] = json.loads(answer)
        return answered
    return {"outcome": "timeout" if timed_out else "broken", "exception": None, "text": None, "where": None}


def main(release: str) -> None:
    """Run the cases of standard input on the installed release."""
    cases = json.load(sys.stdin)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    with contextlib.redirect_stdout(io.StringIO()):
        import vllm
        import vllm.engine.arg_utils
    found = vllm.__version__.split("+")[0]
    if found != release:
        sys.exit(f"this environment has vLLM {found}, not {release}")
    for case in cases:
        print(json.dumps({"key": case["key"], **fork(case)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
