"""How large and how fast the lookup is: `make bench`. Prints a table; nothing fails here, machines differ too much."""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from logstyles import made_up
from website import ROOT, chromium

from generator import plugin
from generator.build import build_catalog
from generator.endpoints import lookup_document, to_compact_json
from generator.indexing import build_index
from generator.lookup import explain
from generator.source import Sources
from generator.wordindex import LookupIndex

NOISE = "(APIServer pid=1) INFO 05-18 01:31:10 [loggers.py:127] Engine 000: Avg prompt throughput: 1.0 tokens/s\n"


def row(what: str, value: str) -> None:
    print(f"{what:58}{value:>24}")


def size(what: str, data: bytes) -> None:
    row(what, f"{len(data):,} / {len(gzip.compress(data, 9)):,} B")


def seconds(work: Callable[[], object], times: int = 5) -> float:
    """The median of several runs."""
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def command(log: bytes) -> None:
    """Explain a log in a process of its own, as a person does."""
    subprocess.run([sys.executable, "-m", "generator", "explain"], input=log, stdout=subprocess.DEVNULL, check=True)


def in_browser(document: str, logs: list[str]) -> tuple[float, float, float]:
    """Milliseconds in Chromium: preparing the index, the median log, the slowest log."""
    with chromium() as browser:
        page = browser.new_page()
        page.add_script_tag(path=ROOT / "docs" / "assets" / "lookup-search.js")
        return tuple(
            page.evaluate(
                """([document, logs]) => {
                  let start = performance.now();
                  const index = vllmErrors.prepare(JSON.parse(document)), prepared = performance.now() - start;
                  const taken = logs.map((log) => {
                    start = performance.now();
                    vllmErrors.explain(log, index);
                    return performance.now() - start;
                  }).sort((a, b) => a - b);
                  return [prepared, taken[taken.length >> 1], taken.at(-1)];
                }""",
                [document, logs],
            )
        )


def main() -> None:
    project = plugin.read_project(ROOT / "mkdocs.yml")
    command(b"ValueError: Model Runner V2 requires Triton.\n")
    started = time.perf_counter()
    catalog = build_catalog(project, Sources.from_environment(project.repository), lambda text: None)
    loaded = time.perf_counter() - started
    index: LookupIndex = build_index(catalog)
    document = to_compact_json(lookup_document(index))
    logs = [each.log for each in made_up(index) if each.cut == "whole"]
    long = NOISE * (5_000_000 // len(NOISE)) + logs[0]
    print(f"{'size':58}{'raw / gzip':>24}")
    size("api/lookup.json", document.encode())
    for name in ("lookup.js", "lookup-search.js"):
        size(f"assets/{name}", Path(ROOT / "docs" / "assets" / name).read_bytes())
    print("time")
    row("catalog, for the command line", f"{loaded:.2f} s")
    row("index from the catalog", f"{seconds(lambda: build_index(catalog).pairs) * 1000:.0f} ms")
    explain(logs[0], index)
    row(
        "a pasted log, Python",
        f"{statistics.median(seconds(lambda x=x: explain(x, index), 1) for x in logs) * 1000:.2f} ms",
    )
    row("5 MB, Python", f"{seconds(lambda: explain(long, index), 3):.2f} s")
    row("vllm-errors explain, 5 MB, whole program", f"{seconds(lambda: command(long.encode()), 3):.2f} s")
    prepared, median, slowest = in_browser(document, logs)
    row("index, Chromium", f"{prepared:.1f} ms")
    row(f"a pasted log, Chromium: median and slowest of {len(logs)}", f"{median:.2f} / {slowest:.1f} ms")
    row("5 MB, Chromium", f"{in_browser(document, [long])[2]:.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
