import pytest
import torch
from torch import Tensor, nn

from bottomup.attention import KeyValueCache, MemoryCache, MultiHeadAttention, cached_attention

BATCH, LENGTH, HEADS, D_HEAD, D_VALUE, D_MODEL = 3, 7, 3, 2, 5, 11


def randn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def layer_of(num_heads: int = HEADS, d_value: int = D_VALUE) -> MultiHeadAttention:
    with torch.random.fork_rng(devices=[]):
        return MultiHeadAttention(D_MODEL, num_heads, d_head=D_HEAD, d_value=d_value).double()


def cache_of(**options) -> KeyValueCache:
    return KeyValueCache(layer_of(), **{"batch": BATCH, "max_length": LENGTH, **options})


X = randn(BATCH, 1, D_MODEL)
KEY, VALUE = randn(BATCH, HEADS, 1, D_HEAD), randn(BATCH, HEADS, 1, D_VALUE)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: KeyValueCache(nn.Linear(2, 2), batch=1, max_length=1), TypeError, "got Linear"),
        (lambda: MemoryCache(None, X), TypeError, "module: expected a MultiHeadAttention"),
        (lambda: cache_of(batch=0), ValueError, "batch: expected an integer of at least 1, got 0"),
        (lambda: cache_of(max_length=0), ValueError, "max_length: .* at least 1, got 0"),
        (lambda: cache_of(max_length=2.0), TypeError, "max_length: expected an integer, got 2.0"),
        (lambda: MemoryCache(layer_of(), X[..., :3]), ValueError, "memory: .*d_model=11"),
        (lambda: MemoryCache(layer_of(), X.float()), TypeError, "memory: expected the dtype"),
        (lambda: MemoryCache(layer_of(), X.to("meta")), ValueError, "memory: expected the device"),
        (lambda: cache_of().append(KEY[:2], VALUE), ValueError, "key: .*batch=3"),
        (lambda: cache_of().append(KEY, KEY), ValueError, "value: .*d_value=5"),
        (lambda: cache_of().append(KEY.float(), VALUE), TypeError, "key: expected the dtype"),
        (lambda: cache_of().append(KEY, VALUE.float()), TypeError, "value: expected the dtype"),
        (lambda: cached_attention(None, X, cache_of()), TypeError, "module: .* got NoneType"),
        (lambda: cached_attention(layer_of(), X, None), TypeError, "cache: .* got NoneType"),
        (lambda: cached_attention(layer_of(), X[:2], cache_of()), ValueError, "query: .*batch=3"),
        (lambda: cached_attention(layer_of(), X[0], cache_of()), ValueError, "query: .*axes"),
        (lambda: cached_attention(layer_of(), X.float(), cache_of()), TypeError, "query: .*dtype"),
        (
            lambda: cached_attention(layer_of(2), X, cache_of()),
            ValueError,
            "cache: expected keys of 2 heads of width 2, got 3 of width 2",
        ),
        (
            lambda: cached_attention(layer_of(d_value=7), X, cache_of()),
            ValueError,
            "cache: expected values of 3 heads of width 7, got 3 of width 5",
        ),
        (
            lambda: cached_attention(layer_of().float(), X.float(), cache_of()),
            TypeError,
            "cache: expected the dtype torch.float32 of query, got torch.float64",
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
        (torch.tensor([0], device="meta"), ValueError, "index: expected the device cpu, got meta"),
        ([0, 1], TypeError, "index: expected a torch.Tensor, got list"),
        (torch.tensor([0, 1], dtype=torch.int32), TypeError, "index: .* got torch.int32"),
        (torch.tensor(0), ValueError, r"index: expected non-empty axes \[kept\], got \(\)"),
        (torch.zeros(0, dtype=torch.int64), ValueError, r"index: expected non-empty axes"),
        (torch.tensor([0, 3]), ValueError, r"index: expected entries in \[0, 3\), got 3"),
        (torch.tensor([-1, 0]), ValueError, r"index: expected entries in \[0, 3\), got -1"),
    ],
)
def test_a_bad_order_is_refused(make, index, error, message):
    with pytest.raises(error, match=message):
        make().reorder(index)
