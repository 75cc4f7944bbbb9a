"""What makes stored outputs out of date, and what does not."""

import ast
import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.tools.made_up import write_files
from tools.notebooks.closure import Package
from tools.notebooks.digest import (
    FILE,
    canonical,
    notebook_digest,
    parse_cell,
    store_digest,
    stored_digest,
    without_texts,
)

ADDITIVE = '''"""Scores."""

def score(x):
    """Add two."""
    if x is None:
        raise ValueError(f"x: expected a number, got {x}")
    return x + 2
'''
ROOM = "experiments/decoding/search"
EXERCISE = "exercises/attention/masked_softmax"
FILES = {
    "__init__.py": "from tiny.additive import score\n",
    "additive.py": ADDITIVE,
    "other.py": "x = 1\n",
    "data/lexicon.json": '["dog"]',
    "data/figure.js": "one",
    "data/figure.css": "one",
    "data/figure.po": "one",
    "scores/__init__.py": "from tiny.scores.additive import score\n",
    "scores/additive.py": ADDITIVE,
    f"{EXERCISE}/cases.py": "from tiny.other import x\nCASES = 1\n",
    f"{EXERCISE}/text.md": "# Masked softmax\n",
    f"{ROOM}/claims.yaml": "claims: []\n",
    f"{ROOM}/quantities.py": "from tiny.other import x\n",
    f"{ROOM}/experiment.py": "steps = 1\n",
    "experiments/decoding/claims.yaml": "claims: []\n",
    "results/decoding_search_full.json": '{"experiment": "decoding_search"}',
}
PLAIN = "from tiny import score"
SUBPACKAGE = "from tiny import scores\nscores.score(1)"
NAMING = 'check("masked-softmax", f)'
LOADING = 'load("decoding_search_full.json")'
NEIGHBOUR = "from tiny.scores.additive import score\nfrom tiny.scores.additive import score as s\n"


@pytest.fixture
def package(tmp_path: Path) -> Package:
    write_files(tmp_path / "tiny", FILES)
    return Package("tiny", tmp_path)


def notebook(code: str = PLAIN, prose: str = "Read.") -> nbformat.NotebookNode:
    return new_notebook(cells=[new_markdown_cell(prose), new_code_cell(code)])


@pytest.mark.parametrize(
    "code, file, now, counts",
    [
        (PLAIN, "additive.py", ADDITIVE.replace("x + 2", "x + 3"), True),
        (PLAIN, "additive.py", ADDITIVE.replace("ValueError", "TypeError"), True),
        # What is written for people, and layout, do not count.
        (PLAIN, "additive.py", ADDITIVE.replace("Add two.", "Add the number two."), False),
        (PLAIN, "additive.py", ADDITIVE.replace("    return", "    # a reason\n    return"), False),
        (PLAIN, "additive.py", ADDITIVE.replace("x + 2", "(x  +  2)"), False),
        (PLAIN, "additive.py", ADDITIVE.replace('"""Scores."""\n', ""), False),
        (PLAIN, "additive.py", ADDITIVE.replace("expected a number", "it is needed"), False),
        # A module, a file of data, an exercise or a record counts where code uses or names it.
        (PLAIN, "other.py", "x = 2\n", False),
        ("try:\n    import tiny.other\nexcept:\n    %pip install tiny", "other.py", "x = 2", True),
        (PLAIN, "data/lexicon.json", '["cat"]', False),
        ("open('data/lexicon.json')", "data/lexicon.json", '["cat"]', True),
        ("open('figure.js')", "data/figure.js", "two", False),
        ("open('figure.css')", "data/figure.css", "two", False),
        ("open('figure.po')", "data/figure.po", "two", False),
        (SUBPACKAGE, "scores/__init__.py", NEIGHBOUR, False),
        (f"{SUBPACKAGE}\nvars(scores)", "scores/__init__.py", NEIGHBOUR, True),
        (SUBPACKAGE, "scores/additive.py", ADDITIVE.replace("x + 2", "x + 3"), True),
        (PLAIN, f"{EXERCISE}/cases.py", "CASES = 2\n", False),
        (NAMING, f"{EXERCISE}/cases.py", "CASES = 2\n", True),
        (NAMING, "other.py", "x = 2\n", True),
        (NAMING, f"{EXERCISE}/text.md", "# Softmax with a mask\n", False),
        ("open('text.md')", f"{EXERCISE}/text.md", "# Softmax with a mask\n", False),
        (PLAIN, f"{ROOM}/claims.yaml", "claims: [2]\n", False),
        (LOADING, f"{ROOM}/claims.yaml", "claims: [2]\n", True),
        (LOADING, "other.py", "x = 2\n", True),  # what computes its quantities
        (LOADING, f"{ROOM}/experiment.py", "steps = 2\n", False),
        (LOADING, "experiments/decoding/claims.yaml", "claims: [1]\n", False),
    ],
)
def test_a_change_counts_where_it_may_change_an_output(
    package: Package, code: str, file: str, now: str, counts: bool
):
    before = notebook_digest(notebook(code), package)
    path = package.source / "tiny" / file
    assert path.read_text("utf-8") != now
    path.write_text(now, "utf-8")
    after = notebook_digest(notebook(code), Package("tiny", package.source))
    assert (after != before) == counts


def test_code_counts_and_prose_and_outputs_do_not(package: Package):
    run = notebook(prose="Another.")
    run.cells[1].execution_count = 7
    run.cells[1].outputs = [nbformat.v4.new_output("stream", text="3")]
    plain = notebook_digest(notebook(), package)
    assert notebook_digest(run, package) == plain
    assert notebook_digest(notebook(f"{PLAIN}\nscore(1)"), package) != plain


@pytest.mark.parametrize("between", ["", "cell\n", "cell \n"])
def test_two_cells_are_not_one_cell_with_the_same_text(package: Package, between: str):
    two = new_notebook(cells=[new_code_cell("x = 1\n"), new_code_cell("cell")])
    one = new_notebook(cells=[new_code_cell(f"x = 1\n{between}cell")])
    assert notebook_digest(two, package) != notebook_digest(one, package)


def test_a_digest_lies_beside_the_notebooks_by_name(tmp_path: Path):
    one, two = tmp_path / "01_one.ipynb", tmp_path / "02_two.ipynb"
    assert stored_digest(one) is None
    store_digest(two, notebook(code="2"))
    store_digest(one, notebook(code="1"))
    assert stored_digest(one) == notebook_digest(notebook(code="1"))
    assert list(json.loads((tmp_path / FILE).read_text(encoding="utf-8"))) == ["01_one", "02_two"]


def test_the_canonical_form_keeps_values_apart_and_leaves_out_what_is_empty():
    forms = [canonical(parse_cell(code)) for code in ("x = 0", "x = None", "x = ''", "f(0)", "f()")]
    assert len({*forms}) == 5
    assert forms[-1] == "Module(body=[Expr(value=Call(func=Name(id='f', ctx=Load())))])"


def test_an_f_string_is_the_same_however_its_text_is_cut():
    """Versions of Python cut it in different places."""

    def form(*texts: str) -> str:
        values = [ast.Constant(text) for text in texts]
        return canonical(without_texts(ast.Module([ast.Expr(ast.JoinedStr(values))], [])))

    assert form("", "a", "{b") == form("a{b") != form("a{c")


def test_removing_docstrings_leaves_the_given_tree_alone():
    tree = parse_cell('def f():\n    "doc"\n    return 1')
    assert "doc" not in canonical(without_texts(tree))
    assert "doc" in canonical(tree)
