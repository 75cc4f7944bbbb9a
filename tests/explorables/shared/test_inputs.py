"""What all figures check in what they are given, and what they may weigh."""

import gzip

import numpy as np
import pytest
import torch

from bottomup.explorables.shared import inputs
from bottomup.plotting.arrays import finite_array, strings
from tests.explorables import demo
from tests.explorables.layer_slider_demo import LAYER_SLIDER

MAPS = {"a": np.zeros((2, 8, 3, 3)), "b": np.zeros((2, 8, 2, 3))}
HEAVIEST = [  # figures, and the bytes that a server may send of each
    (demo.QUERY, 14_000),
    (demo.MASK, 14_000),
    (demo.HEADS, 16_000),
    (demo.LAYERS, 16_000),
    (demo.SUPERPOSITION, 14_000),
    (demo.NEURONS, 14_000),
    (demo.JOURNEY, 14_000),
    (demo.INDUCTION, 12_000),
    (demo.PATCHES, 12_500),
    (demo.NAMES, 12_000),
    (demo.WORDS, 12_000),
    (LAYER_SLIDER, 20_000),
]


def words(values: object, **options: object) -> object:
    return inputs.short_words("x", values, 3, **options)


def weights(values: object) -> object:
    return inputs.weight_array("x", values, axes="query=1 key")


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: words("abc"), TypeError, "x: expected a list of strings, got 'abc'"),
        (lambda: words(5), TypeError, "x: expected a list of strings, got 5"),
        (lambda: words(["a", 5]), TypeError, "x: expected a string, got 5"),
        (lambda: words(["a", ""]), ValueError, "x: expected a word of 1 to 3 letters, got ''"),
        (lambda: words(["abcd"]), ValueError, "x: expected a word of 1 to 3 letters, got 'abcd'"),
        (lambda: words([]), ValueError, "x: expected 1 or more, got 0"),
        (lambda: words(["a"], count=(2, 3)), ValueError, "x: expected 2 to 3, got 1"),
        (lambda: words(["a"] * 4, count=(1, 3)), ValueError, "x: expected 1 to 3, got 4"),
        (lambda: words(["b", "a", "a"], distinct=True), ValueError, "each once, got 'a' twice"),
        (lambda: strings("x", ["a"], 2), ValueError, "x: expected 2 strings, got 1"),
        (lambda: weights("sharp"), TypeError, "x: expected an array of numbers, got 'sharp'"),
        (lambda: weights([[[1]]]), ValueError, r"x: expected axes \[query=1, key\], got shape"),
        (lambda: weights([[1], [1]]), ValueError, r"x: expected axes .* got shape \(2, 1\)"),
        (lambda: weights([[]]), ValueError, "x: expected non-empty axes"),
        (lambda: weights([[np.inf]]), ValueError, "x: expected finite numbers"),
        (lambda: weights([[-0.1]]), ValueError, "x: expected numbers of at least 0, got -0.1"),
        (lambda: weights([[0.5, 0.6]]), ValueError, "x: expected rows that sum to at most 1, got"),
        (lambda: inputs.check_mapping("x", [1]), TypeError, "x: expected a mapping .* got list"),
        (
            lambda: inputs.check_mapping("x", {"a": 1}, ["a", "b"]),
            ValueError,
            r"x: expected an entry for each of \['a', 'b'\], got \['a'\]",
        ),
        (
            lambda: inputs.check_heads({"a": np.zeros((5, 9, 3, 3))}),
            ValueError,
            "a: expected at most 4 layers of at most 8 heads, got 5 layers of 9 heads",
        ),
        (
            lambda: inputs.check_heads({**MAPS, "c": np.zeros((2, 2, 3, 3))}),
            ValueError,
            "c: expected 2 layers of 8 heads as in a, got 2 layers of 2 heads",
        ),
    ],
)
def test_what_is_wrong_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_what_is_right_is_taken_as_list_array_or_tensor():
    assert words(("a", "abc", "a"), count=(3, 3)) == ["a", "abc", "a"]
    assert inputs.check_heads(MAPS) == (2, 8)
    rounded = [[0.16667] * 6]  # sums to a little more than one
    for form in (list, np.array, lambda rows: torch.tensor(rows, dtype=torch.float64)):
        assert weights(form(rounded)).tolist() == rounded
        assert finite_array("x", form([[1.0, 2.0]]), axes="row 2", high=2).tolist() == [[1, 2]]
    assert inputs.in_hundredths(np.array([[0.254, 1 / 3]])).tolist() == [[25, 33]]
    assert inputs.sentence_of(["no", ",", "never", "."]) == "no, never."


@pytest.mark.parametrize("figure, most", HEAVIEST, ids=[made.name for made, _ in HEAVIEST])
def test_a_figure_stays_light(figure, most):
    assert len(gzip.compress(figure._repr_html_().encode())) < most
