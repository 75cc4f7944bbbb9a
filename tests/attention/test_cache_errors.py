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
