"""Lighthouse on an error page: `make lighthouse` prints all scores; a test asks for those that no load can change."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from website import ROOT, build_real, served

PAGE = "errors/sampling-distribution-replay-requires-model-runner-v2/"
CATEGORIES = ("accessibility", "best-practices", "seo")


def scores(address: str, categories: tuple[str, ...] = ("performance", *CATEGORIES)) -> dict[str, float]:
    """Category → points of 100, as a phone on a slow network sees the page."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    printed = subprocess.run(
        [
            *("node", str(ROOT / "node_modules/lighthouse/cli/index.js"), address, "--quiet", "--output=json"),
            f"--only-categories={','.join(categories)}",
            "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "CHROME_PATH": chromium},
    ).stdout
    return {name: 100 * each["score"] for name, each in json.loads(printed)["categories"].items()}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, served(build_real(Path(folder) / "site")) as root:
        found = scores(root + PAGE)
    print(*(f"{name}: {points:.0f}" for name, points in found.items()), sep="\n")
    sys.exit(min(found.values()) < 95)
