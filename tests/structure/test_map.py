"""CONTRIBUTING's map of the package is the package: every part, once, in the order of imports."""

import re
from pathlib import Path

import pytest

from tests.structure.test_import_order import ORDER
from tools.notebooks.paths import ROOT, SOURCE

HEADING = "## Map of the package"


def mapped(text: str) -> list[str]:
    """Return what the rows of the map name, in their order: "masks", "attention/"."""
    section = text.split(HEADING)[1].split("\n## ")[0]
    first_cells = re.findall(r"^\|([^|]*)\|", section, re.M)[2:]  # below the heading and the rule
    return [name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)]


def parts(package: Path) -> set[str]:
    """Return the modules of a package by name, its folders with a slash behind it."""
    folders = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    return folders | {path.stem for path in package.glob("*.py") if path.stem != "__init__"}


def test_the_map_has_one_row_for_each_part_and_no_other():
    rows = mapped((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert sorted(rows) == sorted(parts(SOURCE / "bottomup"))


def test_the_rows_stand_in_the_order_in_which_parts_may_import():
    rows = mapped((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert [name.removesuffix("/") for name in rows] == list(ORDER)


@pytest.mark.parametrize(
    "rows, names",
    [
        ("| `a` | text with `code` |\n| `b/` | more |", ["a", "b/"]),
        ("| `a`, `b/` | both in one row |", ["a", "b/"]),
        ("| `a` | once |\n| `a` | twice |", ["a", "a"]),
        ("", []),
    ],
)
def test_rows_are_read_off_the_map(rows: str, names: list[str]):
    table = f"| Part of `src` | What it holds |\n|---|---|\n{rows}\n"
    text = (
        f"| `x` | before |\n\n{HEADING}\n\nText.\n\n{table}\nText `c`.\n\n## Next\n\n| `d` | e |\n"
    )
    assert mapped(text) == names


def test_the_parts_of_a_package_are_its_folders_and_its_modules(tmp_path: Path):
    for name in ("__init__.py", "one.py", "two/__init__.py", "two/inner.py", "data/file.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert parts(tmp_path) == {"one", "two/"}
