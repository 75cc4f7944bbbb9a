import ast
import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

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


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("from tiny.additive import score\n", encoding="utf-8")
    (folder / "additive.py").write_text(ADDITIVE, encoding="utf-8")
    (folder / "other.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "data" / "lexicon.json").write_text('["dog"]', encoding="utf-8")
    return folder


def notebook(code: str = "from tiny import score", prose: str = "Read.") -> nbformat.NotebookNode:
    return new_notebook(cells=[new_markdown_cell(prose), new_code_cell(code)])


def digest(source: Path, **cells: str) -> str:
    return notebook_digest(notebook(**cells), Package("tiny", source.parent))


def test_the_same_notebook_gives_the_same_digest(source: Path):
    assert digest(source) == digest(source)
    assert len(digest(source)) == 64


def test_prose_does_not_count(source: Path):
    assert digest(source, prose="One thing.") == digest(source, prose="Another.")


def test_code_in_a_cell_counts(source: Path):
    assert digest(source) != digest(source, code="from tiny import score\nscore(1)")


def test_outputs_and_counts_do_not_count(source: Path):
    plain, run = notebook(), notebook()
    run.cells[1].execution_count = 7
    run.cells[1].outputs = [nbformat.v4.new_output("stream", text="3")]
    package = Package("tiny", source.parent)
    assert notebook_digest(plain, package) == notebook_digest(run, package)


def test_a_change_of_a_used_function_counts(source: Path):
    before = digest(source)
    (source / "additive.py").write_text(ADDITIVE.replace("x + 2", "x + 3"), encoding="utf-8")
    assert digest(source) != before


@pytest.mark.parametrize(
    "edited",
    [
        ADDITIVE.replace("Add two.", "Add the number two."),
        ADDITIVE.replace("    return", "    # a reason\n    return"),
        ADDITIVE.replace("x + 2", "(x  +  2)"),
        ADDITIVE.replace('"""Scores."""\n', ""),
        ADDITIVE.replace("expected a number", "a number is needed"),
    ],
    ids=["docstring", "comment", "layout", "module docstring", "what an error says"],
)
def test_what_is_written_for_people_does_not_count(source: Path, edited: str):
    before = digest(source)
    assert edited != ADDITIVE
    (source / "additive.py").write_text(edited, encoding="utf-8")
    assert digest(source) == before


def test_a_module_that_is_not_used_does_not_count(source: Path):
    before = digest(source)
    (source / "other.py").write_text("x = 2\n", encoding="utf-8")
    assert digest(source) == before


SUBPACKAGE = "from tiny import scores\nscores.score(1)"


@pytest.fixture
def scores(source: Path) -> Path:
    """A subpackage that offers the names of two modules."""
    folder = source / "scores"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from tiny.scores.additive import score\n", encoding="utf-8"
    )
    (folder / "additive.py").write_text(ADDITIVE, encoding="utf-8")
    return folder


def add_a_neighbour(scores: Path) -> None:
    (scores / "__init__.py").write_text(
        "from tiny.scores.additive import score\nfrom tiny.scores.dot import dot\n",
        encoding="utf-8",
    )
    (scores / "dot.py").write_text("def dot(): ...\n", encoding="utf-8")


def test_a_new_neighbour_in_a_used_subpackage_does_not_count(source: Path, scores: Path):
    before = digest(source, code=SUBPACKAGE)
    add_a_neighbour(scores)
    assert digest(source, code=SUBPACKAGE) == before


def test_a_change_behind_the_name_of_a_subpackage_counts(source: Path, scores: Path):
    before = digest(source, code=SUBPACKAGE)
    (scores / "additive.py").write_text(ADDITIVE.replace("x + 2", "x + 3"), encoding="utf-8")
    assert digest(source, code=SUBPACKAGE) != before


def test_a_new_neighbour_counts_where_the_subpackage_is_used_as_one(source: Path, scores: Path):
    code = f"{SUBPACKAGE}\nvars(scores)"
    before = digest(source, code=code)
    add_a_neighbour(scores)
    assert digest(source, code=code) != before


@pytest.mark.parametrize("between", ["", "cell\n", "cell \n"])
def test_two_cells_are_not_one_cell_with_the_same_text(source: Path, between: str):
    package = Package("tiny", source.parent)
    two = new_notebook(cells=[new_code_cell("x = 1\n"), new_code_cell("cell")])
    one = new_notebook(cells=[new_code_cell(f"x = 1\n{between}cell")])
    assert notebook_digest(two, package) != notebook_digest(one, package)


def test_a_data_file_counts_where_code_names_it(source: Path):
    plain = digest(source)
    naming = digest(source, code="from tiny import score\nopen('data/lexicon.json')")
    (source / "data" / "lexicon.json").write_text('["cat"]', encoding="utf-8")
    assert digest(source) == plain
    assert digest(source, code="from tiny import score\nopen('data/lexicon.json')") != naming


@pytest.mark.parametrize("suffix", ["js", "css", "po"])
def test_scripts_styles_and_translations_do_not_count(source: Path, suffix: str):
    path = source / "data" / f"figure.{suffix}"
    path.write_text("one", encoding="utf-8")
    before = digest(source, code=f"open('figure.{suffix}')")
    path.write_text("two", encoding="utf-8")
    assert digest(source, code=f"open('figure.{suffix}')") == before


@pytest.fixture
def exercise(source: Path) -> Path:
    """The cases of an exercise; its text is beside them."""
    path = source / "exercises" / "attention" / "masked_softmax" / "cases.py"
    path.parent.mkdir(parents=True)
    path.write_text("from tiny.other import x\nCASES = 1\n", encoding="utf-8")
    path.with_name("text.md").write_text("# Masked softmax\n", encoding="utf-8")
    return path


NAMING = 'check("masked-softmax", f)'


def test_an_exercise_counts_where_a_cell_names_its_slug(source: Path, exercise: Path):
    plain, naming = digest(source), digest(source, code=NAMING)
    exercise.write_text("from tiny.other import x\nCASES = 2\n", encoding="utf-8")
    assert digest(source) == plain
    assert digest(source, code=NAMING) != naming
    naming = digest(source, code=NAMING)
    (source / "other.py").write_text("x = 2\n", encoding="utf-8")
    assert digest(source, code=NAMING) != naming


def test_the_text_of_an_exercise_does_not_count(source: Path, exercise: Path):
    naming = digest(source, code=NAMING)
    exercise.with_name("text.md").write_text("# Softmax with a mask\n", encoding="utf-8")
    assert digest(source, code=NAMING) == naming


def test_the_kind_of_an_error_counts(source: Path):
    before = digest(source)
    (source / "additive.py").write_text(
        ADDITIVE.replace("ValueError", "TypeError"), encoding="utf-8"
    )
    assert digest(source) != before


def test_the_claims_of_a_record_count_where_a_cell_names_it(source: Path):
    room = source / "experiments" / "decoding" / "search"
    room.mkdir(parents=True)
    (room / "claims.yaml").write_text("claims: []\n", encoding="utf-8")
    (room.parent / "claims.yaml").write_text("claims: []\n", encoding="utf-8")
    (room / "quantities.py").write_text("from tiny.other import x\n", encoding="utf-8")
    (room / "experiment.py").write_text("steps = 1\n", encoding="utf-8")
    (source / "results").mkdir()
    (source / "results" / "decoding_search_full.json").write_text(
        '{"experiment": "decoding_search"}', encoding="utf-8"
    )
    code = 'load("decoding_search_full.json")'
    plain, naming = digest(source), digest(source, code=code)
    (room / "experiment.py").write_text("steps = 2\n", encoding="utf-8")
    (room.parent / "claims.yaml").write_text("claims: [1]\n", encoding="utf-8")
    assert digest(source, code=code) == naming
    (source / "other.py").write_text("x = 2\n", encoding="utf-8")
    computed = digest(source, code=code)
    (room / "claims.yaml").write_text("claims: [2]\n", encoding="utf-8")
    assert digest(source) == plain
    assert len({naming, computed, digest(source, code=code)}) == 3


def test_a_digest_lies_beside_the_notebooks_by_name(tmp_path: Path):
    one, two = tmp_path / "01_one.ipynb", tmp_path / "02_two.ipynb"
    assert stored_digest(one) is None
    store_digest(two, notebook(code="2"))
    store_digest(one, notebook(code="1"))
    assert stored_digest(one) == notebook_digest(notebook(code="1"))
    assert list(json.loads((tmp_path / FILE).read_text(encoding="utf-8"))) == ["01_one", "02_two"]


def test_a_cell_with_a_magic_line_is_read(source: Path):
    code = "try:\n    import tiny.other\nexcept ImportError:\n    %pip install -q tiny"
    before = digest(source, code=code)
    (source / "other.py").write_text("x = 2\n", encoding="utf-8")
    assert digest(source, code=code) != before


def test_the_canonical_form_leaves_out_what_is_empty():
    assert canonical(ast.parse("f()")) == (
        "Module(body=[Expr(value=Call(func=Name(id='f', ctx=Load())))])"
    )


@pytest.mark.parametrize("pair", [("x = 0", "x = None"), ("x = ''", "x = None"), ("f(0)", "f()")])
def test_the_canonical_form_keeps_values_apart(pair: tuple[str, str]):
    first, second = (canonical(ast.parse(code)) for code in pair)
    assert first != second


def test_an_f_string_is_the_same_however_its_text_is_cut():
    def tree(*texts: str) -> ast.Module:
        values = [ast.Constant(text) for text in texts]
        return ast.Module([ast.Expr(ast.JoinedStr(values))], [])

    cut, whole, other = tree("", "a", "{b"), tree("a{b"), tree("a{c")
    assert canonical(without_texts(cut)) == canonical(without_texts(whole))
    assert canonical(without_texts(cut)) != canonical(without_texts(other))


def test_removing_docstrings_leaves_the_given_tree_alone():
    tree = parse_cell('def f():\n    "doc"\n    return 1')
    before = ast.dump(tree)
    assert "doc" not in ast.dump(without_texts(tree))
    assert ast.dump(tree) == before
