"""Global attention with the scores of Luong et al. (2015): dot, general, concat and location."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.attention.additive import additive_scores
from bottomup.attention.module import ScoredAttention
from bottomup.checks import (
    check_axes,
    check_integer,
    check_leading,
    check_same_kind,
)


def dot_scores(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
) -> Float[Tensor, "*leading query key"]:
    """Score by the dot product, ``scores[i, j] = query[i] · key[j]``. It has no parameters.

    Args:
        query: in translation the decoder state h_t.
        key: in translation the encoder states, of the same width as the query.

    Source: Luong et al. (2015), section 3.1, "dot". Chapter 01 derives it.
    """
    width = check_axes("query", query, "... query d_query")["d_query"]
    check_axes("key", key, "... key d_key", d_key=width)
    check_leading("key", key, "query", query)
    check_same_kind("key", key, "query", query)
    return query @ key.transpose(-2, -1)


def general_scores(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    W_a: Float[Tensor, "d_query d_key"],
) -> Float[Tensor, "*leading query key"]:
    """Score by a dot product after a learned map, ``scores[i, j] = query[i]^T W_a key[j]``.

    Args:
        query: in translation the decoder state h_t.
        key: in translation the encoder states; they may have another width than the query.
        W_a: maps a key into the space of the queries.

    Source: Luong et al. (2015), section 3.1, "general". Chapter 01 derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    d_key = check_axes("key", key, "... key d_key")["d_key"]
    check_axes("W_a", W_a, "d_query d_key", d_query=d_query, d_key=d_key)
    check_leading("key", key, "query", query)
    check_same_kind("key", key, "query", query)
    check_same_kind("W_a", W_a, "query", query)
    return query @ W_a @ key.transpose(-2, -1)


def concat_scores(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    W_a: Float[Tensor, "d_attention d_query_plus_d_key"],
    v_a: Float[Tensor, " d_attention"],
) -> Float[Tensor, "*leading query key"]:
    """Score the concatenation of query and key with a network of one hidden layer.

    ``scores[i, j] = v_a · tanh(W_a [query[i]; key[j]])``

    The first d_query columns of W_a meet the query alone and the rest the key alone, so this is
    `additive_scores` with ``W_a = [W | U]``, and it is computed so.

    Source: Luong et al. (2015), section 3.1, "concat". Chapter 01 derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    d_key = check_axes("key", key, "... key d_key")["d_key"]
    d_attention = check_axes("v_a", v_a, "d_attention")["d_attention"]
    sizes = {"d_attention": d_attention, "d_query+d_key": d_query + d_key}
    check_axes("W_a", W_a, "d_attention d_query+d_key", **sizes)
    return additive_scores(query, key, W_a[:, :d_query], W_a[:, d_query:], v_a)


def location_scores(
    query: Float[Tensor, "*leading query d_query"],
    key_count: int,
    W_a: Float[Tensor, "max_positions d_query"],
) -> Float[Tensor, "*leading query key"]:
    """Score the source positions from the query alone, ``scores[i, j] = (W_a query[i])[j]``.

    Row j of W_a belongs to source position j, whatever word stands there: no key is looked at.

    The paper writes a_t = softmax(W_a h_t). All its a_t are equally long; it uses the top part of
    a_t for a short sentence and ignores the last words of a long one (footnote 6). Here the scores
    are cut to the sentence before the softmax, so that the weights sum to one, and a sentence
    longer than W_a is an error.

    Args:
        query: in translation the decoder state h_t.
        key_count: number of source positions to score.
        W_a: one row for each source position, for `max_positions` of them.

    Source: Luong et al. (2015), section 3.1, equation 8, "location". Chapter 01b derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    positions = check_axes(
        "W_a", W_a, "max_positions d_query", d_query=d_query
    )["max_positions"]
    check_integer("key_count", key_count, at_least=1)
    if key_count > positions:
        raise ValueError(
            f"key_count: expected at most {positions} source positions, the rows of W_a, "
            f"got {key_count}"
        )
    check_same_kind("W_a", W_a, "query", query)
    return query @ W_a[:key_count].T


class DotAttention(ScoredAttention):
    """Global attention scored by `dot_scores`. Query and key must be equally wide.

    Source: Luong et al. (2015), section 3.1, "dot". Chapter 01 derives it.
    """

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `dot_scores` of query [..., query, d_key] and key [..., key, d_key].

        Returns:
            The scores, [..., query, key].
        """
        return dot_scores(query, key)


class GeneralAttention(ScoredAttention):
    """Global attention scored by `general_scores`, with its matrix W_a [d_query, d_key].

    Source: Luong et al. (2015), section 3.1, "general". Chapter 01 derives it.
    """

    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        self.W_a = nn.Parameter(
            torch.empty(d_query, d_key).uniform_(-(d_key**-0.5), d_key**-0.5)
        )

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `general_scores` of query [..., query, d_query] and key [..., key, d_key].

        Returns:
            The scores, [..., query, key].
        """
        _check_widths(query, key, *self.W_a.shape)
        return general_scores(query, key, self.W_a)


class ConcatAttention(ScoredAttention):
    """Global attention scored by `concat_scores`, with its parameters W_a and v_a.

    Source: Luong et al. (2015), section 3.1, "concat". Chapter 01 derives it.
    """

    def __init__(self, d_query: int, d_key: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        self.widths = (d_query, d_key)
        width, spread = d_query + d_key, (d_query + d_key) ** -0.5
        self.W_a = nn.Parameter(
            torch.empty(d_attention, width).uniform_(-spread, spread)
        )
        self.v_a = nn.Parameter(
            torch.empty(d_attention).uniform_(-1, 1) * d_attention**-0.5
        )

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `concat_scores` of query [..., query, d_query] and key [..., key, d_key].

        Returns:
            The scores, [..., query, key].
        """
        _check_widths(query, key, *self.widths)
        return concat_scores(query, key, self.W_a, self.v_a)


class LocationAttention(ScoredAttention):
    """Global attention scored by `location_scores`, with its matrix W_a [max_positions, d_query].

    The keys count only by their number: what they hold does not change the weights.

    Source: Luong et al. (2015), section 3.1, equation 8, "location". Chapter 01b derives it.
    """

    def __init__(self, d_query: int, max_positions: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("max_positions", max_positions, at_least=1)
        spread = d_query**-0.5
        self.W_a = nn.Parameter(
            torch.empty(max_positions, d_query).uniform_(-spread, spread)
        )

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `location_scores` of the query, for as many positions as there are keys.

        Args:
            query: [..., query, d_query].
            key: [..., key, d_key], of any width.

        Returns:
            The scores, [..., query, key].
        """
        check_axes(
            "query", query, "... query d_query", d_query=self.W_a.shape[1]
        )
        key_count = check_axes("key", key, "... key d_key")["key"]
        check_leading("key", key, "query", query)
        check_same_kind("key", key, "query", query)
        if key_count > self.W_a.shape[0]:
            raise ValueError(
                f"key: expected at most max_positions={self.W_a.shape[0]} source positions, "
                f"got {key_count}"
            )
        return location_scores(query, key_count, self.W_a)


def _check_widths(query: Tensor, key: Tensor, d_query: int, d_key: int) -> None:
    """Blame the caller's tensors, and not the module's parameters, for widths that do not fit."""
    check_axes("query", query, "... query d_query", d_query=d_query)
    check_axes("key", key, "... key d_key", d_key=d_key)
