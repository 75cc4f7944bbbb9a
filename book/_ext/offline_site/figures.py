"""Show each figure at the size it was drawn for: it has two pixels for each pixel of the page."""

from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

PER_INCH = 110  # pixels of the page for an inch of a figure, as in `bottomup.plotting.use_style`


def width(path: Path) -> int | None:
    """Return a PNG's width in pixels of the page; None where it does not say its resolution."""
    with Image.open(path) as picture:
        resolution = picture.info.get("dpi")
        return round(picture.width * PER_INCH / resolution[0]) if resolution else None


def size_figures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Set the widths of the pictures that cells made (handler of ``doctree-resolved``)."""
    for image in doctree.findall(nodes.image):
        path = Path(app.srcdir, image["uri"])
        if path.suffix != ".png" or "width" in image or "jupyter_execute" not in path.parts:
            continue
        pixels = width(path)
        if pixels is not None:
            image["width"] = f"{pixels}px"
            image["classes"].append("no-scaled-link")  # Sphinx links what has a width to its file
