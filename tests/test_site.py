"""Everything that is published, as paths and texts: unique, complete, and the same on every machine."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tiny import Tiny, analysis_text, catalog_of, write_data

from generator.error_page import Addresses
from generator.site import SiteFile, site_files
from generator.source import Sources

if TYPE_CHECKING:
    from conftest import Real

ROOT = Path(__file__).parent.parent
PAGES = Path(__file__).parent / "snapshots" / "pages.txt"
CHECKS = "".join(
    f"def f{n}(a, b):\n    if a.x{n} or b:\n        raise ValueError(f'check {n} of {{a}}')\n" for n in range(9)
)


def test_building_twice_gives_the_same_values(real: Real, real_files: dict[str, SiteFile]) -> None:
    assert list(site_files(real.catalog, real.project.addresses)) == list(real_files.values())


def test_every_error_has_its_files(real: Real, real_files: dict[str, SiteFile]) -> None:
    for error in real.catalog.errors:
        page = real_files[f"errors/{error.slug}.md"]
        assert page.is_page and page.edit_path == error.analysis_path
        assert not real_files[f"errors/{error.slug}/index.md"].is_page
        assert f"api/errors/{error.id}" in real_files
    assert list(real_files) == sorted(real_files)
    for path in real_files:
        assert re.fullmatch(r"[A-Za-z0-9._/-]+", path) and not path.startswith("/") and ".." not in path.split("/"), (
            path
        )


def test_nothing_tells_of_this_machine(real: Real, real_files: dict[str, SiteFile]) -> None:
    store = Sources.from_environment(real.project.repository).store
    for file in real_files.values():
        assert str(ROOT) not in file.text and str(store) not in file.text, file.path


def test_nothing_that_is_built_asks_for_the_time() -> None:
    asks = {
        path.stem
        for path in (ROOT / "generator").glob("*.py")
        if re.search(r"\b(today|now|utcnow|time|ctime|localtime|gmtime)\(\)", path.read_text(encoding="utf-8"))
    }
    assert asks <= {"commands", "prover"}, "dates come from pins and analyses"


def test_addresses_are_relative_unless_the_site_is_known(tmp_path: Path) -> None:
    catalog = catalog_of({"v1": CHECKS}, write_data(tmp_path / "data"))
    text = "".join(file.text for file in site_files(catalog, Addresses()))
    assert set(re.findall(r"https?://([^/\s\"')]+)", text)) <= {
        "github.com",
        "schema.org",
        "json-schema.org",
    }
    known = site_files(catalog, Addresses("https://errors.example/sub/", "https://git.example/us/it"))
    files = {file.path: file.text for file in known}
    assert "Sitemap: https://errors.example/sub/sitemap.xml" in files["robots.txt"]
    assert "](https://errors.example/sub/errors/check-0-of/index.md)" in files["llms.txt"]
    assert "https://git.example/us/it/issues/new?title=" in files["errors/check-0-of.md"]


def test_renamed_pages_lead_to_the_new_ones(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data", renamed="old-name: check-0-of\n")
    files = {file.path: file.text for file in site_files(catalog_of({"v1": CHECKS}, data), Addresses())}
    redirect = files["errors/old-name/index.html"]
    assert redirect.count("../check-0-of/") == 3 and "http-equiv" in redirect


def test_two_files_with_one_path_are_a_mistake(tmp_path: Path) -> None:
    catalog = catalog_of({"v1": CHECKS}, write_data(tmp_path / "data"))
    twice = dataclasses.replace(catalog, errors=(*catalog.errors, catalog.errors[0]))
    with pytest.raises(ValueError, match="published twice: api/errors/"):
        site_files(twice, Addresses())


def test_links_to_source_stand_any_path(tmp_path: Path) -> None:
    path = "demo/odd [name] (1) #2.py"
    catalog = catalog_of({"v1": {path: CHECKS}}, write_data(tmp_path / "data"))
    page = {file.path: file.text for file in site_files(catalog, Addresses())}["errors/check-0-of.md"]
    commit = catalog.latest.commit
    assert f"](https://github.com/example/demo/blob/{commit}/demo/odd%20%5Bname%5D%20%281%29%20%232.py#L3)" in page


HASHES = """
import hashlib, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tiny import catalog_of
from generator.error_page import Addresses
from generator.site import site_files
catalog = catalog_of({"v2": sys.argv[3], "v1": sys.argv[3].replace("check 1", "old check")}, Path(sys.argv[2]))
for file in site_files(catalog, Addresses()):
    print(file.path, hashlib.sha256(file.text.encode()).hexdigest())
print(*catalog.problems, *catalog.gaps, sep="\\n")
"""


def test_order_of_sets_and_time_zone_change_nothing(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data", a=analysis_text("check 0 of {a}"), b=analysis_text("check 2 of {a}"))
    printed = [
        subprocess.run(
            [sys.executable, "-c", HASHES, str(Path(__file__).parent), str(data), CHECKS],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("0", "UTC"), ("1", "Pacific/Kiritimati"), ("4242", "America/Los_Angeles"))
    ]
    assert len(printed[0].split("\n")) > 50
    assert printed[0] == printed[1] == printed[2]


def test_built_site_is_the_same_at_another_time_and_place(tiny: Callable[..., Tiny], tmp_path: Path) -> None:
    """What MkDocs adds (sitemap, search index) has no clock in it either."""
    project = tiny({"v1": CHECKS})
    first = hashes(project.build())
    moved = tmp_path / "elsewhere" / "with a blank"
    moved.parent.mkdir()
    project.root.rename(moved)
    os.utime(moved / "docs" / "index.md", (1, 1))
    assert hashes(dataclasses.replace(project, root=moved).build()) == first


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_published_pages_stay(real: Real, pytestconfig: pytest.Config) -> None:
    """Ids and page names are promises: each that was ever published answers, itself or by a redirect."""
    pages = {error.slug: error.id for error in real.catalog.errors}
    ids = {each for error in real.catalog.errors for each in (error.id, *error.other_ids)}
    if pytestconfig.getoption("--renew"):
        PAGES.parent.mkdir(exist_ok=True)
        PAGES.write_text("".join(f"{identifier} {slug}\n" for slug, identifier in sorted(pages.items())))
    published = [line.split() for line in PAGES.read_text().splitlines()]
    assert len(published) > 90
    lost = [slug for _, slug in published if slug not in pages and slug not in real.catalog.renamed]
    assert not lost, f"add to data/renamed.yml where these pages are now: {', '.join(lost)}"
    gone = [identifier for identifier, _ in published if identifier not in ids]
    assert not gone, f"no document answers to these ids any more; add the wordings to 'also_worded': {', '.join(gone)}"
