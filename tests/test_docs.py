"""What the documentation says is compared with what the code has, both ways."""

import re
from pathlib import Path

import click

from generator.analysis import Analysis
from generator.cli import cli
from generator.endpoints import ENDPOINTS

ROOT = Path(__file__).parent.parent


def first_column(path: str) -> set[str]:
    """The code in the first cell of each table row of a page."""
    rows = re.findall(r"^\| `([^`]+)`", (ROOT / path).read_text(), re.MULTILINE)
    return set(rows)


def test_every_command_is_documented_and_every_documented_command_exists() -> None:
    documented = {row.split()[1] for row in first_column("docs/command-line.md") if row.startswith("vllm-errors ")}
    assert documented == set(cli.list_commands(click.Context(cli)))


def test_every_field_of_an_analysis_is_documented() -> None:
    assert first_column("docs/contributing.md") >= set(Analysis.model_fields)


def test_every_endpoint_is_documented() -> None:
    documented = {re.sub(r"[<{]", "{", re.sub(r"[>}]", "}", row)) for row in first_column("docs/json.md")}
    assert {address.removesuffix(".json") for address in ENDPOINTS.values()} <= {
        address.removesuffix(".json") for address in documented
    }


def test_every_environment_variable_is_documented_and_used() -> None:
    code = "".join(path.read_text() for path in (ROOT / "generator").glob("*.py")) + (ROOT / "mkdocs.yml").read_text()
    used = set(re.findall(r"VLLM_ERRORS_[A-Z_]+[A-Z]", code)) | {"PIP_INDEX_URL"}
    documented = {row for row in first_column("docs/command-line.md") if row.isupper()}
    assert documented == used


def test_the_readme_gives_the_two_commands_and_shows_a_page() -> None:
    readme = (ROOT / "README.md").read_text()
    first_screen = "\n".join(readme.splitlines()[:16])
    assert "make site" in first_screen and "make test" in first_screen
    picture = re.search(r"!\[.+?\]\((.+?)\)", first_screen)
    assert picture and (ROOT / picture[1]).is_file()
    for target in re.findall(r"`make ([a-z]+)`", readme):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target


def test_every_page_of_docs_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2]
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not page.startswith("kinds/")} <= set(re.findall(r"[\w/-]+\.md", navigation))
