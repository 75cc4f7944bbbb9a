"""Curves of chapter 08: what they take from the records."""

import re

import pytest

from bottomup import results
from bottomup.drawings import representation_analysis
from bottomup.drawings import representation_curves as drawings
from bottomup.drawings.representation_curves import Axes, Curve, Wide
from tests.drawings.words import written


def claim(name: str) -> str:
    return next(each.verdict for each in results.ledger() if each.id == name)


def test_a_wide_canvas_is_shown_larger_and_drawn_in_the_same_units():
    svg = Wide(100, 50, scale=1.5).svg
    assert 'viewBox="0 0 100 50" width="150"' in svg


def test_a_value_lies_between_floor_and_top():
    axes = Axes(Wide(200, 100), left=20, right=140, low=1, high=3, top=10, floor=90)
    assert axes.at(0, 1) == (20, 90)
    assert axes.at(6, 3) == (140, 10)
    assert axes.at(3, 2) == (80, 50)


def test_names_that_would_meet_move_apart():
    canvas = Wide(200, 100)
    axes = Axes(canvas, left=20, right=140, low=0, high=1, top=10, floor=90)
    axes.draw([Curve("one", [[0.5] * 7]), Curve("two", [[0.5] * 7, [0.5] * 7])])
    ys = [float(y) for y in re.findall(r'<text x="152" y="([\d.]+)"', canvas.svg)]
    assert ys[1] - ys[0] == pytest.approx(drawings.APART)
    assert canvas.svg.count('class="dots"') == 1  # of two runs; one run has none


def test_a_dashed_curve_keeps_its_colour():
    canvas = Wide(200, 100)
    axes = Axes(canvas, left=20, right=140, low=0, high=1, top=10, floor=90)
    axes.draw([Curve("", [[0.5] * 7], "lit", dashed=True)])
    assert 'class="line lit quiet"' in canvas.svg


def test_the_order_that_a_picture_shows_is_that_of_the_ledger():
    lm, mlm, mt = (c.means for c in drawings.informations(drawings.CAPTIONS, list(drawings.TASKS)))
    assert claim("08.10c") == "holds" and mt[6] > lm[6]
    assert claim("08.10d") == "holds" and mlm[6] > mlm[3] + 0.05
    tops = {pair: Curve("", drawings.distances(pair)).means[6] for pair in (
        *drawings.SAME.values(), *drawings.PAIRS.values())}  # fmt: skip
    assert claim("08.3e") == "holds" and claim("08.3g") == "holds"
    pairs = sorted(drawings.PAIRS.values(), key=tops.__getitem__)
    assert (pairs[0], pairs[-1]) == ("mlm_mt", "lm_mt")
    assert max(tops[pair] for pair in drawings.SAME.values()) < tops["mlm_mt"]


def test_a_cluster_for_each_word_says_as_much_of_shuffled_words():
    drawn = representation_analysis.each_its_own()
    assert " ".join([drawn.says, *written(drawn)]).count("1.75 nats") == 3


def test_the_curves_of_other_texts_are_those_of_their_records():
    shown, other = drawings.documentation(), drawings.captions()
    assert claim("08.6b") == "holds" and "LM 4.4, 3.3" in shown.says
    assert claim("08.6c") == "undecided" and "MLM 2 4.46, 3.89, 4.19" in shown.says
    assert claim("08.10d") == "holds" and "MLM 4.1, 3.6, 3.9" in other.says
    assert claim("08.10h") == "fails" and "right 0.5, 0.8" in other.says


def test_a_claim_has_a_column_as_high_as_its_share():
    shares = {"08.1a": 1.0, "08.1b": 0.0, "08.2a": 0.5}
    verdicts = {"08.1a": "holds", "08.1b": "fails", "08.2a": "undecided"}
    canvas = drawings.columns(shares, verdicts)
    assert [word for word in canvas.words if word.isdigit()] == ["100", "0", "50"]
    assert {"08.1", "08.2", "a", "b"} <= set(canvas.words)
    assert 'height="36"' in canvas.svg and 'height="18"' in canvas.svg
    assert "In none: 08.2c, 08.2e, 08.3j, 08.4g." in drawings.held_in_settings().says
