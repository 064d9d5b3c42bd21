"""Lists hidden in placeholders on the real pins: what each release can print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.by_setting import collect
from generator.endpoints import flags_document
from generator.history import compare
from generator.listing import list_changes
from generator.setting_documents import item_documents

if TYPE_CHECKING:
    from conftest import Real


def test_the_list_of_model_runner_v2_shrinks(real: Real) -> None:
    error = real.catalog.by_slug["model-runner-v2-does-not-yet-support"]
    [document] = item_documents(error, real.catalog)
    pins = {item.text: item.pins for item in document.items}
    assert pins["heterogeneous-vocabulary draft models"][0] == "v0.33.0"
    assert pins["stock torch.compile"][0] == "v0.31.0", "lifted in 0.32.0"
    assert pins["custom logits processors"][0] == "v0.30.0", "lifted in 0.31.0"
    suffix = next(item for item in document.items if item.text.startswith("speculative method"))
    assert suffix.conditions == [
        ["`--speculative-config` is set", "`--spec-method` is one of `suffix`, `custom_class`"],
    ]


def test_errors_with_a_followed_list(real: Real) -> None:
    found = {error.slug for error in real.catalog.errors if item_documents(error, real.catalog)}
    assert found >= {
        "async-scheduling-is-not-supported-by-the-v1-model-runner",
        "batch-sharded-sampling-is-not-supported-in-this-configuration",
        "microbatching-currently-only-supports-the-all2all-backends-on-this-platform",
        "model-runner-v1-does-not-support",
        "model-runner-v2-does-not-yet-support",
    }


def test_the_same_text_under_other_conditions_is_another_row(real: Real) -> None:
    """`dual batch overlap`: 0.29.0 asks for `enable_dbo` alone, 0.30.0 for microbatching without the variable."""
    error = real.catalog.by_slug["model-runner-v2-does-not-yet-support"]
    [document] = item_documents(error, real.catalog)
    newer, older = (item for item in document.items if item.text == "dual batch overlap")
    assert (newer.pins[-1], older.pins[0]) == ("v0.30.0", "v0.29.0")
    assert newer.conditions != older.conditions == [["`--enable-dbo` is on"]]
    for item in document.items:
        assert len(set(item.pins)) == len(item.pins)


def test_what_a_list_can_newly_hold(real: Real) -> None:
    by_label = {pin.label: pin for pin in real.catalog.pins}
    comparison = compare(real.catalog, by_label["v0.29.0"], by_label["v0.30.0"])
    change = next(
        each
        for each in list_changes(comparison, real.catalog)
        if each.error.slug == "model-runner-v2-does-not-yet-support"
    )
    assert "KV sharing fast prefill" in change.gone
    assert "dual batch overlap with LoRA" in change.new
    assert "dual batch overlap" in change.other
    assert not {*change.gone} & {*change.new}
    same = compare(real.catalog, by_label["v0.30.0"], by_label["v0.30.0"])
    assert list_changes(same, real.catalog) == ()


def test_a_key_does_not_conflict_with_the_flag_that_it_is_part_of(real: Real) -> None:
    pairs = [{each.one.name, each.other.name} for each in collect(real.catalog).conflicts]
    assert {"mamba-block-size", "enable-prefix-caching"} in pairs
    for one, other in map(sorted, pairs):
        assert not other.startswith(f"{one}."), (one, other)


def test_flags_of_every_release(real: Real) -> None:
    document = flags_document(real.catalog)
    assert document.pins == [pin.label for pin in real.catalog.pins if pin.documented]
    assert document.flags["--enable-dbo"] == list(range(len(document.pins)))
    assert document.flags["-tp"] == document.flags["--tensor-parallel-size"]
    gone = [flag for flag, pins in document.flags.items() if 0 not in pins]
    assert gone and all(pins == sorted(set(pins)) for pins in document.flags.values())
