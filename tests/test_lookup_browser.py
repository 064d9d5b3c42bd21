"""The box for a pasted log in real Chromium, on a folder of a few files: the answers of Python, and its manners."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator

import pytest
from conftest import Real
from logstyles import made_up
from playwright.sync_api import Browser, Page, expect
from test_lookup import ADVERSARIES, CASES, read_case
from website import ROOT, served

from generator.endpoints import error_document, flags_document, lookup_document, to_compact_json, to_json
from generator.indexing import build_index
from generator.lookup import explain, explanation_document
from generator.wordindex import LookupIndex

QUANTIZATION = "the-quantization-method-is-not-supported-for-the-current-gpu"
LOG = """\
$ vllm serve "/home/jane/my models/secret-model" --quantization fp8 --api-key sk-abcdef1234567890 --dtype half
(APIServer pid=1) INFO 05-18 01:31:10 [api_server.py:1896] vLLM API server version 0.30.0
(APIServer pid=1) Traceback (most recent call last):
(APIServer pid=1)   File "/home/jane/venv/lib/python3.12/site-packages/pydantic/_internal/_dataclasses.py", line 121
(APIServer pid=1) pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig
(APIServer pid=1)   Value error, The quantization method fp8 is not supported for the current GPU. Minimum capability: \
89. Current capability: 75. [type=value_error, input_value=ArgsKwargs((), {}), input_type=ArgsKwargs]
"""
PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Paste a log</title><link rel="stylesheet" href="../assets/site.css"><main class="md-typeset"><h1>Paste a log</h1>
<div class="ve-lookup" id="ve-lookup" data-lookup="page" data-root="../"></div></main>
<script src="../assets/lookup.js" defer></script></html>
"""


@pytest.fixture(scope="module")
def index(real: Real) -> LookupIndex:
    return build_index(real.catalog)


@pytest.fixture(scope="module")
def address(real: Real, index: LookupIndex, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("box")
    for name in ("lookup", "api/errors", "assets"):
        (folder / name).mkdir(parents=True)
    for name in ("lookup.js", "lookup-search.js", "site.css"):
        shutil.copy(ROOT / "docs" / "assets" / name, folder / "assets")
    (folder / "lookup" / "index.html").write_text(PAGE)
    (folder / "api" / "lookup.json").write_text(to_compact_json(lookup_document(index)))
    for slug in (QUANTIZATION, "model-runner-v2-does-not-yet-support"):
        error = real.catalog.by_slug[slug]
        (folder / "api" / "errors" / f"{error.id}.json").write_text(to_json(error_document(error, real.catalog)))
    (folder / "api" / "flags.json").write_text(to_compact_json(flags_document(real.catalog)))
    (folder / "favicon.ico").touch()
    with served(folder) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{address}lookup/")
    yield page
    context.close()
    assert complaints == []


def answers(page: Page, logs: list[str]) -> list[object]:
    """What the script says about some logs."""
    page.get_by_label("Paste your log").focus()
    page.wait_for_function("globalThis.vllmErrors")
    return page.evaluate(
        """async (logs) => {
          const index = vllmErrors.prepare(await (await fetch("../api/lookup.json")).json());
          return logs.map((log) => vllmErrors.explain(log, index));
        }""",
        logs,
    )


def test_same_answers_as_python_on_all_cases(page: Page, index: LookupIndex) -> None:
    logs = [read_case(path)["log"] for path in CASES]
    for path, log, answer in zip(CASES, logs, answers(page, logs), strict=True):
        assert answer == explanation_document(explain(log, index)), path.stem


def test_same_answers_as_python_on_made_up_logs(page: Page, index: LookupIndex) -> None:
    logs = [each.log for each in itertools.islice(made_up(index), 0, None, 13)]
    for log, answer in zip(logs, answers(page, logs), strict=True):
        assert answer == explanation_document(explain(log, index)), log


@pytest.mark.parametrize("name", ADVERSARIES)
def test_same_answers_as_python_on_megabytes(name: str, page: Page, index: LookupIndex) -> None:
    log = ADVERSARIES[name](index)
    assert answers(page, [log]) == [explanation_document(explain(log, index))]


def test_results_as_you_type(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(address)))
    page.get_by_label("Paste your log").fill(LOG)
    expect(page.get_by_role("status")).to_have_text("This is a known error.")
    link = page.get_by_role("link", name="The quantization method")
    assert link.get_attribute("href") == f"../errors/{QUANTIZATION}/"
    rows = page.locator(".ve-results dl > div")
    for value in ("fp8", "89", "75"):
        expect(rows.filter(has_text="you have").filter(has_text=value)).to_have_count(1)
    expect(rows.filter(has_text="Release")).to_have_text("Releasev0.30.0")
    expect(rows.filter(has_text="Try first")).to_have_count(1)
    expect(rows.filter(has_text="Your log sets")).to_have_text("Your log sets--quantization fp8")
    assert page.locator(".ve-log mark").all_inner_texts() == [f"6  {LOG.splitlines()[5]}"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert asked[:2] == ["api/lookup.json", "assets/lookup-search.js"]
    assert [each.partition("/errors/")[0] for each in asked[2:]] == ["api"], "the data of the error that was found"
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("status")).to_have_text("")
    assert page.evaluate("location.hash") == ""


def test_a_link_to_the_result_does_not_hold_the_log(page: Page, real: Real, address: str) -> None:
    page.get_by_label("Paste your log").fill(LOG)
    expect(page.get_by_role("status")).to_have_text("This is a known error.")
    assert page.url == f"{address}lookup/#{real.catalog.by_slug[QUANTIZATION].id}"
    with page.context.new_page() as other:
        other.goto(page.url)
        expect(other.get_by_role("link", name="The quantization method")).to_be_visible()
        assert "fp8" not in other.locator("main").inner_text()


def test_items_of_a_list_are_explained_one_by_one(page: Page) -> None:
    page.get_by_label("Paste your log").fill(
        "(APIServer pid=1) INFO 05-18 01:31:10 [api_server.py:1896] vLLM API server version 0.31.0\n"
        "ValueError: Model Runner V2 does not yet support: dual batch overlap, KV sharing fast prefill, quantum bits\n"
    )
    rows = page.locator(".ve-results dl > div")
    expect(rows.filter(has_text="microbatching")).to_have_text(
        "dual batch overlapis listed because microbatching (--enable-dbo, --ubatch-size) is on and "
        "VLLM_USE_V2_MODEL_RUNNER is not set"
    )
    expect(rows.filter(has_text="--kv-sharing-fast-prefill")).to_have_text(
        "KV sharing fast prefillis listed because --kv-sharing-fast-prefill is on; so printed by c794754062 to v0.29.0 "
        "(3 of the tracked releases), not by 0.31.0"
    )
    assert rows.filter(has_text="quantum bits").count() == 1, "only the value itself"


def test_a_refused_flag_is_compared_with_those_that_exist(page: Page) -> None:
    said = page.locator(".ve-results li")
    for typed, expected in (
        ("--enable-chunked-prefil", "Did you mean --enable-chunked-prefill? It exists in"),
        ("--tensor_paralel-size", "Did you mean --tensor-parallel-size? It exists in"),
        ("--enable-dbo", "--enable-dbo exists in c794754062 to v0.33.0"),
        ("--no-such-thing-at-all", None),
    ):
        page.get_by_label("Paste your log").fill(f"vllm serve: error: unrecognized arguments: {typed}\n")
        expect(said).to_contain_text(f"unrecognized arguments: {typed}")
        if expected:
            expect(said).to_contain_text(expected)
        else:
            page.wait_for_load_state("networkidle")
            expect(said).not_to_contain_text("Did you mean")


def test_what_is_not_documented_has_a_next_step(page: Page) -> None:
    page.get_by_label("Paste your log").fill("ValueError: /home/jane/x: the flux capacitor is empty\n")
    link = page.get_by_role("link", name="Search vLLM's issues for it")
    address = link.get_attribute("href") or ""
    assert address.startswith("https://github.com/vllm-project/vllm/issues?q=")
    assert "flux%20capacitor" in address and "jane" not in address


def test_the_report_names_arguments_without_their_texts(page: Page) -> None:
    page.get_by_label("Paste your log").fill(
        "INFO non-default args: {'model': 'secret-model', 'enable_dbo': True, 'seed': 7, 'dtype': 'half'}\n"
        "ValueError: Model Runner V2 requires Triton.\n"
    )
    page.get_by_role("button", name="Copy report").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    report = page.evaluate("navigator.clipboard.readText()")
    assert "Arguments: model, enable_dbo=True, seed=7, dtype\n" in report
    assert "secret-model" not in report


def test_copied_report(page: Page, real: Real) -> None:
    page.get_by_label("Paste your log").fill(LOG)
    page.get_by_role("button", name="Copy report").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    report = page.evaluate("navigator.clipboard.readText()")
    assert f"Id: {real.catalog.by_slug[QUANTIZATION].id} (certain)" in report
    assert "Release: 0.30.0" in report
    assert "Value: capability = 75" in report
    document = error_document(real.catalog.by_slug[QUANTIZATION], real.catalog)
    told = next(each for each in document.occurrences if each.pin == "v0.30.0").guards
    own = [each for each in told if each.origin != "earlier check"]
    assert own
    for each in own:
        code = f"{each.text} is {'true' if each.holds else 'false'}"
        assert f"  {(each.words or code).replace('`', '')}\n" in report
    assert "Try first: " in report
    assert "--quantization fp8" in report
    assert "--dtype half" in report
    for secret in ("jane", "secret-model", "sk-abcdef", "venv"):
        assert secret not in report


def test_by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.insert_text(LOG)
    expect(page.get_by_role("status")).to_have_text("This is a known error.")
    names = []
    for _ in range(4):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        names.append(focused.get_attribute("aria-label") or focused.inner_text())
    assert names[0].startswith("The quantization method")
    assert names[1:] == ["The lines that decided", "Copy report", "Clear"]


def test_a_dropped_file(page: Page) -> None:
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "vllm.log", { type: "text/plain" }));
          const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true });
          document.querySelector("[data-lookup]").dispatchEvent(drop);
        }""",
        LOG,
    )
    expect(page.get_by_role("status")).to_have_text("This is a known error.")


def test_hostile_logs_stay_text(page: Page) -> None:
    page.get_by_label("Paste your log").fill(
        "KeyError: <img src=x onerror=alert(1)>\nValueError: torch.<i>x</i> is not supported for quantization method "
        "<script>alert(2)</script>. Supported dtypes: [<u>]"
    )
    expect(page.get_by_role("status")).not_to_have_text("")
    assert page.locator(".ve-results img, .ve-results script, .ve-results b, .ve-results i, .ve-results u").count() == 0


def test_without_the_index(page: Page) -> None:
    page.route("**/api/lookup.json", lambda route: route.abort())
    page.get_by_label("Paste your log").fill(LOG)
    expect(page.get_by_role("status")).to_contain_text("could not be loaded")
