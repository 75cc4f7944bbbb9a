"""Pictures that a run leaves as they were stored, since the new ones look the same.

The bytes of a picture differ between versions of its library, and a change that nobody sees is
nothing to review.
"""

import base64
import io

from nbformat import NotebookNode
from PIL import Image, ImageChops

from tools.notebooks.pictures import PNG

SEEN = 4  # of 255 steps of a colour: less is the palette of a run


def keep_pictures(notebook: NotebookNode, stored: NotebookNode) -> None:
    """Put back each picture of a cell, known by its source, that looks as the new one does."""
    before = {cell.source: pictures(cell) for cell in stored.cells}
    for cell in notebook.cells:
        old, new = before.get(cell.source, []), pictures(cell)
        if len(old) == len(new):
            for kept, data in zip(old, new, strict=True):
                if look_alike(kept[PNG], data[PNG]):
                    data[PNG] = kept[PNG]


def pictures(cell: NotebookNode) -> list[NotebookNode]:
    """Return the data of the outputs of a cell that hold a picture."""
    return [output.data for output in cell.get("outputs", []) if PNG in output.get("data", {})]


def look_alike(one: str, other: str) -> bool:
    """Say whether two pictures in base64 differ by nothing that is seen."""
    first, second = (
        Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA") for png in (one, other)
    )
    if first.size != second.size:
        return False
    return max(ImageChops.difference(first, second).tobytes()) <= SEEN
