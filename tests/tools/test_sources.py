import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bottomup import attention
from bottomup.source import show_source
from tools.notebooks.sources import TAG, outdated, renew

CALL = "show_source(attention.MultiHeadAttention.forward)"


def notebook(source: str = CALL, *tags: str) -> NotebookNode:
    cell = new_code_cell(
        source,
        execution_count=7,
        metadata={"tags": [*tags]},
        outputs=[new_output("execute_result", {"text/plain": "as it was"}, execution_count=7)],
    )
    return new_notebook(cells=[cell])


def test_a_tagged_cell_shows_the_function_as_it_is_now():
    book = notebook(f"from bottomup.source import show_source\n\n{CALL}", TAG)
    assert outdated(book) == [CALL]
    renew(book)
    (output,) = book.cells[0].outputs
    code = show_source(attention.MultiHeadAttention.forward)
    assert output.data["text/plain"] == code.code
    assert output.data["text/markdown"] == code._repr_markdown_()
    assert (output.output_type, output.execution_count) == ("execute_result", 7)
    assert outdated(book) == []


@pytest.mark.parametrize(
    "source, error",
    [
        ("show_source(by_hand)", ValueError),
        (f"{CALL}\n1 + 1", ValueError),
        ("show_source(attention.no_such_thing)", AttributeError),
        ("show_source(no_such_part.thing)", ModuleNotFoundError),
    ],
)
def test_a_tagged_cell_that_shows_nothing_of_the_package_is_refused(source, error):
    with pytest.raises(error):
        outdated(notebook(source, TAG))
