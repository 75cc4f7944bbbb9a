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
WHOLE = "attention attention.additive attention.luong attention.weights"
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tiny import masks\n"


@pytest.fixture
def package(tmp_path: Path) -> Package:
    write_files(tmp_path / "tiny", {f"{name}.py": source for name, source in FILES.items()})
    return Package("tiny", tmp_path)


def modules(package: Package, *cells: str) -> str:
    found = closure(package, [ast.parse(code) for code in cells])
    return " ".join(module.removeprefix("tiny.") for module in found)


@pytest.mark.parametrize(
    "code, expected",
    [
        # A name that is passed on leads to its module, and not to the module's neighbours.
        ("from tiny.attention import additive", "attention.additive attention.weights"),
        ("from tiny import masks as m", "masks"),
        ("from tiny.attention import weights", "attention.weights"),
        ("def f():\n    import tiny.models", "attention.additive attention.weights models"),
        # What a subpackage defines itself, or all of it, brings the whole subpackage.
        ("from tiny.attention import LIMIT", WHOLE),
        ("import tiny.attention as a", WHOLE),
        ("from tiny.attention import *", WHOLE),
        # An import for types alone, and other packages, do not count.
        (FOR_TYPES, ""),
        (f"{FOR_TYPES}else:\n    from tiny import masks\n", "masks"),
        ("import torch, tinybutnotours\nfrom numpy import array", ""),
        # Each dot of an import goes one folder up.
        ("import tiny.data.chain.deep", "data.chain.beside data.chain.deep data.leaf masks"),
        # Of a subpackage the names after the dot count, through several dots, too.
        ("from tiny import attention\nattention.dot_score(1)", "attention.luong"),
        ("from tiny import attention as a\na.dot_score(1)", "attention.luong"),
        ("import tiny.attention as a\na.dot_score.__doc__", "attention.luong"),
        (
            "def f(attention):\n    return attention\n"
            "from tiny import attention\nattention.general",
            "attention.luong",
        ),
        (
            "from tiny import attention\n(lambda attention: [attention])(attention.general)",
            "attention.luong",
        ),
        ("from tiny import data\ndata.chain.thing()", "data.leaf"),
        ("from tiny import data\ndata.leaf.inner()", "data.leaf"),
    ],
)
def test_what_code_uses_of_a_package(package: Package, code: str, expected: str):
    assert modules(package, code) == expected


def test_a_name_that_one_cell_imports_and_others_use_counts(package: Package):
    cells = ["from tiny import attention", "attention.general(1)", "attention.weights.softmax"]
    assert modules(package, *cells) == "attention.luong attention.weights"


@pytest.mark.parametrize(
    "use",
    [
        "attention.general\na = attention",
        "attention.general\nprint(attention)",
        "attention.general\ndef f(x=attention): ...",
        "attention.general\ndef f(attention):\n    from tiny import attention\n    g(attention)",
        "attention.general\ndef f():\n    global attention",
        "",
    ],
)
def test_where_reading_does_not_tell_what_is_used_the_whole_subpackage_counts(
    package: Package, use: str
):
    assert modules(package, f"from tiny import attention\n{use}") == WHOLE


def test_a_name_is_followed_to_where_it_is_defined(package: Package):
    assert defining_module(package, "tiny.attention", "dot_score") == "tiny.attention.luong"
    assert defining_module(package, "tiny.data", "thing") == "tiny.data.leaf"
    with pytest.raises(LookupError, match=r"no module tiny\.nothing"):
        modules(package, "from tiny.nothing import x")
