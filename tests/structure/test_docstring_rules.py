"""The rules of docstrings, tried on small pieces of code."""

import ast
from textwrap import indent

import pytest

from tests.structure.docstring_rules import (
    chapters,
    computes,
    has_source,
    papers,
    unsaid_errors,
    without_axes,
    wrong_names,
)
from tests.structure.public import Public, definitions

SHAPES = "def f(x: Tensor, y: Float[Tensor, 'a b'], z: int) -> tuple[Tensor, int]:\n    DOC"
FIELDS = "class f:\n    DOC\n    x: Mapping[str, np.ndarray]\n    n: Bool[Tensor, '...']"
RAISING = """
def f(n):
    DOC
    _inner(n)
    try:
        return n
    except OSError:
        raise

def _inner(n):
    if n > 3:
        raise KeyError("n")
    raise NotImplementedError
"""
CLASS = """
class f(Base):
    DOC

    def __init__(self, size: int, *rest: int) -> None:
        raise OSError

    @property
    def width(self):
        "Width."
"""


def one(code: str, doc: str = "") -> Public:
    """Return the definition of "f", `doc` put in for DOC."""
    quoted = f'"""Text.\n\n{doc}\n"""'
    tree = ast.parse(code.replace("DOC", indent(quoted, "    ").strip()))
    return next(definitions("bottomup.part", tree, "f"))


@pytest.mark.parametrize(
    "rule, code, doc, found",
    [
        (without_axes, SHAPES, "", ["x", "return"]),
        (without_axes, SHAPES, "Args:\n    x: a batch [batch, key].\n    y, z: others.", []),
        (without_axes, SHAPES, "Args:\n    x: a batch.\n\nReturns:\n    The sum [batch].", ["x"]),
        (without_axes, SHAPES, "Takes [..., key, d_model] to [..., key].", []),
        (without_axes, FIELDS, "", ["x"]),
        (without_axes, FIELDS, "Attributes:\n    x: a batch [batch].", []),
        (unsaid_errors, RAISING, "KeyError happens.", ["KeyError"]),
        (unsaid_errors, RAISING, "Raises:\n    TypeError, KeyError: wrong.", []),
        (unsaid_errors, RAISING, "It does what others do, see `Other.f`.", []),
        (unsaid_errors, CLASS, "", ["OSError"]),
        (wrong_names, CLASS, "Args:\n    size: a number.\n    *rest: others.", []),
        (wrong_names, CLASS, "Args:\n    length, rest: numbers.", ["length", "size"]),
        (wrong_names, CLASS, "Attributes:\n    width: what `size` gives.", []),
        (wrong_names, CLASS, "Attributes:\n    height: none.", ["height"]),
    ],
)
def test_what_a_docstring_leaves_out_or_names_wrongly(rule, code: str, doc: str, found: list[str]):
    assert rule(one(code, doc)) == found


def test_a_source_is_a_paper_or_a_chapter():
    doc = """Chapter 01b, and chapters 02, 03 and 04; chapter
    05. Source: Och and Ney (2003); Ba, Kiros and
    Hinton (2016); Xu et al. (2015), section 4; not table (2012)."""
    assert has_source(doc) and not has_source("Source:") and not has_source("See the chapter.")
    assert chapters(doc) == {"01b", "02", "03", "04", "05"}
    assert papers(doc) == {
        (frozenset({"Och", "Ney"}), "2003"),
        (frozenset({"Ba", "Kiros", "Hinton"}), "2016"),
        (frozenset({"Xu"}), "2015"),
    }


def test_functions_and_modules_compute_and_bundles_do_not():
    codes = "def f(): ...", "class f(nn.Module): ...", "@dataclass\nclass f: ..."
    assert [computes(one(code)) for code in codes] == [True, True, False]
