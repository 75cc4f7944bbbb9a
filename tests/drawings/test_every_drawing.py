"""What holds for each drawing of the book: it can be drawn, read on a phone, and heard."""

import re

import pytest

from bottomup.drawings.machine import machine
from tools.notebooks.drawings import every

SMALLEST = 11  # of words, in units: CSS pixels where a drawing has its own size
EVERY = dict(every())


@pytest.fixture(params=EVERY)
def html(request: pytest.FixtureRequest) -> str:
    return EVERY[request.param]()._repr_html_()


def test_it_is_a_drawing_that_says_what_it_shows(html):
    labels = re.findall(r'role=\\?"(?:img|group)\\?" aria-label=\\?"(.+?)\\?"', html)
    assert len(max(labels, key=len).split()) > 8  # a name, and a sentence at least


def test_no_word_is_smaller_than_can_be_read(html):
    sizes = [float(size) for size in re.findall(r'font-size=\\?"([\d.]+)', html)]
    assert sizes and min(sizes) >= SMALLEST


def test_its_pictures_are_hidden_where_a_viewer_takes_styles_and_svg_away(html):
    left = re.sub(r"<(style|script|div hidden).*?</(style|script|div)>", "", html, flags=re.DOTALL)
    assert "<svg" in html and "<svg" not in left


def test_it_is_the_same_each_time(request, html):
    assert EVERY[request.node.callspec.params["html"]]()._repr_html_() == html


def test_an_unknown_chapter_is_refused():
    with pytest.raises(KeyError):
        machine("99")
