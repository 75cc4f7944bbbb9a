"""Values of several runs as dots, with their mean and spread in figures."""

import pytest

from bottomup.drawings.engine.spreads import figures, spreads


def test_mean_and_standard_deviation_are_written_by_hand():
    assert figures([1.0, 2.0, 3.0], 1) == "2.0 ± 1.0"
    assert figures([0.5], 2) == "0.50"
    assert figures([-0.001, 0.001, -0.0003], 2).startswith("0.00")  # no minus before zero
    assert figures([-3.0, -5.0], 1) == "\N{MINUS SIGN}4.0 ± 1.4"


def test_each_measure_has_a_panel_with_a_row_for_each_variant():
    rows = {"loss": {"a": [1.0, 3.0], "b": [0.0, 0.0]}, "bleu": {"a": [7.0]}}
    drawing = spreads(rows, digits=[2, 0])
    loss, bleu = drawing.panels
    assert {"loss", "a", "b", "2.00 ± 1.41", "0.00 ± 0.00"} <= set(loss.words)
    assert {"bleu", "a", "7"} <= set(bleu.words)
    assert "a 2.00 ± 1.41, b 0.00 ± 0.00; bleu: a 7." in drawing.says


def test_dots_lie_on_one_scale_that_holds_zero():
    (panel,) = spreads({"x": {"one": [10.0, 20.0], "two": [15.0, 15.0]}}).panels
    assert {"0.00", "20.00"} <= set(panel.words)
    marks = [mark for mark in panel.marks if 'class="dots' in mark]
    first, second = (
        [float(part.split()[0]) for part in mark.split('d="M')[1].split("M")] for mark in marks
    )
    assert second[0] == second[1] == pytest.approx(sum(first) / 2, abs=0.5)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="digits: expected 1, one for each measure, got 2"):
        spreads({"x": {"one": [1.0]}}, digits=[1, 2])
    with pytest.raises(ValueError, match="a value at least in each row"):
        spreads({"x": {"one": []}})
