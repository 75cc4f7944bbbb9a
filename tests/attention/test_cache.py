import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from bottomup.attention import (
    KeyValueCache,
    LayerCache,
    MemoryCache,
    MultiHeadAttention,
    attention_for,
    cached_attention,
    scaled_dot_product_attention,
)
from bottomup.masks import causal_mask, padding_mask
from tests.drawn import global_seed, learned, randn, seeded

BATCH, LENGTH, SOURCE, HEADS, D_HEAD, D_VALUE, D_MODEL = 3, 7, 5, 3, 2, 5, 11
EXACT = {"rtol": 0, "atol": 1e-12}


def layer_of(num_heads: int = HEADS, **options) -> MultiHeadAttention:
    """A module whose biases are not zero."""
    options = {"d_head": D_HEAD, "d_value": D_VALUE, **options}
    with global_seed(1):
        return learned(MultiHeadAttention(D_MODEL, num_heads, **options)).double()


def in_parts(module: MultiHeadAttention, x: Tensor, parts: list[int], **options) -> Tensor:
    """What the cached attention gives when x comes in parts of these lengths."""
    cache = KeyValueCache(module, batch=len(x), max_length=x.shape[1])
    return torch.cat(
        [cached_attention(module, part, cache, **options)[0] for part in x.split(parts, dim=1)],
        dim=1,
    )


# ---- Incremental = full


def test_two_steps_by_hand():
    # All maps are the identity, so the score of two positions is x_i x_j and the value is x_j.
    module = MultiHeadAttention(1, 1, bias=False).double()
    for parameter in module.parameters():
        nn.init.ones_(parameter)
    cache = KeyValueCache(module, batch=1, max_length=2)
    attend = scaled_dot_product_attention
    first, weights = cached_attention(
        module, torch.tensor([[[2.0]]]).double(), cache, attend=attend
    )
    assert first.item() == 2.0 and weights.tolist() == [[[[1.0]]]]
    second, weights = cached_attention(
        module, torch.tensor([[[1.0]]]).double(), cache, attend=attend
    )
    on_first = math.exp(2) / (math.exp(2) + math.exp(1))  # scores 1 * 2 and 1 * 1
    assert weights.tolist() == [[[pytest.approx([on_first, 1 - on_first])]]]
    assert second.item() == pytest.approx(2 * on_first + (1 - on_first))


@settings(max_examples=30)
@given(
    parts=st.lists(st.integers(1, 4), min_size=1, max_size=5),
    num_heads=st.sampled_from([1, 2, 5]),
    widths=st.sampled_from([(2, 2), (3, 5), (5, 1)]),
    need_weights=st.booleans(),
    bias=st.booleans(),
)
def test_parts_of_any_length_give_what_the_whole_gives(
    parts, num_heads, widths, need_weights, bias
):
    module = layer_of(num_heads, d_head=widths[0], d_value=widths[1], bias=bias)
    x = randn(BATCH, sum(parts), D_MODEL, seed=sum(parts))
    whole, _ = module(x, x, x, causal_mask(x.shape[1]))
    torch.testing.assert_close(
        in_parts(module, x, parts, attend=attention_for(need_weights)), whole, **EXACT
    )


def test_weights_are_the_last_rows_of_the_whole():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    _, whole = module(x, x, x, causal_mask(LENGTH))
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    cached_attention(module, x[:, :4], cache)
    output, weights = cached_attention(module, x[:, 4:], cache, attend=scaled_dot_product_attention)
    torch.testing.assert_close(weights, whole[:, :, 4:], **EXACT)
    assert cached_attention(module, x[:, :1], MemoryCache(module, x))[1] is None
    assert output.shape == (BATCH, 3, D_MODEL)


@pytest.mark.parametrize("parts", [[7], [1] * 7, [3, 1, 3]], ids=str)
def test_a_mask_joins_the_causal_one(parts):
    # Left padding: each sequence hides some of its first positions from all that follow.
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    hidden = torch.tensor([0, 2, 5])
    real = torch.arange(LENGTH) >= hidden[:, None]  # [batch, key]
    whole, _ = module(x, x, x, causal_mask(LENGTH) & real[:, None])
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    outputs = []
    for part in x.split(parts, dim=1):
        seen = cache.length + part.shape[1]
        outputs.append(cached_attention(module, part, cache, real[:, None, :seen])[0])
    torch.testing.assert_close(torch.cat(outputs, dim=1), whole, **EXACT)


def test_a_mask_for_each_head_is_kept_apart():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    allowed = torch.rand(HEADS, LENGTH, LENGTH, generator=seeded(3)) > 0.4
    whole, _ = module(x, x, x, (causal_mask(LENGTH) & allowed)[None])
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    outputs = [
        cached_attention(module, x[:, i : i + 1], cache, allowed[None, :, i : i + 1, : i + 1])[0]
        for i in range(LENGTH)
    ]
    torch.testing.assert_close(torch.cat(outputs, dim=1), whole, **EXACT)


def test_what_lies_behind_the_length_is_never_read():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=100)
    cache._key.fill_(torch.nan)
    cache._value.fill_(torch.nan)
    cached_attention(module, x[:, :4], cache)
    cache.reorder(torch.tensor([0, 1, 2]))
    whole, _ = module(x, x, x, causal_mask(LENGTH))
    torch.testing.assert_close(cached_attention(module, x[:, 4:], cache)[0], whole[:, 4:], **EXACT)


def test_float32_agrees_to_its_precision(device):
    module, x = layer_of().float().to(device), randn(BATCH, LENGTH, D_MODEL).float().to(device)
    whole, _ = module(x, x, x, causal_mask(LENGTH, device=device))
    torch.testing.assert_close(in_parts(module, x, [2, 5]), whole, rtol=1e-5, atol=1e-5)


# ---- Cross-attention


@pytest.mark.parametrize("need_weights", [False, True])
def test_the_memory_is_read_as_without_a_cache(need_weights):
    module, memory = layer_of(), randn(BATCH, SOURCE, D_MODEL, seed=1)
    x, mask = randn(BATCH, LENGTH, D_MODEL), padding_mask(torch.tensor([5, 2, 4]))
    whole, weights = module(x, memory, memory, mask)
    cache = MemoryCache(module, memory)
    for i in range(LENGTH):
        output, row = cached_attention(
            module, x[:, i : i + 1], cache, mask, attend=attention_for(need_weights)
        )
        torch.testing.assert_close(output, whole[:, i : i + 1], **EXACT)
        if need_weights:
            torch.testing.assert_close(row, weights[:, :, i : i + 1], **EXACT)
        else:
            assert row is None
    several, _ = cached_attention(module, x, cache, mask)  # no causal mask over the source
    torch.testing.assert_close(several, whole, **EXACT)


def test_a_source_that_may_not_be_read_gives_the_output_bias():
    module, memory = layer_of(), randn(BATCH, SOURCE, D_MODEL, seed=1)
    nothing = torch.zeros(1, SOURCE, dtype=torch.bool)
    x = randn(BATCH, 1, D_MODEL)
    output, _ = cached_attention(module, x, MemoryCache(module, memory), nothing)
    torch.testing.assert_close(output, module.W_O.bias.expand_as(output).detach(), **EXACT)


# ---- Beams


def test_reordered_sequences_go_on_from_their_new_prefixes():
    module, x = layer_of(), randn(BATCH, 4, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    cached_attention(module, x, cache)
    chosen = torch.tensor([2, 0, 2])
    cache.reorder(chosen)
    more = randn(BATCH, 3, D_MODEL, seed=9)
    joined = torch.cat([x[chosen], more], dim=1)
    whole, _ = module(joined, joined, joined, causal_mask(LENGTH))
    torch.testing.assert_close(cached_attention(module, more, cache)[0], whole[:, 4:], **EXACT)


def test_two_rows_of_one_prefix_do_not_share_memory():
    module, x = layer_of(), randn(1, 2, D_MODEL)
    cache = KeyValueCache(module, batch=1, max_length=3)
    cached_attention(module, x, cache)
    cache.reorder(torch.tensor([0, 0]))
    more = randn(2, 1, D_MODEL, seed=4)
    outputs, _ = cached_attention(module, more, cache)
    for row in range(2):
        joined = torch.cat([x, more[row : row + 1]], dim=1)
        whole, _ = module(joined, joined, joined, causal_mask(3))
        torch.testing.assert_close(outputs[row : row + 1], whole[:, 2:], **EXACT)


@pytest.mark.parametrize("chosen", [[1], [2, 2, 0, 1, 0]], ids=["fewer", "more"])
def test_reordering_may_change_the_number_of_sequences(chosen):
    module, memory = layer_of(), randn(BATCH, SOURCE, D_MODEL, seed=1)
    x, index = randn(BATCH, 4, D_MODEL), torch.tensor(chosen)
    layer = LayerCache(
        KeyValueCache(module, batch=BATCH, max_length=LENGTH), MemoryCache(module, memory)
    )
    cached_attention(module, x, layer.attention)
    key, value = layer.attention.key[index], layer.attention.value[index]
    layer.reorder(index)
    assert layer.attention.batch == layer.cross_attention.batch == len(chosen)
    assert layer.attention.length == 4
    assert torch.equal(layer.attention.key, key) and torch.equal(layer.attention.value, value)
    query = randn(len(chosen), 1, D_MODEL, seed=5)
    whole, _ = module(query, memory[index], memory[index])
    output, _ = cached_attention(module, query, layer.cross_attention)
    torch.testing.assert_close(output, whole, **EXACT)


def test_rows_that_change_places_within_a_source_copy_no_keys():
    module, memory = layer_of(), randn(BATCH, SOURCE, D_MODEL, seed=1)
    cache, whole = MemoryCache(module, memory), MemoryCache(module, memory)
    cache.reorder(torch.tensor([1, 1, 2]))
    place = cache.key.data_ptr(), cache.value.data_ptr()
    cache.reorder(torch.tensor([1, 0, 2]))  # the first two read one source
    assert (cache.key.data_ptr(), cache.value.data_ptr()) == place
    for index, sources in (([2, 1, 0], [2, 1, 1]), ([1, 2], [1, 1]), ([0, 0, 1], [1, 1, 1])):
        cache.reorder(torch.tensor(index))
        assert torch.equal(cache.key, whole.key[sources])
        assert torch.equal(cache.value, whole.value[sources])


# ---- Memory and gradients


def test_the_memory_is_what_the_docstring_counts():
    with torch.device("meta"):
        module = MultiHeadAttention(512, 8)
        cache = KeyValueCache(module, batch=1, max_length=512)
        memory = MemoryCache(module, torch.empty(1, 512, 512))
    assert 6 * cache.numbers == 3_145_728  # 12 MiB of four bytes
    assert 4 * 6 * cache.numbers == 12 * 2**20
    assert memory.numbers == cache.numbers
    ours = KeyValueCache(layer_of(), batch=BATCH, max_length=LENGTH)
    assert ours.numbers == BATCH * HEADS * LENGTH * (D_HEAD + D_VALUE)


def test_appending_takes_no_memory():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    cached_attention(module, x[:, :1], cache)
    places = cache.key.data_ptr(), cache.value.data_ptr()
    for i in range(1, LENGTH):
        cached_attention(module, x[:, i : i + 1], cache)
    assert (cache.key.data_ptr(), cache.value.data_ptr()) == places
    assert cache.length == LENGTH


def test_no_graph_grows():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL).requires_grad_()
    cache, memory = KeyValueCache(module, batch=BATCH, max_length=LENGTH), MemoryCache(module, x)
    outputs = [cached_attention(module, x[:, i : i + 1], cache)[0] for i in range(4)]
    outputs.append(cached_attention(module, x, memory)[0])
    kept = [cache.key, cache.value, memory.key, memory.value]
    assert not any(tensor.requires_grad for tensor in outputs + kept)
    assert torch.is_grad_enabled()


# ---- Bad input


def test_overflow_names_the_room_and_leaves_the_cache_alone():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=5)
    cached_attention(module, x[:, :4], cache)
    key = cache.key.clone()
    message = "cache: expected at most max_length=5 positions, got 2 more after 4"
    with pytest.raises(ValueError, match=message):
        cached_attention(module, x[:, 4:6], cache)
    assert cache.length == 4 and torch.equal(cache.key, key)
    cached_attention(module, x[:, 4:5], cache)
    assert cache.length == 5


def test_a_bad_mask_leaves_the_cache_alone():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    cached_attention(module, x[:, :4], cache)
    with pytest.raises(
        ValueError, match=r"mask: expected a shape that broadcasts to \(3, 3, 1, 5\)"
    ):
        cached_attention(module, x[:, 4:5], cache, torch.ones(1, 4, dtype=torch.bool))
    assert cache.length == 4


def test_a_module_that_would_drop_weights_is_refused():
    module, x = layer_of(dropout=0.5), randn(BATCH, LENGTH, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=LENGTH)
    with pytest.raises(ValueError, match="module: .* training mode with dropout=0.5"):
        cached_attention(module, x, cache)
    output, _ = cached_attention(module.eval(), x, cache)
    assert torch.equal(output, in_parts(module, x, [LENGTH]))


# ---- Bad input


def cache_of(**options) -> KeyValueCache:
    return KeyValueCache(layer_of(), **{"batch": BATCH, "max_length": LENGTH, **options})


X = randn(BATCH, 1, D_MODEL)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: KeyValueCache(nn.Linear(2, 2), batch=1, max_length=1), TypeError, "got Linear"),
        (lambda: MemoryCache(None, X), TypeError, "module: expected a MultiHeadAttention"),
        (lambda: cache_of(batch=0), ValueError, "batch: expected an integer of at least 1, got 0"),
        (lambda: cache_of(max_length=0), ValueError, "max_length: .* at least 1, got 0"),
        (lambda: cache_of(max_length=2.0), TypeError, "max_length: expected an integer, got 2.0"),
        (lambda: MemoryCache(layer_of(), X[..., :3]), ValueError, "memory: .*d_model=11"),
        (lambda: MemoryCache(layer_of(), X.tolist()), TypeError, "memory: expected a torch.Tensor"),
        (lambda: MemoryCache(layer_of(), X.float()), TypeError, "memory: expected the dtype"),
        (lambda: MemoryCache(layer_of(), X.to("meta")), ValueError, "memory: expected the device"),
        (lambda: cached_attention(None, X, cache_of()), TypeError, "module: .* got NoneType"),
        (lambda: cached_attention(layer_of(), X, None), TypeError, "cache: .* got NoneType"),
        (
            lambda: cached_attention(layer_of(), X[:2], cache_of()),
            ValueError,
            r"cache: .* of query and module, \(2, 3, 2, 5\), got \(3, 3, 2, 5\)",
        ),
        (lambda: cached_attention(layer_of(), X[0], cache_of()), ValueError, "query: .*axes"),
        (lambda: cached_attention(layer_of(), X.float(), cache_of()), TypeError, "query: .*dtype"),
        (
            lambda: cached_attention(layer_of(2), X, cache_of()),
            ValueError,
            r"cache: expected batch, heads, d_head and d_value .* \(3, 2, 2, 5\), got \(3, 3",
        ),
        (
            lambda: cached_attention(layer_of(d_value=7), X, cache_of()),
            ValueError,
            r"cache: .* d_head and d_value .*\(3, 3, 2, 7\), got \(3, 3, 2, 5\)",
        ),
        (
            lambda: cached_attention(layer_of().float(), X.float(), cache_of()),
            TypeError,
            "cache: expected the dtype torch.float32 of query, got torch.float64",
        ),
        (
            lambda: cached_attention(layer_of().to("meta"), X.to("meta"), cache_of()),
            ValueError,
            "cache: expected the device meta of query, got cpu",
        ),
        (
            lambda: cached_attention(layer_of(), X, MemoryCache(layer_of(2), X)),
            ValueError,
            "cache: expected batch, heads, d_head and d_value",
        ),
        (
            lambda: cached_attention(layer_of(), X, cache_of(), torch.ones(1, 1)),
            TypeError,
            "mask: expected a boolean mask",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "make", [cache_of, lambda: MemoryCache(layer_of(), X)], ids=["own", "memory"]
)
@pytest.mark.parametrize(
    "index, error, message",
    [
        (
            torch.tensor([0], device="meta"),
            ValueError,
            "index: expected the device cpu of kept, got meta",
        ),
        ([0, 1], TypeError, "index: expected a torch.Tensor, got list"),
        (torch.tensor([0, 1], dtype=torch.int32), TypeError, "index: .* got torch.int32"),
        (torch.tensor(0), ValueError, r"index: expected axes \[kept\], got shape \(\)"),
        (torch.zeros(0, dtype=torch.int64), ValueError, "index: axis kept must not be empty"),
        (torch.tensor([0, 3]), ValueError, r"index: expected entries in \[0, 3\), got 3"),
        (torch.tensor([-1, 0]), ValueError, r"index: expected entries in \[0, 3\), got -1"),
    ],
)
def test_a_bad_order_is_refused(make, index, error, message):
    with pytest.raises(error, match=message):
        make().reorder(index)
