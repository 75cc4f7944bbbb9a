"""A module imports only what stands above it in this list (and modules of its own part)."""

import ast
from collections.abc import Iterable

import pytest

from tests.structure.source import FILES, PACKAGE, module_name
from tools.notebooks.closure import imported

ORDER = (
    "i18n",
    "checks",
    "masks",
    "attention",
    "blocks",
    "data",
    "models",
    "training",
    "decoding",
    "metrics",
    "analysis",
    "experiments",
    "results",
    "source",
    "plotting",
    "explorables",
    "exercises",
    "doctor",
)
ONLY = {"plotting": {"checks"}}  # figures are drawn from arrays, not from models


def part(module: str) -> str:
    """Return the part of the package a module belongs to; "" is the package's own __init__."""
    return module.split(".")[1] if "." in module else ""


def allowed(name: str) -> set[str]:
    """Return the parts that a module of part `name` may import."""
    if name == "":
        return {""}
    above = set(ORDER[: ORDER.index(name)])
    return ONLY.get(name, above) | {"", name}


def violations(imports: Iterable[str], module: str) -> list[str]:
    """Return those of the imported modules that `module` must not import."""
    permitted = allowed(part(module))
    return sorted({name for name in imports if part(name) not in permitted})


def test_imports_point_upwards():
    found = {name: violations(PACKAGE.imports(name), name) for name in map(module_name, FILES)}
    assert {name: modules for name, modules in found.items() if modules} == {}


def test_every_part_of_the_package_stands_in_the_order():
    assert {part(module_name(path)) for path in FILES} <= {"", *ORDER}


@pytest.mark.parametrize(
    "module, code",
    [
        ("bottomup.masks", "from bottomup.attention import additive_attention"),
        ("bottomup.masks", "def f():\n    import bottomup.attention"),
        ("bottomup.checks", "from .masks import causal_mask"),
        ("bottomup.plotting.curves", "from bottomup import masks"),
        ("bottomup.attention.luong", "from ..exercises import check"),
        ("bottomup", "from bottomup import masks"),
    ],
)
def test_an_import_that_points_downwards_is_seen(module: str, code: str):
    assert len(violations(imported(PACKAGE, ast.parse(code), module), module)) == 1


@pytest.mark.parametrize(
    "module, code",
    [
        ("bottomup.attention.luong", "from .scored import attend\nimport bottomup.checks"),
        ("bottomup.plotting.curves", "from bottomup.checks import check_tensor"),
        ("bottomup.exercises.attention", "from bottomup import masks, models"),
    ],
)
def test_an_import_that_points_upwards_is_let_through(module: str, code: str):
    assert violations(imported(PACKAGE, ast.parse(code), module), module) == []
