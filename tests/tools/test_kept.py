"""Which stored pictures a run leaves as they are."""

import base64
import io

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from tools.notebooks import kept


def png(*shades: int, level: int = 6) -> str:
    """Return a picture of one row of grey pixels."""
    picture, file = Image.new("RGB", (len(shades), 1)), io.BytesIO()
    picture.putdata([(shade,) * 3 for shade in shades])
    picture.save(file, "PNG", compress_level=level)
    return base64.b64encode(file.getvalue()).decode()


def shown(picture: str, source: str = "draw()") -> NotebookNode:
    output = new_output("display_data", {"image/png": picture, "text/plain": "<Figure>"})
    return new_notebook(cells=[new_code_cell(source, outputs=[output])])


@pytest.mark.parametrize(
    "one, other, alike",
    [
        (png(1, 2, 3), png(1, 2, 3, level=0), True),  # the same pixels, packed otherwise
        (png(10, 20, 30), png(14, 16, 30), True),
        (png(10, 20, 30), png(10, 20, 35), False),
        (png(10, 20, 30), png(10, 20), False),
    ],
)
def test_a_picture_is_kept_where_the_new_one_looks_the_same(one: str, other: str, alike: bool):
    new = shown(other)
    kept.keep_pictures(new, shown(one))
    assert new.cells[0].outputs[0].data["image/png"] == (one if alike else other)
