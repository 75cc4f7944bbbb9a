"""Hard attention: each query reads one position, drawn from the weights.

The draw has no derivative. Three ways to train through it stand here and in
`bottomup.attention.reinforce`: the exact gradient by enumeration, REINFORCE,
and Gumbel straight-through.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.attention.scored import ScoredAttention
from bottomup.checks import (
    check_integer,
    check_mask,
    check_number,
    check_switch,
    checked,
    is_traced,
)
from bottomup.masks import masked_softmax
from bottomup.precision import in_float32

NOWHERE = -1  # the position of a query that may attend to no key


@checked
@in_float32
def expected_log_likelihood(
    weights: Float[Tensor, "*leading query key"],
    log_likelihood: Float[Tensor, "*leading query key"],
) -> Float[Tensor, "*leading query"]:
    """Return what a draw is worth on average, the objective of hard attention.

    ``L[i] = sum_j p(z_i = j) log p(y_i | z_i = j)``, a lower bound of
    ``log p(y_i)``

    Autograd gives its exact gradient,
    ``sum_j p_j (grad log p(y|j) + log p(y|j) grad log p_j)``, which the other
    ways approach from draws. The price is one readout for each key.

    Args:
        weights: p(z_i = j), as from `masked_softmax`. A row of zeros gives 0.
        log_likelihood: log p(y_i | z_i = j) in nats, finite everywhere.

    Source: Xu et al. (2015), section 4.1, the lower bound L_s. Chapter 01b
    derives it.
    """
    return (weights * log_likelihood).sum(dim=-1)  # [..., query]


@checked
@in_float32
def sample_positions(
    weights: Float[Tensor, "*leading query key"],
    *,
    generator: torch.Generator | None,
) -> Int64[Tensor, "*leading query"]:
    """Draw one position for each query, ``z_i ~ Categorical(weights[i])``.

    Args:
        weights: at least 0; a row need not sum to one. A row of zeros gives
            `NOWHERE`, -1.
        generator: source of randomness, on the device of `weights`; None is
            torch's default one.

    Source: Xu et al. (2015), section 4.1. Chapter 01b uses it.
    """
    rows = weights.detach().flatten(end_dim=-2)  # [row, key]
    fits = (rows >= 0) & rows.isfinite()
    if not is_traced() and not fits.all():
        raise ValueError("weights: expected finite numbers of at least 0")
    empty = rows.sum(dim=-1) == 0  # [row]
    possible = rows.masked_fill(empty[:, None], 1.0)
    drawn = torch.multinomial(possible, 1, generator=generator)  # [row, 1]
    return drawn[:, 0].masked_fill(empty, NOWHERE).view(weights.shape[:-1])


@checked
def one_hot_positions(
    positions: Int64[Tensor, "*leading query"],
    keys: int,
    *,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*leading query key"]:
    """Write positions as weights: 1 at the position, 0 elsewhere.

    Args:
        positions: from 0 to keys - 1; `NOWHERE`, -1, gives a row of zeros.
        keys: length of the new last axis.
        dtype: of the result.

    Chapter 01b trains with it.
    """
    check_integer("keys", keys, at_least=1)
    _check_positions(positions, keys)
    weights = F.one_hot(positions.clamp(min=0), keys).to(dtype)
    return weights.masked_fill((positions == NOWHERE)[..., None], 0.0)


@checked
@in_float32
def position_log_probability(
    weights: Float[Tensor, "*leading query key"],
    positions: Int64[Tensor, "*leading query"],
) -> Float[Tensor, "*leading query"]:
    """Return ``log p(z_i)`` of positions; 0, without gradient, for `NOWHERE`.

    The weight is picked first and its logarithm taken then: the logarithm of
    all weights would be -inf on masked keys, and its gradient NaN.

    Args:
        weights: p(z_i = j).
        positions: as `sample_positions` returns them.

    Source: Xu et al. (2015), section 4.1. Chapter 01b uses it.
    """
    _check_positions(positions, weights.shape[-1])
    picked = weights.gather(-1, positions.clamp(min=0)[..., None])[..., 0]
    return picked.masked_fill(positions == NOWHERE, 1.0).log()  # [..., query]


def _check_positions(positions: Tensor, keys: int) -> None:
    if is_traced():
        return
    outside = positions[(positions < NOWHERE) | (positions >= keys)]
    if len(outside):
        raise ValueError(
            f"positions: expected numbers in [{NOWHERE}, {keys}), "
            f"got {int(outside[0])}"
        )


@checked
@in_float32
def gumbel_straight_through(
    scores: Float[Tensor, "*leading query key"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    temperature: float,
    generator: torch.Generator | None,
    noise: bool = True,
) -> Float[Tensor, "*leading query key"]:
    """Draw a position, one-hot, that passes on the gradient of a softmax.

    Forward: one-hot of ``argmax_j(scores[i, j] + g_ij)``, g from Gumbel(0, 1),
    which is a draw from ``softmax(scores[i])`` at any temperature. Backward: as
    if the result had been ``softmax((scores + g) / temperature)``. The mean
    gradient over draws is therefore *not* that of the expected loss: the
    estimate is biased.

    Args:
        scores: any finite numbers, one for each pair of query and key.
        mask: True = may attend; broadcasts to `scores`. A query that may attend
            to no key gets a row of zeros and no gradient.
        temperature: above 0. A high one smooths the gradient, a low one makes
            it vary more.
        generator: source of randomness, on the device of `scores`; None is
            torch's default one.
        noise: False leaves g out: the strongest key, without randomness.

    Source: Jang et al. (2017), sections 2.1 and 2.2; the relaxation also in
    Maddison et al. (2017). Chapter 01b derives it.
    """
    check_mask("mask", mask, scores.shape)
    check_number("temperature", temperature, above=0, below=torch.inf)
    check_switch("noise", noise)
    if noise:  # minus the logarithm of an exponential draw, which is never 0
        g = -torch.empty_like(scores).exponential_(generator=generator).log()
        scores = scores + g  # [..., query, key]
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    fixed = scores.detach()
    strongest = fixed.masked_fill(~mask, -torch.inf).argmax(-1, keepdim=True)
    hard = torch.zeros_like(fixed).scatter(-1, strongest, 1.0)
    hard = hard.masked_fill(~mask, 0.0)  # a row without any key stays zero
    # Less the row's maximum, so that no small temperature overflows; none is
    # so small that it is rounded to zero.
    wide = torch.promote_types(scores.dtype, torch.float32)
    temperature = max(temperature, torch.finfo(wide).tiny)
    top = fixed.gather(-1, strongest)  # [..., query, 1]
    soft = masked_softmax((scores - top) / temperature, mask)
    return hard + (soft - soft.detach())  # [..., query, key]


class HardAttention(ScoredAttention):
    """Read one position: drawn in training, the strongest in evaluation.

    It takes the place of the `ScoredAttention` it wraps. In training mode the
    weights are those of `gumbel_straight_through`, so that an ordinary loss
    trains the score; in evaluation mode they are the one-hot vector of the
    strongest key, without randomness.

    The draws come from torch's default generator of the device.
    `bottomup.training.fit` seeds that generator, keeps it in its checkpoints
    and puts it back, so training resumes bit for bit.

    Args:
        scored: supplies the score; its parameters are trained.
        temperature: of the straight-through gradient.

    Source: Xu et al. (2015), section 4.1; Jang et al. (2017), section 2.2.
    Chapter 01b derives it.
    """

    def __init__(
        self, scored: ScoredAttention, *, temperature: float = 1.0
    ) -> None:
        super().__init__()
        if not isinstance(scored, ScoredAttention):
            raise TypeError(
                "scored: expected a ScoredAttention, "
                f"got {type(scored).__name__}"
            )
        check_number("temperature", temperature, above=0, below=torch.inf)
        self.scored = scored
        self.temperature = temperature

    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return the scores of the wrapped attention."""
        return self.scored.score(query, key)

    @in_float32
    def distribution(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*leading query key"]:
        """Return p(z_i = j), the weights that a draw is made from."""
        return masked_softmax(self.score(query, key), mask)

    def weigh(
        self,
        scores: Float[Tensor, "*leading query key"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*leading query key"]:
        """Return one-hot weights: the position that each query reads."""
        return gumbel_straight_through(
            scores,
            mask,
            temperature=self.temperature,
            generator=None,
            noise=self.training,
        )
