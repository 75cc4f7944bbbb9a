"""Local attention: attend to a window of the source, around a centre p_t.

- local-m, monotonic: ``p_t = t``, and a softmax runs over the window.
- local-p, predicted: ``p_t = S sigmoid(v_p · tanh(W_p h_t))``, and a Gaussian
  around p_t multiplies the softmax's weights.

Positions are counted from 0: the words of a sentence of length S stand at
s = 0, ..., S - 1, and the first query has t = 0. The paper counts words from 1.
That moves s and t alike, so the monotonic centre ``p_t = t`` is the same in
both. The formula of the predicted centre is kept as the paper prints it. Its
values lie between 0 and S: with positions from 0 the centre can come up to one
position behind the last word, with positions from 1 up to one before the first.

The window holds every integer s with ``|s - p_t| <= D``, both ends included:
2 D + 1 positions around a whole number, 2 D around any other. At the sentence's
edges it is cut (footnote 8). A window without any allowed position gives zero
weights and a zero output, like every fully masked row of this package.
"""

from functools import partial
from typing import cast

import torch
from jaxtyping import Bool, Float, Int64, Real
from torch import Tensor, nn

from bottomup.attention.scored import ScoredAttention, attend
from bottomup.checks import (
    check_choice,
    check_integer,
    check_mask,
    check_switch,
    checked,
    is_traced,
)
from bottomup.masks import masked_softmax
from bottomup.precision import HALF, in_float32, widens

CENTERS = ("monotonic", "predicted")


@checked
@in_float32
def window_around(
    center: Real[Tensor, "*leading query"], key_count: int, half_width: int
) -> Bool[Tensor, "*leading query key"]:
    """Allow what is near: ``window[i, s] = |s - center[i]| <= half_width``.

    The result is a mask, True = may attend. A row is all False where the centre
    lies more than `half_width` outside the sentence. No gradient passes through
    it to the centre.

    Args:
        center: p_t for each query, any real number.
        key_count: number of source positions s = 0, ..., key_count - 1.
        half_width: D, in positions.

    Source: Luong et al. (2015), section 3.2, the window [p_t - D, p_t + D].
    Chapter 01b derives it.
    """
    return _offsets(center, key_count, half_width).abs() <= half_width


@checked
@in_float32
def gaussian_around(
    center: Real[Tensor, "*leading query"], key_count: int, half_width: int
) -> Float[Tensor, "*leading query key"]:
    """Return ``exp(-(s - center[i])^2 / (2 sigma^2))``, sigma = half_width / 2.

    It is 1 at the centre, e^-0.5 = 0.61 half-way to the window's ends and
    e^-2 = 0.14 at them. It is neither normalised nor cut to the window.

    Args:
        center: p_t for each query, any real number; whole numbers of an integer
            dtype count as torch's default floating-point dtype.
        key_count: number of source positions s = 0, ..., key_count - 1.
        half_width: D, in positions.

    Source: Luong et al. (2015), section 3.2, equation 10. Chapter 01b derives
    it.
    """
    offsets, sigma = _offsets(center, key_count, half_width), half_width / 2
    return torch.exp(-offsets.square() / (2 * sigma**2))


def _offsets(center: Tensor, key_count: int, half_width: int) -> Tensor:
    """Return ``s - center[i]``, [..., query, key]."""
    check_integer("key_count", key_count, at_least=1)
    check_integer("half_width", half_width, at_least=1)
    if not center.is_floating_point():
        center = center.to(torch.get_default_dtype())
    s = torch.arange(key_count, device=center.device, dtype=center.dtype)
    return s - center[..., None]


@checked
@in_float32
def predicted_center(
    query: Float[Tensor, "*leading query d_query"],
    lengths: Int64[Tensor, "*leading #query"],
    W_p: Float[Tensor, "d_position d_query"],
    v_p: Float[Tensor, " d_position"],
) -> Float[Tensor, "*leading query"]:
    """Predict the position in the source that each query should look at.

    ``center[i] = S sigmoid(v_p · tanh(W_p query[i]))``

    The values lie between 0 and S, counted in source positions from 0.

    Args:
        query: in translation the decoder state h_t.
        lengths: S, the sentence's length without padding, for each query or,
            with a last axis of 1, for all queries of a sentence:
            ``mask.sum(-1)`` of a padding mask [batch, 1, key].
        W_p, v_p: the parameters of the prediction.

    Source: Luong et al. (2015), section 3.2, equation 9. Chapter 01b derives
    it.
    """
    # A GPU is not asked: a decoder would wait for it at every token.
    asked = lengths.is_cpu and not is_traced()
    if asked and bool((lengths < 0).any()):
        raise ValueError(
            f"lengths: expected lengths of at least 0, got {lengths.tolist()}"
        )
    hidden = torch.tanh(query @ W_p.T)  # [..., query, d_position]
    return lengths * torch.sigmoid(hidden @ v_p)  # [..., query]


@checked
@in_float32
def local_m_weights(
    scores: Float[Tensor, "*leading query key"],
    center: Real[Tensor, "..."],
    half_width: int,
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Turn scores into weights: a softmax over ``window_around(center)``.

    ``weights[i, s] = exp(scores[i, s]) / sum_r exp(scores[i, r])``, where s and
    r run over the allowed positions of query i's window. They sum to one unless
    the window holds none: then the row is zero. No gradient reaches the centre.

    Args:
        scores: any real numbers, one for each pair of query and key.
        center: p_t, inside the sentence or not; broadcasts to [..., query].
        half_width: D, in positions.
        mask: True = may attend; broadcasts to the shape of `scores`.

    Source: Luong et al. (2015), section 3.2, local-m and footnote 9. Chapter
    01b derives it.

    Example:
        >>> scores, center = torch.zeros(1, 4), torch.tensor([1.0])
        >>> local_m_weights(scores, center, half_width=1)
        tensor([[0.3333, 0.3333, 0.3333, 0.0000]])
    """
    check_mask("mask", mask, scores.shape)
    center = _for_each_query(center, scores)  # [..., query]
    window = window_around(center, scores.shape[-1], half_width)
    return masked_softmax(scores, window if mask is None else window & mask)


@checked
@in_float32
def local_p_weights(
    scores: Float[Tensor, "*leading query key"],
    center: Real[Tensor, "..."],
    half_width: int,
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Weigh the window by a softmax, and favour its middle by a Gaussian.

    ``weights[i, s] = local_m_weights[i, s] exp(-(s - p_i)^2 / (2 sigma^2))``,
    ``p_i = center[i]``, ``sigma = half_width / 2``

    **The weights do not sum to one**, unlike those of every other function
    here: the Gaussian comes after the softmax and nothing divides by the new
    sum. A row sums to at most 1, and a window without an allowed position gives
    a zero row. Adding the Gaussian's logarithm to the scores gives a
    renormalised variant, which is not the paper's.

    The gradient reaches the centre through the Gaussian alone; the window is a
    step function.

    Args:
        scores, center, half_width, mask: as for `local_m_weights`.

    Source: Luong et al. (2015), section 3.2, equation 10. Chapter 01b derives
    it.

    Example:
        >>> scores, center = torch.zeros(1, 5), torch.tensor([2.0])
        >>> local_p_weights(scores, center, half_width=2)
        tensor([[0.0271, 0.1213, 0.2000, 0.1213, 0.0271]])
    """
    center = _for_each_query(center, scores)  # [..., query]
    gaussian = gaussian_around(center, scores.shape[-1], half_width)
    return local_m_weights(scores, center, half_width, mask) * gaussian


@checked
@in_float32
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

    ``output[i] = sum_s weights[i, s] value[s]``, with `local_p_weights` if
    `gaussian`, else `local_m_weights`

    A centre outside the sentence is an error here, since it is most often a
    slip in counting. The sentence of a query is what the mask allows, S
    positions. A centre of an integer dtype names a word and lies in [0, S - 1];
    a real one is a prediction and lies in [0, S], the range of equation 9. A
    row in which nothing is allowed is not checked: it reads zeros.
    `LocalAttention` computes its centres itself and lets monotonic ones run
    past the end.

    Args:
        scores, center, mask: as for `local_m_weights`.
        value: what is read, one for each key.
        half_width: D, in positions.
        gaussian: whether to multiply the Gaussian; the weights then do not sum
            to one.

    Returns:
        The output and the weights.

    Source: Luong et al. (2015), section 3.2. Chapter 01b derives it.
    """
    check_switch("gaussian", gaussian)
    weigh = local_p_weights if gaussian else local_m_weights
    weights = weigh(scores, center, half_width, mask)  # [..., query, key]
    _check_inside(center, _lengths(scores, mask))
    return weights @ value, weights  # [..., query, d_value]


class LocalAttention(nn.Module):
    """Attention in a window around a centre, scored as a global attention.

    - ``center="monotonic"`` is local-m: ``p_t = t``, and weights that sum to
      one. A target may be longer than its source: a query more than D positions
      behind the last word reads zeros.
    - ``center="predicted"`` is local-p: p_t from `predicted_center`, with
      parameters W_p [d_query, d_query] and v_p [d_query], and the Gaussian.
      **The weights do not sum to one.** S counts the keys that the mask allows,
      so padding stands on the right, and an end symbol counts.

    Args:
        score: a global attention, for its score alone.
        half_width: D, in positions.
        center: "monotonic" or "predicted".
        d_query: width of the queries; a monotonic centre has no parameters and
            does not need it.

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
        if d_query is not None or self.predicted:
            check_integer("d_query", d_query, at_least=1)
        if self.predicted:
            self.d_query = width = cast(int, d_query)
            spread = width**-0.5
            self.W_p = nn.Parameter(
                torch.empty(width, width).uniform_(-spread, spread)
            )
            self.v_p = nn.Parameter(
                torch.empty(width).uniform_(-spread, spread)
            )

    @in_float32
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
            first_query: t of the first query. A decoder that attends one query
                at a time passes the number of queries before it, since a
                monotonic centre is t itself.
        """
        scores = self.score.score(query, key)  # [..., query, key]
        check_mask("mask", mask, scores.shape)
        lengths = _lengths(scores, mask)  # [..., query]
        center = self.center_of(query, lengths, first_query=first_query)
        weigh = partial(
            local_p_weights if self.predicted else local_m_weights,
            center=center,
            half_width=self.half_width,
        )
        return attend(scores, value, mask, weigh=weigh)

    def center_of(
        self,
        query: Float[Tensor, "*leading query d_query"],
        lengths: Int64[Tensor, "*leading #query"],
        *,
        first_query: int = 0,
    ) -> Float[Tensor, "*leading query"]:
        """Return p_t: ``first_query + i``, or `predicted_center`.

        A monotonic centre of queries in half precision comes in float32.

        Args:
            query: the queries.
            lengths: as for `predicted_center`; a monotonic centre does not
                depend on it.
            first_query: t of the first query; a predicted centre does not
                depend on it.
        """
        check_integer("first_query", first_query, at_least=0)
        if self.predicted:
            return self._predicted_center(query, lengths)
        # Half precision has no place for every position: see `in_float32`.
        dtype = torch.float32 if query.dtype in HALF else query.dtype
        count = query.shape[-2]
        i = torch.arange(count, dtype=dtype, device=query.device)
        return (first_query + i).expand(query.shape[:-1])

    @checked
    @widens
    def _predicted_center(
        self,
        query: Float[Tensor, "*leading query d_query"],
        lengths: Int64[Tensor, "*leading #query"],
    ) -> Tensor:
        return predicted_center(query, lengths, self.W_p, self.v_p)

    def extra_repr(self) -> str:
        """Name the window and the kind of centre in the printed form."""
        center = CENTERS[self.predicted]
        return f"half_width={self.half_width}, center={center!r}"


def _for_each_query(center: Tensor, scores: Tensor) -> Tensor:
    """Return the centres as [..., query], in the dtype of the scores."""
    queries = scores.shape[:-1]
    try:
        return center.to(scores.dtype).broadcast_to(queries)
    except RuntimeError:
        raise ValueError(
            f"center: expected a shape that broadcasts to {tuple(queries)}, "
            f"one centre for each query, got {tuple(center.shape)}"
        ) from None


def _lengths(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Return S, [..., query]: the number of keys that the mask allows."""
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    return mask.broadcast_to(scores.shape).sum(dim=-1)


def _check_inside(center: Tensor, lengths: Tensor) -> None:
    last = lengths if center.is_floating_point() else lengths - 1
    if is_traced():
        return
    outside = ~((center >= 0) & (center <= last)) & (lengths > 0)
    if outside.any():
        first = tuple(outside.nonzero()[0].tolist())  # [..., query]
        got = center.expand(outside.shape)[first].item()
        raise ValueError(
            "center: expected positions inside the sentence, in "
            f"[0, {last[first]}], got {got:g} for query {first[-1]}"
        )
