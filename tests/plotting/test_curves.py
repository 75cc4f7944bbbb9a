import matplotlib.pyplot as plt
import numpy as np
import pytest

from bottomup.plotting import curves

X = [6, 9, 12]
RUNS = {"dot": [[1.0, 0.9, 0.5], [0.8, 0.9, 0.1]], "none": [[0.5, 0.4, 0.3], [0.5, 0.2, 0.1]]}


def draw(runs=RUNS, x=X, **options):
    return curves(x, runs, xlabel="length (words)", ylabel="accuracy", **options)


def band(collection) -> dict[float, tuple[float, float]]:
    """Lowest and highest point of a band at each x."""
    points = collection.get_paths()[0].vertices
    return {
        float(x): (points[points[:, 0] == x, 1].min(), points[points[:, 0] == x, 1].max())
        for x in np.unique(points[:, 0])
    }


def test_lines_are_means_over_seeds():
    ax = draw()
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["dot"].get_ydata(), [0.9, 0.9, 0.3])
    np.testing.assert_allclose(lines["none"].get_ydata(), [0.5, 0.3, 0.2])
    np.testing.assert_array_equal(lines["dot"].get_xdata(), X)


def test_bands_reach_from_min_to_max():
    dot, none = draw().collections
    assert band(dot) == {6.0: (0.8, 1.0), 9.0: (0.9, 0.9), 12.0: (0.1, 0.5)}
    assert band(none) == {6.0: (0.5, 0.5), 9.0: (0.2, 0.4), 12.0: (0.1, 0.3)}


def test_axes_and_legend_say_what_is_drawn():
    ax = draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length (words)", "accuracy")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["dot", "none"]
    assert ax.get_legend().get_title().get_text() == "mean, min to max of 2 seeds"


def test_one_seed_has_no_band_and_no_word_about_one():
    ax = draw({"dot": [[1.0, 0.9, 0.5]]})
    assert len(ax.collections) == 0
    assert ax.get_legend().get_title().get_text() == ""


def test_few_points_have_markers_that_differ_and_many_have_none():
    markers = [line.get_marker() for line in draw().lines]
    assert len(set(markers)) == 2
    assert "None" not in markers
    many = np.arange(97)
    assert draw({"loss": [many]}, many).lines[0].get_marker() == "None"


@pytest.mark.parametrize(
    "x, runs, error, message",
    [
        (X, {}, ValueError, "runs: expected at least one run"),
        (X, {"dot": [[1.0, 0.9]]}, ValueError, r"runs\['dot'\]: .* \[seeds, x=3\], .* \(1, 2\)"),
        ([6, 12, 9], RUNS, ValueError, "x: expected increasing positions"),
    ],
)
def test_bad_input_is_refused(x, runs, error, message):
    with pytest.raises(error, match=message):
        draw(runs, x)
    assert plt.get_fignums() == []
