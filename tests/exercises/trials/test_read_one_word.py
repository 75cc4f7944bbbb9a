"""Read one word: how often each position is drawn."""

import torch

from bottomup.exercises import catalog
from tests.drawn import seeded


def test_each_position_is_drawn_as_often_as_its_weight_says():
    weights = torch.tensor([0.5, 0.0, 0.125, 0.375])
    u = torch.rand(1, 20_000, generator=seeded(1))
    solution = catalog()["read-one-word"].solution
    read = solution(weights.expand(1, 20_000, 4), u, torch.eye(4)[None])
    torch.testing.assert_close(read[0].mean(0), weights, atol=0.02, rtol=0)
    assert read[..., 1].sum() == 0


def test_the_weights_of_every_case_sum_to_exactly_one_as_the_stub_says():
    exercise = catalog()["read-one-word"]
    assert "with sum exactly 1" in " ".join(exercise.stub.split())
    for case in exercise.cases:
        assert (case.inputs["weights"].cumsum(-1)[..., -1] == 1).all(), case.name
