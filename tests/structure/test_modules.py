"""What every module of the package keeps to."""

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import bottomup
from tests.structure.source import FILES, calls, label, module_name, tree
from tools.notebooks.paths import ROOT

PACKAGES = [path for path in FILES if path.name == "__init__.py" and path.parent.name != "bottomup"]
# Where the name to import is another.
DISTRIBUTION = {"sklearn": "scikit-learn", "yaml": "PyYAML"}
# Not declared, because something that is declared, or the running program, brings it along.
BROUGHT_ALONG: dict[str, str] = {
    "IPython": "a notebook's kernel is IPython",
    "cycler": "matplotlib depends on it for the cycle of colours that it hands out",
}

SEEDING = re.compile(
    r"(torch\.(random\.|cuda\.|mps\.)?(manual_seed|seed|manual_seed_all|set_rng_state)"
    r"|(random|np\.random|numpy\.random)\.seed)"
)


def offenders(found: Callable[[Path], object]) -> dict[str, object]:
    """Return what is found in each module where anything is."""
    return {label(path): problem for path in FILES if (problem := found(path))}


@pytest.mark.parametrize("path", PACKAGES, ids=label)
def test_a_subpackage_names_what_it_offers(path: Path):
    module = importlib.import_module(module_name(path))
    assert module.__doc__
    if not any(isinstance(node, ast.ImportFrom) for node in tree(path).body):
        return  # a room: its modules are imported one by one
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


# What somebody who uses the package as a library imports. The others are read by the course.
LIBRARY = ("analysis attention blocks data decoding masks metrics models plotting training").split()


@pytest.mark.parametrize("part", LIBRARY)
def test_a_part_of_the_library_shows_what_it_offers_and_nothing_else(part: str):
    module = getattr(bottomup, part)
    assert dir(module) == sorted(module.__all__)


def test_the_package_gives_its_parts_by_name_and_says_which_there_are():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = set(project["tool"]["importlinter"]["contracts"][0]["layers"])
    # Neither programs nor what all parts stand on.
    assert set(bottomup.__all__) == layers
    assert dir(bottomup) == sorted([*bottomup.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no part 'atention', it has analysis, attention"):
        bottomup.atention  # noqa: B018


def test_nothing_seeds_globally_outside_a_fork():
    assert offenders(lambda path: seeding_outside_a_fork(tree(path))) == {}


def seeding_outside_a_fork(module: ast.Module) -> list[int]:
    """Return the lines that seed a global generator without putting its state back afterwards."""
    inside = {
        call
        for node in ast.walk(module)
        if isinstance(node, ast.With)
        and any("fork_rng" in ast.unparse(item.context_expr) for item in node.items)
        for call, _ in calls(node)
    }
    found = [call for call, name in calls(module) if SEEDING.fullmatch(name)]
    return [call.lineno for call in found if call not in inside]


@pytest.mark.parametrize(
    "code, lines",
    [
        ("torch.manual_seed(0)", [1]),
        ("import numpy as np\nnp.random.seed(1)", [2]),
        ("with torch.random.fork_rng():\n    torch.manual_seed(0)", []),
        ("torch.Generator().manual_seed(0)", []),
    ],
)
def test_seeding_is_seen(code: str, lines: list[int]):
    assert seeding_outside_a_fork(ast.parse(code)) == lines


def test_every_package_a_module_imports_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=!\[; ]", line)[0] for line in project["dependencies"]}
    for extra in project.get("optional-dependencies", {}).values():
        declared |= {re.split(r"[<>=!\[; ]", line)[0] for line in extra}
    known = {*sys.stdlib_module_names, *BROUGHT_ALONG, "bottomup"}

    def undeclared(path: Path) -> set[str]:
        foreign = top_level_imports(tree(path)) - known
        return {DISTRIBUTION.get(name, name) for name in foreign} - declared

    assert offenders(undeclared) == {}


def top_level_imports(module: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").split(".")[0])
    return names
