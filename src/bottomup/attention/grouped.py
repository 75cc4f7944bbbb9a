"""Grouped queries: several heads ask the same keys and read the same values."""

from collections.abc import Callable
from functools import partial

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.multi_head import merge_heads, split_heads
from bottomup.attention.scaled_dot_product import (
    Attention,
    scaled_dot_product_attention,
    scaled_dot_scores,
)
from bottomup.checks import (
    check_divisor,
    check_integer,
    check_mask,
    checked,
    may_meet,
)
from bottomup.masks import masked_softmax
from bottomup.precision import widened


@checked
def grouped_attention(
    query: Float[Tensor, "*leading head query d_key"],
    key: Float[Tensor, "*leading group key d_key"],
    value: Float[Tensor, "*leading group key d_value"],
    mask: Bool[Tensor, "query key"] | None = None,
    *,
    attend: Attention = scaled_dot_product_attention,
) -> tuple[
    Float[Tensor, "*leading head query d_value"],
    Float[Tensor, "*leading head query key"] | None,
]:
    """Let head h read the keys and values of group ``h // (heads / groups)``.

    ``output[h] = softmax(query[h] key[g]^T / sqrt(d_key)) value[g]``,
    ``g = floor(h groups / heads)``

    With as many groups as heads it is multi-head attention, with one group
    multi-query attention. Nothing is copied: to the keys of a group, the
    queries of its heads are more queries.

    Args:
        query: the queries of all heads.
        key, value: those of all groups; their number divides that of the heads.
        mask: True = may attend, the same for all heads.
        attend: what is done with the queries of a group; with `fused_attention`
            the weights are None.

    Source: Ainslie et al. (2023). Chapter 10b derives it.

    Example:
        >>> query = torch.randn(4, 5, 3)  # four heads
        >>> key = value = torch.randn(2, 5, 3)  # two groups
        >>> output, weights = grouped_attention(query, key, value)
        >>> output.shape, weights.shape
        (torch.Size([4, 5, 3]), torch.Size([4, 5, 5]))
    """
    heads, n = query.shape[-3:-1]
    groups = key.shape[-3]
    check_divisor("groups", groups, "heads", heads)
    each = heads // groups
    check_mask("mask", mask, (n, key.shape[-2]))
    if mask is not None:
        mask = mask.expand(n, -1).repeat(each, 1) if each > 1 else mask
        mask = mask[None]  # the first axis is no batch
    read, weights = attend(fold_heads(query, groups), key, value, mask)
    if weights is not None:
        weights = unfold_heads(weights, each)
    return unfold_heads(read, each), weights


def fold_heads(query: Tensor, groups: int) -> Tensor:
    """Turn the heads of a group into more queries of one head.

    Args:
        query: ``[..., head, query, d]``.
        groups: number of groups, which divides that of the heads.

    Returns:
        ``[..., group, head of the group * query, d]``

    Chapter 10b derives it.
    """
    return query.unflatten(-3, (groups, -1)).flatten(-3, -2)


def unfold_heads(read: Tensor, each: int) -> Tensor:
    """Undo `fold_heads`, with `each` heads in a group.

    Chapter 10b derives it.
    """
    return read.unflatten(-2, (each, -1)).flatten(-4, -3)


class GroupedCache:
    """Keys and values of the positions written so far, for each group.

    The memory is taken once: ``2 batch groups max_length d_head`` numbers a
    layer. `KeyValueCache` holds those of all heads.

    Args:
        attention: whose keys and values they are; gives sizes, dtype, device.
        batch: number of sequences.
        max_length: most positions that will be written.

    Attributes:
        length: number of positions written, at first 0.

    Source: Ainslie et al. (2023). Chapter 10b derives it.
    """

    def __init__(
        self, attention: "GroupedQueryAttention", *, batch: int, max_length: int
    ) -> None:
        check_integer("batch", batch, at_least=1)
        check_integer("max_length", max_length, at_least=1)
        shape = (2, batch, attention.num_groups, max_length, attention.d_head)
        self._both = attention.W_K.weight.detach().new_empty(shape)
        self.max_length, self.length = max_length, 0

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return self._both.shape[1]

    @property
    def numbers(self) -> int:
        """How many numbers the memory holds, filled or not."""
        return self._both.numel()

    @checked
    def append(
        self,
        key: Float[Tensor, "batch group new d_head"],
        value: Float[Tensor, "batch group new d_head"],
    ) -> tuple[
        Float[Tensor, "batch group key d_head"],
        Float[Tensor, "batch group key d_head"],
    ]:
        """Write new positions; return the keys and values of all so far.

        Args:
            key, value: those of the new positions.
        """
        self._check_fit(key)
        start, end = self.length, self.length + key.shape[-2]
        if end > self.max_length:
            raise ValueError(
                f"cache: expected at most max_length={self.max_length} "
                f"positions, got {end}"
            )
        self._both[0, :, :, start:end] = key.detach()
        self._both[1, :, :, start:end] = value.detach()
        self.length = end
        kept, read = self._both[:, :, :, :end]
        return kept, read

    def _check_fit(self, key: Tensor) -> None:
        """Check that nothing would be spread or cast where it is written."""
        kept = self._both
        own, new = [*kept.shape[1:3], kept.shape[4]], [*key.shape]
        new.pop(2)  # the number of new positions is free
        if own != new:
            raise ValueError(
                "cache: expected batch, groups and d_head of the new keys, "
                f"{new}, got {own}"
            )
        if not may_meet(kept.dtype, key.dtype, key.device):
            wanted = f"the dtype {key.dtype} of the new keys"
            raise TypeError(f"cache: expected {wanted}, got {kept.dtype}")
        if kept.device != key.device:
            wanted = f"the device {key.device} of the new keys"
            raise ValueError(f"cache: expected {wanted}, got {kept.device}")


class GroupedQueryAttention(nn.Module):
    """Causal self-attention with fewer keys and values than heads.

    ``Q = x W_Q^T`` in `num_heads` heads, ``K = x W_K^T`` and ``V = x W_V^T`` in
    `num_groups`; ``output = [head_1 ... head_H] W_O^T`` with the heads of
    `grouped_attention`. No map has a bias.

    There are ``2 d_head d_model (num_heads + num_groups)`` weights.

    Args:
        d_model: width of a position, in and out.
        num_heads: number of heads.
        num_groups: number of heads that K and V have; divides num_heads.
        d_head: width of a head; d_model / num_heads.

    The maps start as Glorot's uniform distribution draws them.

    Source: Ainslie et al. (2023). Chapter 10b derives it.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_groups: int,
        *,
        d_head: int | None = None,
    ) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        check_integer("num_heads", num_heads, at_least=1)
        check_integer("num_groups", num_groups, at_least=1)
        check_divisor("num_groups", num_groups, "num_heads", num_heads)
        if d_head is None:
            check_divisor("num_heads", num_heads, "d_model", d_model)
            d_head = d_model // num_heads
        check_integer("d_head", d_head, at_least=1)
        self.d_model, self.d_head = d_model, d_head
        self.num_heads, self.num_groups = num_heads, num_groups
        self.W_Q = nn.Linear(d_model, num_heads * d_head, bias=False)
        self.W_K = nn.Linear(d_model, num_groups * d_head, bias=False)
        self.W_V = nn.Linear(d_model, num_groups * d_head, bias=False)
        self.W_O = nn.Linear(num_heads * d_head, d_model, bias=False)
        for linear in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(linear.weight)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch query d_model"],
        mask: Bool[Tensor, "query key"] | None = None,
        *,
        turn: Callable[[Tensor], Tensor] | None = None,
        bias: Float[Tensor, "head query key"] | None = None,
        cache: GroupedCache | None = None,
        attend: Attention = scaled_dot_product_attention,
    ) -> tuple[
        Float[Tensor, "batch query d_model"],
        Float[Tensor, "batch head query key"] | None,
    ]:
        """Return ``(output, weights)``.

        Args:
            x: the stream; with a cache, at the positions behind it.
            mask: True = may attend; its keys are those of cache and x.
            turn: what is done to queries and keys,
                ``[batch, head, query, d_head]``, such as rotary positions. A
                cache keeps turned keys.
            bias: what is added to the scores, such as `alibi_bias`.
            cache: earlier positions; those of x are appended. No gradient then
                passes through keys and values.
            attend: what each group does, where there is no bias.
        """
        Q = split_heads(self.W_Q(x), self.num_heads)
        K = split_heads(self.W_K(x), self.num_groups)
        V = split_heads(self.W_V(x), self.num_groups)
        if turn is not None:
            Q, K = turn(Q), turn(K)  # not V: what is read has no position
        if cache is not None:
            _check_cache(cache)
        n = K.shape[-2] + (0 if cache is None else cache.length)
        check_mask("mask", mask, (x.shape[1], n))
        if bias is not None and bias.shape != (self.num_heads, x.shape[1], n):
            wanted = f"[head, query, key] = {[self.num_heads, x.shape[1], n]}"
            raise ValueError(f"bias: expected {wanted}, got {list(bias.shape)}")
        if cache is not None:
            K, V = cache.append(K, V)  # [batch, group, key, d_head]
        if bias is not None:
            bias = fold_heads(bias, self.num_groups)
            attend = partial(_attend_with, bias=bias)
        read, weights = grouped_attention(Q, K, V, mask, attend=attend)
        return self.W_O(merge_heads(read)), weights  # [batch, query, d_model]

    def extra_repr(self) -> str:
        """Show the sizes in the module's printout."""
        sizes = ("d_model", "num_heads", "num_groups", "d_head")
        return ", ".join(f"{name}={getattr(self, name)}" for name in sizes)


def _check_cache(cache: object) -> None:
    if not isinstance(cache, GroupedCache):
        kind = type(cache).__name__
        raise TypeError(f"cache: expected a GroupedCache, got {kind}")


def _attend_with(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    *,
    bias: Tensor,
) -> tuple[Tensor, Tensor]:
    """Attend with a bias that is added to the scores."""
    scores = scaled_dot_scores(widened(query), widened(key))
    weights = masked_softmax(scores + bias.to(scores), mask)
    read = weights @ widened(value)
    return read.to(query.dtype), weights.to(query.dtype)
