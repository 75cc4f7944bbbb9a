"""Attention that remembers what it has read, and a decoder that reads itself.

Both are of Paulus et al. (2018). The paper appeared in 2017 (arXiv 1705.04304);
its equations are numbered as there.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.attention.luong import general_scores
from bottomup.attention.scored import attend
from bottomup.checks import check_mask, checked
from bottomup.masks import causal_mask
from bottomup.precision import in_float32


@checked
@in_float32
def temporal_scores(
    scores: Float[Tensor, "*leading query key"],
    mask: Bool[Tensor, "..."] | None = None,
) -> Float[Tensor, "*leading query key"]:
    """Lower the score of a key by what the steps before have scored it.

    ``temporal[0, i] = scores[0, i]``

    ``temporal[t, i] = scores[t, i] - log sum_{s < t} exp(scores[s, i])``

    This is the logarithm of the paper's
    e'_ti = exp(e_ti) / sum_{s<t} exp(e_si): the quotient of two exponentials
    overflows where their logarithms do not. The softmax over the keys turns it
    into the paper's weights.

    Args:
        scores: e_ti, one row for each step of the decoder, in order.
        mask: True = may attend; broadcasts to `scores`. A step at which a key
            was masked does not count against it.

    Returns:
        The logarithm of e'_ti, of the shape of `scores`. Masked entries mean
        nothing.

    Source: Paulus et al. (2018), section 2.1, equation 3. Chapter 02b derives
    it.
    """
    check_mask("mask", mask, scores.shape)
    allowed = torch.ones_like(scores, dtype=torch.bool)  # [..., query, key]
    if mask is not None:
        allowed = mask.expand(scores.shape)
    # A finite floor: where a column begins with -inf, the gradient of
    # logcumsumexp is NaN.
    floor = torch.finfo(scores.dtype).min / 4
    counted = scores.masked_fill(~allowed, floor).logcumsumexp(dim=-2)
    nothing = torch.zeros_like(counted[..., :1, :])  # before the first step
    past = torch.cat([nothing, counted[..., :-1, :]], dim=-2)
    seen = allowed.cumsum(dim=-2) > allowed.long()  # by an earlier step
    return scores - past.masked_fill(~seen, 0.0)  # [..., query, key]


@checked
@in_float32
def temporal_attention(
    scores: Float[Tensor, "*leading query key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"]
]:
    """Read the source with less weight on what earlier steps have read.

    ``output[t] = sum_i weights[t, i] value[i]``, with the softmax of
    `temporal_scores` as weights

    A number added to all scores of one step leaves that step's weights as they
    are, and changes those of later steps: it says how much the step counts.

    Args:
        scores: e_ti, one row for each step of the decoder; in the paper
            `general_scores` of decoder and encoder states.
        value: in the paper the encoder states.
        mask: True = may attend; broadcasts to `scores`.

    Returns:
        The output and the weights. A step that may attend to no key reads
        zeros.

    Source: Paulus et al. (2018), section 2.1, equations 3 to 5. Chapter 02b
    derives it.

    Example:
        >>> scores = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
        >>> value = torch.tensor([[2.0], [4.0]])
        >>> temporal_attention(scores, value)[0]
        tensor([[3.],
                [3.]])
    """
    return attend(temporal_scores(scores, mask), value, mask)


@checked
@in_float32
def intra_decoder_attention(
    states: Float[Tensor, "*leading step d_state"],
    W_d: Float[Tensor, "d_state d_state"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading step d_state"], Float[Tensor, "*leading step step"]
]:
    """Let each step of a decoder read the states of the steps before it.

    ``scores[t, s] = states[t]^T W_d states[s]`` for s < t

    ``output[t] = sum_{s < t} weights[t, s] states[s]``

    The first step has nothing to read; its output is zero, as in the paper.

    Args:
        states: decoder states h_1, ..., h_T.
        W_d: maps the state that is read into the space of the one that reads.
        mask: True = may attend; broadcasts to ``[*leading, step, step]``.
            Whatever it says, a step reads only steps before its own.

    Source: Paulus et al. (2018), section 2.2, equations 6 to 8. Chapter 02b
    derives it.

    Example:
        >>> states = torch.tensor([[0.0], [2.0], [4.0]])
        >>> intra_decoder_attention(states, torch.zeros(1, 1))
        (tensor([[0.],
                [0.],
                [1.]]), tensor([[0.0000, 0.0000, 0.0000],
                [1.0000, 0.0000, 0.0000],
                [0.5000, 0.5000, 0.0000]]))
    """
    scores = general_scores(states, states, W_d)  # [..., step, step]
    check_mask("mask", mask, scores.shape)
    before = causal_mask(states.shape[-2], device=states.device).tril(-1)
    return attend(scores, states, before if mask is None else mask & before)
