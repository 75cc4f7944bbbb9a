"""What the inspector of neurons takes, how small it stays, and how it refuses what is wrong."""

import json
import re

import numpy as np
import pytest

from bottomup.explorables import neuron_inspector

NAMES = ["Ana Cole", "Ana Fox", "Ben Cole", "Ben Fox", "Eva Fox"]
SPORTS = ["tennis", "chess", "judo"]
FACTS = [0, 1, 0, 2, 1]
# A neuron of tennis alone, one that serves all, one that never fires.
ACTIVATIONS = [
    [2.0, 1.0, 0.0],
    [0.0, 4.0, -1.0],
    [1.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
    [-3.0, 1.0, 0.0],
]
EFFECTS = [[0.123456, -1.0, 0.5], [-0.5, -0.25, -0.125], [0.0, 0.75, 3.0]]


def inspector(
    names=NAMES, facts=FACTS, attributes=SPORTS, activations=ACTIVATIONS, effects=EFFECTS
):
    return neuron_inspector(names, facts, attributes, activations=activations, effects=effects)


def payload(**arguments) -> dict:
    return json.loads(inspector(**arguments).data)


def test_triggers_are_the_names_with_the_largest_activations_above_zero():
    triggers = [neuron["triggers"] for neuron in payload()["neurons"]]
    assert triggers == [[[0, 2], [2, 1]], [[1, 4], [3, 2], [0, 1], [4, 1]], []]
    assert [neuron["active"] for neuron in payload()["neurons"]] == [2, 4, 0]


def test_shares_are_those_of_each_attribute_without_what_is_below_zero():
    pure, mixed, silent = payload()["neurons"]
    assert pure["shares"] == [[0, 1]]
    assert mixed["shares"] == [[1, 0.625], [2, 0.25], [0, 0.125]]
    assert silent["shares"] == []
    assert [pure["purity"], mixed["purity"], silent["purity"]] == [1, 0.625, 0]
    assert [pure["attributes"], mixed["attributes"], silent["attributes"]] == [1, 3, 0]


@pytest.mark.parametrize(
    "shares, expected", [([6, 3, 1], 1), ([4, 4, 2], 2), ([5, 3, 2], 1), ([0, 0, 0], 0)]
)
def test_half_counts_the_fewest_attributes_that_have_half_the_activation(shares, expected):
    [neuron] = payload(
        names=NAMES[:3], facts=[0, 1, 2], activations=[[share] for share in shares],
        effects=EFFECTS[:1],
    )["neurons"]  # fmt: skip
    assert neuron["half"] == expected


def test_logits_that_rise_and_logits_that_fall_stand_apart_the_largest_first():
    neurons = payload()["neurons"]
    assert [neuron["promotes"] for neuron in neurons] == [
        [[2, 0.5], [0, 0.1235]], [], [[2, 3], [1, 0.75]],
    ]  # fmt: skip
    assert [neuron["demotes"] for neuron in neurons] == [
        [[1, -1]], [[0, -0.5], [1, -0.25], [2, -0.125]], [],
    ]  # fmt: skip


def test_payload_knows_the_neuron_to_go_to_for_each_name_and_attribute():
    made = payload()
    assert made["even"] == 0.4  # the purity of a neuron that reads all names alike
    assert made["strongest"] == [0, 1, 0, 1, 1]
    assert made["promoters"] == [0, 2, 2]


def test_table_shows_the_purest_neurons_first():
    table = inspector().fallback
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == ["neuron 1", "neuron 2", "neuron 3"]
    cells = re.findall(r">([^<>]*)</td>", table)
    assert cells[1:5] == ["1.00", "tennis", "Ana Cole", "judo"]
    assert cells[5:9] == ["0.62", "chess", "Ana Fox", "judo"]
    assert cells[9:] == ["0.00", "–", "–", "judo"]  # a silent one has neither attribute nor trigger
    assert "The purest of 3 neurons" in table and "Median 0.62" in table


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"names": [str(n) for n in range(601)]}, ValueError, "names: expected 1 to 600, got 601"),
        ({"names": [*NAMES[:4], "x" * 23]}, ValueError, "names: expected a word of 1 to 22"),
        ({"names": [*NAMES[:4], "Ana Fox"]}, ValueError, "each once, got 'Ana Fox' twice"),
        ({"attributes": ["tennis"]}, ValueError, "attributes: expected 2 or more, got 1"),
        ({"attributes": ["a", "b", "c" * 15]}, ValueError, "attributes: .* a word of 1 to 14"),
        ({"facts": FACTS[:4]}, ValueError, "facts: expected 5 numbers, one a name, got 4"),
        ({"facts": [0, 1, 2, 3, 0]}, ValueError, "facts: expected an integer below 3, got 3"),
        ({"facts": [0, 1, 2, -1, 0]}, ValueError, "facts: .* an integer of at least 0, got -1"),
        ({"facts": [0, 1, 2, 0.5, 0]}, TypeError, "facts: expected an integer, got 0.5"),
        ({"facts": [0, 1, 0, 1, 0]}, ValueError, "facts: no name has the attribute 'judo'"),
        ({"activations": ACTIVATIONS[:4]}, ValueError, r"activations: .* axes \[name=5, neuron\]"),
        ({"activations": np.zeros((5, 129))}, ValueError, "at most 128 neurons, got 129"),
        ({"effects": EFFECTS[:2]}, ValueError, r"effects: .* axes \[neuron=3, attribute=3\], got"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        payload(**arguments)
