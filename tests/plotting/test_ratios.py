import matplotlib.pyplot as plt
import numpy as np
import pytest

from bottomup.plotting import ratio_dots

ROWS = ["n = 5", "n = 7", "n = 11"]
TORCH = [[0.9, 0.95, 1.1], [0.8, 0.8, 0.8], [1.2, 1.3, 1.5]]
OTHER = [[0.4, 0.5, 0.7], [0.6, 0.7, 0.75], [1.0, 1.0, 1.0]]
PANELS = {
    "causal": {"torch": TORCH, "other": OTHER},
    "padded": {"torch": OTHER, "other": TORCH},
}


def dots(ax) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name of a series: where its dots are, across and down."""
    return {
        box.get_label(): (box.lines[0].get_xdata(), box.lines[0].get_ydata())
        for box in ax.containers
    }


def bars(container) -> list[list[float]]:
    """Left and right end of every bar."""
    return [segment[:, 0].tolist() for segment in container.lines[2][0].get_segments()]


def test_each_panel_shows_every_median_in_its_row():
    axes = ratio_dots(PANELS, ROWS)
    for ax, (title, series) in zip(axes, PANELS.items(), strict=True):
        assert ax.get_title(loc="left") + ax.get_title() == title
        assert list(dots(ax)) == list(series)
        for name, (across, down) in dots(ax).items():
            np.testing.assert_allclose(across, np.array(series[name])[:, 1])
            assert np.round(down).tolist() == [0, 1, 2]


def test_bars_reach_from_quartile_to_quartile():
    ax = ratio_dots(PANELS, ROWS)[0]
    for container, values in zip(ax.containers, (TORCH, OTHER), strict=True):
        np.testing.assert_allclose(bars(container), np.array(values)[:, [0, 2]])


def test_a_line_stands_at_1_in_every_panel():
    for ax in ratio_dots(PANELS, ROWS):
        upright = [line for line in ax.lines if set(line.get_xdata()) == {1}]
        assert [line.get_ydata() for line in upright] == [[0, 1]]  # from edge to edge


def test_panels_share_an_axis_on_which_half_and_double_are_equally_far_from_1():
    first, last = ratio_dots(PANELS, ROWS)
    assert first.get_xlim() == last.get_xlim()
    half, one, double = (last.transData.transform((x, 0))[0] for x in (0.5, 1, 2))
    assert one - half == pytest.approx(double - one)


@pytest.mark.parametrize(
    "lowest, wanted",
    [
        (0.4, ["0.4", "0.5", "0.6", "0.7", "0.8", "1", "1.2", "1.5"]),
        (0.01, ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]),
    ],
)
def test_ticks_are_plain_numbers_within_the_axis(lowest: float, wanted: list[str]):
    ax = ratio_dots({"causal": {"torch": [[lowest, 0.5, 1.5]]}}, ROWS[:1])[-1]
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == wanted
    assert ax.get_xticklabels(minor=True) == []


def test_the_legend_names_the_series_once_and_the_axis_what_the_ratio_is():
    axes = ratio_dots(PANELS, ROWS)
    (legend,) = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["torch", "other"]
    assert "left of 1: we are faster" in axes[-1].get_xlabel()
    assert axes[0].get_xlabel() == ""
    assert ratio_dots(PANELS, ROWS, xlabel="loss / loss")[-1].get_xlabel() == "loss / loss"


@pytest.mark.parametrize(
    "panels, rows, error, message",
    [
        ({}, ROWS, ValueError, "panels: expected at least one panel"),
        (
            {"a": {"torch": TORCH}, "b": {"other": TORCH}},
            ROWS,
            ValueError,
            r"panels\['b'\]: expected the series \['torch'\], got \['other'\]",
        ),
        (PANELS, ROWS[:2], ValueError, r"\['torch'\]: expected axes \[row=2, 3\], got"),
        (PANELS, "abc", TypeError, "row_labels: expected a list of strings"),
        ({"a": {"t": [[0.0, 1.0, 2.0]]}}, ["n"], ValueError, "expected positive numbers, got 0"),
        ({"a": {"t": [[1.0, 0.9, 2.0]]}}, ["n"], ValueError, "in this order"),
    ],
)
def test_bad_input_is_refused_and_leaves_no_figure_behind(panels, rows, error, message):
    with pytest.raises(error, match=message):
        ratio_dots(panels, rows)
    assert plt.get_fignums() == []
