"""Keys and values kept while a decoder writes: each is computed once."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.attention.fused import fused_attention
from bottomup.attention.multi_head import (
    MultiHeadAttention,
    check_attention,
    merge_heads,
    split_heads,
    with_heads,
)
from bottomup.attention.scaled_dot_product import Attention
from bottomup.checks import check_integer, checked, may_meet


class Cache(ABC):
    """Keys and values that an attention need not compute again.

    Attributes:
        key: the keys, ``[batch, head, key, d_head]``.
        value: the values, ``[batch, head, key, d_value]``.
        length: number of positions that have a key and a value.

    `KeyValueCache` and `MemoryCache` say where they come from. Chapter 06
    derives both.
    """

    key: Tensor
    value: Tensor

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return len(self.key)

    @property
    def numbers(self) -> int:
        """How many numbers the memory holds, filled or not."""
        return self._key.numel() + self._value.numel()

    @abstractmethod
    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Let sequence b go on from what sequence ``index[b]`` has."""

    @abstractmethod
    def _append(
        self, module: MultiHeadAttention, x: Tensor, mask: Tensor | None
    ) -> Tensor | None:
        """Write what is new at the positions x; return what they may read."""

    def _keep(self, key: Tensor, value: Tensor, length: int) -> None:
        """Keep both, and show the first positions; others are never read."""
        self._key, self._value, self.length = key, value, length
        self.key, self.value = key[:, :, :length], value[:, :, :length]


@checked
def cached_attention(
    module: MultiHeadAttention,
    query: Float[Tensor, "batch query d_model"],
    cache: Cache,
    mask: Bool[Tensor, "..."] | None = None,
    *,
    attend: Attention = fused_attention,
) -> tuple[
    Float[Tensor, "batch query d_model"],
    Float[Tensor, "batch head query key"] | None,
]:
    """Attend from the newest positions to keys and values that are there.

    ``output[i] = [head_1[i] ... head_H[i]] W_O^T + b_O``,
    ``head_h[i] = softmax(Q_h[i] K_h^T / sqrt(d_head)) V_h``, with K and V from
    the cache.

    With a `KeyValueCache` the keys and values of `query` are appended first,
    and position i of the new ones attends to all earlier positions, to itself
    and to no later one. The outputs are then the last rows of
    ``module(x, x, x, causal=True)`` over all positions x written so far. A step
    of one position after ``length`` others costs
    ``O(d_model^2 + length d_model)`` multiplications in the place of
    ``O(length d_model^2 + length^2 d_model)``.

    With a `MemoryCache` nothing is appended, and it is
    ``module(query, memory, memory, mask)``.

    For inference only: no gradient passes.

    Args:
        module: the attention that the cache was made for, in evaluation mode
            unless it has no dropout; no heir with a `forward` of its own.
        query: the stream at the new positions, in self-attention those behind
            the cached ones.
        cache: earlier positions, or the encoder's output.
        mask: True = may attend, as in `MultiHeadAttention`; its key axis counts
            all positions in the cache, the new ones included. The causal mask
            need not be given.
        attend: what each head does; `scaled_dot_product_attention` returns the
            weights, too.

    Returns:
        The output at the new positions, and each head's weights or None.

    Source: Shazeer (2019), section 2.4. Chapter 05 derives it.
    """
    _check_fit(module, query, cache)
    with torch.no_grad():
        mask = cache._append(module, query, mask)
        Q = split_heads(module.W_Q(query), module.num_heads)
        read, weights = attend(
            Q,  # [batch, head, query, d_head]
            cache.key,  # [batch, head, key, d_head]
            cache.value,  # [batch, head, key, d_value]
            mask,
        )  # [batch, head, query, d_value], [batch, head, query, key]
        output = module.W_O(merge_heads(read))  # [batch, query, d_model]
    return output, weights


class KeyValueCache(Cache):
    """The keys and values of a decoder's own positions, in one layer.

    ``key[b, h, i] = W_K^h x[b, i] + b_K^h`` and
    ``value[b, h, i] = W_V^h x[b, i] + b_V^h`` for the ``length`` positions
    written so far; it grows as they are written. Position i never changes once
    it is written, since no later position is among its inputs; what the causal
    mask forbids in training makes the cache possible.

    The memory is taken once: ``batch num_heads max_length (d_head + d_value)``
    numbers a layer, 2 d_model for each position where the heads share d_model
    out. The base model's six decoder layers hold 6 * 1024 numbers a position,
    for 512 positions 3,145,728 numbers: 12 MiB in float32.

    Appending changes the cache in place; to continue one prefix in two ways,
    give it two sequences (`reorder`). It holds no gradient.

    Args:
        module: the attention whose keys and values are kept; gives sizes, dtype
            and device.
        batch: number of sequences.
        max_length: most positions that will be written.

    Attributes:
        max_length: most positions that fit; `length` is at first 0.

    Source: Shazeer (2019), section 2.4, where the tensors grow by
    concatenation; those measured in section 4.3 have their full length from the
    start, as here. Chapter 06 derives it.
    """

    def __init__(
        self, module: MultiHeadAttention, *, batch: int, max_length: int
    ) -> None:
        check_attention(module)
        check_integer("batch", batch, at_least=1)
        check_integer("max_length", max_length, at_least=1)
        self.max_length = int(max_length)
        room = (batch, module.num_heads, max_length)
        like = module.W_K.weight.detach()
        key = like.new_empty(*room, module.d_head)
        self._keep(key, like.new_empty(*room, module.d_value), length=0)

    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Let sequence b go on from what sequence ``index[b]`` has written.

        A beam search drops some prefixes and continues others more than once.
        There may be more or fewer entries than sequences; their number is the
        new batch size.
        """
        check_index(self.key, index)
        key = _chosen(self._key, index, self.length)
        value = _chosen(self._value, index, self.length)
        self._keep(key, value, self.length)

    def _append(
        self, module: MultiHeadAttention, x: Tensor, mask: Tensor | None
    ) -> Tensor | None:
        """Let the new positions read what is before them, and themselves."""
        start, new = self.length, x.shape[1]
        end = start + new
        if end > self.max_length:
            raise ValueError(
                f"cache: expected at most max_length={self.max_length} "
                f"positions, got {new} more after {start}"
            )
        mask = with_heads(mask, None, (len(x), module.num_heads, new, end))
        K, V = _keys_and_values(module, x)
        self._key[:, :, start:end] = K  # [batch, head, new, d_head]
        self._value[:, :, start:end] = V  # [batch, head, new, d_value]
        self._keep(self._key, self._value, end)
        if new == 1:  # nothing stands behind it
            return mask
        every = torch.ones(new, end, dtype=torch.bool, device=x.device)
        causal = every.tril(diagonal=start)  # [new, key]
        return causal if mask is None else mask & causal


class MemoryCache(Cache):
    """The keys and values of an encoder's output, in one layer.

    ``key[b, h, j] = W_K^h memory[b, j] + b_K^h``, and likewise the values:
    cross-attention asks about the same source at every step. They are computed
    once and stay, ``batch num_heads source (d_head + d_value)`` numbers a
    layer, 2 d_model for each source position where the heads share d_model out.

    Args:
        module: the cross-attention whose keys and values they are.
        memory: the encoder's output.

    Source: the second kind of attention in Vaswani et al. (2017), section
    3.2.3. Computing its keys and values once is what later versions of
    tensor2tensor do. Chapter 06 derives it.
    """

    def __init__(
        self,
        module: MultiHeadAttention,
        memory: Float[Tensor, "batch source d_model"],
    ) -> None:
        check_attention(module)
        with torch.no_grad():
            key, value = _keys_and_values(module, memory)
        self._keep(key, value, length=key.shape[2])
        # Which source each sequence reads:
        self._source = torch.arange(len(memory), device=memory.device)

    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Let sequence b read the source of sequence ``index[b]``.

        The mask over the source is not kept here: reorder it too, unless all
        sources are one.
        """
        check_index(self.key, index)
        source = self._source[index]
        if torch.equal(source, self._source):
            return  # a beam's rows changed places, and all read one source
        self._source = source
        self._keep(self.key[index], self.value[index], self.length)

    def _append(
        self, module: MultiHeadAttention, x: Tensor, mask: Tensor | None
    ) -> Tensor | None:
        """Append nothing: the source stays as it is."""
        sizes = (len(x), module.num_heads, x.shape[1], self.length)
        return with_heads(mask, None, sizes)


class LayerCache(NamedTuple):
    """Both caches of one decoder layer, under the names of its modules."""

    attention: KeyValueCache
    cross_attention: MemoryCache

    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Reorder both; `KeyValueCache.reorder`."""
        self.attention.reorder(index)
        self.cross_attention.reorder(index)


@checked
def _keys_and_values(
    module: MultiHeadAttention, memory: Float[Tensor, "batch key d_model"]
) -> tuple[
    Float[Tensor, "batch head key d_head"],
    Float[Tensor, "batch head key d_value"],
]:
    K = split_heads(module.W_K(memory), module.num_heads)
    V = split_heads(module.W_V(memory), module.num_heads)
    return K, V


def _chosen(room: Tensor, index: Tensor, length: int) -> Tensor:
    chosen = room.new_empty(len(index), *room.shape[1:])
    chosen[:, :, :length] = room[index, :, :length]
    return chosen


@checked
def check_index(kept: Tensor, index: Int64[Tensor, " kept"]) -> None:
    """Check numbers of sequences among those that a tensor keeps.

    Args:
        kept: any tensor, with an entry for each sequence.
        index: numbers from 0.
    """
    low, high = torch.stack(torch.aminmax(index)).tolist()  # one reading
    if low < 0 or high >= len(kept):
        worst = low if low < 0 else high
        raise ValueError(
            f"index: expected entries in [0, {len(kept)}), got {worst}"
        )


def _check_fit(module: MultiHeadAttention, query: Tensor, cache: Cache) -> None:
    """Check that no weight is dropped, and that the cache is the module's."""
    check_attention(module)
    if not isinstance(cache, Cache):
        raise TypeError(
            "cache: expected a KeyValueCache or a MemoryCache, "
            f"got {type(cache).__name__}"
        )
    if module.training and module.dropout > 0:
        raise ValueError(
            "module: expected evaluation mode or dropout=0, got training mode "
            f"with dropout={module.dropout}; call eval() first"
        )
    (batch, heads, _, d_head), d_value = cache.key.shape, cache.value.shape[3]
    sizes = (batch, heads, d_head, d_value)
    wanted = (len(query), module.num_heads, module.d_head, module.d_value)
    if sizes != wanted:
        raise ValueError(
            "cache: expected batch, heads, d_head and d_value of query and "
            f"module, {wanted}, got {sizes}"
        )
    if not may_meet(cache.key.dtype, query.dtype, query.device):
        raise TypeError(
            f"cache: expected the dtype {query.dtype} of query, "
            f"got {cache.key.dtype}"
        )
    if cache.key.device != query.device:
        raise ValueError(
            f"cache: expected the device {query.device} of query, "
            f"got {cache.key.device}"
        )
