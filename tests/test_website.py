"""The built site as files: what each page holds, that no link is broken, and that two builds give the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from conftest import Real
from htmltree import read_html
from website import build_real

from generator.escape import one_line


def pages(site: Path) -> list[Path]:
    return sorted(path for path in site.rglob("*.html") if path.name != "404.html")


def digests(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(site.rglob("*"))
        if path.is_file()
    }


def test_every_error_has_its_page_json_and_markdown(site: Path, real: Real) -> None:
    for error in real.catalog.errors:
        page = read_html((site / "errors" / error.slug / "index.html").read_text())
        assert one_line(page.one("h1").text) == one_line(error.message)
        assert page.one("pre.ve-message").text == error.message
        document = json.loads((site / "api" / "errors" / error.id).read_text())
        assert document["errorMessage"] == error.message
        assert (site / "api" / "errors" / error.id).read_bytes() == (site / f"api/errors/{error.id}.json").read_bytes()
        assert error.message in (site / "errors" / error.slug / "index.md").read_text()
        for other in error.other_ids:
            assert json.loads((site / "api" / "errors" / other).read_text())["id"] == error.id


def test_page_json_and_markdown_agree(site: Path, real: Real) -> None:
    for error in real.catalog.errors:
        document = json.loads((site / "api" / "errors" / error.id).read_text())
        html = one_line(read_html((site / "errors" / error.slug / "index.html").read_text()).one("article").text)
        twin = one_line((site / "errors" / error.slug / "index.md").read_text())
        for solution in document["solutions"]:
            assert one_line(solution) in twin
            assert one_line(solution.replace("`", "")) in html, error.slug


def test_no_link_is_broken(site: Path) -> None:
    broken: list[str] = []
    for path in pages(site):
        tree = read_html(path.read_text())
        for element in tree.walk():
            for name in ("href", "src"):
                address = element.attributes.get(name)
                if not address or urlsplit(address).scheme or address.startswith(("#", "//")):
                    continue
                target = (path.parent / unquote(urlsplit(address).path)).resolve()
                target = target / "index.html" if target.is_dir() else target
                if not target.is_relative_to(site.resolve()) or not target.exists():
                    broken.append(f"{path.relative_to(site)}: {address}")
    assert broken == []


def test_links_are_relative(site: Path) -> None:
    absolute = [
        p.relative_to(site).as_posix() for p in pages(site) if re.search(r'(?:href|src)="/(?!/)', p.read_text())
    ]
    assert absolute == []


def test_titles_are_unique(site: Path) -> None:
    titles = [read_html(path.read_text()).one("title", within="head").text for path in pages(site)]
    twice = sorted({title for title in titles if titles.count(title) > 1})
    assert twice == []


def test_sitemap_lists_every_page(tmp_path: Path, real: Real, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_ERRORS_SITE_URL", "https://errors.example/base/")
    monkeypatch.setenv("VLLM_ERRORS_REPO_URL", "https://git.example/owner/name")
    built = build_real(tmp_path / "site")
    sitemap = (built / "sitemap.xml").read_text()
    for error in real.catalog.errors:
        assert f"<loc>https://errors.example/base/errors/{error.slug}/</loc>" in sitemap
    assert set(re.findall(r"<lastmod>(.*?)</lastmod>", sitemap)) == {real.catalog.latest.date}
    assert "Sitemap: https://errors.example/base/sitemap.xml" in (built / "robots.txt").read_text()
    page = read_html((built / "errors" / real.catalog.errors[0].slug / "index.html").read_text())
    hrefs = [element.attributes.get("href") or "" for element in page.walk()]
    assert any(href.startswith("https://git.example/owner/name/issues/new?title=") for href in hrefs)


def test_two_builds_are_byte_identical(site: Path, tmp_path: Path) -> None:
    again = build_real(tmp_path / "elsewhere" / "site")
    assert digests(again) == digests(site)


def test_nothing_names_this_machine(site: Path) -> None:
    root = str(Path(__file__).parent.parent)
    for path in sorted(site.rglob("*")):
        if path.is_file() and path.suffix != ".gz":
            assert root.encode() not in path.read_bytes(), path
