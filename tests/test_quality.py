"""What every page type owes its readers, measured in real Chromium."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import lighthouse
import pytest
from playwright.sync_api import Browser, Page, expect
from website import ROOT, served

ERROR = "errors/sampling-distribution-replay-requires-model-runner-v2/"
LONG = "errors/max-num-scheduled-tokens-does-not-allow-any-tokens-to-be-scheduled/"
PAGES = [
    "",
    "lookup/",
    "errors/",
    ERROR,
    LONG,
    "errors/model-runner-v2-requires-triton/",  # retired
    "topics/",
    "topics/mamba/",
    "settings/",
    "settings/VLLM_USE_V2_MODEL_RUNNER/",
    "settings/async-scheduling/",
    "changes/",
    "changes/v0.32.0..v0.33.0/",
    "kinds/unknown-argument/",
    "command-line/",
    "json/",
    "api/reference/",
    "contributing/",
    "decisions/",
]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def root(site: Path) -> Iterator[str]:
    """The site at the root of its host, where the page for what is not there finds its styles without an address."""
    with served(site, prefix="") as address:
        yield address


@pytest.mark.parametrize("path", [*PAGES, "404.html"])
def test_axe_finds_nothing_serious(page: Page, address: str, root: str, path: str) -> None:
    address = root if path == "404.html" else address
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(address + path)
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.evaluate((ROOT / "node_modules/axe-core/axe.min.js").read_text())
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (each["id"], [node["html"][:160] for node in each["nodes"]][:3])
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], f"{path} {scheme}"


@pytest.mark.parametrize("path", PAGES)
def test_nothing_scrolls_sideways(page: Page, address: str, path: str) -> None:
    for width in (390, 768, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


REACHABLE = """() => [...document.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter(each => each.checkVisibility({visibilityProperty: true, opacityProperty: false}) && each.tabIndex >= 0)
  .filter(each => !each.closest(".md-search__output, .md-dialog, .md-sidebar--primary") && !each.disabled)
  .filter(each => each.type !== "radio" || each.checked)
  .filter(each => !each.matches(".md-skip, .md-top, [type=reset].md-icon"))
  .map(each => each.dataset.reach = (window.reach = (window.reach ?? 0) + 1))"""
FOCUSED = """() => {
  const each = document.activeElement;
  if (!each || each === document.body) return null;
  const looks = element => {
    const style = getComputedStyle(element);
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
  };
  const shown = [each, ...(each.labels ?? []), each.nextElementSibling].filter(Boolean);
  return [Number(each.dataset.reach ?? 0), shown.some(looks), each.outerHTML.slice(0, 120)];
}"""


@pytest.mark.parametrize("path", ["", "lookup/", "errors/", ERROR, "topics/mamba/", "settings/", "changes/"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(page: Page, address: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(address + path)
    page.wait_for_load_state("networkidle")
    wanted = set(page.evaluate(REACHABLE))
    assert len(wanted) > 3
    reached: set[int] = set()
    unseen: list[str] = []
    for _ in range(len(wanted) + 40):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        reached.add(focused[0])
        if not focused[1]:
            unseen.append(focused[2])
    missed = page.evaluate(
        "missed => missed.map(each => document.querySelector(`[data-reach='${each}']`).outerHTML.slice(0, 120))",
        sorted(wanted - reached)[:5],
    )
    assert missed == []
    assert unseen == []


def test_the_menu_of_a_phone_opens_by_keyboard(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address + ERROR)
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    page.locator(".md-sidebar--primary a", has_text="Topics").click()
    page.wait_for_url("**/topics/")


def test_source_tabs_change_by_keyboard(page: Page, address: str) -> None:
    page.goto(address + ERROR)
    page.locator(".tabbed-set input").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".tabbed-set input").nth(1).is_checked()
    assert page.locator(".tabbed-block").nth(1).is_visible()


def test_the_answer_is_above_the_fold(page: Page, address: str, site: Path) -> None:
    """Message, verdict, releases and the first fix on a laptop of 1280 by 720."""
    low: dict[str, float] = {}
    for path in sorted((site / "errors").glob("*/index.html"))[::6]:
        page.goto(f"{address}errors/{path.parent.name}/")
        for part in ("h1", ".ve-facts", ".ve-lead"):
            box = page.locator(part).first.bounding_box()
            assert box
            if box["y"] + box["height"] > 720:
                low[f"{path.parent.name} {part}"] = box["y"] + box["height"]
    assert low == {}


def test_more_lines_of_the_excerpt_appear_on_request(browser: Browser, address: str) -> None:
    for scripts in (True, False):
        page = browser.new_page(java_script_enabled=scripts)
        page.goto(address + ERROR)
        excerpt = page.locator(".ve-excerpt").first
        assert excerpt.locator("mark").inner_text().strip().startswith("raise ValueError")
        before = excerpt.inner_text().count("\n")
        assert not excerpt.locator("code .far").first.is_visible()
        excerpt.locator("summary").click()
        assert excerpt.locator("code .far").first.is_visible()
        assert excerpt.inner_text().count("\n") > before + 20
        numbers, lines = excerpt.locator(".ve-gutter"), excerpt.locator("code")
        assert len(numbers.inner_text().splitlines()) == len(lines.inner_text().splitlines()) == 37
        page.close()


def test_before_and_after_stand_side_by_side_where_there_is_room(page: Page, address: str) -> None:
    page.goto(address + LONG)
    for width, beside in ((1440, True), (390, False)):
        page.set_viewport_size({"width": width, "height": 844})
        boxes = [page.locator(".ve-fix > div").nth(number).bounding_box() for number in (0, 1)]
        assert boxes[0] and boxes[1]
        assert (boxes[0]["y"] == boxes[1]["y"]) is beside


def test_pages_of_errors_are_light(site: Path) -> None:
    sizes = {path.parent.name: path.stat().st_size for path in (site / "errors").glob("*/index.html")}
    assert {name: size for name, size in sizes.items() if size >= 50_000} == {}


def test_a_first_visit_is_light(page: Page, address: str) -> None:
    """Everything that an error page loads, the search index included, compressed."""
    loaded: dict[str, int] = {}
    page.on("response", lambda answer: loaded.setdefault(answer.url, len(gzip.compress(answer.body()))))
    page.goto(address + LONG)
    page.wait_for_load_state("networkidle")
    assert sum(loaded.values()) < 250 * 1024, loaded
    assert all(url.startswith(address) for url in loaded)
    assert page.context.cookies() == []


def test_everything_is_readable_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in PAGES:
        page.goto(address + path)
        assert page.locator("h1").first.is_visible(), path
        hidden = page.evaluate(
            """() => [...document.querySelectorAll("article h2, article p, article td, article li")].filter(each =>
                 each.textContent.trim() && !each.closest("details:not([open]), form[hidden], p[hidden], .tabbed-block")
                 && !each.checkVisibility()).map(each => each.outerHTML.slice(0, 120))"""
        )
        assert hidden == [], path
    context.close()


def test_the_site_opens_from_a_folder(page: Page, site: Path) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="All errors").first.click()
    page.locator("#ve-index tbody a", has_text="sampling distribution replay requires Model Runner V2").click()
    page.wait_for_url((site / ERROR / "index.html").as_uri())
    expect(page.locator(".ve-lead")).to_be_visible()
    page.locator(".ve-badges a").first.click()
    page.locator(".ve-list a").first.click()
    expect(page.locator(".ve-lead")).to_be_visible()
    page.goto((site / "errors" / "index.html").as_uri() + "#topic=mamba")
    assert 0 < page.locator("#ve-index tbody tr:visible").count() < 40
    assert errors == []


@pytest.mark.parametrize("path", ["index.html", "lookup/index.html"])
def test_a_log_is_understood_in_a_folder(page: Page, site: Path, path: str) -> None:
    page.goto((site / path).as_uri())
    page.get_by_label("Paste your log").fill("ValueError: Model Runner V2 requires Triton.\n")
    page.locator(".ve-results a", has_text="Model Runner V2 requires Triton").click()
    page.wait_for_url((site / "errors/model-runner-v2-requires-triton/index.html").as_uri())


def test_the_log_is_there_again_after_going_back(page: Page, address: str) -> None:
    log = "ValueError: Model Runner V2 requires Triton.\n"
    page.goto(address)
    page.get_by_label("Paste your log").fill(log)
    page.locator(".ve-results a", has_text="Model Runner V2 requires Triton").click()
    page.wait_for_url(address + "errors/model-runner-v2-requires-triton/")
    page.go_back()
    expect(page.get_by_label("Paste your log")).to_have_value(log)
    expect(page.locator(".ve-results a", has_text="Model Runner V2 requires Triton")).to_be_visible()
    page.locator(".ve-lookup").get_by_role("button", name="Clear").click()
    assert page.evaluate("sessionStorage.length") == 0


def test_what_is_not_there_is_answered_with_the_box(page: Page, root: str) -> None:
    page.goto(root + "404.html")
    page.get_by_label("Paste your log").fill("ValueError: Model Runner V2 requires Triton.\n")
    page.locator(".ve-results a", has_text="Model Runner V2 requires Triton").click()
    page.wait_for_url(root + "errors/model-runner-v2-requires-triton/")


def test_pages_print_well_on_a4(page: Page, address: str) -> None:
    page.goto(address + ERROR)
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF") and 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})  # A4 without its margins
    for hidden in (".md-header", ".md-sidebar--secondary", ".md-footer", ".headerlink >> nth=0"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator("details.note pre").first.is_visible(), "what is folded away on a screen is printed"
    wide = page.evaluate(
        """() => [...document.querySelectorAll("article :is(p, pre, table, svg, li)")].filter(each =>
             each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 1)
             .map(each => each.outerHTML.slice(0, 120))"""
    )
    assert wide == []


def rows(page: Page) -> list[str]:
    return page.locator("#ve-index tbody tr:visible td:first-child").all_inner_texts()


def test_the_index_filters_and_sorts_with_both_in_the_address(page: Page, address: str, site: Path) -> None:
    documents = json.loads((site / "api" / "index.json").read_text())["errors"]
    page.goto(address + "errors/")
    assert len(rows(page)) == len(documents)

    page.get_by_label("Topic").select_option("mamba")
    expected = [each for each in documents if "mamba" in each["tags"]]
    assert len(rows(page)) == len(expected) > 5
    page.get_by_label("Status").select_option("retired")
    expected = [each for each in expected if each["status"]["raised"] == "retired"]
    assert len(rows(page)) == len(expected) > 0
    assert page.url.endswith("errors/#topic=mamba&status=retired")
    assert page.locator("#ve-filter output").inner_text() == f"{len(expected)} of {len(documents)}"

    page.locator("#ve-filter button").click()
    page.wait_for_url("**/errors/")
    page.get_by_label("Release").select_option("v0.29.0")
    assert len(rows(page)) == len([each for each in documents if "v0.29.0" in each["pins"]])
    page.get_by_label("Exception").select_option("AssertionError")
    expected = [e for e in documents if "v0.29.0" in e["pins"] and e["errorClass"] == "AssertionError"]
    assert len(rows(page)) == len(expected) > 0

    page.goto(address + "errors/#status=new")
    new = [e for e in documents if e["pins"] == ["v0.33.0"]]
    assert len(rows(page)) == len(new) > 0
    page.goto(address + "errors/#verdict=Your+hardware&release=v0.33.0")
    expected = [e for e in documents if e["verdict"] == "hardware" and "v0.33.0" in e["pins"]]
    assert len(rows(page)) == len(expected) > 0
    page.goto(address + "errors/#setting=--use-replayssm")
    assert len(rows(page)) > 3

    page.goto(address + "errors/")
    page.get_by_role("searchbox", name="Text").fill("'kv_cache_dtype': \"dtype\"")
    assert rows(page)[0].startswith("kv_cache_dtype=") and len(rows(page)) < 10
    for text in ("dual batch overlap", "KV sharing-fast_prefill", "--kv-sharing-fast-prefill"):  # an item of a list
        page.get_by_role("searchbox", name="Text").fill(text)
        assert any(each.startswith("Model Runner V2 does not yet support") for each in rows(page)), text
    page.get_by_role("searchbox", name="Text").fill("nixl transfer context parallel nonsense")
    assert any("NIXL" in each for each in rows(page))
    assert page.locator("#ve-filter output").inner_text().endswith("words")
    page.get_by_role("searchbox", name="Text").fill("xyzzy plugh frobnicate")
    assert rows(page) == []
    page.locator("#ve-none").get_by_role("button").click()
    page.get_by_role("button", name="Message").click()
    assert rows(page) == sorted(rows(page), key=lambda text: text.lower().encode("utf-16-be"))
    assert page.url.endswith("#sort=0")
    page.get_by_role("button", name="Message").click()
    page.reload()
    assert rows(page)[0] > rows(page)[-1]
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Message")


SEARCHES = {
    "a message with quotes and values": (
        'ValueError: kv_cache_dtype="fp8" is incompatible with dtype="torch.float16". Please set `--kv-cache-dtype`',
        "errors/kv-cache-dtype-is-incompatible-with-dtype/",
    ),
    "a message with colons and numbers": (
        "Value error, max_num_scheduled_tokens is set to -128 based on the speculative decoding settings, which does",
        LONG,
    ),
    "a message in a log line": (
        "AssertionError: Block_size(16) should be greater than or equal to and divisible by "
        "cp_kv_cache_interleave_size (32).",
        "errors/block-size-should-be-divisible-by-cp-kv-cache-interleave-size/",
    ),
    "a message cut short": ("Model Runner V2 does not yet support", "errors/model-runner-v2-does-not-yet-support/"),
    "a message with a list": (
        "Model Runner V2 does not yet support: dual batch overlap, KV sharing fast prefill",
        "errors/model-runner-v2-does-not-yet-support/",
    ),
    "exactly a flag": ("--kv-transfer-config", "settings/kv-transfer-config/"),
    "exactly a flag of many errors": ("--enable-dbo", "settings/enable-dbo/"),
    "exactly a variable": ("VLLM_USE_V2_MODEL_RUNNER", "settings/VLLM_USE_V2_MODEL_RUNNER/"),
    "a flag": ("--enable-return-routed-experts", "errors/enable-return-routed-experts-is-incompatible-with"),
    "a setting": ("mamba_ssm_cache_dtype", "settings/mamba-ssm-cache-dtype/"),
    "an environment variable": ("VLLM_USE_V2_MODEL_RUNNER", "settings/VLLM_USE_V2_MODEL_RUNNER/"),
    "an exception class": ("TypeError", "errors/unsupported-watermarking-config/"),
}


@pytest.mark.parametrize("case", SEARCHES)
def test_search_finds(page: Page, address: str, case: str) -> None:
    text, expected = SEARCHES[case]
    page.goto(address)
    page.locator(".md-search__input").click()
    page.keyboard.insert_text(text)
    page.keyboard.press("End")
    page.locator(".md-search-result__item > a").first.wait_for()
    page.wait_for_function(
        "expected => [...document.querySelectorAll('.md-search-result__item')].slice(0, 12)"
        ".some(each => each.querySelector('a').href.includes(expected))",
        arg=expected,
    )
    first = page.locator(".md-search-result__item").first
    if case.startswith(("a message", "exactly")):
        expect(first.locator("a").first).to_have_attribute("href", re.compile(re.escape(f"/{expected}")))
    if case.startswith("a message"):
        assert "raised in v" in first.inner_text()


def test_the_search_index_is_small_and_without_source(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_bytes()
    assert len(gzip.compress(index)) < 160 * 1024
    texts = [each["text"] for each in json.loads(index)["docs"]]
    assert not any("_verify_sampling_replay_config(self)" in text for text in texts)


def test_home_counts_what_there_is(page: Page, address: str, site: Path) -> None:
    document = json.loads((site / "api" / "index.json").read_text())
    page.goto(address)
    numbers = page.locator(".ve-numbers dd").all_inner_texts()
    raised = [each for each in document["errors"] if each["status"]["raised"] == "raised"]
    assert numbers == [str(len(document["errors"])), str(len(raised)), str(len(document["pins"]))]
    assert page.get_by_role("heading", name="New in v0.33.0").is_visible()
    page.locator(".ve-chips a").first.click()
    page.wait_for_url("**/topics/*/")
    assert page.locator(".ve-intro").inner_text()


def test_charts_say_what_their_tables_say(page: Page, address: str) -> None:
    page.goto(address + "changes/")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    bars = page.locator("svg.ve-bars text.mid").all_text_contents()
    table = page.locator("details table").first.locator("tbody td:nth-child(2)").all_inner_texts()
    assert [text for text in bars if text[0] not in "+−"] == table[::-1]
    topics = page.locator("svg.ve-topics text:not(.end)").all_text_contents()
    assert topics == page.locator("details table").nth(1).locator("tbody td:nth-child(2)").all_inner_texts()


def test_lighthouse_is_content(address: str) -> None:
    found = lighthouse.scores(address + ERROR, lighthouse.CATEGORIES)
    assert {name: points for name, points in found.items() if points < 95} == {}
