from itertools import permutations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention import scaled_dot_product_attention
from bottomup.masks import causal_mask
from bottomup.models import XLNet, XLNetConfig, two_stream_masks
from tests.drawn import global_seed, seeded

VOCABULARY, LENGTH, D_MODEL, HEADS, D_FF, BATCH = 13, 5, 6, 3, 11, 2
SIZES = {
    "vocabulary": VOCABULARY,
    "max_length": 7,
    "d_model": D_MODEL,
    "num_heads": HEADS,
    "d_ff": D_FF,
}


def model_of(**options) -> XLNet:
    with global_seed(0):
        return XLNet(XLNetConfig(**{**SIZES, **options})).double()


def tokens() -> Tensor:
    return torch.randint(VOCABULARY, (BATCH, LENGTH), generator=seeded(1))


def orders() -> Tensor:
    return torch.tensor([[3, 0, 4, 2, 1], [1, 4, 2, 0, 3]])


def test_the_masks_of_three_positions_by_hand():
    content, query = two_stream_masks(torch.tensor([2, 0, 1]))
    # position 2 first, then 0, then 1
    assert content.int().tolist() == [[1, 0, 1], [1, 1, 1], [0, 0, 1]]
    assert query.int().tolist() == [[0, 0, 1], [1, 0, 1], [0, 0, 0]]


@given(st.permutations(range(7)), st.integers(0, 7))
def test_the_streams_differ_by_those_of_equal_rank(order: list[int], given_positions: int):
    content, query = two_stream_masks(torch.tensor(order), given=given_positions)
    assert content.diagonal().all()
    assert not query.diagonal().any()
    for t, i in enumerate(order):
        for u, j in enumerate(order):
            before = u < t
            if max(t, u) < given_positions:
                assert content[i, j]
                assert not query[i, j]
            else:
                assert bool(query[i, j]) == before
                assert bool(content[i, j]) == (before or i == j)


@pytest.mark.parametrize("order", [[0, 0, 2], [1, 2, 3], [-1, 0, 1]])
def test_an_order_that_is_no_permutation_is_refused(order: list[int]):
    with pytest.raises(ValueError, match=r"order: expected each of 0 to 2 once"):
        two_stream_masks(torch.tensor(order))


def test_more_given_than_there_are_is_refused():
    with pytest.raises(ValueError, match="given: expected at most 3, got 4"):
        two_stream_masks(torch.arange(3), given=4)


@torch.no_grad()
def test_no_token_reaches_a_prediction_that_does_not_come_later():
    model = model_of()
    for order in list(permutations(range(LENGTH)))[::17]:
        z = torch.tensor(order).expand(BATCH, -1)
        before = model(tokens(), z).logits
        for t, position in enumerate(order):
            edited = tokens()
            edited[:, position] = (edited[:, position] + 1) % VOCABULARY
            change = (model(edited, z).logits - before).abs().amax(dim=(0, 2))
            later = torch.tensor(order[t + 1 :], dtype=torch.int64)
            unseen = torch.tensor(order[: t + 1])
            assert change[unseen].max() == 0
            assert (change[later] > 1e-6).all()


@torch.no_grad()
def test_the_content_stream_from_left_to_right_is_a_causal_encoder():
    """With the layers' own parts, one stream at a time, and each mask written out."""
    model = model_of(num_layers=1)
    output = model(tokens(), torch.arange(LENGTH).expand(BATCH, -1))
    P, layer = model.positions.weight[:LENGTH], model.layers[0]
    h = D_MODEL**0.5 * model.embedding(tokens()) + P
    read = layer.around_attention.norm(h)
    for x, mask, got in (
        (h, causal_mask(LENGTH), output.content),
        ((model.w + P).expand_as(h), causal_mask(LENGTH).tril(-1), output.query),
    ):
        asked = layer.around_attention.norm(x)
        update, _ = layer.attention(asked, read, read, mask, attend=scaled_dot_product_attention)
        x = x + update
        x = x + layer.feed_forward(layer.around_feed_forward.norm(x))
        assert torch.allclose(x, got, atol=1e-12, rtol=0)
    assert torch.equal(output.logits, model.unembed(output.query))


def test_gradients_are_finite_and_reach_every_parameter():
    model = model_of()
    model(tokens(), orders()).logits.square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        # A bias of the keys shifts all scores of a row alike.
        assert parameter.grad.abs().sum() > 0 or "W_K.bias" in name, name


def test_a_sentence_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="tokens: expected at most 7 positions, got 11"):
        model_of()(torch.zeros(1, 11, dtype=torch.int64), torch.arange(11)[None])


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="num_heads: expected a divisor of d_model=6, got 4"):
        XLNetConfig(vocabulary=3, max_length=2, d_model=6, num_heads=4)
