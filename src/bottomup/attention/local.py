"""Local attention (Luong et al., 2015): attend to a window of the source.

- local-m, monotonic: the window's centre is ``p_t = t``, and a softmax runs over the window.
- local-p, predicted: ``p_t = S sigmoid(v_p · tanh(W_p h_t))``, and a Gaussian around p_t multiplies
  the softmax's weights.

A window without any allowed position gives zero weights and a zero output, like every fully masked
row of this package. How positions are counted is said in `bottomup.attention.local_window`.
"""

from typing import cast

import torch
from jaxtyping import Bool, Float, Int64, Real
from torch import Tensor, nn

from bottomup.attention.local_window import (
    check_center,
    gaussian_around,
    predicted_center,
    window_around,
)
from bottomup.attention.module import ScoredAttention
from bottomup.attention.weights import read_values
from bottomup.checks import (
    check_axes,
    check_choice,
    check_integer,
    check_mask,
    check_same_kind,
)
from bottomup.masks import masked_softmax

CENTERS = ("monotonic", "predicted")


def local_m_weights(
    scores: Float[Tensor, "*leading query key"],
    center: Real[Tensor, "..."],
    half_width: int,
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Turn scores into weights over the window: a softmax over ``window_around(center)``.

    ``weights[i, s] = exp(scores[i, s]) / sum_r exp(scores[i, r])``, where s and r run over the
    allowed positions of query i's window. They sum to one unless the window holds none: then the
    row is zero. No gradient reaches the centre.

    Args:
        scores: any real numbers, one for each pair of query and key.
        center: p_t, inside the sentence or not; broadcasts to [..., query].
        half_width: D, in positions.
        mask: True = may attend; broadcasts to the shape of `scores`.

    Source: Luong et al. (2015), section 3.2, local-m and footnote 9. Chapter 01b derives it.
    """
    center = _fit_center(center, scores)
    window = window_around(center, scores.shape[-1], half_width)
    check_mask("mask", mask, tuple(scores.shape))
    return masked_softmax(scores, window if mask is None else window & mask)


def local_p_weights(
    scores: Float[Tensor, "*leading query key"],
    center: Real[Tensor, "..."],
    half_width: int,
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Weigh the window by a softmax and favour its middle by a Gaussian, multiplied afterwards.

    ``weights[i, s] = local_m_weights[i, s] * exp(-(s - center[i])^2 / (2 sigma^2))``,
    ``sigma = half_width / 2``

    **The weights do not sum to one**, unlike those of every other function here: the Gaussian
    comes after the softmax and nothing divides by the new sum. A row sums to at most 1, and a
    window without an allowed position gives a zero row. Adding the Gaussian's logarithm to the
    scores gives a renormalised variant, which is not the paper's.

    The gradient reaches the centre through the Gaussian alone; the window is a step function.

    Args:
        scores, center, half_width, mask: as for `local_m_weights`.

    Source: Luong et al. (2015), section 3.2, equation 10. Chapter 01b derives it.
    """
    center = _fit_center(center, scores)
    gaussian = gaussian_around(center, scores.shape[-1], half_width)
    return local_m_weights(scores, center, half_width, mask) * gaussian


def local_attention(
    scores: Float[Tensor, "*leading query key"],
    value: Float[Tensor, "*leading key d_value"],
    center: Real[Tensor, "..."],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    half_width: int,
    gaussian: bool = False,
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"]
]:
    """Read the values in a window around centres that the caller gives.

    ``output[i] = sum_s weights[i, s] value[s]``, with `local_p_weights` if `gaussian`, else
    `local_m_weights`

    A centre outside the sentence is an error here, since it is most often a slip in counting. The
    sentence of a query is what the mask allows, S positions. A centre of an integer dtype names a
    word and lies in [0, S - 1]; a real one is a prediction and lies in [0, S], the range of
    equation 9. A row in which nothing is allowed is not checked: it reads zeros. `LocalAttention`
    computes its centres itself and lets monotonic ones run past the end.

    Args:
        scores, center, mask: as for `local_m_weights`.
        value: what is read, one for each key.
        half_width: D, in positions.
        gaussian: whether to multiply the Gaussian; the weights then do not sum to one.

    Returns:
        The output and the weights.

    Source: Luong et al. (2015), section 3.2. Chapter 01b derives it.
    """
    weigh = local_p_weights if gaussian else local_m_weights
    weights = weigh(scores, center, half_width, mask)
    _check_inside(center, _lengths(scores, mask))
    return read_values(weights, value)


class LocalAttention(nn.Module):
    """Attention in a window around a centre, with the score of a global attention.

    - ``center="monotonic"`` is local-m: ``p_t = t``, and weights that sum to one. A target may be
      longer than its source: a query more than D positions behind the last word reads zeros.
    - ``center="predicted"`` is local-p: p_t from `predicted_center`, with parameters W_p [d_query,
      d_query] and v_p [d_query], and the Gaussian. **The weights do not sum to one.** S counts the
      keys that the mask allows, so padding stands on the right, and an end symbol counts.

    Args:
        score: a global attention, for its score alone.
        half_width: D, in positions.
        center: "monotonic" or "predicted".
        d_query: width of the queries; a monotonic centre has no parameters and does not need it.

    Source: Luong et al. (2015), section 3.2. Chapter 01b derives it.
    """

    def __init__(
        self,
        score: ScoredAttention,
        *,
        half_width: int,
        center: str = "monotonic",
        d_query: int | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(score, ScoredAttention):
            raise TypeError(
                f"score: expected a ScoredAttention, got {type(score).__name__}"
            )
        check_integer("half_width", half_width, at_least=1)
        check_choice("center", center, CENTERS)
        self.score = score
        self.half_width = half_width
        self.predicted = center == "predicted"
        if self.predicted:
            check_integer("d_query", d_query, at_least=1)
            width = cast(int, d_query)
            spread = width**-0.5
            self.W_p = nn.Parameter(
                torch.empty(width, width).uniform_(-spread, spread)
            )
            self.v_p = nn.Parameter(
                torch.empty(width).uniform_(-spread, spread)
            )

    def forward(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
        value: Float[Tensor, "*leading key d_value"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        first_query: int = 0,
    ) -> tuple[
        Float[Tensor, "*leading query d_value"],
        Float[Tensor, "*leading query key"],
    ]:
        """Return ``(output, weights)``.

        Args:
            query, key, value, mask: as for `ScoredAttention`.
            first_query: t of the first query. A decoder that attends one query at a time passes
                the number of queries before it, since a monotonic centre is t itself.
        """
        scores = self.score.score(query, key)
        check_mask("mask", mask, tuple(scores.shape))
        center = self.center_of(
            query, _lengths(scores, mask), first_query=first_query
        )
        weigh = local_p_weights if self.predicted else local_m_weights
        return read_values(weigh(scores, center, self.half_width, mask), value)

    def extra_repr(self) -> str:
        """Name the window and the kind of centre in the module's printed form."""
        return (
            f"half_width={self.half_width}, center={CENTERS[self.predicted]!r}"
        )

    def center_of(
        self,
        query: Float[Tensor, "*leading query d_query"],
        lengths: Int64[Tensor, "*leading #query"],
        *,
        first_query: int = 0,
    ) -> Float[Tensor, "*leading query"]:
        """Return p_t for each query: ``first_query + i``, or `predicted_center`.

        Args:
            query: the queries.
            lengths: as for `predicted_center`; a monotonic centre does not depend on it.
            first_query: t of the first query; a predicted centre does not depend on it.
        """
        check_integer("first_query", first_query, at_least=0)
        if self.predicted:
            check_axes(
                "query", query, "... query d_query", d_query=self.W_p.shape[1]
            )
            return predicted_center(query, lengths, self.W_p, self.v_p)
        count = check_axes("query", query, "... query d_query")["query"]
        steps = (
            torch.arange(count, dtype=query.dtype, device=query.device)
            + first_query
        )
        return steps.expand(query.shape[:-1])


def _fit_center(center: Tensor, scores: Tensor) -> Tensor:
    """Return the centres as [..., query], in the dtype of the scores."""
    check_axes("scores", scores, "... query key")
    check_center(center)
    wanted = tuple(scores.shape[:-1])
    try:
        fitted = center.broadcast_to(wanted)
    except RuntimeError:
        got = tuple(center.shape)
        raise ValueError(
            f"center: expected a shape that broadcasts to {wanted}, one centre for each query, "
            f"got {got}"
        ) from None
    fitted = fitted if fitted.is_floating_point() else fitted.to(scores.dtype)
    check_same_kind("center", fitted, "scores", scores)
    return fitted


def _lengths(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Return S for each query, [..., query]: the number of keys that the mask allows."""
    if mask is None:
        return torch.full(
            scores.shape[:-1], scores.shape[-1], device=scores.device
        )
    return mask.broadcast_to(scores.shape).sum(dim=-1)


def _check_inside(center: Tensor, lengths: Tensor) -> None:
    last = lengths if center.is_floating_point() else lengths - 1
    outside = ~((center >= 0) & (center <= last)) & (lengths > 0)
    if outside.any():
        where = outside.nonzero()[0].tolist()
        got, top = (
            center.expand(outside.shape)[tuple(where)],
            last[tuple(where)],
        )
        raise ValueError(
            f"center: expected positions inside the sentence, in [0, {top}], got {got.item():g} "
            f"for query {where[-1]}"
        )
