import re

import pytest

from bottomup.drawings import Box, Canvas, Drawing
from bottomup.drawings.engine.words import spans, width


def test_a_box_knows_the_middles_of_its_sides():
    box = Box(10, 20, 30, 40)
    assert box.center == (25, 40)
    assert (box.top, box.bottom) == ((25, 20), (25, 60))
    assert (box.left, box.right) == ((10, 40), (40, 40))


def test_marks_are_drawn_in_order_with_the_look_as_their_class():
    canvas = Canvas(100, 50)
    canvas.box(1, 2, 30, 20, "MLP", look="lit")
    canvas.line((0, 0), (5, 5), look="quiet")
    canvas.dot(7, 8)
    assert canvas.svg.startswith('<svg viewBox="0 0 100 50" width="100">')
    assert [re.search(r'class="([\w ]+)"', mark)[1] for mark in canvas.marks] == [
        "box lit",
        "lit",
        "line quiet",
        "dot",
    ]


@pytest.mark.parametrize(
    "points, tip, base",
    [
        (((0, 0), (20, 0)), (18, 0), (12, 0)),  # to the right
        (((0, 40), (0, 10)), (0, 12), (0, 18)),  # up
        (((9, 9), (0, 0), (0, 20)), (0, 18), (0, 12)),  # the last piece decides
    ],
)
def test_an_arrow_ends_just_before_the_point(points, tip, base):
    canvas = Canvas(100, 50)
    canvas.arrow(*points)
    line, head = canvas.marks
    assert line.endswith(f'L{base[0]:g} {base[1]:g}"/>')
    assert f'points="{tip[0]:.1f},{tip[1]:.1f} ' in head


def test_an_arrow_of_no_length_is_refused():
    with pytest.raises(ValueError, match=r"points: the last two are the same, \(3, 4\)"):
        Canvas(100, 50).arrow((3, 4), (3, 4))


def test_a_grid_shows_a_value_as_strength_and_none_as_masked():
    canvas = Canvas(100, 100)
    box = canvas.grid(10, 20, [[0.25, None], [1.0, 0.5], [0.0, 1.0]], cell=7, written=".1f")
    assert (box.width, box.height) == (14, 21)
    cells = [mark for mark in canvas.marks if "<rect" in mark]
    strengths = [re.search(r"--part:([\d.]+)", cell) for cell in cells]
    assert [found and found[1] for found in strengths] == ["0.25", None, "1", "0.5", "0", "1"]
    assert "masked" in cells[1] and 'x="17" y="20"' in cells[1]
    assert canvas.words == ["0.2", "1.0", "0.5", "0.0", "1.0"]


def test_cells_that_are_alike_are_one_path():
    canvas = Canvas(100, 100)
    canvas.cells(10, 20, [(0, 0), (2, 1)], cell=5, look="second", part=0.5)
    canvas.cells(0, 0, [(1, 0)], cell=5, part=None)
    assert canvas.marks == [
        '<path class="cell second" d="M10 20h5v5h-5zM15 30h5v5h-5z" style="--part:0.5"/>',
        '<path class="masked lit" d="M0 5h5v5h-5z"/>',
    ]


def test_names_stand_left_of_and_above_a_grid():
    canvas = Canvas(100, 100)
    canvas.grid(40, 30, [[1, 0]], cell=20, rows=["cat"], columns=["the", "dog"])
    texts = [mark for mark in canvas.marks if mark.startswith("<text")]
    assert ['text-anchor="end"' in text for text in texts] == [True, False, False]
    assert [re.search(r'x="([\d.]+)"', text)[1] for text in texts] == ["35", "50", "70"]


@pytest.mark.parametrize(
    "words, anchor, x",
    [("as wide as the canvas, and wider", "middle", 50), ("to the end", "start", 60),
     ("before it", "end", 20), ("in its middle", "middle", 90)],
)  # fmt: skip
def test_words_that_do_not_fit_are_refused(words, anchor, x):
    with pytest.raises(ValueError, match=f"words: '{words}' needs"):
        Canvas(100, 50).text(x, 10, words, anchor=anchor)


def test_words_that_do_not_fit_their_box_are_refused():
    with pytest.raises(ValueError, match="words: 'Self-attention' needs"):
        Canvas(300, 50).box(0, 0, 60, 20, "Self-attention")


@pytest.mark.parametrize("wide", [0, 361])
def test_a_canvas_fits_a_phone(wide):
    with pytest.raises(ValueError, match=f"width: expected at most 360, got {wide}"):
        Canvas(wide, 50)


def test_an_unknown_look_is_refused():
    with pytest.raises(ValueError, match="look: expected one of .* got 'loud'"):
        Canvas(100, 50).dot(1, 1, look="loud")


@pytest.mark.parametrize(
    "words, made",
    [
        ("a < b", "a &lt; b"),
        ("$x$", '<tspan class="symbol">x</tspan>'),
        ("$2$", "2"),
        ("$W_Q$ is", '<tspan class="symbol">W</tspan><tspan class="small" dy="2.8">Q</tspan>'
                     '<tspan dy="-2.8"> is</tspan>'),
        ("$x_{12}^2$", '<tspan class="symbol">x</tspan><tspan class="small" dy="2.8">12</tspan>'
                       '<tspan class="small" dy="-5.6">2</tspan>'),
        ("$K^T$", '<tspan class="symbol">K</tspan><tspan class="small" dy="-2.8">T</tspan>'),
    ],
)  # fmt: skip
def test_symbols_are_set_as_in_a_formula(words, made):
    assert spans(words, 10) == made


def test_width_grows_with_letters_and_leaves_out_marks():
    assert width("mm", 10) > width("aa", 10) > width("ii", 10)
    assert width("$W_{QK}$", 10) == width("WQK", 10)
    assert width("ab", 20) == 2 * width("ab", 10)


def test_a_drawing_says_what_it_shows_once_and_names_every_panel():
    panels = Canvas(100, 50), Canvas(90, 50)
    html = Drawing("Two hops", 'From "a" to b.', panels, caption="a & b")._repr_html_()
    assert 'role="img" aria-label="Two hops. From &quot;a&quot; to b."' in html
    assert 'role="img" aria-label="Two hops, 2"' in html
    assert "<figcaption>a &amp; b</figcaption>" in html


def test_a_drawing_with_links_is_a_group():
    canvas = Canvas(100, 50)
    canvas.box(0, 0, 50, 20, "MLP", href="04.ipynb#mlp")
    html = Drawing("Map", "One box.", (canvas,))._repr_html_()
    assert 'role="group"' in html
    assert re.search(r'<a href="04.ipynb#mlp">\n<rect.*\n<text.*\n</a>', html)
