"""One softmax from several: what each found among its own keys, weighed by its log-sum-exp.

The kernels of sparse attention do the same in place; here are the formulas by themselves.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.attention.scaled_dot_product import scaled_dot_scores
from bottomup.attention.weights import attend
from bottomup.checks import check_axes, check_same_kind, check_tensor


def partial_attention(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query"]
]:
    """Attend to some of the keys, and say how much score lies there.

    ``output[i] = sum_j exp(s[i, j] - log_sum[i]) value[j]``,
    ``log_sum[i] = log sum_j exp(s[i, j])``, ``s[i, j] = query[i] · key[j] / sqrt(d_key)``,
    where j runs over the keys that the mask allows

    Returns:
        The output, and the log-sum-exp of the scores. A query that may attend to no key has the
        output 0 and the log-sum-exp -inf.

    Source: the softmax's denominator in Vaswani et al. (2017), equation 1. Chapter 07 derives it.
    """
    scores = scaled_dot_scores(query, key)
    output, _ = attend(scores, value, mask)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return output, _log_sum_exp(scores)


def merge_attention(
    outputs: Sequence[Float[Tensor, "*leading query d_value"]],
    log_sums: Sequence[Float[Tensor, "*leading query"]],
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query"]
]:
    """Turn attention to several disjoint sets of keys into attention to all of them.

    ``log_sum = log sum_p exp(log_sums[p])``,
    ``output = sum_p exp(log_sums[p] - log_sum) outputs[p]``

    Part p's weights sum to one over its own keys. In the softmax over all keys they have the share
    ``exp(log_sums[p] - log_sum)``. A key that stands in two sets counts twice: the sets must be
    disjoint. Adding two outputs, or taking their mean, is another thing: each set would then
    have the same share, whatever its scores.

    Args:
        outputs: what each part has read.
        log_sums: the log-sum-exp of each part's scores; -inf for a part without any key.

    Returns:
        The output and the log-sum-exp over all keys, so that merging can go on. Where every part is
        without keys, the output is 0, its gradient 0, and the log-sum-exp -inf.

    Source: the rescaling of Milakov & Gimelshein (2018), section 3. Chapter 07 derives it.
    """
    _check_parts(outputs, log_sums)
    sums = torch.stack(list(log_sums))  # [part, ..., query]
    log_sum = _log_sum_exp(sums.movedim(0, -1))
    empty = log_sum == -torch.inf
    # A softmax rounds less than exp(log_sums[p] - log_sum) where the scores are large.
    shares = sums.masked_fill(empty, 0.0).softmax(dim=0).masked_fill(empty, 0.0)
    output = sum(
        share[..., None] * part
        for share, part in zip(shares, outputs, strict=True)
    )
    return output, log_sum


def _log_sum_exp(scores: Tensor) -> Tensor:
    """Return the log-sum-exp over the last axis, with the gradient 0 where all are -inf."""
    empty = (scores == -torch.inf).all(dim=-1)
    filled = scores.masked_fill(empty[..., None], 0.0)
    return filled.logsumexp(dim=-1).masked_fill(empty, -torch.inf)


def _check_parts(outputs: Sequence[Tensor], log_sums: Sequence[Tensor]) -> None:
    if len(outputs) == 0 or len(outputs) != len(log_sums):
        raise ValueError(
            "log_sums: expected one for each output, and at least one, "
            f"got {len(log_sums)} for {len(outputs)} outputs"
        )
    check_axes("outputs[0]", outputs[0], "... query d_value")
    shape = tuple(outputs[0].shape)
    for name, parts, wanted in (
        ("outputs", outputs, shape),
        ("log_sums", log_sums, shape[:-1]),
    ):
        for number, part in enumerate(parts):
            check_tensor(f"{name}[{number}]", part, floating=True)
            check_same_kind(f"{name}[{number}]", part, "outputs[0]", outputs[0])
            if tuple(part.shape) != wanted:
                raise ValueError(
                    f"{name}[{number}]: expected the shape {wanted}, got {tuple(part.shape)}"
                )
