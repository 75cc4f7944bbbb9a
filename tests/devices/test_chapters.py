"""The cells of the chapters that train, on the device: few steps, few sentences, no assertions."""

import ast
import builtins
import json
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import torch

import bottomup.training
from tests.devices import fake

CHAPTERS = Path(__file__).parents[2] / "chapters"

# Cells that are run, with those before them that they need, and what is made small in all of them.
TRAINED: dict[str, tuple[list[str], dict[str, str]]] = {
    "00_warm_up": (
        ["cell-103", "cell-106", "cell-107"],
        {"load(3000": "load(300", "* 60": "* 2", "batches(300)": "batches(2)", "65": "9"},
    ),
    "01_attention": (
        ["cell-011", "cell-088"],
        {"steps=800": "steps=2", "warmup=20": "warmup=1", "12, 15, 18, 21, 24": "12"},
    ),
    "01b_local_and_hard_attention": (
        ["cell-028", "cell-102", "cell-103"],
        {"steps=600": "steps=2", "steps=800": "steps=2", "warmup=50": "warmup=1"},
    ),
    "02_self_attention": (
        ["cell-104", "cell-116", "cell-118"],
        {"steps=800": "steps=2", "warmup=50": "warmup=1", "60_000": "600"},
    ),
    "02b_intra_attention": (
        ["cell-015", "cell-043", "cell-085", "cell-125"],
        {"steps=600": "steps=2", "warmup=20": "warmup=1", "(0, 1, 2)": "(0,)"},
    ),
    "03_multi_head_attention": (
        ["cell-054", "cell-059", "heads-of-four"],
        {"steps=1200": "steps=2", "warmup=50": "warmup=1"},
    ),
    "04_mlp_and_superposition": (
        ["cell-054", "cell-059", "cell-065", "cell-083", "cell-111", "cell-119", "cell-120"],
        {"steps=1500": "steps=2", "steps=2000": "steps=2", "steps=3000": "steps=2"}
        | {"warmup=20": "warmup=1", 'PRESETS["laptop"]': 'PRESETS["tiny"]'},
    ),
    "05_encoder_decoder": (
        ["1e4421a3", "61c323e0"],
        {"steps=300": "steps=2", "steps=120": "steps=2", "[5, 50]": "[5]"}
        | {"warmup=50": "warmup=1", "60_000": "600"},
    ),
    "07_sparse_transformers": (["c111"], {"steps=100": "steps=2"}),
    "08_representation_analysis": (["c022"], {'PRESETS["laptop"]': 'PRESETS["tiny"]'}),
    "09_circuits": (["train-both"], {"steps=150": "steps=2"}),
    "10_after_2017": (
        ["delayed-alone", "relative-share", "orders-trained"],
        {"steps=200": "steps=2", 'PRESETS["laptop"]': 'PRESETS["tiny"]'},
    ),
    "10b_decoder_of_today": (
        ["decoded"],
        {'PRESETS["laptop"]': 'PRESETS["tiny"]', "3, 14, 15, 9, 2, 6, 3": "3, 4, 2, 3"},
    ),
}
LEFT_OUT = {
    "06_decoding": "trains nothing; it decodes a few sentences with a recorded network, on the CPU",
    "11_clinic": "trains nothing; its networks are recorded",
    "12_pretrained": "trains nothing; its network is published, and read on the CPU",
}


class WithoutAssertions(ast.NodeTransformer):
    """Take out what asserts: after two steps nothing is learned."""

    def visit_Assert(self, node: ast.Assert) -> ast.Pass:
        return ast.Pass()


class Cell:
    """A code cell, with the names that it defines and those that it needs."""

    def __init__(self, number: str, source: str) -> None:
        self.number, self.source = number, source
        text = source.replace("%pip", "pass  # %pip")
        self.tree = WithoutAssertions().visit(ast.parse(text))
        ast.fix_missing_locations(self.tree)
        self.defined, self.used = set[str](), set[str]()
        own, grown = set[str](), set[str]()  # names of arguments; of what another cell began
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name):
                (self.used if isinstance(node.ctx, ast.Load) else self.defined).add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.defined.add(node.name)
            elif isinstance(node, ast.alias):
                self.defined.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.arg):
                own.add(node.arg)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                grown.add(node.target.id)
        self.used = self.used - self.defined - own | grown


def cells_of(chapter: str, small: dict[str, str]) -> Iterator[Cell]:
    notebook = json.loads((CHAPTERS / f"{chapter}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            for large, little in small.items():
                source = source.replace(large, little)
            yield Cell(cell["id"], source)


def needed(cells: list[Cell], wanted: list[str]) -> list[Cell]:
    """Return some cells and those before them that define what they use, in their order."""
    names, found = set(), []
    for cell in reversed(cells):
        if cell.number in wanted or cell.defined & names:
            names = (names - cell.defined) | cell.used
            found.append(cell)
    assert {cell.number for cell in found} >= set(wanted)
    return found[::-1]


def test_every_chapter_is_tried_or_left_out_for_a_reason():
    assert sorted([*TRAINED, *LEFT_OUT]) == sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:__array")  # of torch's tensors in NumPy, under a function mode
@pytest.mark.parametrize("chapter", TRAINED)
def test_a_chapter_trains_on_the_device(
    chapter: str, gpu: torch.device, monkeypatch: pytest.MonkeyPatch
):
    wanted, small = TRAINED[chapter]
    whole = "".join(cell.source for cell in cells_of(chapter, {}))
    assert all(large in whole for large in small), f"{chapter} has changed"
    monkeypatch.setattr(bottomup.training, "pick", lambda: gpu)
    names: dict[str, object] = {"__builtins__": builtins}
    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]), plt.rc_context():
        for cell in needed(list(cells_of(chapter, small)), wanted):
            exec(compile(cell.tree, f"{chapter}, {cell.number}", "exec"), names)
    torch.set_num_threads(before)
    plt.close("all")
    assert fake.operations["copy_"] > 0  # something was moved
    assert sum(fake.operations.values()) > 100
