"""What is declared, read statically: small sources, and spot checks of the real pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from declared import arguments_of

from generator.arguments import page_names
from generator.declarations import first_sentence

if TYPE_CHECKING:
    from conftest import Real

SOURCE = '''
from dataclasses import field
Kind = Literal["a", "b"]
class Mode(Enum):
    OFF = 0
    ON = "on"
class Base:
    inherited: int = 3
class Cache(Base):
    plain: int = 1
    """The first sentence. The second."""
    made: list[int] = field(default_factory=list)
    given: float = Field(default=0.5, gt=0)
    needed: str = Field(...)
    kind: Kind | None = None
    mode: Mode = Mode.OFF
    internal: bool = field(default=False, init=False)
    def __post_init__(self):
        self.late: int = 1
    @property
    def large(self) -> bool:
        """Whether it is."""
        return self.plain > 3
'''


def test_fields() -> None:
    declared = arguments_of({"config": SOURCE}).declarations
    fields = declared.classes["Cache"].fields
    assert [(name, each.default) for name, each in fields.items()] == [
        ("plain", "1"),
        ("made", "list()"),
        ("given", "0.5"),
        ("needed", None),
        ("kind", "None"),
        ("mode", "Mode.OFF"),
        ("internal", "False"),
        ("late", None),
    ]
    assert fields["plain"].summary == "The first sentence."
    assert (fields["plain"].path, fields["plain"].line) == ("demo/config.py", 10)
    assert [name for name, each in fields.items() if not each.is_given] == ["internal", "late"]
    assert declared.member("Cache", "inherited") is declared.classes["Base"].fields["inherited"]
    assert declared.values_of("Kind | None") == ("a", "b")
    assert declared.values_of("Mode") == ("OFF", "on")
    assert declared.values_of("int") == ()
    helper = declared.classes["Cache"].helpers["large"]
    assert (helper.is_property, helper.summary) == (True, "Whether it is.")


def test_first_sentence() -> None:
    assert first_sentence("One line,\nbroken. Next.") == "One line, broken."
    assert first_sentence("No full stop\n\nNext paragraph.") == "No full stop"
    assert first_sentence("Version 1.5 of it. End") == "Version 1.5 of it."


def test_no_documented_project_needs_arg_utils() -> None:
    arguments = arguments_of({"config": SOURCE})
    assert (arguments.module, arguments.flags, dict(arguments.arguments)) == (None, (), {})
    assert arguments.routes("Cache", "plain") == ()


@pytest.mark.parametrize("label", ["v0.33.0", "v0.28.0", "c794754062"])
def test_real_flags(real: Real, label: str) -> None:
    arguments = real.catalog.explainers[label].arguments
    parallel = arguments.by_name["-pp"]
    assert (parallel.name, parallel.negative, parallel.argument) == (
        "--pipeline-parallel-size",
        None,
        "pipeline_parallel_size",
    )
    assert arguments.by_name["--no-enable-prefix-caching"].name == "--enable-prefix-caching"
    assert arguments.routes("SpeculativeConfig", "method")[-1].name == "speculative-config.method"
    assert arguments.routes("VllmConfig", "lora_config")[0].flag is arguments.by_name["--enable-lora"]
    assert arguments.routes("MambaConfig", "backend")[0].argument == "mamba_backend"
    assert all(flag.argument in arguments.arguments for flag in arguments.flags)
    assert arguments.declarations.variables["VLLM_USE_V2_MODEL_RUNNER"].annotation == "bool | None"


def test_a_flag_without_effect_is_no_way(real: Real) -> None:
    """0.33.0 takes --mamba-cache-mode and only warns; 0.32.0 passes it on."""
    newest, before = (real.catalog.explainers[label].arguments for label in ("v0.33.0", "v0.32.0"))
    assert "mamba_cache_mode" in newest.without_effect
    assert newest.routes("CacheConfig", "mamba_cache_mode") == ()
    assert before.routes("CacheConfig", "mamba_cache_mode")[0].name == "mamba-cache-mode"
    assert page_names([newest, before])["CacheConfig.mamba_cache_mode"] == "mamba-cache-mode"


def test_the_seed_pin_borrows_its_context_and_says_so(real: Real) -> None:
    declarations = real.catalog.explainers["c794754062"].arguments.declarations
    assert declarations.borrowed is not None and declarations.borrowed.label == "v0.28.0"
    assert declarations.homes["vllm/config/vllm.py"].label == "c794754062"
    assert "/blob/v0.28.0/" in declarations.permalink("a/b", "vllm/envs.py", 1) or "/blob/2cf0a69" in (
        declarations.permalink("a/b", "vllm/envs.py", 1)
    )
