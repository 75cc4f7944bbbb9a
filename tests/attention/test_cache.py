import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention import (
    KeyValueCache,
    LayerCache,
    MemoryCache,
    MultiHeadAttention,
    attention_for,
    cached_attention,
)
from bottomup.masks import causal_mask, padding_mask
from tests.drawn import global_seed, learned, randn

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


def test_what_lies_behind_the_length_is_never_read():
    module, x = layer_of(), randn(BATCH, LENGTH, D_MODEL)
    cache = KeyValueCache(module, batch=BATCH, max_length=100)
    cache._key.fill_(torch.nan)
    cache._value.fill_(torch.nan)
    cached_attention(module, x[:, :4], cache)
    cache.reorder(torch.tensor([0, 1, 2]))
    whole, _ = module(x, x, x, causal_mask(LENGTH))
    torch.testing.assert_close(cached_attention(module, x[:, 4:], cache)[0], whole[:, 4:], **EXACT)


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


# ---- Beams


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
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(3, 1, 5\)"):
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
    "make", [cache_of, lambda: MemoryCache(layer_of(), X)], ids=["own", "memory"]
)
@pytest.mark.parametrize(
    "index, error, message",
    [
        (torch.tensor([0, 3]), ValueError, r"index: expected entries in \[0, 3\), got 3"),
        (torch.tensor([-1, 0]), ValueError, r"index: expected entries in \[0, 3\), got -1"),
    ],
)
def test_a_bad_order_is_refused(make, index, error, message):
    with pytest.raises(error, match=message):
        make().reorder(index)
