"""Keys and values kept while a decoder writes, so that each is computed once."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.attention.cache_checks import (
    check_call,
    check_index,
    check_module,
)
from bottomup.attention.fused import fused_attention
from bottomup.attention.multi_head import (
    MultiHeadAttention,
    merge_heads,
    split_heads,
    with_heads,
)
from bottomup.attention.scaled_dot_product import Attention
from bottomup.checks import check_axes, check_integer, check_same_kind, checked


class KeyValueCache:
    """The keys and values of a decoder's own positions, in one layer; it grows as they are written.

    ``key[b, h, i] = W_K^h x[b, i] + b_K^h`` and ``value[b, h, i] = W_V^h x[b, i] + b_V^h`` for the
    ``length`` positions written so far. Position i never changes once it is written, since no later
    position is among its inputs; what the causal mask forbids in training makes the cache possible.

    The memory is taken once: ``batch num_heads max_length (d_head + d_value)`` numbers a layer,
    2 d_model for each position where the heads share d_model out. The base model's six decoder
    layers hold 6 * 1024 numbers a position, for 512 positions 3,145,728 numbers: 12 MiB in float32.

    Appending changes the cache in place; to continue one prefix in two ways, give it two sequences
    (`reorder`). It holds no gradient.

    Args:
        module: the attention whose keys and values are kept; gives sizes, dtype and device.
        batch: number of sequences.
        max_length: most positions that will be written.

    Attributes:
        length: number of positions written so far, at first 0.
        max_length: most positions that fit.

    Source: Shazeer (2019), section 2.4, where the tensors grow by concatenation; those measured in
    section 4.3 have their full length from the start, as here. Chapter 06 derives it.
    """

    def __init__(
        self, module: MultiHeadAttention, *, batch: int, max_length: int
    ) -> None:
        check_module(module)
        check_integer("batch", batch, at_least=1)
        check_integer("max_length", max_length, at_least=1)
        self.length, self.max_length = 0, int(max_length)
        like = module.W_K.weight.detach()
        # Nothing behind `length` is ever read.
        self._key = like.new_empty(
            batch, module.num_heads, max_length, module.d_head
        )
        self._value = like.new_empty(
            batch, module.num_heads, max_length, module.d_value
        )

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return self._key.shape[0]

    @property
    def numbers(self) -> int:
        """How many numbers the memory holds, filled or not."""
        return self._key.numel() + self._value.numel()

    @property
    def key(self) -> Float[Tensor, "batch head length d_head"]:
        """The keys written so far, a view."""
        return self._key[:, :, : self.length]

    @property
    def value(self) -> Float[Tensor, "batch head length d_value"]:
        """The values written so far, a view."""
        return self._value[:, :, : self.length]

    def append(
        self,
        key: Float[Tensor, "batch head new d_head"],
        value: Float[Tensor, "batch head new d_value"],
    ) -> None:
        """Write the keys and values of the next positions behind those of the earlier ones."""
        batch, heads, _, d_head = self._key.shape
        sizes = {"batch": batch, "head": heads}
        new = check_axes(
            "key", key, "batch head new d_head", d_head=d_head, **sizes
        )["new"]
        sizes |= {"new": new, "d_value": self._value.shape[-1]}
        check_axes("value", value, "batch head new d_value", **sizes)
        check_same_kind("key", key, "the cache", self._key)
        check_same_kind("value", value, "the cache", self._value)
        self._check_room(new)
        with (
            torch.no_grad()
        ):  # a gradient would keep every earlier step's graph alive
            self._write(key, value)

    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Let sequence b go on from what sequence ``index[b]`` has written.

        A beam search drops some prefixes and continues others more than once. There may be more or
        fewer entries than sequences; their number is the new batch size.
        """
        check_index(index, self._key)
        self._key = _chosen(self._key, index, self.length)
        self._value = _chosen(self._value, index, self.length)

    def _write(self, key: Tensor, value: Tensor) -> None:
        """Write what has been checked, or computed from what has been."""
        end = self.length + key.shape[2]
        self._key[:, :, self.length : end] = key
        self._value[:, :, self.length : end] = value
        self.length = end

    def _check_room(self, new: int) -> None:
        if self.length + new > self.max_length:
            raise ValueError(
                f"cache: expected at most max_length={self.max_length} positions, "
                f"got {new} more after {self.length}"
            )


class MemoryCache:
    """The keys and values of an encoder's output, in one layer; they are computed once and stay.

    ``key[b, h, j] = W_K^h memory[b, j] + b_K^h``, and likewise the values: cross-attention asks
    about the same source at every step. They are ``batch num_heads source (d_head + d_value)``
    numbers a layer, 2 d_model for each source position where the heads share d_model out.

    Args:
        module: the cross-attention whose keys and values they are.
        memory: the encoder's output.

    Attributes:
        key: the keys, ``[batch, head, source, d_head]``.
        value: the values, ``[batch, head, source, d_value]``.

    Source: the second kind of attention in Vaswani et al. (2017), section 3.2.3. Computing its keys
    and values once is what later versions of tensor2tensor do. Chapter 06 derives it.
    """

    def __init__(
        self,
        module: MultiHeadAttention,
        memory: Float[Tensor, "batch source d_model"],
    ) -> None:
        check_module(module)
        check_axes(
            "memory", memory, "batch source d_model", d_model=module.d_model
        )
        check_same_kind("memory", memory, "module", module.W_K.weight)
        with torch.no_grad():
            self.key, self.value = _keys_and_values(module, memory)
        self._source = torch.arange(
            len(memory), device=memory.device
        )  # which each sequence reads

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return self.key.shape[0]

    @property
    def numbers(self) -> int:
        """How many numbers the keys and values are."""
        return self.key.numel() + self.value.numel()

    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Let sequence b read the source of sequence ``index[b]``; `KeyValueCache.reorder`.

        The mask over the source is not kept here: reorder it too, unless all sources are one.
        """
        check_index(index, self.key)
        source = self._source[index]
        if torch.equal(source, self._source):
            return  # a beam's rows changed places, and all of them read one source
        self._source = source
        self.key, self.value = self.key[index], self.value[index]


class LayerCache(NamedTuple):
    """Both caches of one decoder layer, under the names of the layer's modules."""

    attention: KeyValueCache
    cross_attention: MemoryCache

    def reorder(self, index: Int64[Tensor, " kept"]) -> None:
        """Reorder both; `KeyValueCache.reorder`."""
        self.attention.reorder(index)
        self.cross_attention.reorder(index)


@checked
def cached_attention(
    module: MultiHeadAttention,
    query: Float[Tensor, "batch query d_model"],
    cache: KeyValueCache | MemoryCache,
    mask: Bool[Tensor, "..."] | None = None,
    *,
    attend: Attention = fused_attention,
) -> tuple[
    Float[Tensor, "batch query d_model"],
    Float[Tensor, "batch head query key"] | None,
]:
    """Attend from the newest positions alone, to keys and values that are already there.

    ``output[i] = [head_1[i] ... head_H[i]] W_O^T + b_O``,
    ``head_h[i] = softmax(Q_h[i] K_h^T / sqrt(d_head)) V_h``, with K and V from the cache.

    With a `KeyValueCache` the keys and values of `query` are appended first, and position i of the
    new ones attends to all earlier positions, to itself and to no later one. The outputs are then
    the last rows of ``module(x, x, x, causal_mask)`` over all positions x written so far. A step
    of one position after ``length`` others costs ``O(d_model^2 + length d_model)`` multiplications
    in the place of ``O(length d_model^2 + length^2 d_model)``.

    With a `MemoryCache` nothing is appended, and it is ``module(query, memory, memory, mask)``.

    For inference only: no gradient passes.

    Args:
        module: the attention that the cache was made for.
        query: the stream at the new positions, in self-attention those behind the cached ones.
        cache: earlier positions, or the encoder's output.
        mask: True = may attend, as in `MultiHeadAttention`; its key axis counts all positions in
            the cache, the new ones included. The causal mask need not be given.
        attend: with `scaled_dot_product_attention` the weights are returned, too.

    Returns:
        The output at the new positions, and each head's weights or None.

    Source: Shazeer (2019), section 2.4. Chapter 05 derives it.
    """
    check_module(module)
    if not isinstance(cache, KeyValueCache | MemoryCache):
        raise TypeError(
            f"cache: expected a KeyValueCache or a MemoryCache, got {type(cache).__name__}"
        )
    check_call(module, query, cache.key, cache.value)
    batch, new, _ = query.shape
    grows = isinstance(cache, KeyValueCache)
    keys = cache.key.shape[2] + (new if grows else 0)
    mask = with_heads(mask, None, (batch, module.num_heads, new, keys))
    with torch.no_grad():
        if isinstance(cache, KeyValueCache):
            cache._check_room(new)
            cache._write(*_keys_and_values(module, query))
            mask = _and_causal(mask, new, keys, query.device)
        read = split_heads(module.W_Q(query), module.num_heads)
        heads, weights = attend(read, cache.key, cache.value, mask)
        return module.W_O(merge_heads(heads)), weights


def _keys_and_values(
    module: MultiHeadAttention, x: Tensor
) -> tuple[Tensor, Tensor]:
    heads = module.num_heads
    return split_heads(module.W_K(x), heads), split_heads(module.W_V(x), heads)


def _and_causal(
    mask: Tensor | None, new: int, keys: int, device: torch.device
) -> Tensor | None:
    """Keep the new positions from reading those behind them; the last one has none behind."""
    if new == 1:
        return mask
    causal = torch.ones(new, keys, dtype=torch.bool, device=device).tril(
        diagonal=keys - new
    )
    return causal if mask is None else mask & causal


def _chosen(buffer: Tensor, index: Tensor, length: int) -> Tensor:
    chosen = buffer.new_empty(len(index), *buffer.shape[1:])
    chosen[:, :, :length] = buffer[index, :, :length]
    return chosen
