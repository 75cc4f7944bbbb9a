import ast
import textwrap
from pathlib import Path

import pytest

from tests.tools.made_up import write_files
from tools import closeness
from tools.closeness import Row, checks_run, count, ideas, names_in_tables, place, rows, table
from tools.notebooks.closure import Package
from tools.notebooks.digest import own_package
from tools.notebooks.paths import CHAPTERS

TABLE = """
| symbol | what it is | in the library |
|---|---|---|
| $Q$ | queries | `query` |

| eq. | section | function |
|---|---|---|
| (1) | 5 | [`additive_scores`](../book/api/attention.md) |
| (5) | 7 | [`LSTMNCell`, `Model.unembed`](../book/api/attention.md),<br>`masks.causal` |
| (7) | 8 | (by hand) |

| not | a `table` |
"""
FILES = {
    "__init__": "",
    "checks": "def check_size(): ...",
    "masks": "from tiny.checks import check_size\n\ndef causal(): ...\ndef twice(): ...",
    "models/__init__": "from tiny.models.deep import Deep\nfrom tiny.masks import causal",
    "models/deep": "class Deep:\n    def unembed(self): ...",
    "training": "def twice(): ...",
    "exercises/__init__": "def causal(): ...",
}
CODE = '''
@checked
def weigh(
    x, mask=None
):
    """Weigh x.

    Twice.
    """
    # A reason.
    sizes = check_axes("x", x, "... n")
    checks.check_integer(
        "n", sizes["n"]
    )
    if mask is not None:
        for name in mask:
            _check_name(name)
    if x.isnan().any():
        message = "NaN"
        raise ValueError(message)

    if mask is None:
        check_number("x", x)
        mask = 1
    return x * mask
'''
MODULE = '''
class Layer(nn.Module):
    """Weigh."""

    def __init__(self, n):
        super().__init__()
        check_integer("n", n)
        self.n = n

    def forward(self, x):
        """Return x."""
        y = x + self.n
        return y

    def extra_repr(self):
        return "n"
'''


@pytest.fixture
def package(tmp_path: Path) -> Package:
    write_files(tmp_path / "tiny", {f"{name}.py": source for name, source in FILES.items()})
    return Package("tiny", tmp_path)


def counted(code: str) -> dict[str, int]:
    row = Row("", "")
    (node,) = ast.parse(code).body
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    count(row, node, code.splitlines())
    return {name: value for name, value in vars(row).items() if isinstance(value, int) and value}


def test_names_are_read_from_tables_with_a_column_of_code():
    assert list(names_in_tables(TABLE)) == [
        "additive_scores",
        "LSTMNCell",
        "Model.unembed",
        "masks.causal",
    ]


@pytest.mark.parametrize(
    "name, module, line",
    [
        ("causal", "tiny.masks", 3),
        ("models.causal", "tiny.masks", 3),
        ("Deep.unembed", "tiny.models.deep", 2),
        ("training.twice", "tiny.training", 1),
    ],
)
def test_a_name_leads_to_the_module_that_defines_it(package, name, module, line):
    found, node = place(package, name)
    assert (found, node.lineno) == (module, line)


@pytest.mark.parametrize("name", ["nothing", "twice", "models", "Deep.nothing"])
def test_a_name_without_a_place_or_with_two_is_refused(package, name):
    with pytest.raises(LookupError, match=name):
        place(package, name)


def test_a_function_is_mechanism_but_for_signature_docstring_and_checks():
    found = counted(CODE)
    assert found == {"mechanism": 3, "checks": 11, "signature": 4, "docstring": 3}


def test_of_a_module_forward_is_the_mechanism_and_the_rest_set_up():
    found = counted(MODULE)
    assert found == {"mechanism": 2, "set_up": 3, "checks": 1, "signature": 4, "docstring": 2}


def test_without_a_forward_every_method_is_mechanism_but_the_first():
    found = counted(MODULE.replace("forward", "read"))
    assert found == {"mechanism": 3, "set_up": 2, "checks": 1, "signature": 4, "docstring": 2}


def test_checks_are_counted_while_a_later_call_runs():
    seen = []

    def check_it() -> None:
        seen.append(1)

    def call() -> None:
        for _ in range(3 if seen else 1):
            check_it()

    assert checks_run(call) == 3


def test_a_row_has_what_its_module_imports_and_what_its_call_takes(package, monkeypatch):
    monkeypatch.setattr(closeness, "CALLS", 1)
    call = lambda: [0] * 1000  # noqa: E731
    (row,) = rows(package, ["causal", "nothing"], {"causal": (call, call)})
    assert (row.files, row.lines, row.checks_run) == (2, 5, 0)
    assert row.microseconds is not None and row.ratio is not None and row.ratio > 0


def test_the_table_has_a_column_for_each_fact_and_leaves_out_what_is_not_known():
    text = table([Row("a", "tiny.masks", 12), Row("longer", "tiny", torch=1.5)])
    heads, first, second = text.splitlines()
    assert heads.split()[:4] == ["idea", "module", "mechanism", "set"]
    assert first == textwrap.dedent(first).rstrip()
    assert first.split() == ["a", "tiny.masks", "12", *"000000"]
    assert second.split()[-1] == "1.5"
    assert first.index("12") == second.index("0") == heads.index("mechanism")


def test_every_idea_of_the_chapters_has_a_place():
    package = own_package()
    found = ideas(CHAPTERS)
    assert len(found) > 60
    assert {name: place(package, name)[0] for name in found}
