"""What the map of superpositions takes, how small it stays, and how it refuses what is wrong."""

import json
import re

import numpy as np
import pytest

from bottomup.explorables import superposition_map

# Two sparsities, two decays, three features: at right angles; 1 against 2; one alone; half length.
APART = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
AGAINST = [[1.0, -1.0, 0.0], [0.0, 0.0, 0.6]]
ALONE = [[0.0, 0.0, 0.8], [0.0, 0.0, 0.6]]
HALF = [[0.3, 0.0, 0.6], [0.4, 0.123456, 0.0]]
W = [[APART, AGAINST], [ALONE, HALF]]
LOSS = [[0.5, 0.25], [0.123456, 0.0]]


def payload(W=W, loss=LOSS, sparsities=(0.0, 0.9), decays=(1.0, 0.5), **first) -> dict:
    made = superposition_map(W, loss=loss, sparsities=sparsities, decays=decays, **first)
    return json.loads(made.data)


def test_payload_holds_the_columns_of_each_solution():
    columns = payload()["columns"]
    assert columns[0] == [[[1, 0], [0, 2], [0, 0]], [[1, 0], [-1, 0], [0, 0.6]]]
    assert columns[1][1] == [[0.3, 0.4], [0, 0.1235], [0.6, 0]]


def test_payload_holds_the_shares_of_a_dimension_and_zero_for_no_arrow():
    shares = payload()["shares"]
    assert shares[0] == [[1, 1, 0], [0.5, 0.5, 1]]
    assert shares[1][0] == [0, 0, 1]


def test_a_feature_is_represented_where_its_arrow_is_longer_than_a_half():
    assert payload()["represented"] == [[[1, 1, 0], [1, 1, 1]], [[0, 0, 1], [0, 0, 1]]]
    assert "longer than 0.5" in payload()["labels"]["rule"]


def test_payload_holds_losses_in_four_digits_and_the_settings():
    made = payload()
    assert made["losses"] == [[0.5, 0.25], [0.1235, 0]]
    assert (made["sparsities"], made["decays"]) == ([0, 0.9], [1, 0.5])


def test_setting_shown_first_is_the_first_or_the_one_asked_for():
    assert payload()["start"] == [0, 0]
    assert payload(decay=0.5)["start"] == [0, 1]


def test_table_counts_the_features_of_each_setting():
    made = superposition_map(W, loss=LOSS, sparsities=[0.0, 0.9], decays=[1.0, 0.5])
    assert "How many of 3 features are represented in 2 dimensions" in made.fallback
    assert re.findall(r">(\d)</td>", made.fallback) == ["2", "1", "3", "1"]
    assert re.findall(r'scope="row"[^>]*>([^<]*)', made.fallback) == ["decay 1", "decay 0.5"]
    assert re.findall(r'scope="col"[^>]*>([^<]*)', made.fallback) == ["0", "0.9"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"W": W[:1]}, r"W: .* \[sparsity=2, decay=2, dimension=2, feature\], got shape \(1, 2, 2"),
        ({"W": np.zeros((2, 2, 2, 6))}, "W: expected 2 to 5 features, got 6"),
        ({"loss": [[0.5, 0.25]]}, r"loss: expected axes \[sparsity=2, decay=2\], got shape \(1, 2"),
        ({"loss": [[0.5, -0.25], [0, 0]]}, "numbers of at least 0, got -0.25"),
        ({"sparsities": [0.0]}, "sparsities: expected 2 to 12, got 1"),
        ({"sparsities": [0.9, 0.9]}, r"sparsities: expected rising numbers, got \[0.9, 0.9\]"),
        ({"sparsities": [0.0, 1.0]}, "sparsities: .* >= 0 and < 1, got 1.0"),
        ({"decays": [0.5, 1.0]}, "decays: expected falling numbers"),
        ({"decays": [1.0, 0.0]}, "decays: expected a number > 0 and <= 1, got 0.0"),
        ({"decay": 0.9}, r"decay: expected one of 1.0, 0.5, got 0.9"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        payload(**arguments)
