"""Scaled dot-product attention: values by hand, both paths, masks, dropout, bad input."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    attention_for,
    dot_scores,
    fused,
    fused_attention,
    scaled_dot_product_attention,
    scaled_dot_scores,
)
from bottomup.masks import causal_mask
from tests.drawn import global_seed, seeded

BATCH, HEAD, QUERY, KEY, D_KEY, D_VALUE = 2, 3, 5, 7, 11, 13
PATHS = {"explicit": True, "fused": False}


@pytest.fixture
def tensors(generator: torch.Generator) -> dict[str, Tensor]:
    """Query, key and value on distinct prime sizes, in float64."""
    shapes = {"query": (QUERY, D_KEY), "key": (KEY, D_KEY), "value": (KEY, D_VALUE)}
    return {
        name: torch.randn(BATCH, HEAD, *shape, generator=generator, dtype=torch.float64)
        for name, shape in shapes.items()
    }


@pytest.fixture
def some_empty(generator: torch.Generator) -> Tensor:
    """A mask of its own for each head, with two rows that allow nothing."""
    mask = torch.rand(BATCH, HEAD, QUERY, KEY, generator=generator) < 0.5
    mask[..., 0] = True
    mask[0, 1, 2] = False
    mask[1, 2, 4] = False
    return mask


# ---- Values


def test_output_and_weights_by_hand():
    # d_key = 4, so scores are halved: 0 and ln 3 give the weights 1/4 and 3/4.
    query = torch.tensor([[1.0, 1.0, 0.0, 0.0]])
    key = torch.tensor([[1.0, -1.0, 5.0, 5.0], [math.log(3), math.log(3), 0.0, 0.0]])
    value = torch.tensor([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]])
    output, weights = scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75]]))
    torch.testing.assert_close(output, torch.tensor([[1.0, 3.0, 8.0]]))


def test_scale_one_gives_the_plain_dot_products(tensors):
    query, key = tensors["query"], tensors["key"]
    assert torch.equal(scaled_dot_scores(query, key, scale=1), dot_scores(query, key))
    halved = scaled_dot_scores(query, key, scale=0.5)
    torch.testing.assert_close(halved, dot_scores(query, key) / 2)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 2), (0, 3)])
def test_any_leading_axes_give_the_same_on_both_paths(leading, generator, tensors):
    query, key, value = (
        torch.randn(*leading, *tensor.shape[-2:], generator=generator, dtype=torch.float64)
        for tensor in tensors.values()
    )
    mask = torch.rand(*leading, 1, KEY, generator=generator) < 0.7
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    fused, none = fused_attention(query, key, value, mask)
    assert output.shape == (*leading, QUERY, D_VALUE)
    assert weights.shape == (*leading, QUERY, KEY)
    assert none is None
    torch.testing.assert_close(fused, output, rtol=1e-12, atol=1e-12)


# ---- Two paths


@pytest.fixture
def kernel_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The numbers of axes of query, key, value and mask, at each call of torch's kernel."""
    calls: list[tuple[int, ...]] = []
    kernel = torch.nn.functional.scaled_dot_product_attention

    def recorded(query: Tensor, key: Tensor, value: Tensor, *, attn_mask: Tensor, **rest) -> Tensor:
        calls.append((query.dim(), key.dim(), value.dim(), attn_mask.dim()))
        return kernel(query, key, value, attn_mask=attn_mask, **rest)

    monkeypatch.setattr(fused, "torch_attention", recorded)
    return calls


def test_the_kernel_runs_on_four_axes_when_no_weights_are_wanted(kernel_calls, tensors):
    for less in range(3):
        inputs = [tensor[(0,) * less] for tensor in tensors.values()]
        fused_attention(*inputs, torch.ones(KEY).bool())
    assert kernel_calls == [(4, 4, 4, 4)] * 3


# ---- Masks


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
def test_a_fully_masked_row_reads_zeros_and_passes_no_gradient(need_weights, tensors, some_empty):
    leaves = {name: tensor.requires_grad_() for name, tensor in tensors.items()}
    output, weights = attention_for(need_weights)(
        **leaves,
        mask=some_empty,
    )
    output.square().sum().backward()
    for row in [(0, 1, 2), (1, 2, 4)]:
        assert output[row].tolist() == [0.0] * D_VALUE
        assert leaves["query"].grad[row].tolist() == [0.0] * D_KEY
        assert weights is None or weights[row].tolist() == [0.0] * KEY
    assert all(leaf.grad.isfinite().all() for leaf in leaves.values())
    assert output[0, 1, 1].abs().min() > 0


def test_an_empty_row_leaves_the_other_rows_bit_for_bit(tensors, some_empty):
    query, key, value = (tensor.float() for tensor in tensors.values())
    filled = some_empty | ~some_empty.any(-1, keepdim=True)
    got, _ = fused_attention(query, key, value, some_empty)
    want, _ = fused_attention(query, key, value, filled)
    rows = some_empty.any(-1)
    assert not rows.all()
    assert torch.equal(got[rows], want[rows])


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
def test_a_long_sequence_is_causal_bit_for_bit(need_weights, generator):
    # longer than a block of the fused kernel
    past, n = 523, 601
    x = torch.randn(1, n, D_KEY, generator=generator)
    edited = x.clone()
    edited[:, past:] = 100 * torch.randn(1, n - past, D_KEY, generator=generator)
    mask = causal_mask(n)
    before, _ = attention_for(need_weights)(x, x, x, mask)
    after, _ = attention_for(need_weights)(edited, edited, edited, mask)
    assert torch.equal(before[:, :past], after[:, :past])
    assert not torch.allclose(before[:, past:], after[:, past:])


# ---- Dropout

SHARE = 0.3


def dropped(tensors: dict[str, Tensor], **options) -> tuple[Tensor, Tensor | None]:
    """Attention whose output shows the weights that were used: every value is a unit vector."""
    value = torch.eye(KEY, dtype=torch.float64).expand(BATCH, HEAD, KEY, KEY)
    return scaled_dot_product_attention(
        tensors["query"], tensors["key"], value, dropout=SHARE, **options
    )


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
def test_dropout_keeps_the_expected_output(need_weights, tensors):
    # without a generator, so that both paths are run
    many = [tensor[:1, :1].expand(4001, 1, -1, -1) for tensor in tensors.values()]
    with global_seed(5):
        output, _ = attention_for(need_weights)(*many, dropout=SHARE)
    expected, _ = scaled_dot_product_attention(*(tensor[:1] for tensor in many))
    # standard error of the mean: below 1/sqrt(4001) of the values' spread
    torch.testing.assert_close(output.mean(0), expected[0], rtol=0, atol=0.06)
    assert output.std(0).min() > 0.05


def test_the_same_generator_drops_the_same_weights(tensors):
    first, _ = dropped(tensors, generator=seeded(3))
    again, _ = dropped(tensors, generator=seeded(3))
    other, _ = dropped(tensors, generator=seeded(4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_no_dropout_draws_nothing(tensors, generator):
    before = generator.get_state()
    with_generator, _ = scaled_dot_product_attention(**tensors, generator=generator)
    assert torch.equal(generator.get_state(), before)
    assert torch.equal(with_generator, scaled_dot_product_attention(**tensors)[0])


def test_a_fully_masked_row_stays_zero_under_dropout(tensors, some_empty, generator):
    for attend, options in (
        (scaled_dot_product_attention, {"generator": generator}),
        (fused_attention, {}),
    ):
        with torch.random.fork_rng():
            output, _ = attend(**tensors, mask=some_empty, dropout=SHARE, **options)
        assert output[0, 1, 2].tolist() == [0.0] * D_VALUE
        assert output.isfinite().all()


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("shape", [(), (KEY,)])
def test_a_mask_of_fewer_axes_gives_the_same_on_both_paths(tensors, shape, allowed):
    mask = torch.full(shape, allowed)
    fused, explicit = (attention_for(path)(**tensors, mask=mask)[0] for path in (False, True))
    assert torch.allclose(fused, explicit, atol=1e-12)
    assert bool(fused.any()) is allowed


# ---- Bad input


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
def test_a_bad_mask_is_named(need_weights, tensors):
    attend = attention_for(need_weights)
    with pytest.raises(
        ValueError, match=r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\)"
    ):
        attend(**tensors, mask=torch.ones(KEY, QUERY).bool())
    with pytest.raises(TypeError, match="mask: expected a boolean mask .*convert .* `mask == 0`"):
        attend(**tensors, mask=torch.zeros(QUERY, KEY))


def test_a_generator_of_another_device_is_named(tensors, generator):
    elsewhere = {name: tensor.to("meta") for name, tensor in tensors.items()}
    with pytest.raises(ValueError, match="generator: expected the device meta of query, got cpu"):
        scaled_dot_product_attention(**elsewhere, dropout=0.5, generator=generator)
