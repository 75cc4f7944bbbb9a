"""The edits of the walks find their places in the repository of now; no command is run here."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools import claims, walks
from tools.notebooks.paths import ROOT

CLAIMS = f"src/bottomup/experiments/{walks.ROOM}/claims.yaml"
SOFTMAX, USED = "src/bottomup/masks.py", "src/bottomup/analysis/circuits.py"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in (walks.NOTEBOOK, CLAIMS, SOFTMAX, USED):
        tmp_path.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def changed(clone: Path, name: str) -> list[str]:
    """The lines of a file that were not there before."""
    before = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in (clone / name).read_text("utf-8").splitlines() if line not in before]


@pytest.mark.parametrize(
    "walk, name, said",
    [
        (walks.softmax, SOFTMAX, "out=spare_"),
        (walks.rename, USED, f"def {walks.RENAMED}("),
        (walks.sentence, walks.NOTEBOOK, ", and "),
    ],
)
def test_an_edit_is_made_and_then_checked(clone: Path, walk, name, said):
    steps = [*walk(clone)]
    assert walks.CHECK in steps
    assert said in "".join(changed(clone, name))
    others = {walks.NOTEBOOK, CLAIMS, SOFTMAX, USED} - {name}
    assert not any(changed(clone, other) for other in others)


def test_a_claim_stands_behind_the_one_that_it_repeats(clone: Path):
    assert walks.tool("register", "update") in [*walks.claim(clone)]
    ids = re.findall(r"- id: (\S+)", (clone / CLAIMS).read_text("utf-8"))
    assert ids.count("03.2d") == 1 and ids.index("03.2d") == ids.index("03.2c") + 1
    assert changed(clone, walks.NOTEBOOK)
    files = {path: path.read_text("utf-8") for path in claims.paths()}
    edited = {ROOT / CLAIMS: (clone / CLAIMS).read_text("utf-8")}
    assert claims.wrong(files | edited) == []
