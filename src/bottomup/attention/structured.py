"""Structured self-attention: several readings of one sequence, without a query.

Each of the r hops has a score of its own, and all hops read at the same time:
none sees what another has read. Chapter 03 compares them with heads: a hop has
no query.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.checks import check_integer, checked
from bottomup.masks import masked_softmax
from bottomup.precision import in_float32


@checked
@in_float32
def structured_weights(
    states: Float[Tensor, "*leading position d_state"],
    W_s1: Float[Tensor, "d_attention d_state"],
    W_s2: Float[Tensor, "hop d_attention"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading hop position"]:
    """Weigh the positions of a sequence once for each hop.

    ``A = softmax(W_s2 tanh(W_s1 H^T))``, the softmax over positions; row i of A
    belongs to hop i

    The score of a position depends on its own state alone: no other state and
    no query is compared with it. Row i is an additive score whose query is zero
    and whose v_a is row i of W_s2.

    Args:
        states: H, one state for each position.
        W_s1: the layer that all hops share.
        W_s2: one row for each hop.
        mask: True = may be read; broadcasts to ``[..., hop, position]``.

    Returns:
        A. A row sums to one, or to zero where nothing may be read.

    Source: Lin et al. (2017), section 2.1, equation 6. Chapter 02b derives it.
    """
    hidden = torch.tanh(states @ W_s1.T)  # [..., position, d_attention]
    scores = (hidden @ W_s2.T).transpose(-2, -1)  # [..., hop, position]
    return masked_softmax(scores, mask)


@checked
@in_float32
def structured_embedding(
    states: Float[Tensor, "*leading position d_state"],
    W_s1: Float[Tensor, "d_attention d_state"],
    W_s2: Float[Tensor, "hop d_attention"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading hop d_state"],
    Float[Tensor, "*leading hop position"],
]:
    """Read a sequence of any length once for each hop.

    ``M = A H``, A = `structured_weights`

    The hops read the states as they are, each at its full width; a head of
    Vaswani et al. (2017) reads through a map of its own.

    Returns:
        The embedding M and the weights A.

    Source: Lin et al. (2017), section 2.1, equation 7. Chapter 02b derives it.

    Example:
        >>> states = torch.tensor([[1.0], [3.0]])
        >>> no = torch.zeros(2, 1), torch.zeros(2, 2)  # equal scores
        >>> structured_embedding(states, *no)
        (tensor([[2.],
                [2.]]), tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]]))
    """
    weights = structured_weights(states, W_s1, W_s2, mask)
    return weights @ states, weights  # [..., hop, d_state]


@checked
@in_float32
def overlap_penalty(
    weights: Float[Tensor, "*leading hop position"],
) -> Float[Tensor, "*leading"]:
    """Measure how far the hops are from a position each, alone.

    ``P = ||A A^T - I||_F^2
    = sum_i (a_i · a_i - 1)^2 + sum_{i != j} (a_i · a_j)^2``

    The second sum is zero where no two hops share a position, the first where
    every hop reads one position alone. So P is zero only if each hop has one
    position to itself, which takes at least as many positions as hops. It
    pushes hops apart and sharpens them at the same time.

    Args:
        weights: A, as `structured_weights` gives it. A hop that may read
            nothing counts 1.

    Returns:
        One number for each sequence, between 0 and ``hops^2``. The loss takes
        their mean over the batch, times a coefficient.

    Source: Lin et al. (2017), section 2.2, equation 8. Chapter 02b derives it.

    Example:
        >>> overlap_penalty(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        tensor(0.)
        >>> overlap_penalty(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
        tensor(2.)
    """
    hops = weights.shape[-2]
    identity = torch.eye(hops, dtype=weights.dtype, device=weights.device)
    difference = weights @ weights.transpose(-2, -1) - identity
    return difference.square().sum(dim=(-2, -1))  # [...]


class StructuredSelfAttention(nn.Module):
    """`structured_embedding` with its parameters.

    They are W_s1 [d_attention, d_state] and W_s2 [hops, d_attention], without
    biases.

    Args:
        d_state: width of the states that are read.
        d_attention: width of the layer that scores them, the paper's d_a.
        hops: number of readings, the paper's r.

    Source: Lin et al. (2017), section 2.1. Chapter 02b derives it.
    """

    def __init__(self, d_state: int, d_attention: int, hops: int) -> None:
        super().__init__()
        check_integer("d_state", d_state, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        check_integer("hops", hops, at_least=1)
        self.d_state = d_state
        spread, wide = d_state**-0.5, d_attention**-0.5
        self.W_s1 = nn.Parameter(
            torch.empty(d_attention, d_state).uniform_(-spread, spread)
        )
        self.W_s2 = nn.Parameter(
            torch.empty(hops, d_attention).uniform_(-wide, wide)
        )

    @checked
    def forward(
        self,
        states: Float[Tensor, "*leading position d_state"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*leading hop d_state"],
        Float[Tensor, "*leading hop position"],
    ]:
        """Return what each hop reads, and its weights."""
        return structured_embedding(states, self.W_s1, self.W_s2, mask)
