"""Load each figure when a reader comes near, and let it be a picture and no link.

A figure is stored with two pixels for each pixel of the page, and with its size on the page. On a
phone a small one shrinks to the column, and a wider one scrolls (`book.css`).
"""

from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx

MADE_BY_CELLS = "jupyter_execute"  # the folder to which pictures of outputs are written
SMALL = 500  # pixels: in the 358 of a phone's column its letters are still nine to ten high


def adjust_figures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Adjust the pictures that cells made (handler of ``doctree-resolved``)."""
    for image in doctree.findall(nodes.image):
        if MADE_BY_CELLS in PurePosixPath(image["uri"]).parts:
            image["loading"] = "lazy"
            image["classes"].append("no-scaled-link")  # else Sphinx links it to its file
            if float(image.get("width", "inf").removesuffix("px")) <= SMALL:
                image["classes"].append("small-figure")
