import numpy as np
import pytest
from matplotlib.patches import Rectangle

from bottomup.plotting import heat_map

WEIGHTS = np.array([[0.7, 0.2, 0.1], [0.0, 0.25, 0.75]])
QUERIES, KEYS = ["eins", "zwei"], ["one", "two", "three"]


def tick_labels(axis) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def squares(ax) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def test_rows_are_queries_and_columns_are_keys():
    ax = heat_map(WEIGHTS, QUERIES, KEYS, title="Weights")
    np.testing.assert_array_equal(ax.images[0].get_array(), WEIGHTS)
    assert tick_labels(ax.yaxis) == QUERIES
    assert tick_labels(ax.xaxis) == KEYS
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query", "key")
    assert ax.get_title(loc="left") + ax.get_title() == "Weights"


def test_weights_share_one_scale_from_0_to_1():
    for matrix in (WEIGHTS, WEIGHTS / 10, np.eye(2, 3) * (1 + 1e-7)):
        assert heat_map(matrix, QUERIES, KEYS).images[0].get_clim() == (0, 1)


def test_scores_are_drawn_symmetrically_around_0():
    image = heat_map(np.array([[-3.0, 1.0, 2.0], [0.0, 0.5, 1.5]]), QUERIES, KEYS).images[0]
    assert image.get_clim() == (-3, 3)


def test_pictures_share_a_scale_and_say_what_they_show():
    for matrix in ([[0.25, 0.5]], [[-0.25, 0.5]]):
        ax = heat_map(matrix, ["query"], ["a", "b"], largest=1, label="effect")
        assert ax.images[0].get_clim() == (-1, 1)
        assert ax.child_axes[0].get_ylabel() == "effect"
    with pytest.raises(ValueError, match="largest: expected a number > 0 .*, got 0"):
        heat_map([[0.5]], ["query"], ["key"], largest=0)
    for odd in (float("nan"), float("inf"), 1e308, 10**400):
        with pytest.raises(ValueError, match="largest: expected a"):
            heat_map([[0.5]], ["query"], ["key"], largest=odd)


def test_small_matrices_show_their_numbers():
    texts = {
        text.get_position(): text.get_text() for text in heat_map(WEIGHTS, QUERIES, KEYS).texts
    }
    assert texts == {
        (key, query): f"{WEIGHTS[query, key]:.2f}" for query in range(2) for key in range(3)
    }


def test_numbers_contrast_with_their_cells():
    ax = heat_map(np.array([[0.0, 1.0]]), ["q"], ["a", "b"])
    light_cell, dark_cell = (text.get_color() for text in ax.texts)
    assert light_cell == "#222222"
    assert dark_cell == "#fdfdfb"


def test_gold_links_are_outlined():
    outlined = squares(heat_map(WEIGHTS, QUERIES, KEYS, links=[(0, 0), (1, 2)]))
    centres = [
        (square.get_y() + square.get_height() / 2, square.get_x() + square.get_width() / 2)
        for square in outlined
    ]
    assert centres == [pytest.approx((0, 0)), pytest.approx((1, 2))]
    assert not any(square.get_fill() for square in outlined)


def with_nan() -> np.ndarray:
    weights = WEIGHTS.copy()
    weights[1, 1] = np.nan
    return weights


@pytest.mark.parametrize(
    "weights, queries, keys, links, error, message",
    [
        (WEIGHTS, QUERIES[:1], KEYS, None, ValueError, "query_labels: expected 2 strings, got 1"),
        (WEIGHTS, QUERIES, "abc", None, TypeError, "key_labels: expected a list of strings"),
        (with_nan(), QUERIES, KEYS, None, ValueError, "weights: expected finite numbers"),
        (WEIGHTS, QUERIES, KEYS, [(2, 0)], ValueError, "links: expected an integer below 2, got 2"),
        (WEIGHTS, QUERIES, KEYS, [(0, 0, True)], TypeError, r"links: expected pairs"),
    ],
)
def test_bad_input_is_refused(weights, queries, keys, links, error, message):
    with pytest.raises(error, match=message):
        heat_map(weights, queries, keys, links=links)
