import ast
import textwrap
from pathlib import Path

import pytest

from tools.notebooks.closure import Package, closure, defining_module

FILES = {
    "__init__": '"""A package."""\n',
    "masks": "def causal(): ...",
    "attention/__init__": """
        from tiny.attention.additive import additive
        from .luong import dot as dot_score, general
        from . import weights
        LIMIT = 3
        """,
    "attention/additive": "from tiny.attention.weights import softmax",
    "attention/luong": "def dot(): ...\ndef general(): ...",
    "attention/weights": "import math",
    "models": """
        import numpy

        def build():
            from .attention import additive
        """,
}


@pytest.fixture
def package(tmp_path: Path) -> Package:
    for name, source in FILES.items():
        path = tmp_path / "tiny" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
    return Package("tiny", tmp_path)


def modules(package: Package, code: str) -> list[str]:
    return closure(package, [ast.parse(code)])


def test_a_re_exported_name_leads_to_its_module_and_not_to_its_neighbours(package: Package):
    found = modules(package, "from tiny.attention import additive")
    assert found == ["tiny.attention.additive", "tiny.attention.weights"]


def test_a_renamed_relative_re_export_is_followed(package: Package):
    assert defining_module(package, "tiny.attention", "dot_score") == "tiny.attention.luong"


def test_a_submodule_taken_from_its_package_counts_as_itself(package: Package):
    assert modules(package, "from tiny import masks as m") == ["tiny.masks"]
    assert modules(package, "from tiny.attention import weights") == ["tiny.attention.weights"]


def test_a_name_defined_in_the_init_file_brings_the_whole_package(package: Package):
    expected = [
        "tiny.attention",
        "tiny.attention.additive",
        "tiny.attention.luong",
        "tiny.attention.weights",
    ]
    assert modules(package, "from tiny.attention import LIMIT") == expected
    assert modules(package, "import tiny.attention as a") == expected
    assert modules(package, "from tiny.attention import *") == expected


def test_an_import_inside_a_function_counts(package: Package):
    found = modules(package, "def f():\n    import tiny.models")
    assert found == ["tiny.attention.additive", "tiny.attention.weights", "tiny.models"]


def test_other_packages_do_not_count(package: Package):
    assert modules(package, "import torch, tinybutnotours\nfrom numpy import array") == []


def test_a_module_that_does_not_exist_is_named(package: Package):
    with pytest.raises(LookupError, match=r"no module tiny\.nothing"):
        modules(package, "from tiny.nothing import x")
