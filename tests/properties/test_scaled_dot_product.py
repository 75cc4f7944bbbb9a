"""What holds for every query, key, value and mask: sums, order, the past, rows without a key."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention import attention_for, scaled_dot_product_attention
from bottomup.masks import causal_mask, padding_mask
from tests.drawn import seeded
from tests.properties.strategies import seeds, sizes

paths = st.booleans()  # need_weights: the explicit path or the fused one
spreads = st.sampled_from([0.1, 1.0, 30.0])

each = settings(max_examples=60)


def draw(seed: int, *shapes: tuple[int, ...], dtype: torch.dtype = torch.float64) -> list[Tensor]:
    generator = seeded(seed)
    return [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]


def draw_mask(seed: int, *shape: int) -> Tensor:
    return torch.rand(shape, generator=seeded(seed)) < 0.5


@each
@given(batch=sizes, query=sizes, key=sizes, d_key=sizes, d_value=sizes, spread=spreads, seed=seeds)
def test_weights_sum_to_one_over_allowed_keys_and_are_zero_elsewhere(
    batch, query, key, d_key, d_value, spread, seed
):
    shapes = [(batch, query, d_key), (batch, key, d_key), (batch, key, d_value)]
    queries, keys, values = draw(seed, *shapes)
    mask = draw_mask(seed, batch, query, key)
    output, weights = scaled_dot_product_attention(spread * queries, keys, values, mask)
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).double(), rtol=0, atol=1e-12)
    assert (weights >= 0).all()
    assert (weights[~mask] == 0).all()
    torch.testing.assert_close(output, weights @ values, rtol=0, atol=1e-12)


@each
@given(query=sizes, key=sizes, d_key=sizes, d_value=sizes, spread=spreads, seed=seeds)
def test_both_paths_agree_in_output_and_gradients_whatever_the_mask(
    query, key, d_key, d_value, spread, seed
):
    inputs = draw(seed, (query, d_key), (key, d_key), (key, d_value))
    leaves = [(spread * tensor).requires_grad_() for tensor in inputs]
    mask = draw_mask(seed, query, key)
    results = []
    for need_weights in (True, False):
        output, _ = attention_for(need_weights)(*leaves, mask)
        gradients = torch.autograd.grad(output.sin().sum(), leaves)
        results.append((output, *gradients))
    for explicit, fused in zip(*results, strict=True):
        assert explicit.isfinite().all()
        torch.testing.assert_close(fused, explicit, rtol=1e-10, atol=1e-10)


@each
@given(n=sizes, d_key=sizes, d_value=sizes, seed=seeds, need_weights=paths)
def test_without_a_causal_mask_the_output_follows_the_order_of_the_input(
    n, d_key, d_value, seed, need_weights
):
    x, to_query, to_key, to_value = draw(seed, (n, 5), (5, d_key), (5, d_key), (5, d_value))
    real = padding_mask(torch.tensor([n]), width=n + 2)[0]
    padding = torch.full((2, 5), 3.0, dtype=torch.float64)

    def attention(tokens: Tensor) -> tuple[Tensor, Tensor | None]:
        keys = torch.cat([tokens, padding])
        return attention_for(need_weights)(
            tokens @ to_query,
            keys @ to_key,
            keys @ to_value,
            real,
        )

    order = torch.randperm(n, generator=seeded(seed))
    output, weights = attention(x)
    shuffled, shuffled_weights = attention(x[order])
    torch.testing.assert_close(shuffled, output[order], rtol=0, atol=1e-11)
    if weights is not None:
        expected = weights[order][:, :n][:, order]
        torch.testing.assert_close(shuffled_weights[:, :n], expected, rtol=0, atol=1e-11)


@each
@given(
    batch=sizes,
    n=st.integers(min_value=2, max_value=40),
    width=sizes,
    past=st.integers(min_value=1, max_value=39),
    spread=spreads,
    seed=seeds,
    need_weights=paths,
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_editing_the_future_leaves_the_past_bit_for_bit(
    batch, n, width, past, spread, seed, need_weights, dtype
):
    past = min(past, n - 1)
    x, other = draw(seed, (batch, n, width), (batch, n, width), dtype=dtype)
    edited = torch.cat([x[:, :past], spread * other[:, past:]], dim=1)
    mask = causal_mask(n)
    before, weights = attention_for(need_weights)(x, x, x, mask)
    after, changed = attention_for(need_weights)(
        edited,
        edited,
        edited,
        mask,
    )
    assert torch.equal(before[:, :past], after[:, :past])
    assert weights is None or torch.equal(weights[:, :past], changed[:, :past])
    assert not torch.equal(before[:, past:], after[:, past:])


@each
@given(query=sizes, key=sizes, d_key=sizes, d_value=sizes, seed=seeds, need_weights=paths)
def test_no_output_leaves_the_range_of_the_values(query, key, d_key, d_value, seed, need_weights):
    inputs = draw(seed, (query, d_key), (key, d_key), (key, d_value))
    output, _ = attention_for(need_weights)(*inputs)
    low, high = inputs[2].amin(0), inputs[2].amax(0)
    assert ((output >= low - 1e-12) & (output <= high + 1e-12)).all()


@each
@given(
    query=sizes,
    key=sizes,
    dropout=st.floats(min_value=0.05, max_value=0.95),
    seed=seeds,
    need_weights=paths,
)
def test_a_weight_under_dropout_is_zero_or_grown(query, key, dropout, seed, need_weights):
    queries, keys = draw(seed, (query, 5), (key, 5))
    units = torch.eye(key, dtype=torch.float64)  # the output shows the weights that were used
    _, weights = scaled_dot_product_attention(queries, keys, units)
    options = {"generator": seeded(seed)} if need_weights else {}
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # the kernel draws from the global generator
        attend = attention_for(need_weights)
        used, _ = attend(queries, keys, units, dropout=dropout, **options)
    kept = used != 0
    torch.testing.assert_close(used, torch.where(kept, weights / (1 - dropout), 0.0))
