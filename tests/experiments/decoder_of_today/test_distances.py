"""Chapter 10b's distances: capped scores by hand, what a cap changes."""

import math

import torch

from bottomup.blocks import rotary_waves
from bottomup.experiments.decoder_of_today import length
from bottomup.experiments.decoder_of_today.distances import experiment as distances

TINY = distances.PRESETS["tiny"]


def test_a_score_turns_by_the_distance_and_no_further_than_the_cap():
    one = torch.tensor([1.0, 0.0]).expand(1, 1, 4, 2)  # every query and key; waves turn by 1
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    _, weights = distances.capped_attention(
        one, one, one, mask, waves=rotary_waves(4, 2), longest=2
    )
    turns = torch.tensor([2.0, 2.0, 1.0, 0.0])  # of position 3: distances 3, 2, 1, 0
    expected = (turns.cos() / math.sqrt(2)).softmax(dim=0)
    torch.testing.assert_close(weights[0, 0, 3], expected)


def test_a_cap_changes_what_lies_beyond_it_and_nothing_else():
    model, batch = length.build(TINY, "rotary", 3), length.evaluated(TINY)
    whole = model(batch.symbols)
    torch.testing.assert_close(distances.Capped(model, 12)(batch.symbols), whole)
    capped = distances.Capped(model, 4)(batch.symbols)
    torch.testing.assert_close(capped[:, :5], whole[:, :5])
    assert (capped[:, 5:] - whole[:, 5:]).abs().max() > 1e-5
