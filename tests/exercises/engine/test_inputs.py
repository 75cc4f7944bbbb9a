"""Inputs that are declared: drawn anew for each answer, the same each time."""

import pytest
import torch

from bottomup.exercises.engine import booleans, case, integers, normal, tensor, uniform

DRAWN = case(
    "drawn",
    seed=3,
    x=normal(2, 3, scale=2.0),
    y=uniform(5, low=-1.0, high=1.0),
    z=integers(7, high=11),
    mask=booleans(1000, true=0.9),
    pair=[tensor([1.0]), normal(1)],
    label="cat",
)


def test_inputs_are_drawn_in_their_order_from_the_case_s_generator():
    generator = torch.Generator().manual_seed(3)
    inputs = DRAWN.inputs
    assert list(inputs) == ["x", "y", "z", "mask", "pair", "label"]
    assert torch.equal(inputs["x"], 2 * torch.randn(2, 3, generator=generator))
    assert torch.equal(inputs["y"], -1 + 2 * torch.rand(5, generator=generator))
    assert torch.equal(inputs["z"], torch.randint(11, (7,), generator=generator))
    assert 850 < int(inputs["mask"].sum()) < 950
    assert inputs["pair"][0].item() == 1.0 and inputs["label"] == "cat"


def test_each_answer_gets_inputs_of_its_own():
    listed = case("lists", words=[["a"], ["b"]])
    for each in (DRAWN, listed):
        one, other = each.fresh().inputs, each.fresh().inputs
        for name in one:
            assert one[name] is not other[name] or isinstance(one[name], str)
    listed.inputs["words"][0].append("c")
    assert listed.fresh().inputs["words"] == [["a"], ["b"]]


def test_what_is_made_of_a_value_and_its_gradient():
    shares = case("shares", seed=1, p=normal(3, 5).then(lambda x: x.softmax(-1)).with_gradient())
    assert torch.allclose(shares.inputs["p"].sum(-1), torch.ones(3))
    assert shares.wants_gradients and not DRAWN.wants_gradients


def test_a_value_worked_out_by_hand_is_written_like_an_input():
    hand = case("by hand", x=tensor([1.0]), gives=(tensor([2.0]), 3))
    assert hand.gives is not None
    value, number = hand.gives()
    assert (value.tolist(), number) == ([2.0], 3)
    assert DRAWN.gives is None


def test_what_is_drawn_needs_a_seed():
    with pytest.raises(ValueError, match="case 'drawn': expected a seed above 0"):
        case("drawn", x=normal(3))
    with pytest.raises(ValueError, match="expected a seed"):
        case("drawn", x=booleans(3).then(torch.logical_not))
