"""The built site: made once per test run, served on a loopback port, opened in a real browser."""

from __future__ import annotations

import contextlib
import functools
import gzip
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

from generator import plugin

ROOT = Path(__file__).parent.parent


class _Quiet(SimpleHTTPRequestHandler):
    """Below a prefix, compressed as real hosts do."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: Any, prefix: str, **options: Any) -> None:
        self.prefix = prefix
        super().__init__(*arguments, **options)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def translate_path(self, path: str) -> str:
        if not path.startswith(f"{self.prefix}/"):
            return str(Path(self.directory) / "outside-the-prefix")
        return super().translate_path(path.removeprefix(self.prefix))

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() and urlsplit(self.path).path.endswith("/") else path
        if not path.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def build_real(target: Path) -> Path:
    """Build our own site, strictly, into a new folder."""
    plugin.build(ROOT / "mkdocs.yml", target, strict=True)
    return target


@contextlib.contextmanager
def served(folder: Path, prefix: str = "/some/prefix") -> Iterator[str]:
    """The address of the folder's root while it is served, below a path, as project pages are."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder), prefix=prefix))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The machine's own Chromium; a test run without one fails."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert found, "no Chromium on this machine; install it: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()
