import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bottomup.drawings import multi_head_attention
from tools.notebooks.drawings import TAGS, outdated, renew

CALL = "multi_head_attention.split_and_merge()"
SOURCE = f"from bottomup.drawings import multi_head_attention\n\n{CALL}"


def notebook(source: str = SOURCE) -> NotebookNode:
    before = new_code_cell(
        "1", execution_count=1, outputs=[new_output("execute_result", {}, execution_count=1)]
    )
    after = new_code_cell("2", execution_count=2, outputs=[new_output("stream", text="2")])
    drawn = new_code_cell(source, metadata={"tags": TAGS})
    return new_notebook(cells=[before, drawn, after])


def test_a_tagged_cell_shows_the_drawing_and_all_cells_are_counted():
    book = notebook()
    assert outdated(book) == [CALL]
    renew(book)
    assert outdated(book) == []
    (output,) = book.cells[1].outputs
    drawing = multi_head_attention.split_and_merge()
    assert output.data == {"text/html": drawing._repr_html_(), "text/plain": repr(drawing)}
    assert [cell.execution_count for cell in book.cells] == [1, 2, 3]
    assert (book.cells[0].outputs[0].execution_count, output.execution_count) == (1, 2)


@pytest.mark.parametrize(
    "source, error",
    [("1 + 1", ValueError), (CALL, NameError), (f"{SOURCE}.title", ValueError)],
)
def test_a_tagged_cell_without_a_drawing_is_refused(source, error):
    with pytest.raises(error):
        outdated(notebook(source))
