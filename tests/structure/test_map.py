"""The parts of the package: the same in CONTRIBUTING's map and in import-linter's contracts."""

import re
import tomllib

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
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Map of the package")[1].split("\n## ")[0]
    assert CONTRACTS["layers"]["exhaustive"]  # the contract itself names every part there is
    parts = reversed(CONTRACTS["layers"]["layers"])
    expected = [f"{name}/" if name in folders() else name for name in parts]
    assert re.findall(r"^\| `(.*?)` \|", section, re.M) == expected


def test_the_exercises_of_every_chapter_are_kept_apart():
    chapters = folders("exercises") - {"engine"}
    expected = {f"bottomup.exercises.{chapter}" for chapter in chapters}
    assert set(CONTRACTS["independence"]["modules"]) == expected
