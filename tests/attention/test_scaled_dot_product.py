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


def test_scores_are_dot_products_over_the_root_of_the_key_width(tensors):
    scores = scaled_dot_scores(tensors["query"], tensors["key"])
    assert scores.shape == (BATCH, HEAD, QUERY, KEY)
    by_hand = tensors["query"][1, 2, 3] @ tensors["key"][1, 2, 4] / math.sqrt(D_KEY)
    torch.testing.assert_close(scores[1, 2, 3, 4], by_hand)


def test_scale_one_gives_the_plain_dot_products(tensors):
    query, key = tensors["query"], tensors["key"]
    assert torch.equal(scaled_dot_scores(query, key, scale=1), dot_scores(query, key))
    halved = scaled_dot_scores(query, key, scale=0.5)
    torch.testing.assert_close(halved, dot_scores(query, key) / 2)


def test_scores_of_random_vectors_have_variance_one_at_every_width(generator):
    for width in (7, 251):
        query, key = torch.randn(2, 499, width, generator=generator)
        assert scaled_dot_scores(query, key).var().item() == pytest.approx(1, abs=0.1)


def test_output_equals_the_formula_in_loops(tensors):
    output, weights = scaled_dot_product_attention(**tensors)
    query, key, value = (tensor[1, 2] for tensor in tensors.values())
    for i in range(QUERY):
        exponentials = [math.exp(query[i] @ key[j] / math.sqrt(D_KEY)) for j in range(KEY)]
        shares = [each / sum(exponentials) for each in exponentials]
        assert weights[1, 2, i].tolist() == pytest.approx(shares, rel=1e-12)
        mean = sum(share * value[j] for j, share in enumerate(shares))
        torch.testing.assert_close(output[1, 2, i], mean)


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


def test_a_row_of_weights_says_what_its_query_reads():
    # Query 0 looks for what key 1 offers and not the other way round.
    query, key = torch.tensor([[9.0, 0.0], [0.0, 0.0]]), torch.tensor([[0.0, 9.0], [9.0, 0.0]])
    output, weights = scaled_dot_product_attention(query, key, torch.eye(2))
    assert weights[0].argmax() == 1
    assert weights[1].tolist() == [0.5, 0.5]
    assert torch.equal(output, weights)


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


def test_the_kernel_does_not_run_for_weights(kernel_calls, tensors, some_empty):
    scaled_dot_product_attention(**tensors, mask=some_empty)
    assert kernel_calls == []
    fused_attention(**tensors, mask=some_empty)
    assert len(kernel_calls) == 1


def test_the_scale_reaches_both_paths(tensors):
    output, _ = scaled_dot_product_attention(**tensors, scale=0.7)
    fused, _ = fused_attention(**tensors, scale=0.7)
    torch.testing.assert_close(fused, output, rtol=1e-12, atol=1e-12)
    assert not torch.allclose(output, scaled_dot_product_attention(**tensors)[0])


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
def test_gradients_are_right(need_weights, tensors, some_empty):
    leaves = [tensor[:, :, :, :3].clone().requires_grad_() for tensor in tensors.values()]

    def output(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attention_for(need_weights)(
            query,
            key,
            value,
            some_empty,
        )[0]

    assert torch.autograd.gradcheck(output, leaves)


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


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("shape", [(), (1,), (KEY,), (QUERY, 1), (QUERY, KEY)])
def test_a_mask_that_allows_nothing_gives_zeros_only(shape, need_weights, tensors):
    leaves = {name: tensor.requires_grad_() for name, tensor in tensors.items()}
    nothing = torch.zeros(shape, dtype=torch.bool)
    output, _ = attention_for(need_weights)(**leaves, mask=nothing)
    output.sum().backward()
    assert output.abs().sum() == 0
    assert all(leaf.grad.abs().sum() == 0 for leaf in leaves.values())


def test_an_empty_row_leaves_the_other_rows_bit_for_bit(tensors, some_empty):
    query, key, value = (tensor.float() for tensor in tensors.values())
    filled = some_empty | ~some_empty.any(-1, keepdim=True)
    got, _ = fused_attention(query, key, value, some_empty)
    want, _ = fused_attention(query, key, value, filled)
    rows = some_empty.any(-1)
    assert not rows.all()
    assert torch.equal(got[rows], want[rows])


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
def test_padding_does_not_reach_the_output(need_weights, tensors):
    mask = torch.tensor([[True] * 4 + [False] * 3, [True] * 7])[:, None, None]
    before, _ = attention_for(need_weights)(**tensors, mask=mask)
    tensors["key"][0, :, 4:], tensors["value"][0, :, 4:] = 1e3, -1e3
    after, _ = attention_for(need_weights)(**tensors, mask=mask)
    assert torch.equal(before, after)


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


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("i, j", [(4, 1), (1, 4)], ids=["one pair less", "one pair more"])
def test_a_mask_one_pair_off_the_causal_one_is_not_taken_for_it(i, j, need_weights, tensors):
    x = tensors["key"]
    mask = causal_mask(KEY)
    mask[i, j] = ~mask[i, j]
    output, _ = attention_for(need_weights)(x, x, x, mask)
    want = torch.softmax((x @ x.mT / math.sqrt(D_KEY)).masked_fill(~mask, -math.inf), -1) @ x
    assert torch.allclose(output, want, atol=1e-12)


def test_a_causal_mask_makes_the_order_matter(tensors):
    x = tensors["key"]
    order = torch.tensor([3, 1, 0, 2, 6, 5, 4])
    output, _ = scaled_dot_product_attention(x, x, x, causal_mask(KEY))
    y = x[..., order, :]
    shuffled, _ = scaled_dot_product_attention(y, y, y, causal_mask(KEY))
    assert not torch.allclose(shuffled, output[..., order, :])


# ---- Dropout

SHARE = 0.3


def dropped(tensors: dict[str, Tensor], **options) -> tuple[Tensor, Tensor | None]:
    """Attention whose output shows the weights that were used: every value is a unit vector."""
    value = torch.eye(KEY, dtype=torch.float64).expand(BATCH, HEAD, KEY, KEY)
    return scaled_dot_product_attention(
        tensors["query"], tensors["key"], value, dropout=SHARE, **options
    )


def test_a_dropped_weight_is_zero_and_the_others_grow(tensors, generator):
    used, weights = dropped(tensors, generator=generator)
    zero = used == 0
    assert 0 < zero.sum() < zero.numel()
    torch.testing.assert_close(used[~zero], weights[~zero] / (1 - SHARE))
    torch.testing.assert_close(weights.sum(-1), torch.ones(BATCH, HEAD, QUERY).double())


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


def test_a_generator_leaves_the_global_one_alone(tensors, generator):
    before = torch.get_rng_state()
    dropped(tensors, generator=generator)
    assert torch.equal(torch.get_rng_state(), before)


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
@pytest.mark.parametrize(
    "name, value, message",
    [
        ("query", torch.zeros(D_KEY), r"query: expected axes \[\.\.\., query, d_key\], got"),
        (
            "key",
            torch.zeros(BATCH, HEAD, KEY, D_KEY + 1),
            r"key: expected axes \[\.\.\., key, d_key=11\], got shape \(2, 3, 7, 12\)",
        ),
        (
            "key",
            torch.zeros(HEAD, KEY, D_KEY),
            r"key: expected the leading axes \(2, 3\) of query, got \(3,\)",
        ),
        (
            "value",
            torch.zeros(BATCH, HEAD, KEY + 1, D_VALUE),
            r"value: expected axes \[\.\.\., key=7, d_value\], got shape \(2, 3, 8, 13\)",
        ),
        (
            "value",
            torch.zeros(1, HEAD, KEY, D_VALUE),
            r"value: expected the leading axes \(2, 3\) of query, got \(1, 3\)",
        ),
        (
            "mask",
            torch.ones(KEY, QUERY).bool(),
            r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\), got \(7, 5\)",
        ),
        (
            "mask",
            torch.ones(1, BATCH, HEAD, QUERY, KEY).bool(),
            r"mask: expected a shape that broadcasts to \(2, 3, 5, 7\), got \(1, 2, 3, 5, 7\)",
        ),
        ("scale", math.nan, "scale: expected a number > 0 and < inf, got nan"),
        ("scale", 0.0, "scale: expected a number > 0 and < inf, got 0.0"),
        ("scale", -0.5, "scale: expected a number > 0 and < inf, got -0.5"),
        ("scale", math.inf, "scale: expected a number > 0 and < inf, got inf"),
        ("dropout", 1.0, "dropout: expected a number >= 0 and < 1, got 1.0"),
        ("dropout", -0.1, "dropout: expected a number >= 0 and < 1, got -0.1"),
        ("dropout", math.nan, "dropout: expected a number >= 0 and < 1, got nan"),
    ],
)
def test_a_bad_value_is_named(need_weights, tensors, name, value, message):
    arguments = {**{name: tensor.float() for name, tensor in tensors.items()}, name: value}
    with pytest.raises(ValueError, match=message):
        attention_for(need_weights)(**arguments)


@pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize(
    "name, value, message",
    [
        ("query", [[1.0]], "query: expected a torch.Tensor, got list"),
        ("key", torch.ones(2, 3, 7, 11).long(), "key: expected a floating-point tensor, got dtype"),
        (
            "key",
            torch.zeros(BATCH, HEAD, KEY, D_KEY),
            "key: expected the dtype torch.float64 of query, got torch.float32",
        ),
        (
            "value",
            torch.zeros(BATCH, HEAD, KEY, D_VALUE),
            "value: expected the dtype torch.float64 of query, got torch.float32",
        ),
        (
            "mask",
            torch.zeros(QUERY, KEY),
            "mask: expected a boolean mask .* got dtype torch.float32; convert .* `mask == 0`",
        ),
        ("mask", True, "mask: expected a torch.Tensor, got bool"),
        ("scale", "small", "scale: expected a number, got 'small'"),
        ("scale", torch.tensor(1.0), r"scale: expected a number, got tensor\(1\.\)"),
        ("dropout", None, "dropout: expected a number, got None"),
    ],
)
def test_a_bad_type_is_named(need_weights, tensors, name, value, message):
    with pytest.raises(TypeError, match=message):
        attention_for(need_weights)(**{**tensors, name: value})


@pytest.mark.parametrize("name", ["key", "value", "mask"])
def test_another_device_is_named(name, tensors):
    tensors["mask"] = torch.ones(QUERY, KEY, dtype=torch.bool)
    tensors[name] = tensors[name].to("meta")
    with pytest.raises(ValueError, match=f"{name}: expected the device cpu of query, got meta"):
        scaled_dot_product_attention(**tensors)


def test_what_is_no_generator_is_named(tensors):
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got int"):
        scaled_dot_product_attention(**tensors, generator=7)


def test_a_generator_of_another_device_is_named(tensors, generator):
    elsewhere = {name: tensor.to("meta") for name, tensor in tensors.items()}
    with pytest.raises(ValueError, match="generator: expected the device meta of query, got cpu"):
        scaled_dot_product_attention(**elsewhere, dropout=0.5, generator=generator)


def test_scores_check_their_own_arguments(tensors):
    query, key = tensors["query"], tensors["key"]
    with pytest.raises(ValueError, match=r"key: expected axes \[\.\.\., key, d_key=11\]"):
        scaled_dot_scores(query, key[..., 1:])
    with pytest.raises(ValueError, match="scale: expected a number > 0 and < inf, got nan"):
        scaled_dot_scores(query, key, scale=math.nan)
    with pytest.raises(TypeError, match="key: expected the dtype torch.float64 of query"):
        scaled_dot_scores(query, key.float())
