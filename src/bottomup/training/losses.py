"""Losses. Chapter 01 trains with the cross-entropy of the next target token."""

import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import check_token_ids, checked, is_traced
from bottomup.precision import in_float32


@checked
@in_float32
def token_cross_entropy(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int64[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> Float[Tensor, ""]:
    """Mean negative log-probability of the right token, over real tokens.

    ``L = -1/N * sum over real (b, i) of log softmax(logits[b, i])[target[b,
    i]]``

    N is the number of real tokens in the whole batch, so that a long sentence
    weighs more than a short one. In nats: chance, a uniform guess, gives
    ``log(vocabulary)``.

    Args:
        logits: one score per token of the vocabulary, before the softmax.
        target: the right tokens (`Batch.target_out`).
        mask: True at real tokens (`Batch.target_mask`).

    Chapter 00 derives it.

    Example:
        >>> logits = torch.tensor([[[1.0, 3.0], [1.0, 1.0]]]).log()
        >>> target = torch.tensor([[1, 0]])
        >>> mask = torch.tensor([[True, False]])  # the second is padding
        >>> token_cross_entropy(logits, target, mask)  # -log 3/4
        tensor(0.2877)
    """
    return cross_entropy(*real_rows(logits, target, mask))


def real_rows(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int64[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> tuple[
    Float[Tensor, "token vocabulary"],
    Int64[Tensor, " token"],
    Bool[Tensor, " token"] | None,
]:
    """Return the scores and the right tokens of the real places.

    Where torch traces the program it cannot ask how many they are: it gets all
    places, and at the end which of them count.
    """
    vocabulary = logits.shape[-1]
    check_token_ids("target", target, "batch target", vocabulary=vocabulary)
    if is_traced():
        logits = logits.masked_fill(~mask[..., None], 0.0)  # no NaN comes back
        return logits.flatten(0, 1), target.flatten(), mask.flatten()
    row, place = mask.nonzero(as_tuple=True)  # once: it waits for the device
    if len(row) == 0:
        raise ValueError(
            "mask: expected at least one real token, got padding alone"
        )
    return logits[row, place], target[row, place], None


def cross_entropy(
    scores: Float[Tensor, "token vocabulary"],
    right: Int64[Tensor, " token"],
    counts: Bool[Tensor, " token"] | None,
    *,
    smoothing: int | float = 0.0,
) -> Float[Tensor, ""]:
    """Return torch's cross-entropy, the mean over the tokens that count."""
    how = "mean" if counts is None else "none"
    costs = F.cross_entropy(
        scores, right, label_smoothing=smoothing, reduction=how
    )
    return costs if counts is None else mean_cost(costs, counts)


def mean_cost(
    costs: Float[Tensor, " token"], counts: Bool[Tensor, " token"] | None
) -> Float[Tensor, ""]:
    """Return the mean over the tokens that count; None: over all."""
    if counts is None:
        return costs.mean()
    return costs.masked_fill(~counts, 0.0).sum() / counts.sum()
