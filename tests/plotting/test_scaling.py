import matplotlib.pyplot as plt
import numpy as np
import pytest

from bottomup.plotting import scaling_curves

DENSE = [[5, 40, 50, 70], [10, 190, 200, 230], [20, 790, 800, 810]]  # 2 n^2
SPARSE = [[10, 90, 100, 110], [20, 180, 200, 200]]
SERIES = {"dense": DENSE, "sparse": SPARSE}
LABELS = {"xlabel": "positions n", "ylabel": "milliseconds"}


def lines(ax) -> dict[str, plt.Line2D]:
    """The line of every series by its label."""
    return {box.get_label(): box.lines[0] for box in ax.containers}


def pixels(ax, x: float, y: float) -> np.ndarray:
    return ax.transData.transform((x, y))


def test_every_series_shows_its_medians_at_its_own_sizes():
    found = lines(scaling_curves(SERIES, **LABELS))
    assert list(found) == ["dense", "sparse"]
    for name, points in SERIES.items():
        np.testing.assert_allclose(found[name].get_xydata(), np.array(points)[:, [0, 2]])


def test_bars_reach_from_quartile_to_quartile():
    ax = scaling_curves(SERIES, **LABELS)
    for box, points in zip(ax.containers, SERIES.values(), strict=True):
        bars = [segment[:, 1].tolist() for segment in box.lines[2][0].get_segments()]
        np.testing.assert_allclose(bars, np.array(points)[:, [1, 3]])


def test_a_power_is_a_straight_line_on_the_page():
    ax = scaling_curves(SERIES, **LABELS)
    first, middle, last = (pixels(ax, n, 2 * n**2) for n in (5, 10, 20))
    np.testing.assert_allclose(middle - first, last - middle)


def test_a_guide_passes_through_the_last_point_with_its_slope_and_is_named():
    ax = scaling_curves(SERIES, **LABELS, guides={"dense": 2, "sparse": 1.5})
    guides = [line for line in ax.lines if str(line.get_label()).startswith("slope")]
    square, root = guides
    assert [line.get_label() for line in guides] == ["slope 2", "slope 1.5"]
    np.testing.assert_allclose(square.get_xydata(), [[5, 50], [20, 800]])
    np.testing.assert_allclose(root.get_xydata(), [[10, 200 / 2**1.5], [20, 200]])
    assert square.get_linestyle() != root.get_linestyle()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["dense", "sparse", "slope 2", "slope 1.5"]
    series = lines(ax)["dense"]
    assert square.get_zorder() < series.get_zorder()


def test_ticks_are_the_sizes_and_plain_numbers():
    ax = scaling_curves({"a": [[64, 1, 1, 1], [16384, 2000, 2000, 2000]]}, **LABELS)
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["64", "16,384"]
    assert "1,000" in [label.get_text() for label in ax.get_yticklabels()]
    assert list(ax.get_xticks(minor=True)) == []


def test_the_axes_are_named_and_given_ones_are_drawn_on():
    _, mine = plt.subplots()
    assert scaling_curves(SERIES, **LABELS, ax=mine) is mine
    assert (mine.get_xlabel(), mine.get_ylabel()) == ("positions n", "milliseconds")
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize(
    "series, guides, error, message",
    [
        ({}, None, ValueError, "series: expected at least one series"),
        ({"a": [[1, 2, 3]]}, None, ValueError, r"expected axes \[size, 4\], got shape \(1, 3\)"),
        ({"a": [[2, 1, 1, 1], [2, 1, 1, 1]]}, None, ValueError, "expected rising sizes"),
        ({"a": [[2, 3, 1, 4]]}, None, ValueError, "in this order"),
        ({"a": [[2, 1, 1, 1]]}, {"b": 2}, ValueError, r"guides: .*\['a'\], got \['b'\]"),
    ],
)
def test_bad_input_is_refused_and_leaves_no_figure_behind(series, guides, error, message):
    with pytest.raises(error, match=message):
        scaling_curves(series, **LABELS, guides=guides)
    assert plt.get_fignums() == []
