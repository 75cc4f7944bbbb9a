import re

import numpy as np
import pytest

from bottomup.drawings import Box, Canvas, Drawing
from bottomup.drawings.engine.drawing import style
from bottomup.drawings.engine.numbers import dot, shades, signed
from bottomup.drawings.engine.words import middles, numbered, spans, width


def attributes(marks: list[str], name: str) -> list[str]:
    return [found[1] for mark in marks if (found := re.search(rf' {name}="([^"]*)"', mark))]


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


@pytest.mark.parametrize(
    "other, ends",
    [
        (Box(60, 10, 20, 20), "M30 20 L52 20"),  # right of it
        (Box(10, 60, 20, 20), "M20 30 L20 52"),  # below it
    ],
)
def test_a_chain_joins_the_sides_that_face_each_other(other: Box, ends: str):
    there, back = Canvas(100, 100), Canvas(100, 100)
    there.chain(Box(10, 10, 20, 20), other)
    back.chain(other, Box(10, 10, 20, 20))
    assert attributes(there.marks, "d") == [ends]
    moved = {"M30 20 L52 20": "M60 20 L38 20", "M20 30 L20 52": "M20 60 L20 38"}
    assert attributes(back.marks, "d") == [moved[ends]]


def test_rows_stand_around_their_places_each_mark_with_its_look():
    canvas = Canvas(200, 100)
    made = canvas.boxes([20, 60], 10, 30, 20, ["a", "b"], look=("lit", ""))
    canvas.arrows([20, 60], 60, 30, look="quiet")
    canvas.row([20, 60], 80, "ab", look="second")
    assert [box.center for box in made] == [(20, 20), (60, 20)]
    assert attributes(canvas.marks, "class") == [
        "box lit", "lit", "box", "line quiet", "head quiet", "line quiet", "head quiet", "second",
        "second",
    ]  # fmt: skip
    assert attributes(canvas.marks, "d") == ["M20 60 L20 38", "M60 60 L60 38"]
    with pytest.raises(ValueError, match="zip"):
        canvas.row([20, 60], 80, ["a"])


def test_a_bar_of_no_length_is_its_value_alone():
    canvas = Canvas(100, 100)
    canvas.bar(10, 20, 0, 8, "0")
    canvas.column(10, 90, 8, 0, "0")
    assert attributes(canvas.marks, "width") == []
    canvas.bar(10, 20, 30, 8, "0.3")
    canvas.column(10, 90, 8, 30, "0.3")
    assert attributes(canvas.marks, "height") == ["8", "30"]
    assert attributes(canvas.marks, "x") == ["16", "14", "10", "46", "10", "14"]


def test_a_layer_beside_the_stream_is_read_and_added():
    canvas = Canvas(100, 100)
    plus = canvas.beside(20, (90, 80, 30), Box(50, 40, 40, 20), Box(60, 55, 20, 8))
    assert plus.center == (20, 30)
    assert attributes(canvas.marks, "d") == [
        "M20 80 L70 80 L70 71", "M70 40 L70 30 L36 30", "M20 90 L20 38",
    ]  # fmt: skip


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


def test_words_of_a_grid_are_written_in_masked_cells_too():
    canvas = Canvas(100, 100)
    canvas.grid(10, 20, [[0.25, None]], written=[["a", "−∞"]])
    assert canvas.words == ["a", "−∞"]


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


def test_words_in_a_line_follow_each_other():
    assert middles(["aa", "m"], 10, 5, 10) == pytest.approx([15.6, 30.45])
    assert numbered("x", 2) == ["$x_1$", "$x_2$"]


def test_numbers():
    assert dot([1, 2], [3, -1]) == 1
    assert (signed(-1.5), signed(0.5, "+.2f")) == ("\N{MINUS SIGN}1.5", "+0.50")
    assert shades(np.array([[-2.0, 1.0]])).tolist() == [[1, 0.5]]
    assert shades(np.array([[-2.0, 1.0]]), 4).tolist() == [[0.5, 0.25]]


def test_the_style_is_short_and_keeps_the_spaces_that_join_selectors():
    assert not re.search(r"\n|/\*|  |;}| \{", style())
    assert "}:is(.box,.line){fill:none;" in style()
    assert ".bottomup-drawing > div{" in style()
    assert len(style()) < 2300


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
    assert re.search(r'<foreignObject x="0" y="0" .*<a href="04.ipynb#mlp".*>MLP</a>', html)
    assert ">MLP</text>" not in html  # else it would be read twice
    with pytest.raises(ValueError, match="words: 'Self-attention' needs"):
        canvas.box(0, 0, 50, 20, "Self-attention", href="02.ipynb")


def test_many_dots_are_one_mark_with_round_ends():
    canvas = Canvas(40, 30)
    canvas.dots([(3, 5), (7.5, 11)], 2.5, look="lit")
    assert canvas.marks == ['<path class="dots lit" stroke-width="5" d="M3 5h0M7.5 11h0"/>']
