"""Five tasks of somebody who has never seen the site: each answer is on the screen after so many steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

LOG = """\
2026-10-21T08:12:44Z vllm-0 (APIServer pid=7) INFO 10-21 08:12:44 [api_server.py:1012] vLLM API server version 0.32.0
2026-10-21T08:12:44Z vllm-0 (APIServer pid=7) INFO 10-21 08:12:45 [utils.py:233] non-default args: {'model': 'x/y', \
'mamba_block_size': 1024, 'tensor_parallel_size': 4}
2026-10-21T08:12:51Z vllm-0 (APIServer pid=7) pydantic_core._pydantic_core.ValidationError: 1 validation error for \
VllmConfig
2026-10-21T08:12:51Z vllm-0 (APIServer pid=7)   Value error, --mamba-block-size can only be set with \
--enable-prefix-caching [type=value_error, input_value=ArgsKwargs((), {}), input_type=ArgsKwargs]
"""
ERROR = "errors/mamba-block-size-can-only-be-set-with-enable-prefix-caching/"


@pytest.fixture(params=[(1366, 768), (390, 844)], ids=["laptop", "phone"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height})
    yield context.new_page()
    context.close()


def on_screen(page: Page, what: Locator) -> None:
    """It can be read without scrolling."""
    expect(what).to_be_visible()
    box, view = what.bounding_box(), page.viewport_size
    assert box and view and box["y"] >= 0, what
    assert box["y"] + box["height"] <= view["height"], f"{box['y']} + {box['height']} px down"


def test_find_the_page_of_a_pasted_log_and_what_to_do(page: Page, address: str) -> None:
    """One step: the paste. The answer says what to try and what of it the log sets."""
    page.goto(address)
    page.get_by_label("Paste your log").fill(LOG)
    found = page.locator(".ve-results a", has_text="--mamba-block-size can only be set")
    on_screen(page, found)
    on_screen(page, page.locator(".ve-results div").filter(has_text="Try first"))
    on_screen(page, page.locator(".ve-results div").filter(has_text="Your log sets"))
    expect(page.locator(".ve-results div").filter(has_text="Your log sets").locator("code")).to_have_text(
        "mamba_block_size=1024"
    )
    found.click()
    page.wait_for_url(address + ERROR)


def test_which_flag(page: Page, address: str) -> None:
    """No step on the page of the error."""
    page.goto(address + ERROR)
    on_screen(page, page.locator(".ve-lead").get_by_text("--mamba-block-size").first)
    on_screen(page, page.locator(".ve-reads").get_by_role("link", name="--mamba-block-size"))


def test_does_the_newest_release_still_have_it(page: Page, address: str, site: Path) -> None:
    """No step either; of a retired error, the first words say so."""
    document = json.loads((site / "api" / "index.json").read_text())
    rows = {each["slug"]: each for each in document["errors"]}
    raised, lifted = rows[ERROR.split("/")[1]], next(e for e in document["errors"] if e["status"]["liftedIn"])
    assert raised["pins"][0] == document["pins"][0]["pin"], "the newest release raises it"
    page.goto(address + ERROR)
    on_screen(page, page.locator(".ve-facts").get_by_text(f"to {raised['pins'][0]}"))
    page.goto(address + f"errors/{lifted['slug']}/")
    on_screen(page, page.locator(".ve-lead").get_by_text(f"Lifted in {lifted['status']['liftedIn']}"))


def test_what_else_conflicts_with_this_flag(page: Page, address: str) -> None:
    """One step: the flag is a link."""
    page.goto(address + ERROR)
    page.locator(".ve-reads").get_by_role("link", name="--mamba-block-size").click()
    page.wait_for_url(address + "settings/mamba-block-size/")
    on_screen(page, page.get_by_role("heading", name="Conflicts"))
    expect(page.get_by_text("--enable-prefix-caching is off").first).to_be_visible()


def test_get_the_data(page: Page, address: str) -> None:
    """One step: the link beside the releases."""
    page.goto(address + ERROR)
    link = page.locator(".ve-facts").get_by_role("link", name="JSON")
    on_screen(page, link)
    with page.expect_response("**/api/errors/*.json") as answer:
        link.click()
    assert answer.value.json()["slug"] == ERROR.split("/")[1]
