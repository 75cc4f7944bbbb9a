"""The exercises of chapter 11: values by hand, and what the ward itself says."""

import torch

from bottomup.exercises import catalog
from bottomup.exercises.ward.diagnosis import recorded
from bottomup.experiments.clinic.signs import READINGS
from tests.exercises.trials.verdicts import expected_of

LEFT = catalog()["what-is-left"]


def test_a_loss_by_hand():
    expected = -(torch.tensor([0.5, 0.125], dtype=torch.float64).log().mean())
    torch.testing.assert_close(expected_of(catalog()["recounted-loss"], 0), expected)


def test_what_neighbours_move_by_hand():
    found = expected_of(catalog()["neighbour-in-the-batch"], 0)
    assert found.tolist() == [0.5, 1.0]


def test_weights_by_hand():
    assert expected_of(catalog()["weights-examined"], 0).tolist() == [[0.25, 0.75]]


def test_a_beam_by_hand():
    assert expected_of(catalog()["beam-recounted"], 0).tolist() == [-0.5, 0.5]


def test_what_is_left_by_hand():
    left, telling = expected_of(LEFT, 0)
    assert (left, telling) == (["no causal mask"], [])


def test_the_ward_reasons_alike():
    signs = recorded()
    left, telling = LEFT.solution(signs, {"row sums": -1})
    assert left == ["mask after softmax"]
    assert telling == []
    everything, apart = LEFT.solution(signs, {})
    assert everything == [*signs]
    assert set(apart) <= set(READINGS)


def test_a_reading_that_was_seen_tells_nothing_more():
    for case in LEFT.cases:
        _left, telling = LEFT.solution(*case.inputs.values())
        assert not set(telling) & set(case.inputs["seen"])
