"""*Use it in your own code*: its code runs, and its table says what an import needs."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.drawn import global_seed
from tools.notebooks.paths import ROOT

PAGE = (ROOT / "book/library.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
NEEDS = {
    parts: set(re.findall(r"`(\w+)`", needs))
    for parts, needs in re.findall(r"^\| (`bottomup\..*) \| (.*) \|$", PAGE, re.M)
}
IMPORTED_AS = {"scikit-learn": "sklearn", "PyYAML": "yaml"}


def declared() -> set[str]:
    """Return what the package asks for, under the names that one imports."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[<>=!]", line)[0] for line in project["dependencies"]}
    return {IMPORTED_AS.get(name, name) for name in names}


@pytest.mark.slow
def test_every_block_runs(tmp_path, monkeypatch):
    transformers = pytest.importorskip("transformers", reason="the library transformers is missing")
    small = {"n_embd": 24, "n_layer": 2, "n_head": 4}
    monkeypatch.setattr(
        transformers.GPT2Model,
        "from_pretrained",
        lambda name: transformers.GPT2Model(transformers.GPT2Config(**small)),
    )
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "library"}
    monkeypatch.setitem(sys.modules, "library", type(sys)("library"))  # where dataclass looks
    with global_seed(0):
        for number, block in enumerate(BLOCKS):
            exec(compile(block, f"book/library.md, block {number}", "exec"), names)
    assert len(BLOCKS) == 6


@pytest.mark.slow
@pytest.mark.parametrize("parts", NEEDS)
def test_a_part_is_imported_with_what_the_table_names(parts):
    """In a process in which every other declared package is missing."""
    missing = sorted(declared() - NEEDS[parts])
    assert {"tokenizers", "sacrebleu", "sklearn", "ipywidgets"} <= set(missing)
    lines = ["import sys", f"sys.modules |= dict.fromkeys({missing})"]
    lines += [f"import {part}" for part in re.findall(r"`([\w.]+)`", parts)]
    run = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(run, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_table_names_all_that_is_needed():
    assert len(NEEDS) == 3 and set().union(*NEEDS.values()) <= declared()


@pytest.mark.slow
def test_an_import_of_the_package_loads_nothing():
    line = (
        "import sys, bottomup; print('torch' in sys.modules, 'bottomup.attention' in sys.modules)"
    )
    code = f"{line}; print(bottomup.attention.MultiHeadAttention.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == ["False", "False", "MultiHeadAttention"]
