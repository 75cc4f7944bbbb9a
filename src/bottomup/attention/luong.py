"""Luong's global scores: dot, general, concat and location."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.attention.additive import additive_scores
from bottomup.attention.scored import ScoredAttention
from bottomup.checks import check_integer, checked
from bottomup.precision import in_float32, widens


@checked
@in_float32
def dot_scores(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
) -> Float[Tensor, "*leading query key"]:
    """Score by the dot product, ``scores[i, j] = query[i] · key[j]``.

    Args:
        query: in translation the decoder state h_t.
        key: in translation the encoder states, as wide as the query.

    Source: Luong et al. (2015), section 3.1, "dot". Chapter 01 derives it.
    """
    return query @ key.transpose(-2, -1)  # [..., query, key]


@checked
@in_float32
def general_scores(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    W_a: Float[Tensor, "d_query d_key"],
) -> Float[Tensor, "*leading query key"]:
    """Score by a dot product after a learned map.

    ``scores[i, j] = query[i]^T W_a key[j]``

    Args:
        query: in translation the decoder state h_t.
        key: in translation the encoder states, of any width.
        W_a: maps a key into the space of the queries.

    Source: Luong et al. (2015), section 3.1, "general". Chapter 01 derives it.
    """
    return query @ W_a @ key.transpose(-2, -1)  # [..., query, key]


@checked
@in_float32
def concat_scores(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    W_a: Float[Tensor, "d_attention d_query+d_key"],
    v_a: Float[Tensor, " d_attention"],
) -> Float[Tensor, "*leading query key"]:
    """Score query and key beside each other by a network of one hidden layer.

    ``scores[i, j] = v_a · tanh(W_a [query[i]; key[j]])``

    The first d_query columns of W_a meet the query alone and the rest the key
    alone, so this is `additive_scores` with ``W_a = [W | U]``, and it is
    computed so.

    Source: Luong et al. (2015), section 3.1, "concat". Chapter 01 derives it.
    """
    d_query = query.shape[-1]
    return additive_scores(query, key, W_a[:, :d_query], W_a[:, d_query:], v_a)


@checked
@in_float32
def location_scores(
    query: Float[Tensor, "*leading query d_query"],
    key_count: int,
    W_a: Float[Tensor, "max_positions d_query"],
) -> Float[Tensor, "*leading query key"]:
    """Score from the query alone, ``scores[i, j] = (W_a query[i])[j]``.

    Row j of W_a belongs to source position j, whatever word stands there: no
    key is looked at.

    The paper writes a_t = softmax(W_a h_t). All its a_t are equally long; it
    uses the top part of a_t for a short sentence and ignores the last words of
    a long one (footnote 6). Here the scores are cut to the sentence before the
    softmax, so that the weights sum to one, and a sentence longer than W_a is
    an error.

    Args:
        query: in translation the decoder state h_t.
        key_count: number of source positions to score, at most `max_positions`.
        W_a: one row for each source position.

    Source: Luong et al. (2015), section 3.1, equation 8, "location". Chapter
    01b derives it.
    """
    check_integer("key_count", key_count, at_least=1)
    if key_count > len(W_a):
        raise ValueError(
            f"key_count: expected at most {len(W_a)} source positions, "
            f"the rows of W_a, got {key_count}"
        )
    return query @ W_a[:key_count].T  # [..., query, key]


class DotAttention(ScoredAttention):
    """Global attention scored by `dot_scores`, without parameters.

    Source: Luong et al. (2015), section 3.1, "dot". Chapter 01 derives it.
    """

    @checked
    @widens
    def score(
        self,
        query: Float[Tensor, "*leading query d_key"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `dot_scores` of query and key, which are equally wide."""
        return dot_scores(query, key)


class GeneralAttention(ScoredAttention):
    """Global attention scored by `general_scores`, with its W_a.

    Source: Luong et al. (2015), section 3.1, "general". Chapter 01 derives it.
    """

    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        self.d_query, self.d_key = d_query, d_key
        self.W_a = _uniform(d_query, d_key)

    @checked
    @widens
    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `general_scores` of query and key."""
        return general_scores(query, key, self.W_a)


class ConcatAttention(ScoredAttention):
    """Global attention scored by `concat_scores`, with its W_a and v_a.

    Source: Luong et al. (2015), section 3.1, "concat". Chapter 01 derives it.
    """

    def __init__(self, d_query: int, d_key: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        self.d_query, self.d_key = d_query, d_key
        self.W_a = _uniform(d_attention, d_query + d_key)
        self.v_a = nn.Parameter(
            torch.empty(d_attention).uniform_(-1, 1) * d_attention**-0.5
        )

    @checked
    @widens
    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `concat_scores` of query and key."""
        return concat_scores(query, key, self.W_a, self.v_a)


class LocationAttention(ScoredAttention):
    """Global attention scored by `location_scores`, with its W_a.

    The keys count only by their number, at most `max_positions`: what they hold
    does not change the weights.

    Source: Luong et al. (2015), section 3.1, equation 8, "location". Chapter
    01b derives it.
    """

    def __init__(self, d_query: int, max_positions: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("max_positions", max_positions, at_least=1)
        self.d_query = d_query
        self.W_a = _uniform(max_positions, d_query)

    @checked
    @widens
    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `location_scores` for as many positions as there are keys."""
        return location_scores(query, key.shape[-2], self.W_a)


def _uniform(rows: int, columns: int) -> nn.Parameter:
    """Draw W_a [rows, columns], with the spread ``1 / sqrt(columns)``."""
    spread = columns**-0.5
    return nn.Parameter(torch.empty(rows, columns).uniform_(-spread, spread))
