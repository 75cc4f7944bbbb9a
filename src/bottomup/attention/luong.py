"""Global attention with the scores of Luong et al. (2015): dot, general and concat."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.additive import additive_scores
from bottomup.attention.weights import masked_softmax
from bottomup.checks import check_axes, check_integer, check_leading


def dot_scores(
    query: Float[Tensor, "*leading query d_key"], key: Float[Tensor, "*leading key d_key"]
) -> Float[Tensor, "*leading query key"]:
    """Score by the dot product, ``scores[i, j] = query[i] · key[j]``. It has no parameters.

    Args:
        query: in translation the decoder state h_t.
        key: in translation the encoder states, of the same width as the query.

    Raises:
        TypeError: an argument is not a floating-point tensor.
        ValueError: axes are missing or empty, or the widths differ.

    Source: Luong et al. (2015), section 3.1, "dot". Chapter 01 derives it.
    """
    width = check_axes("query", query, "... query d_query")["d_query"]
    check_axes("key", key, "... key d_key", d_key=width)
    check_leading("key", key, "query", query)
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

    Raises:
        TypeError: an argument is not a floating-point tensor.
        ValueError: axes are missing, empty or of sizes that do not fit.

    Source: Luong et al. (2015), section 3.1, "general". Chapter 01 derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    d_key = check_axes("key", key, "... key d_key")["d_key"]
    check_axes("W_a", W_a, "d_query d_key", d_query=d_query, d_key=d_key)
    check_leading("key", key, "query", query)
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

    Raises:
        TypeError: an argument is not a floating-point tensor.
        ValueError: axes are missing, empty or of sizes that do not fit.

    Source: Luong et al. (2015), section 3.1, "concat". Chapter 01 derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    d_key = check_axes("key", key, "... key d_key")["d_key"]
    check_axes("W_a", W_a, "d_attention d_query+d_key", **{"d_query+d_key": d_query + d_key})
    return additive_scores(query, key, W_a[:, :d_query], W_a[:, d_query:], v_a)


class _GlobalAttention(nn.Module):
    """Attention over all source positions; a subclass supplies the score."""

    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        raise NotImplementedError

    def forward(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
        value: Float[Tensor, "*leading key d_value"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"]]:
        """Return ``(output, weights)``, the weighted mean of the values and its weights.

        Source: Luong et al. (2015), section 3.1.
        """
        scores = self.score(query, key)
        check_axes("value", value, "... key d_value", key=key.shape[-2])
        check_leading("value", value, "key", key)
        weights = masked_softmax(scores, mask)
        return weights @ value, weights


class DotAttention(_GlobalAttention):
    """Global attention scored by `dot_scores`. Query and key must be equally wide."""

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `dot_scores` of query and key."""
        return dot_scores(query, key)


class GeneralAttention(_GlobalAttention):
    """Global attention scored by `general_scores`, with its matrix W_a [d_query, d_key]."""

    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        self.W_a = nn.Parameter(torch.empty(d_query, d_key).uniform_(-(d_key**-0.5), d_key**-0.5))

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `general_scores` of query and key."""
        return general_scores(query, key, self.W_a)


class ConcatAttention(_GlobalAttention):
    """Global attention scored by `concat_scores`, with its parameters W_a and v_a."""

    def __init__(self, d_query: int, d_key: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        width, spread = d_query + d_key, (d_query + d_key) ** -0.5
        self.W_a = nn.Parameter(torch.empty(d_attention, width).uniform_(-spread, spread))
        self.v_a = nn.Parameter(torch.empty(d_attention).uniform_(-1, 1) * d_attention**-0.5)

    def score(self, query: Tensor, key: Tensor) -> Tensor:
        """Return `concat_scores` of query and key."""
        return concat_scores(query, key, self.W_a, self.v_a)
