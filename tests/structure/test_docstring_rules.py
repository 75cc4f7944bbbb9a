"""The rules of docstrings, tried on small pieces of code."""

import ast
from textwrap import indent

import pytest

from tests.structure.docstring_rules import (
    chapters,
    computes,
    entries,
    has_source,
    is_bare,
    papers,
    sections,
    unsaid_errors,
    without_axes,
    wrong_names,
)
from tests.structure.public import Public, definitions, offered


def one(code: str, name: str = "f", doc: str = "") -> Public:
    """Return the definition that a piece of code gives under a name, `doc` put in for DOC."""
    quoted = f'"""Text.\n\n{doc}\n"""'
    tree = ast.parse(code.replace("DOC", indent(quoted, "    ").strip()))
    return {item.name: item for item in definitions("bottomup.part", tree, name.split(".")[0])}[
        f"bottomup.part.{name}"
    ]


SHAPES = "def f(x: Tensor, y: Float[Tensor, 'a b'], z: int) -> tuple[Tensor, int]:\n    DOC"


@pytest.mark.parametrize(
    "doc, missing",
    [
        ("", ["x", "return"]),
        ("Args:\n    x: a batch [batch, key].\n    y, z: others.", []),
        ("Args:\n    x: a batch.\n    y, z: others.\n\nReturns:\n    The sum [batch].", ["x"]),
        ("Args:\n    x: of any shape.", []),
        ("Takes [..., key, d_model] to [..., key].", []),
    ],
)
def test_axes_are_looked_for_where_the_signature_has_none(doc: str, missing: list[str]):
    assert without_axes(one(SHAPES, doc=doc)) == missing


@pytest.mark.parametrize(
    "annotation, bare",
    [
        ("Tensor", True),
        ("torch.Tensor | None", True),
        ("Mapping[str, np.ndarray]", True),
        ("Callable[[Tensor], int]", True),
        ("Float[Tensor, 'key']", False),
        ("tuple[Bool[Tensor, '...'], int]", False),
        ("int", False),
    ],
)
def test_a_tensor_without_axes_is_seen_in_an_annotation(annotation: str, bare: bool):
    assert is_bare(ast.parse(annotation, mode="eval").body) is bare


def test_the_fields_of_a_class_need_axes_too():
    code = "class C:\n    DOC\n    x: Tensor\n    n: int"
    assert without_axes(one(code, "C")) == ["x"]
    assert without_axes(one(code, "C", "Attributes:\n    x: a batch [batch].")) == []


RAISING = """
def f(n):
    DOC
    check_integer("n", n, at_least=1)
    _inner(n)

def _inner(n):
    if n > 3:
        raise KeyError("n")
    raise NotImplementedError

def g(n):
    DOC
    try:
        return n
    except OSError:
        raise
"""


@pytest.mark.parametrize(
    "doc, unsaid",
    [
        ("", ["KeyError"]),
        ("KeyError and ValueError happen.", ["KeyError"]),
        ("Raises:\n    ValueError: too small.", ["KeyError"]),
        ("Raises:\n    TypeError, KeyError: wrong.", []),
        ("It does what others do, see `Other.f`.", []),
    ],
)
def test_errors_are_followed_into_private_helpers(doc: str, unsaid: list[str]):
    assert unsaid_errors(one(RAISING, doc=doc)) == unsaid


def test_an_error_that_is_passed_on_needs_no_word():
    assert unsaid_errors(one(RAISING, "g")) == []


CLASS = """
class C(Base):
    DOC

    def __init__(self, size: int, *rest: int) -> None:
        raise OSError

    @property
    def width(self):
        "Width."

    def method(self, x):
        "Text."
        self._refuse()

class Base:
    def _refuse(self):
        raise KeyError("x")
"""


def test_a_class_answers_for_its_constructor_and_a_method_for_itself():
    assert unsaid_errors(one(CLASS, "C")) == ["OSError"]
    assert unsaid_errors(one(CLASS, "C", "Raises:\n    OSError: always.")) == []
    assert unsaid_errors(one(CLASS, "C.method")) == ["KeyError"]


@pytest.mark.parametrize(
    "doc, wrong",
    [
        ("", []),
        ("Args:\n    size: a number.\n    *rest: others.", []),
        ("Args:\n    size: a number.", ["rest"]),
        ("Args:\n    length, rest: numbers.", ["length", "size"]),
        ("Attributes:\n    width: what `size` gives.", []),
        ("Attributes:\n    height: none.", ["height"]),
    ],
)
def test_described_names_are_compared_with_the_names_there_are(doc: str, wrong: list[str]):
    assert wrong_names(one(CLASS, "C", doc)) == wrong


def test_a_docstring_is_cut_into_sections_and_entries():
    arguments = "Args:\n    a, b: numbers\n        to add: two.\n\n    c: one."
    doc = f"Sum.\n\n{arguments}\n\nRaises:\n    E: no."
    found = sections(doc)
    assert list(found) == ["Args", "Raises"]
    assert {name: text.split() for name, text in entries(found["Args"]).items()} == {
        "a": ["numbers", "to", "add:", "two."],
        "b": ["numbers", "to", "add:", "two."],
        "c": ["one."],
    }


@pytest.mark.parametrize(
    "doc, said",
    [
        ("Source: Och and Ney (2003).", True),
        ("Chapter 01 uses it.", True),
        ("Of chapters 01 and 01b.", True),
        ("Source:", False),
        ("See the chapter on heads.", False),
    ],
)
def test_a_source_is_a_paper_or_a_chapter(doc: str, said: bool):
    assert has_source(doc) is said


def test_chapters_and_papers_are_read_off_a_docstring():
    doc = """Chapter 01b, and chapters 02, 03 and 04; chapter
    05. Source: Och and Ney (2003); Ba, Kiros and
    Hinton (2016); Xu et al. (2015), section 4; not table (2012)."""
    assert chapters(doc) == {"01b", "02", "03", "04", "05"}
    assert papers(doc) == {
        (frozenset({"Och", "Ney"}), "2003"),
        (frozenset({"Ba", "Kiros", "Hinton"}), "2016"),
        (frozenset({"Xu"}), "2015"),
    }


@pytest.mark.parametrize(
    "code, name, does",
    [
        ("def f(): ...", "f", True),
        ("class C(nn.Module): ...", "C", True),
        ("@dataclass(frozen=True)\nclass C: ...", "C", False),
        ("class C(NamedTuple): ...", "C", False),
        ("class C(ValueError): ...", "C", False),
        ("class C:\n    def g(self): ...", "C.g", False),
    ],
)
def test_functions_and_modules_compute_and_bundles_do_not(code: str, name: str, does: bool):
    assert computes(one(code, name)) is does


def test_without_a_list_of_names_all_public_ones_are_offered():
    code = "def f(): ...\ndef _g(): ...\nclass C: ...\nx = 1"
    assert offered(ast.parse(code)) == ["f", "C"]
    assert offered(ast.parse(code + "\n__all__ = ['f']")) == ["f"]
