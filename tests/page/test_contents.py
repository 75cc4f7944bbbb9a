"""What is packed for the page, without packing it."""

import ast
import json
import sys
from pathlib import Path

import pytest

from bottomup.exercises.engine.registry import CHAPTERS, places
from tools.page import contents, packages
from tools.page.mutants import edited

STANDS_IN = {"torch", "numpy", "jaxtyping", "platformdirs", "smalltorch", "smallnumpy", "alarm"}
OF_THE_INTERPRETER = {"_pyodide"}


def imported(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_what_is_packed_imports_what_is_there():
    archives = [contents.package(), *map(contents.chapter, CHAPTERS)]
    files = {name: str(text) for archive in archives for name, text in archive.items()}
    there = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files}
    for name, text in files.items():
        if not name.endswith(".py"):
            continue
        for module in imported(text):
            top = module.partition(".")[0]
            known = top in sys.stdlib_module_names | STANDS_IN | OF_THE_INTERPRETER
            assert known or module in there, f"{name} imports {module}"


def test_the_package_is_small_and_leaves_the_models_and_the_ward_out():
    names = set(contents.package())
    assert len(names) < 90
    left_out = ("models", "experiments", "plotting", "drawings", "exercises/ward")
    assert not [name for name in names if name.startswith(tuple(f"bottomup/{x}" for x in left_out))]


def test_a_subpackage_says_of_the_rest_that_it_is_not_here():
    source = str(contents.package()["bottomup/attention/__init__.py"])
    assert "masked_softmax" in source
    assert "AdditiveAttention" not in source
    assert "not_here" in source


def test_an_exercise_gets_the_imports_above_it():
    imports = contents.imported_above("self_attention")
    assert set(imports) == {slug for slug, place in places().items() if place == "self_attention"}
    assert imports["causal-mask"]["product"] == "from itertools import product"


def test_each_package_of_node_has_its_hash_and_no_address():
    text = packages.HERE.joinpath("package-lock.json").read_text("utf-8")
    lock = json.loads(text)["packages"]
    assert "http" not in text
    assert all("integrity" in about for place, about in lock.items() if place)


def test_without_npm_a_line_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(packages, "CACHE", tmp_path)
    monkeypatch.setattr(packages, "program", lambda name: str(tmp_path / name))
    assert packages.node_modules() is None
    said = capsys.readouterr().out
    assert said.startswith("Answers in the page are left out")
    assert said.count("\n") == 1
    assert packages.fetched() is None


def test_edits_are_the_same_each_time():
    first, second = (list(edited(["causal-mask"], 5)) for _time in range(2))
    assert first == second
    assert len({each["text"] for each in first}) == 5
