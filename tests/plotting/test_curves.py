import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

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


def test_a_line_over_three_seeds_is_their_mean_and_not_their_median():
    ax = draw({"dot": [[0.0, 0.2, 1.0], [0.3, 0.3, 1.0], [0.9, 0.7, 0.4]]})
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.4, 0.4, 0.8])


def test_bands_reach_from_min_to_max():
    dot, none = draw().collections
    assert band(dot) == {6.0: (0.8, 1.0), 9.0: (0.9, 0.9), 12.0: (0.1, 0.5)}
    assert band(none) == {6.0: (0.5, 0.5), 9.0: (0.2, 0.4), 12.0: (0.1, 0.3)}


def test_bands_have_their_lines_colours():
    ax = draw()
    for line, area in zip(ax.lines, ax.collections, strict=True):
        plain = plt.matplotlib.colors.to_rgb(line.get_color())
        assert tuple(area.get_facecolor()[0, :3]) == pytest.approx(plain)


def test_axes_and_legend_say_what_is_drawn():
    ax = draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length (words)", "accuracy")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["dot", "none"]
    assert ax.get_legend().get_title().get_text() == "mean, min to max of 2 seeds"


def test_one_seed_has_no_band_and_no_word_about_one():
    ax = draw({"dot": [[1.0, 0.9, 0.5]]})
    assert len(ax.collections) == 0
    assert ax.get_legend().get_title().get_text() == ""


def test_runs_of_different_numbers_of_seeds_name_no_number():
    ax = draw({"dot": RUNS["dot"], "none": [[0.5, 0.4, 0.3]]})
    assert len(ax.collections) == 1
    assert ax.get_legend().get_title().get_text() == "mean, min to max of seeds"


def test_few_points_have_markers_that_differ_and_many_have_none():
    markers = [line.get_marker() for line in draw().lines]
    assert len(set(markers)) == 2
    assert "None" not in markers
    many = np.arange(97)
    assert draw({"loss": [many]}, many).lines[0].get_marker() == "None"


def test_tensors_are_drawn():
    ax = draw({"dot": torch.tensor(RUNS["dot"], requires_grad=True)}, torch.tensor(X))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.9, 0.9, 0.3], rtol=1e-6)


def test_given_axes_are_drawn_on_and_returned():
    _, ax = plt.subplots()
    assert draw(ax=ax) is ax
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize(
    "x, runs, error, message",
    [
        (X, {}, ValueError, "runs: expected at least one run"),
        (X, {"dot": [1.0, 0.9, 0.5]}, ValueError, r"runs\['dot'\]: .* \[seeds, x=3\], got shape"),
        (X, {"dot": [[1.0, 0.9]]}, ValueError, r"runs\['dot'\]: .* \[seeds, x=3\], .* \(1, 2\)"),
        (X, {"dot": [[1.0, np.nan, 0.5]]}, ValueError, r"runs\['dot'\]: expected finite numbers"),
        (X, {"dot": [["a", "b", "c"]]}, TypeError, r"runs\['dot'\]: expected an array of numbers"),
        ([6, 12, 9], RUNS, ValueError, "x: expected increasing positions"),
        ([6, 6, 9], RUNS, ValueError, "x: expected increasing positions"),
        ([], RUNS, ValueError, "x: expected non-empty axes"),
    ],
)
def test_bad_input_is_refused(x, runs, error, message):
    with pytest.raises(error, match=message):
        draw(runs, x)
    assert plt.get_fignums() == []
