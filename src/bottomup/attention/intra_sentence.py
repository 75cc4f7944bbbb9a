"""Attention without recurrence, between two sentences and inside one.

Both are of Parikh et al. (2016).
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.luong import dot_scores
from bottomup.attention.scored import attend
from bottomup.checks import check_integer, checked
from bottomup.precision import in_float32


@checked
@in_float32
def decomposable_scores(
    first: Float[Tensor, "*leading first d_feature"],
    second: Float[Tensor, "*leading second d_feature"],
) -> Float[Tensor, "*leading first second"]:
    """Score the words of one sentence against those of another.

    ``scores[i, j] = F(a_i) · F(b_j)``, with one map F for both

    The arguments are the features F(a_i) and F(b_j), so that F is applied once
    to each word and not once to each pair.

    Args:
        first: features F(a_i) of the first sentence's words.
        second: features F(b_j) of the second sentence's.

    Source: Parikh et al. (2016), section 3.1, equation 1. Chapter 02b derives
    it.
    """
    return dot_scores(first, second)


@checked
@in_float32
def decomposable_alignment(
    scores: Float[Tensor, "*leading first second"],
    first: Float[Tensor, "*leading first d_word"],
    second: Float[Tensor, "*leading second d_word"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    tuple[
        Float[Tensor, "*leading first d_word"],
        Float[Tensor, "*leading second d_word"],
    ],
    tuple[
        Float[Tensor, "*leading first second"],
        Float[Tensor, "*leading second first"],
    ],
]:
    """Let two sentences read each other by one table of scores.

    ``beta[i] = sum_j softmax_j(scores[i, j]) second[j]``

    ``alpha[j] = sum_i softmax_i(scores[i, j]) first[i]``

    Args:
        scores: as `decomposable_scores` gives them.
        first, second: vectors of the words.
        mask: True = this pair may be read, in either direction; broadcasts to
            `scores`.

    Returns:
        The outputs (beta, alpha) and the weights, ``[first, second]`` and
        ``[second, first]``; rows sum to one, or to zero where nothing may be
        read.

    Source: Parikh et al. (2016), section 3.1, equation 2. Chapter 02b derives
    it.
    """
    beta, to_second = attend(scores, second, mask)  # [..., first, d_word]
    if mask is not None:
        mask = mask.expand(scores.shape).transpose(-2, -1)
    turned = scores.transpose(-2, -1)  # [..., second, first]
    alpha, to_first = attend(turned, first, mask)  # [..., second, d_word]
    return (beta, alpha), (to_second, to_first)


@checked
def distance_bias(
    bias: Float[Tensor, " offset"], n: int
) -> Float[Tensor, "query key"]:
    """Spread one bias for each signed distance over a square of positions.

    ``square[i, j] = bias[clip(i - j, -r, r) + r]``, where `bias` has 2r + 1
    entries

    The first entry serves all keys at least r positions to the right of the
    query, the middle one the query itself, the last one all keys at least r
    positions to its left.

    Args:
        bias: d_{-r}, ..., d_0, ..., d_r, an odd number of entries.
        n: number of positions.

    Source: Parikh et al. (2016), section 3.4, where all distances greater than
    10 share a bias; whether the two directions share it too is not said, and
    here each has its own. Chapter 02b derives it.

    Example:
        >>> distance_bias(torch.tensor([-1.0, 0.0, 1.0]), 3)
        tensor([[ 0., -1., -1.],
                [ 1.,  0., -1.],
                [ 1.,  1.,  0.]])
    """
    check_integer("n", n, at_least=1)
    r, even = divmod(len(bias) - 1, 2)
    if even:
        raise ValueError(
            f"bias: expected an odd number of entries, 2r + 1, got {len(bias)}"
        )
    position = torch.arange(n, device=bias.device)
    distance = position[:, None] - position  # [query, key], i - j
    return bias[distance.clamp(-r, r) + r]


@checked
@in_float32
def intra_scores(
    features: Float[Tensor, "*leading position d_feature"],
    bias: Float[Tensor, " offset"],
) -> Float[Tensor, "*leading query key"]:
    """Score every word of a sentence against every word of the same sentence.

    ``scores[i, j] = F(a_i) · F(a_j) + d_{i-j}``

    Without the bias the table is symmetric: both words of a pair pass through
    the same F.

    Args:
        features: F(a_i), computed once for each word.
        bias: d_{-r}, ..., d_r, as `distance_bias` reads them.

    Source: Parikh et al. (2016), section 3.4. Chapter 02b derives it.

    Example:
        >>> features = torch.tensor([[1.0], [2.0]])
        >>> intra_scores(features, bias=torch.tensor([0.0, 0.0, 0.5]))
        tensor([[1.0000, 2.0000],
                [2.5000, 4.0000]])
    """
    square = distance_bias(bias, features.shape[-2])  # [query, key]
    return dot_scores(features, features) + square


@checked
@in_float32
def intra_attention(
    features: Float[Tensor, "*leading position d_feature"],
    words: Float[Tensor, "*leading position d_word"],
    bias: Float[Tensor, " offset"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading position d_word"],
    Float[Tensor, "*leading query key"],
]:
    """Read, for every word, a mean of all words of its sentence and itself.

    ``output[i] = sum_j weights[i, j] words[j]``,
    ``weights = masked_softmax(scores, mask)``, with `intra_scores` as scores

    Args:
        features: F(a_i).
        words: the vectors a_j; they are read as they are, without a map of
            their own.
        bias: d_{-r}, ..., d_r.
        mask: True = may be read; broadcasts to ``[*leading, query, key]``.

    Returns:
        The output a'_i and the weights. A word that may read nothing reads
        zeros.

    Source: Parikh et al. (2016), section 3.4. Chapter 02b derives it.

    Example:
        >>> words = torch.tensor([[2.0], [4.0]])
        >>> intra_attention(torch.zeros(2, 3), words, torch.zeros(3))
        (tensor([[3.],
                [3.]]), tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]]))
    """
    return attend(intra_scores(features, bias), words, mask)


class IntraAttention(nn.Module):
    """`intra_attention` with its biases and its map F, two ReLU layers.

    Args:
        d_word: width of a word's vector.
        d_feature: width of both layers of F.
        max_distance: distances above it share one bias in each direction; the
            paper's is 10. The biases start at zero, where no distance is
            preferred.

    Source: Parikh et al. (2016), section 3.4; F has ReLU layers in section 3.
    Chapter 02b derives it.

    Example:
        >>> layer = IntraAttention(d_word=5, d_feature=3)
        >>> output, weights = layer(torch.randn(2, 7, 5))
        >>> output.shape, weights.shape
        (torch.Size([2, 7, 5]), torch.Size([2, 7, 7]))
    """

    def __init__(
        self, d_word: int, d_feature: int, *, max_distance: int = 10
    ) -> None:
        super().__init__()
        check_integer("d_word", d_word, at_least=1)
        check_integer("d_feature", d_feature, at_least=1)
        check_integer("max_distance", max_distance, at_least=0)
        self.d_word = d_word
        self.F = nn.Sequential(
            nn.Linear(d_word, d_feature),
            nn.ReLU(),
            nn.Linear(d_feature, d_feature),
            nn.ReLU(),
        )
        self.bias = nn.Parameter(torch.zeros(2 * (max_distance + 1) + 1))

    @checked
    def forward(
        self,
        words: Float[Tensor, "*leading position d_word"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*leading position d_word"],
        Float[Tensor, "*leading query key"],
    ]:
        """Return ``(output, weights)``: what each word reads, and how."""
        return intra_attention(self.F(words), words, self.bias, mask)
