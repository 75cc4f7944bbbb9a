"""Drawings on pages of the book: what they link to, and their style, which a page needs once."""

import re
from types import SimpleNamespace

import drawings
import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from bottomup.drawings import intra_attention
from bottomup.drawings.machine import machine


@pytest.fixture
def page() -> nodes.document:
    """A page with two drawings, and with HTML that is none."""
    document = new_document("page", get_default_settings())
    for shown in (machine("03"), intra_attention.hops()):
        document += nodes.raw("", shown._repr_html_(), format="html")
    document += nodes.raw("", '<a href="notebook.ipynb">a file</a>', format="html")
    return document


def html(page: nodes.document) -> list[str]:
    drawings.adjust(SimpleNamespace(), page, "chapters/03_multi_head_attention")
    return [node.astext() for node in page.findall(nodes.raw)]


def test_links_of_a_drawing_lead_to_pages_and_those_of_other_html_stay(page: nodes.document):
    first, _, other = html(page)
    links = re.findall(r'<a href="([^"]+)"', first)
    assert "04_mlp_and_superposition.html" in links
    assert all(link.endswith(".html") for link in links)
    assert other == '<a href="notebook.ipynb">a file</a>'


def test_the_style_of_all_drawings_stands_once(page: nodes.document):
    assert [text.count("<style>") for text in html(page)] == [1, 0, 0]


def test_a_page_shows_a_drawing_by_its_name():
    directive = object.__new__(drawings.Draw)
    directive.arguments = ["machine.machine"]
    directive.options = {"folder": "../chapters/"}
    (shown,) = directive.run()
    assert shown.astext() == machine(folder="../chapters/")._repr_html_()
