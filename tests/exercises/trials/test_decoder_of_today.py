"""The exercises of chapter 10b are what the library computes."""

import math

import pytest
import torch

from bottomup.attention import alibi_bias, grouped_attention, sliding_window_mask
from bottomup.blocks import rotate_positions
from bottomup.exercises import catalog
from tests.drawn import randn
from tests.exercises.trials.verdicts import expected_of

ROTARY = catalog()["rotary-step"]
GROUPED = catalog()["grouped-queries"]


def test_steps_one_after_another_are_one_causal_pass():
    n, d_head, base = 7, 6, 50.0
    Q, K, V = (randn(n, d_head, seed=seed).float() for seed in range(3))
    keys, values, said = K[:0], V[:0], []
    for q, k, v in zip(Q, K, V, strict=True):
        output, keys, values = ROTARY.solution(q, k, v, keys, values, base)
        said.append(output)
    torch.testing.assert_close(keys, rotate_positions(K, base=base), rtol=1e-4, atol=1e-5)
    scores = rotate_positions(Q, base=base) @ rotate_positions(K, base=base).T / d_head**0.5
    ahead = torch.ones(n, n, dtype=torch.bool).triu(1)
    expected = scores.masked_fill(ahead, -torch.inf).softmax(dim=-1) @ V
    torch.testing.assert_close(torch.stack(said), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", range(len(GROUPED.cases)))
def test_grouped_queries_are_the_package_s(case: int):
    query, key, value = GROUPED.cases[case].fresh().inputs.values()
    read, _ = grouped_attention(query, key, value, sliding_window_mask(query.shape[1]))
    torch.testing.assert_close(expected_of(GROUPED, case), read)


def test_scores_with_linear_biases_are_the_library_s():
    query, key = randn(4, 5, 7), randn(4, 5, 7, seed=1)
    bias = alibi_bias(4, 5)
    expected = query @ key.mT / math.sqrt(7) + bias
    expected = expected.masked_fill(~sliding_window_mask(5), -math.inf)
    torch.testing.assert_close(catalog()["linear-biases"].solution(query, key), expected)


@pytest.mark.parametrize("n, width, sinks, first", [(7, 3, 2, 0), (11, 2, 0, 5), (5, 7, 1, 4)])
def test_a_window_is_the_library_s(n: int, width: int, sinks: int, first: int):
    found = catalog()["sliding-window"].solution(n, width, sinks, first)
    assert torch.equal(found, sliding_window_mask(n, width, sinks=sinks, first=first))
