"""Lists hidden in placeholders on the real pins: what each release can print."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
