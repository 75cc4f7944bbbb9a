"""Relative attention: the shift against a loop, the scores against their four terms, by hand."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.attention import RelativeAttention, relative_scores, relative_shift
from bottomup.blocks import sinusoidal_positions
from bottomup.masks import causal_mask
from tests.drawn import global_seed, randn

BATCH, HEADS, D_HEAD, QUERIES, KEYS = 2, 3, 5, 7, 11


def test_the_shift_by_hand():
    shifted = relative_shift(torch.tensor([[3.0, 2, 1], [6, 5, 4]]))
    assert shifted.tril(1).tolist() == [[2, 1, 0], [6, 5, 4]]


@given(n=st.integers(1, 9), memory=st.integers(0, 9))
def test_the_shift_puts_each_distance_at_its_key(n: int, memory: int):
    m = n + memory
    by_distance = torch.arange(m - 1, -1, -1.0).expand(n, m)  # each score is its distance
    shifted = relative_shift(by_distance)
    for i in range(n):
        for j in range(memory + i + 1):
            assert shifted[i, j] == memory + i - j


def inputs() -> tuple[torch.Tensor, ...]:
    return (
        randn(BATCH, HEADS, QUERIES, D_HEAD, seed=1),
        randn(BATCH, HEADS, KEYS, D_HEAD, seed=2),
        randn(HEADS, KEYS, D_HEAD, seed=3),
        randn(HEADS, D_HEAD, seed=4),
        randn(HEADS, D_HEAD, seed=5),
    )


def test_the_scores_are_the_sum_of_four_terms():
    query, key, distances, u, v = inputs()
    scores = relative_scores(query, key, distances, u, v)
    for i in range(QUERIES):
        for j in range(KEYS - QUERIES + i + 1):
            far = KEYS - QUERIES + i - j
            r = distances[:, KEYS - 1 - far]  # [head, d_head]
            terms = ((query[:, :, i] + u) * key[:, :, j] + (query[:, :, i] + v) * r).sum(dim=-1)
            expected = terms / D_HEAD**0.5
            torch.testing.assert_close(scores[:, :, i, j], expected, rtol=0, atol=1e-12)


def test_gradients():
    leaves = [x[..., :3].contiguous().requires_grad_() for x in inputs()]
    mask = causal_mask(KEYS)[KEYS - QUERIES :]
    assert torch.autograd.gradcheck(
        lambda *given: relative_scores(*given).masked_fill(~mask, 0), leaves
    )


def test_the_module_is_its_formula():
    with global_seed(0):
        module = RelativeAttention(15, 3).double()
        torch.nn.init.normal_(module.u)
        torch.nn.init.normal_(module.v)
    extended, mask = randn(BATCH, KEYS, 15, seed=6), causal_mask(KEYS)[KEYS - QUERIES :]
    x = extended[:, KEYS - QUERIES :]
    table = randn(KEYS, 15, seed=7)
    output, weights = module(x, extended, table, mask)
    assert torch.equal(weights > 0, mask.expand_as(weights))
    for h in range(3):
        rows = slice(5 * h, 5 * h + 5)
        query, key, value, r = (
            states @ linear.weight[rows].T
            for states, linear in (
                (x, module.W_Q), (extended, module.W_K), (extended, module.W_V), (table, module.W_R)
            )
        )  # fmt: skip
        content = (query + module.u[h]) @ key.mT
        place = relative_shift((query + module.v[h]) @ r.T)
        scores = ((content + place) / 5**0.5).masked_fill(~mask, -torch.inf)
        expected = scores.softmax(dim=-1)
        torch.testing.assert_close(weights[:, h], expected, rtol=0, atol=1e-12)
        output = output - expected @ value @ module.W_O.weight[:, rows].T
    assert output.abs().max() < 1e-12


def test_what_does_not_fit_is_told():
    query, key, *rest = inputs()
    with pytest.raises(ValueError, match=r"query: expected at most the 7 positions of key, got 11"):
        relative_scores(key, query, rest[0][:, :QUERIES], *rest[1:])
    with pytest.raises(ValueError, match="num_heads"):
        RelativeAttention(15, 4)
    table = sinusoidal_positions(3, 14, dtype=torch.float64)
    with pytest.raises(ValueError, match="sinusoids"):
        RelativeAttention(14, 7).double()(randn(1, 2, 14), randn(1, 5, 14), table)
