"""The built site in real headless Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Real
from playwright.sync_api import Browser, Page, Request, expect
from website import served

KNOWN = "errors/sampling-distribution-replay-does-not-support-diffusion-models/"
PAGES = [
    "",
    "errors/",
    KNOWN,
    "changes/",
    "changes/v0.32.0..v0.33.0/",
    "json/",
    "contributing/",
    "api/reference/",
    "settings/",
    "settings/pipeline-parallel-size/",
]


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that fails its test on any console error and on any request to another host."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def watch(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            complaints.append(f"request to {request.url}")

    page.on("request", watch)
    yield page
    context.close()
    assert complaints == []


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_open_without_complaint_and_fit_a_phone(page: Page, address: str, path: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        assert page.locator("h1").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.context.cookies() == []


def test_home_leads_to_the_index_and_the_index_to_a_page(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="All errors").first.click()
    page.get_by_role("link", name="sampling distribution replay does not support diffusion models").click()
    page.wait_for_url("**/" + KNOWN)


def test_the_index_lists_every_error(page: Page, address: str, real: Real) -> None:
    page.goto(address + "errors/")
    assert page.locator("article table tbody tr").count() == len(real.catalog.errors)


def test_search_for_a_message_finds_its_page_first(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".md-search__input").click()
    page.keyboard.type("sampling distribution replay does not support diffusion models")
    first = page.locator(".md-search-result__item a").first
    first.wait_for()
    page.wait_for_timeout(500)
    assert KNOWN in (first.get_attribute("href") or "")


def test_the_copy_button_copies_the_exact_message(page: Page, address: str, real: Real) -> None:
    error = next(e for e in real.catalog.errors if len(e.template.placeholders) > 1)
    page.goto(f"{address}errors/{error.slug}/")
    page.locator("pre.ve-message").hover()
    page.locator("pre.ve-message button").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == error.message


def test_the_source_tab_that_was_chosen_is_chosen_on_other_pages(page: Page, address: str) -> None:
    page.goto(address + KNOWN)
    page.locator(".tabbed-labels label", has_text="v0.30.0").click()
    page.goto(address + "errors/sampling-distribution-replay-requires-model-runner-v2/")
    page.wait_for_load_state("networkidle")
    chosen = page.locator(".tabbed-set input:checked").first.get_attribute("id")
    assert page.locator(f'.tabbed-labels label[for="{chosen}"]').inner_text() == "v0.30.0"


def test_the_upgrade_sheet_says_what_the_json_says(page: Page, address: str, site: Path) -> None:
    page.goto(address + "changes/#v0.31.0..v0.32.0")
    page.locator("#ve-upgrade-sheet h3").first.wait_for()
    counts = json.loads((site / "api/changes/v0.31.0..v0.32.0.json").read_text())["counts"]
    headings = page.locator("#ve-upgrade-sheet h3").all_inner_texts()
    assert headings[0] == f"What starts to fail ({counts['added']})"
    assert headings[1] == f"What is lifted ({counts['retired']})"
    assert headings[2] == f"What reads differently ({counts['reworded']})"
    page.locator('select[name="to"]').select_option("v0.33.0")
    page.wait_for_url("**/changes/#v0.31.0..v0.33.0")
    page.get_by_label("Only about").fill("watermarking")
    page.wait_for_url("**/changes/#v0.31.0..v0.33.0;watermarking")
    texts = page.locator("#ve-upgrade-sheet ul a").all_inner_texts()
    assert texts and all("watermark" in each.lower() for each in texts)
    assert page.locator("#ve-upgrade-sheet strong").first.inner_text() == "Watermarking"
    page.reload()
    expect(page.get_by_label("Only about")).to_have_value("watermarking")


def test_everything_is_readable_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + KNOWN)
    for heading in (
        "Error message",
        "What it means",
        "What must be true",
        "Solutions",
        "Source",
        "Related errors",
        "History",
    ):
        assert page.get_by_role("heading", name=heading, exact=False).first.is_visible(), heading
    assert page.locator("pre.ve-message").is_visible()
    page.goto(address + "changes/")
    assert page.get_by_role("link", name="v0.33.0").first.is_visible()
    context.close()


def test_the_page_of_an_error_without_analysis_says_so(tiny, browser: Browser) -> None:  # type: ignore[no-untyped-def]
    built = tiny({"v1.0.0": 'raise ValueError("something is wrong here")\n'}).build()
    with served(built) as address:
        page = browser.new_page()
        page.goto(address + "errors/something-is-wrong-here/")
        assert page.get_by_text("This error awaits its analysis").is_visible()
        assert "vllm-errors new" in page.locator("article").inner_text()
        page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_conflicts_are_reached_by_keyboard_and_on_a_phone(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{address}settings/")
    matrix = page.get_by_role("region", name="Settings that conflict")
    matrix.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.ve-matrix').scrollLeft > 0")
    first = matrix.locator("tbody th").first
    matrix.evaluate("element => { element.scrollLeft = 600 }")
    box, frame = first.bounding_box(), matrix.bounding_box()
    assert box and frame and abs(box["x"] - frame["x"]) < 3, "the first column stays in view"
    cell = matrix.get_by_role("link", name="--return-sampling-mask with --logits-processors")
    cell.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/errors/sampling-distribution-replay-does-not-support-custom-logits-processors/")
