"""Label smoothing: a target that leaves some probability to others."""

from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import (
    check_choice,
    check_number,
    checked,
    is_traced,
)
from bottomup.data import PAD
from bottomup.precision import in_float32
from bottomup.training.losses import cross_entropy, mean_cost, real_rows

Convention = Literal["all", "others", "no_padding"]


@checked
@in_float32
def smoothed_cross_entropy(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int64[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
    *,
    smoothing: int | float = 0.1,
    convention: Convention = "all",
) -> Float[Tensor, ""]:
    """Mean cross-entropy against a smoothed target, over real tokens, in nats.

    ``L = -1/N * sum over real (b, i) and v of q[v] log p[v]``,
    ``p = softmax(logits[b, i])``; the right token y has ``q[y] = 1 - e`` and e,
    the smoothing, is shared out equally among

    - "all" classes, y included, each gets ``e / V``, and y has
      ``1 - e + e / V``: Szegedy's uniform distribution, and torch's
      ``label_smoothing``;
    - the "others", all but y, each gets ``e / (V - 1)``, as in Vaswani's code,
      Tensor2Tensor;
    - the others but PAD ("no_padding"), each gets ``e / (V - 2)``, as in the
      Annotated Transformer.

    V is the size of the vocabulary. The first two leave mass to the class PAD,
    although no padded position counts. For large V the three differ little:
    "all" is "others" at ``e (V - 1) / V``.

    The least loss is the entropy of q, not zero; p = q reaches it. Compare
    models by `token_cross_entropy`, whatever they were trained with.

    Args:
        logits: one score per token of the vocabulary, before the softmax. Those
            at padded positions are not read. Where a class has mass, -inf costs
            infinity; where it has none, nothing.
        target: the right tokens (`Batch.target_out`).
        mask: True at real tokens (`Batch.target_mask`).
        smoothing: e, in [0, 1); 0 gives `token_cross_entropy`.
        convention: who gets a share: "all", "others" or "no_padding".

    Source: Szegedy et al. (2016), section 7; Vaswani et al. (2017), section
    5.4, with e = 0.1. Chapter 05 derives it.

    Example:
        >>> logits = torch.zeros(1, 1, 4)  # uniform: log 4, whatever the target
        >>> target, mask = torch.tensor([[1]]), torch.tensor([[True]])
        >>> smoothed_cross_entropy(logits, target, mask)
        tensor(1.3863)
    """
    check_number("smoothing", smoothing, at_least=0, below=1)
    check_choice("convention", convention, get_args(Convention))
    scores, right, counts = real_rows(logits, target, mask)
    if convention == "all" or smoothing == 0:
        return cross_entropy(scores, right, counts, smoothing=smoothing)
    without = _without_share(right, convention)  # [token, 1 or 2]
    sharing = scores.shape[-1] - without.shape[-1]
    if sharing < 1:
        raise ValueError(
            f"logits: expected a vocabulary of more than {without.shape[-1]} "
            f"with convention {convention!r}, got {scores.shape[-1]}"
        )
    costs = -scores.log_softmax(dim=-1)  # [token, vocabulary]
    # Taken out before the sum: infinity times zero would be NaN.
    costs = costs.scatter(-1, without, 0.0).sum(dim=-1)  # [token]
    shared = mean_cost(costs, counts) / sharing
    own = cross_entropy(scores, right, counts)
    return (1 - smoothing) * own + smoothing * shared


def _without_share(right: Tensor, convention: Convention) -> Tensor:
    """Return the classes, distinct for each token, that get no share."""
    if convention == "others":
        return right[:, None]
    if not is_traced() and (right == PAD).any():
        raise ValueError(
            "target: expected no PAD at a real token with convention "
            f"'no_padding', got {PAD}"
        )
    return torch.stack([right, torch.full_like(right, PAD)], dim=-1)
