"""The parts of the package: the same in map, drawing and import-linter's contracts."""

import re
import tomllib

from bottomup.drawings import package
from tools.notebooks.paths import ROOT, SOURCE

PACKAGE = SOURCE / "bottomup"
CONTRACTS = {
    contract["type"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
}


def folders(of: str = ".") -> set[str]:
    return {path.parent.name for path in (PACKAGE / of).glob("*/__init__.py")}


def test_the_map_has_one_row_for_each_part_in_the_order_in_which_parts_may_import():
    text = (ROOT / "book" / "api" / "index.md").read_text(encoding="utf-8")
    assert CONTRACTS["layers"]["exhaustive"]  # the contract itself names every part there is
    rows = re.findall(r"^\| (?:\{mod\})?`bottomup\.(\w+)` \|", text, re.M)
    assert rows == CONTRACTS["layers"]["layers"][::-1]


def test_the_drawing_has_every_part_above_those_that_it_imports_or_left_of_them():
    drawn = [part for _, parts in package.ROWS for part in parts]
    assert drawn == CONTRACTS["layers"]["layers"]


def test_the_exercises_of_every_chapter_are_kept_apart():
    chapters = folders("exercises") - {"engine"}
    expected = {f"bottomup.exercises.{chapter}" for chapter in chapters}
    assert set(CONTRACTS["independence"]["modules"]) == expected
