"""Stored figures with a palette: the same picture at a third of the size."""

import base64
import io

from nbformat import NotebookNode
from PIL import Image

PNG = "image/png"
COLOURS = 80  # of one figure; a pass of k-means brings them nearer to the drawn ones than 128 are
OPAQUE = (255, 255)


def lighten(notebook: NotebookNode) -> None:
    """Store every picture of a notebook with a palette, in place, where that makes it smaller."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if PNG in output.get("data", {}):
                output.data[PNG] = with_palette(output.data[PNG])


def with_palette(png: str) -> str:
    """Return a picture in base64 with at most `COLOURS` colours.

    One that has such a palette, or is transparent somewhere, stays as it is.
    """
    picture = Image.open(io.BytesIO(base64.b64decode(png)))
    if picture.mode == "P" and picture.getcolors(COLOURS):
        return png
    if picture.mode == "RGBA" and picture.getchannel("A").getextrema() != OPAQUE:
        return png
    reduced = picture.convert("RGB").quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE)
    file = io.BytesIO()
    reduced.save(file, "PNG", optimize=True, dpi=picture.info.get("dpi"))
    small = base64.b64encode(file.getvalue()).decode()
    return small if len(small) < len(png) else png
