"""The real imports against the module table of docs/architecture.md: a module imports only from rows above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import generator

ROOT = Path(__file__).parent.parent
TABLE = re.findall(r"^\| `(\w+)\.py` \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE)
MODULES = {path.stem: path for path in (ROOT / "generator").glob("*.py")}
OUTSIDE = {"__init__", "__main__", "prover"}
"""The story, `cli` under another name, and what runs where only vLLM is installed."""


def imports(module: str) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in the file."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}.py:{node.lineno}: write the import as `from generator...`"
            names = [f"{node.module}.{name}" for name in names]
        yield from (name.split(".")[1] for name in names if name.startswith("generator."))


def test_table_and_package_have_the_same_modules() -> None:
    assert len(TABLE) == len(set(TABLE)), "docs/architecture.md lists a module twice"
    missing, gone = set(MODULES) - OUTSIDE - set(TABLE), set(TABLE) - set(MODULES)
    assert not missing, f"add a row to the table of docs/architecture.md for: {', '.join(sorted(missing))}"
    assert not gone, f"docs/architecture.md lists what is not in generator/: {', '.join(sorted(gone))}"


@pytest.mark.parametrize("module", sorted(set(MODULES) & {*TABLE, *OUTSIDE}))
def test_module_imports_only_from_rows_above(module: str) -> None:
    if module in OUTSIDE:
        assert set(imports(module)) == ({"cli"} if module == "__main__" else set())
    else:
        wrong = set(imports(module)) - set(TABLE[: TABLE.index(module)])
        assert not wrong, f"{module}.py imports {', '.join(sorted(wrong))}; move its row down or the import out"


def test_story_names_every_module_in_order() -> None:
    told = re.findall(r"^    (\w+) {2,}\S", generator.__doc__ or "", re.MULTILINE)
    assert told == [name for name in TABLE if name in told], "generator/__init__.py tells another order than the table"
    assert set(told) == set(TABLE), f"generator/__init__.py does not name: {', '.join(set(TABLE) ^ set(told))}"


@pytest.mark.parametrize(("library", "only"), [("mkdocs", {"plugin"}), ("git", {"repository"})])
def test_libraries_at_the_edge(library: str, only: set[str]) -> None:
    users = {
        name for name, path in MODULES.items() if re.search(rf"^\s*(import|from) {library}\b", path.read_text(), re.M)
    }
    assert users == only
