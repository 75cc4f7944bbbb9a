"""The edits of the walks find their places in the repository of now; no command is run here."""

import re
import shutil
from pathlib import Path

import pytest

from tools import claims, walks
from tools.notebooks.paths import ROOT

CLAIMS = f"src/bottomup/experiments/{walks.ROOM}/claims.yaml"
FILES = [walks.NOTEBOOK, CLAIMS]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in FILES:
        tmp_path.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / walks.EXERCISES, tmp_path / walks.EXERCISES)
    return tmp_path


def differing(clone: Path) -> set[str]:
    files = (path.relative_to(clone) for path in clone.rglob("*.*") if path.suffix != ".pyc")
    return {
        path.as_posix()
        for path in files
        if not (ROOT / path).exists() or (ROOT / path).read_bytes() != (clone / path).read_bytes()
    }


def test_a_comma_touches_a_notebook_alone(clone: Path):
    assert [*walks.comma(clone)] == [walks.CHECK]
    assert differing(clone) == {walks.NOTEBOOK}


def test_a_function_is_renamed_where_its_exercise_names_it(clone: Path):
    steps = [*walks.rename(clone)]
    assert ["make", "chapters", "CH=03"] in steps and steps[-1] == walks.CHECK
    exercise = f"{walks.EXERCISES}/prune_head"
    assert differing(clone) == {f"{exercise}/text.md"}
    assert "def cut_head(" in (clone / f"{exercise}/text.md").read_text("utf-8")


def test_a_new_exercise_has_a_folder_and_a_cell(clone: Path):
    assert [*walks.exercise(clone)][-1] == walks.CHECK
    made = {f"{walks.EXERCISES}/prune_head_again/{file}" for file in ("text.md", "cases.py")}
    assert differing(clone) == {*made, walks.NOTEBOOK}
    assert "### Exercise: prune-head-again" in (clone / walks.NOTEBOOK).read_text("utf-8")


def test_a_claim_stands_behind_the_one_that_it_repeats(clone: Path):
    assert walks.tool("register", "update") in [*walks.claim(clone)]
    ids = re.findall(r"- id: (\S+)", (clone / CLAIMS).read_text("utf-8"))
    assert ids.count("03.2d") == 1 and ids.index("03.2d") == ids.index("03.2c") + 1
    assert differing(clone) == {CLAIMS, walks.NOTEBOOK}
    files = {path: path.read_text("utf-8") for path in claims.paths()}
    edited = {ROOT / CLAIMS: (clone / CLAIMS).read_text("utf-8")}
    assert claims.wrong(files | edited) == []
