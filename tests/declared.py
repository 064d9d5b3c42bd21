"""Small projects whose settings are known: source texts declared and explained in memory."""

from __future__ import annotations

from collections.abc import Mapping

from generator.arguments import Arguments
from generator.declarations import declare
from generator.explain import Explainer
from generator.extract import extract_raise_sites
from generator.pins import Pin

CONFIG = "demo/config.py"
PATHS = {"config": CONFIG, "envs": "demo/envs.py", "arguments": "demo/arg_utils.py"}


def arguments_of(sources: Mapping[str, str], tag: str = "v1") -> Arguments:
    """What a pin declares: `config`, `envs`, `arguments` → source text."""
    files = {PATHS[name]: text.encode() for name, text in sources.items()}
    pin = Pin(commit=f"{int(tag[1:]):040x}", date="2026-01-01", blobs=dict.fromkeys(files, "0" * 40), tag=tag)
    return Arguments(declare(pin, files, None))


def explainer_of(sources: Mapping[str, str]) -> Explainer:
    """What explains the checks of `config`."""
    return Explainer(arguments_of(sources), {CONFIG: extract_raise_sites(sources["config"].encode(), CONFIG)})
