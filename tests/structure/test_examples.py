"""The examples in docstrings run, and every function that a chapter uses has one."""

import ast
import copy
import doctest
import importlib
import inspect
from collections.abc import Iterator

import matplotlib as mpl
import nbformat
import pytest
import torch

from tests.drawn import global_seed
from tools.notebooks.paths import all_chapters

# The parts that one uses as a library; the others are parts of the course.
LIBRARY = ("analysis attention blocks data decoding masks metrics models plotting training").split()
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def examples() -> Iterator[doctest.DocTest]:
    """Give the example of each function and class of the library that has one."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    seen = set()
    for part in LIBRARY:
        package = importlib.import_module(f"bottomup.{part}")
        for name in package.__all__:
            thing = getattr(package, name)
            if not (inspect.isfunction(thing) or inspect.isclass(thing)) or thing in seen:
                continue
            seen.add(thing)
            home = vars(importlib.import_module(thing.__module__))
            names = {**home, "torch": torch}
            yield from (
                test
                for test in finder.find(thing, f"{part}.{name}", module=False, globs=names)
                if test.examples
            )


EXAMPLES = {test.name: test for test in examples()}
# What one meets first. These examples run where nothing was imported before, as in a new shell.
PASTED = (
    "analysis.head_maps",
    "attention.MultiHeadAttention",
    "attention.fused_attention",
    "attention.scaled_dot_product_attention",
    "masks.padding_mask",
    "training.fit",
)


def used() -> set[str]:
    """Return what chapters import of the library, and name behind an imported part of it."""
    found = set()
    for path in all_chapters():
        book, parts = nbformat.read(path, as_version=4), {}
        for cell in book.cells:
            if cell.cell_type == "code":
                found |= names_in(cell.source, parts)
    return found


def names_in(source: str, parts: dict[str, str]) -> set[str]:
    """Return "attention.split_heads" and the like; note in `parts` what a part is called."""
    source = source.replace("%pip", "pass  # %pip")
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "bottomup":
            parts |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bottomup."):
            part = node.module.removeprefix("bottomup.").partition(".")[0]
            found |= {f"{part}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in parts:
            found.add(f"{parts[ast.unparse(node.value)]}.{node.attr}")
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_what_it_says(name: str):
    said: list[str] = []
    with global_seed(0), mpl.rc_context():
        found = doctest.DocTestRunner(optionflags=FLAGS).run(EXAMPLES[name], out=said.append)
    assert found.failed == 0, "".join(said)


@pytest.mark.parametrize("name", PASTED)
def test_an_example_can_be_pasted_into_a_new_shell(name: str):
    said: list[str] = []
    test = copy.copy(EXAMPLES[name])
    test.globs = {}
    with global_seed(0):
        found = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert found.failed == 0, "".join(said)


def test_what_chapters_use_of_the_library_has_an_example():
    def is_callable(name: str) -> bool:
        part, _, own = name.partition(".")
        thing = getattr(importlib.import_module(f"bottomup.{part}"), own, None)
        return inspect.isfunction(thing) or inspect.isclass(thing)

    asked = {name for name in used() if name.partition(".")[0] in LIBRARY and is_callable(name)}
    assert len(asked) > 150
    assert asked - EXAMPLES.keys() == set()


def test_a_name_is_found_where_it_is_imported_and_behind_its_part():
    parts: dict[str, str] = {}
    first = names_in("from bottomup import attention as A\nfrom bottomup.data import x", parts)
    assert first == {"data.x"} and parts == {"A": "attention"}
    assert names_in("A.split_heads(B.y)", parts) == {"attention.split_heads"}
