"""What the inspector of neurons takes, how small it stays, and how it refuses what is wrong."""

import gzip
import json
import re

import numpy as np
import pytest
import torch

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


def test_a_neuron_is_active_for_the_names_above_zero():
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


def test_even_is_the_purity_of_a_neuron_that_reads_all_names_alike():
    assert payload()["even"] == 0.4
    [alike] = payload(activations=[[1.0]] * 5, effects=EFFECTS[:1])["neurons"]
    assert alike["purity"] == 0.4


def test_payload_knows_the_neuron_to_go_to_for_each_name_and_attribute():
    made = payload()
    assert made["strongest"] == [0, 1, 0, 1, 1]
    assert made["promoters"] == [0, 2, 2]


def test_lists_arrays_and_tensors_give_the_same_figure():
    html = {
        inspector(facts=form(FACTS).tolist() if form is not list else FACTS,
                  activations=form(ACTIVATIONS), effects=form(EFFECTS))._repr_html_()
        for form in (list, np.array, torch.tensor)
    }  # fmt: skip
    assert len(html) == 1


def test_numpy_words_and_numbers_are_taken():
    made = inspector(names=np.array(NAMES), facts=np.array(FACTS), attributes=np.array(SPORTS))
    assert made.data == inspector().data


def test_table_shows_the_purest_neurons_first():
    table = inspector().fallback
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == ["neuron 1", "neuron 2", "neuron 3"]
    cells = re.findall(r">([^<>]*)</td>", table)
    assert cells[:9] == [
        "",
        "1.00",
        "tennis",
        "Ana Cole",
        "judo",
        "0.62",
        "chess",
        "Ana Fox",
        "judo",
    ]
    assert "The purest of 3 neurons" in table and "Median 0.62" in table


def test_table_of_a_silent_neuron_names_neither_attribute_nor_trigger():
    table = inspector().fallback
    assert re.findall(r">([^<>]*)</td>", table)[9:] == ["0.00", "–", "–", "judo"]


def test_four_hundred_names_and_sixty_four_neurons_stay_light():
    generator = np.random.default_rng(13)
    names = [f"Givenname{first} Family{last}" for first in range(20) for last in range(20)]
    made = neuron_inspector(
        names,
        [number % 16 for number in range(400)],
        [f"attribute{number}" for number in range(16)],
        activations=generator.normal(size=(400, 64)).clip(min=0),
        effects=generator.normal(size=(64, 16)),
    )
    assert len(gzip.compress(made._repr_html_().encode())) < 25_000


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"names": "Ana"}, TypeError, "names: expected a list of strings, got 'Ana'"),
        ({"names": [*NAMES[:4], 5]}, TypeError, "names: expected a string, got 5"),
        ({"names": []}, ValueError, "names: expected 1 to 600, got 0"),
        ({"names": [str(n) for n in range(601)]}, ValueError, "names: expected 1 to 600, got 601"),
        ({"names": [*NAMES[:4], "x" * 23]}, ValueError, "names: expected a word of 1 to 22"),
        ({"names": [*NAMES[:4], "Ana Fox"]}, ValueError, "each once, got 'Ana Fox' twice"),
        ({"attributes": ["tennis"]}, ValueError, "attributes: expected 2 or more, got 1"),
        (
            {"attributes": ["a", "b", "c" * 15]},
            ValueError,
            "attributes: expected a word of 1 to 14",
        ),
        ({"facts": FACTS[:4]}, ValueError, "facts: expected 5 numbers, one a name, got 4"),
        ({"facts": [0, 1, 2, 3, 0]}, ValueError, "facts: expected numbers below 3, got 3"),
        (
            {"facts": [0, 1, 2, -1, 0]},
            ValueError,
            "facts: expected an integer of at least 0, got -1",
        ),
        ({"facts": [0, 1, 2, 0.5, 0]}, TypeError, "facts: expected an integer, got 0.5"),
        ({"facts": [0, 1, 0, 1, 0]}, ValueError, "facts: no name has the attribute 'judo'"),
        (
            {"activations": ACTIVATIONS[:4]},
            ValueError,
            r"activations: expected axes \[name=5, neuron\], got shape \(4, 3\)",
        ),
        (
            {"activations": np.zeros((5, 129))},
            ValueError,
            r"at most 128 neurons, got 129",
        ),
        ({"activations": [0.0] * 5}, ValueError, "activations: expected axes"),
        ({"activations": "high"}, TypeError, "activations: expected an array of numbers"),
        (
            {"effects": EFFECTS[:2]},
            ValueError,
            r"effects: expected axes \[neuron=3, attribute=3\], got shape \(2, 3\)",
        ),
        ({"effects": [[np.inf] * 3] * 3}, ValueError, "effects: expected finite numbers"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        payload(**arguments)
