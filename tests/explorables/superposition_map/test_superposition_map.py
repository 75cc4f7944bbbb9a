"""What the map of superpositions takes, how small it stays, and how it refuses what is wrong."""

import gzip
import json
import re

import numpy as np
import pytest
import torch

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


@pytest.mark.parametrize(
    "first, places",
    [({}, [0, 0]), ({"sparsity": 0.9}, [1, 0]), ({"decay": 0.5}, [0, 1])],
)
def test_setting_shown_first_is_the_first_or_the_one_asked_for(first, places):
    assert payload(**first)["start"] == places


def test_lists_arrays_and_tensors_give_the_same_figure():
    html = {
        superposition_map(
            form(W), loss=form(LOSS), sparsities=[0.0, 0.9], decays=[1.0, 0.5]
        )._repr_html_()
        for form in (list, np.array, lambda values: torch.tensor(values, dtype=torch.float64))
    }
    assert len(html) == 1


def test_table_counts_the_features_of_each_setting():
    made = superposition_map(W, loss=LOSS, sparsities=[0.0, 0.9], decays=[1.0, 0.5])
    assert "How many of 3 features are represented in 2 dimensions" in made.fallback
    assert re.findall(r">(\d)</td>", made.fallback) == ["2", "1", "3", "1"]
    assert re.findall(r'scope="row"[^>]*>([^<]*)', made.fallback) == ["decay 1", "decay 0.5"]
    assert re.findall(r'scope="col"[^>]*>([^<]*)', made.fallback) == ["0", "0.9"]


def test_ten_by_five_settings_stay_light():
    generator = np.random.default_rng(7)
    made = superposition_map(
        generator.normal(size=(10, 5, 2, 5)),
        loss=generator.random((10, 5)),
        sparsities=np.linspace(0, 0.9, 10).round(2).tolist(),
        decays=[1.0, 0.9, 0.8, 0.7, 0.5],
    )
    assert len(gzip.compress(made._repr_html_().encode())) < 16_000


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"W": W[0]}, ValueError, r"W: expected axes \[sparsity=2, decay=2, dimension=2, fe"),
        (
            {"W": W[:1]},
            ValueError,
            r"W: expected axes \[sparsity=2, decay=2, dimension=2, feature\], got shape \(1, 2, 2",
        ),
        ({"W": np.zeros((2, 2, 3, 5))}, ValueError, r"dimension=2, .* got shape \(2, 2, 3, 5\)"),
        ({"W": np.zeros((2, 2, 2, 1))}, ValueError, "W: expected 2 to 5 features, got 1"),
        ({"W": np.zeros((2, 2, 2, 6))}, ValueError, "W: expected 2 to 5 features, got 6"),
        ({"W": np.full((2, 2, 2, 5), np.nan)}, ValueError, "W: expected finite numbers"),
        ({"W": "arrows"}, TypeError, "W: expected an array of numbers"),
        (
            {"loss": [0.5, 0.25]},
            ValueError,
            r"loss: expected axes \[sparsity=2, decay=2\], got shape \(2,\)",
        ),
        (
            {"loss": [[0.5, 0.25]]},
            ValueError,
            r"loss: expected axes \[sparsity=2, decay=2\], got shape \(1, 2\)",
        ),
        ({"loss": [[0.5, -0.25], [0, 0]]}, ValueError, "numbers of at least 0, got -0.25"),
        ({"sparsities": [0.0]}, ValueError, "sparsities: expected 2 to 12, got 1"),
        (
            {"sparsities": [0.9, 0.0]},
            ValueError,
            r"sparsities: expected ascending numbers, got \[0.9, 0.0\]",
        ),
        ({"sparsities": [0.9, 0.9]}, ValueError, "sparsities: expected ascending numbers"),
        ({"sparsities": [0.0, 1.0]}, ValueError, "sparsities: .* >= 0 and < 1, got 1.0"),
        ({"sparsities": [0.0, None]}, TypeError, "sparsities: expected a number, got None"),
        ({"decays": [0.5, 1.0]}, ValueError, "decays: expected descending numbers"),
        ({"decays": [1.0, 0.0]}, ValueError, "decays: expected a number > 0 and <= 1, got 0.0"),
        ({"sparsity": 0.5}, ValueError, r"sparsity: expected one of 0.0, 0.9, got 0.5"),
        ({"decay": 0.9}, ValueError, r"decay: expected one of 1.0, 0.5, got 0.9"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        payload(**arguments)
