import ast
from pathlib import Path

import pytest

from tests.tools.made_up import write_files
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
    "data/__init__": "from .chain import thing",
    "data/chain/__init__": "from ..leaf import inner as thing",
    "data/leaf": "def inner(): ...",
    "data/chain/deep": "from ...masks import causal\nfrom .. import leaf\nfrom . import beside",
    "data/chain/beside": "",
}


@pytest.fixture
def package(tmp_path: Path) -> Package:
    write_files(tmp_path / "tiny", {f"{name}.py": source for name, source in FILES.items()})
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


def test_an_import_for_types_alone_does_not_count(package: Package):
    code = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tiny import masks\n"
    assert modules(package, code) == []
    assert modules(package, f"{code}else:\n    from tiny import masks\n") == ["tiny.masks"]


def test_other_packages_do_not_count(package: Package):
    assert modules(package, "import torch, tinybutnotours\nfrom numpy import array") == []


def test_a_module_that_does_not_exist_is_named(package: Package):
    with pytest.raises(LookupError, match=r"no module tiny\.nothing"):
        modules(package, "from tiny.nothing import x")


def test_a_re_export_of_a_re_export_is_followed_to_its_end(package: Package):
    assert defining_module(package, "tiny.data", "thing") == "tiny.data.leaf"


def test_each_dot_of_an_import_goes_one_folder_up(package: Package):
    found = modules(package, "import tiny.data.chain.deep")
    assert found == [
        "tiny.data.chain.beside",
        "tiny.data.chain.deep",
        "tiny.data.leaf",
        "tiny.masks",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "from tiny import attention\nattention.dot_score(1)",
        "from tiny import attention as a\na.dot_score(1)",
        "import tiny.attention as a\na.dot_score.__doc__",
        "def f(attention):\n    return attention\nfrom tiny import attention\nattention.general",
        "from tiny import attention\n(lambda attention: [attention])(attention.general)",
    ],
)
def test_of_a_subpackage_the_names_behind_the_dot_count(package: Package, code: str):
    assert modules(package, code) == ["tiny.attention.luong"]


def test_a_chain_of_dots_is_followed_through_subpackages(package: Package):
    assert modules(package, "from tiny import data\ndata.chain.thing()") == ["tiny.data.leaf"]
    assert modules(package, "from tiny import data\ndata.leaf.inner()") == ["tiny.data.leaf"]


def test_a_name_that_one_cell_imports_and_others_use_counts(package: Package):
    cells = ["from tiny import attention", "attention.general(1)", "attention.weights.softmax"]
    found = closure(package, [ast.parse(cell) for cell in cells])
    assert found == ["tiny.attention.luong", "tiny.attention.weights"]


@pytest.mark.parametrize(
    "use",
    [
        "attention.general\na = attention",
        "attention.general\nprint(attention)",
        "attention.general\ngetattr(attention, 'gen' + 'eral')",
        "attention.general\ndef f(x=attention): ...",
        "attention.general\ndef f(attention):\n    from tiny import attention\n    g(attention)",
        "attention.general\ndef f():\n    global attention",
        "",
    ],
)
def test_where_reading_does_not_tell_what_is_used_the_whole_subpackage_counts(
    package: Package, use: str
):
    found = modules(package, f"from tiny import attention\n{use}")
    assert "tiny.attention" in found
    assert "tiny.attention.additive" in found
