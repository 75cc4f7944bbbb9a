"""Transformer-XL: segments against one pass, its memory, and how far it reaches."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.models import (
    TransformerXL,
    TransformerXLConfig,
    in_segments,
    longest_reach,
    next_memory,
)
from tests.drawn import global_seed, randn, seeded

WORDS, D_MODEL, LENGTH = 11, 6, 23


def model_of(layers: int = 2, positions: str = "relative") -> TransformerXL:
    config = TransformerXLConfig(
        vocabulary=WORDS, d_model=D_MODEL, num_layers=layers, num_heads=3, d_ff=7,
        positions=positions,
    )  # fmt: skip
    with global_seed(layers):
        model = TransformerXL(config).double().requires_grad_(False)
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


def tokens(length: int = LENGTH, batch: int = 3) -> torch.Tensor:
    return torch.randint(WORDS, (batch, length), generator=seeded(length))


@pytest.mark.parametrize("segment", [1, 5, 7, LENGTH])
@pytest.mark.parametrize("layers", [1, 3])
def test_segments_that_remember_everything_are_one_pass(segment: int, layers: int):
    model, ids = model_of(layers), tokens()
    whole = model(ids).logits
    pieces = in_segments(model, ids, segment=segment, memory=LENGTH)
    torch.testing.assert_close(pieces, whole, rtol=0, atol=1e-12)


def test_a_position_reads_nothing_behind_it():
    model, ids = model_of(), tokens()
    changed = ids.clone()
    changed[:, 13] = (ids[:, 13] + 1) % WORDS
    moved = in_segments(model, changed, segment=5, memory=5) != in_segments(
        model, ids, segment=5, memory=5
    )
    assert not moved[:, :13].any()
    assert moved[:, 13:18].any(dim=-1).all()


@settings(deadline=None, max_examples=20)
@given(layers=st.integers(1, 3), segment=st.integers(1, 4), memory=st.integers(0, 6))
def test_the_reach_is_what_editing_shows(layers: int, segment: int, memory: int):
    reach = longest_reach(layers=layers, segment=segment, memory=memory)
    length = segment * math.ceil((reach + 2) / segment)
    model, ids = model_of(layers), tokens(length, 1)
    rows = ids.repeat(length, 1)
    rows.diagonal().add_(1).remainder_(WORDS)
    last = in_segments(model, ids, segment=segment, memory=memory)[:, -1]
    moved = in_segments(model, rows, segment=segment, memory=memory)[:, -1] - last
    felt = moved.abs().amax(dim=-1) > 1e-12
    assert length - 1 - felt.nonzero()[0].item() == reach


def test_the_memory_keeps_the_newest_without_a_gradient():
    states = [randn(2, 3, 5, seed=1).requires_grad_(), randn(2, 3, 5, seed=2)]
    first = next_memory(None, states, length=4)
    assert [m.shape for m in first] == [(2, 3, 5)] * 2
    assert torch.equal(first[1], states[1])
    assert not first[0].requires_grad
    second = next_memory(first, [3 * h for h in states], length=4)
    assert torch.equal(second[0], torch.cat([states[0][:, 2:], 3 * states[0]], dim=1))
    assert [m.shape[1] for m in next_memory(second, states, length=0)] == [0, 0]


def test_no_gradient_leaves_a_segment():
    model, ids = model_of().requires_grad_(True), tokens(10)
    table = model.embedding.weight
    memory = next_memory(None, model(ids[:, :5]).states, length=5)
    (alone,) = torch.autograd.grad(model(ids[:, 5:], memory).logits.sum(), table)
    (whole,) = torch.autograd.grad(model(ids).logits[:, 5:].sum(), table)
    assert not torch.allclose(alone, whole)
    fixed = [m.clone() for m in memory]
    (again,) = torch.autograd.grad(model(ids[:, 5:], fixed).logits.sum(), table)
    assert torch.equal(alone, again)


def test_what_does_not_fit_is_told():
    model, ids = model_of(), tokens()
    with pytest.raises(ValueError, match=r"memory: expected states for each of 2 layers, got 1"):
        model(ids, [randn(3, 2, D_MODEL)])
    with pytest.raises(ValueError, match=r"memory: expected states for each of 1 layers, got 2"):
        next_memory([randn(1, 1, 2)] * 2, [randn(1, 1, 2)], length=1)
    with pytest.raises(ValueError, match="d_model: expected an even width for sinusoids, got 9"):
        TransformerXLConfig(vocabulary=3, d_model=9, num_heads=3)
