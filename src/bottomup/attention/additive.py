"""Additive attention: ``v_a · tanh(W_a query + U_a key)`` scores each pair."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.scored import ScoredAttention, attend
from bottomup.checks import check_integer, checked
from bottomup.precision import in_float32, widens


@checked
@in_float32
def additive_scores(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    W_a: Float[Tensor, "d_attention d_query"],
    U_a: Float[Tensor, "d_attention d_key"],
    v_a: Float[Tensor, " d_attention"],
) -> Float[Tensor, "*leading query key"]:
    """Score every query against every key by a network of one hidden layer.

    ``scores[i, j] = v_a · tanh(W_a query[i] + U_a key[j])``

    Args:
        query: what asks; in translation the decoder state s_{i-1}.
        key: what can be read; in translation the encoder states h_j.
        W_a, U_a: map queries and keys to the hidden layer's width d_attention.
        v_a: reads one number off the hidden layer.

    Source: Bahdanau et al. (2015), appendix A.1.2,
    e_ij = v_a^T tanh(W_a s_{i-1} + U_a h_j). Chapter 01 derives it.

    Example:
        >>> query, key = torch.tensor([[1.0]]), torch.tensor([[-1.0], [0.0]])
        >>> one = torch.ones(1, 1)
        >>> additive_scores(query, key, one, one, one[0])  # tanh(1 + key)
        tensor([[0.0000, 0.7616]])
    """
    from_query = query @ W_a.T  # [..., query, d_attention]
    from_key = key @ U_a.T  # [..., key, d_attention]
    pairs = from_query[..., :, None, :] + from_key[..., None, :, :]
    hidden = torch.tanh(pairs)  # [..., query, key, d_attention]
    return hidden @ v_a  # [..., query, key]


@in_float32
def _from_keys(
    query: Tensor, from_key: Tensor, W_a: Tensor, v_a: Tensor
) -> Tensor:
    """Return `additive_scores` for keys that are projected already."""
    from_query = query @ W_a.T  # [..., query, d_attention]
    pairs = from_query[..., :, None, :] + from_key[..., None, :, :]
    return torch.tanh(pairs) @ v_a  # [..., query, key]


@checked
@in_float32
def additive_attention(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    W_a: Float[Tensor, "d_attention d_query"],
    U_a: Float[Tensor, "d_attention d_key"],
    v_a: Float[Tensor, " d_attention"],
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query key"]
]:
    """Read a weighted mean of the values, weighted by additive scores.

    ``output[i] = sum_j weights[i, j] value[j]``,
    ``weights = masked_softmax(scores, mask)``

    In Bahdanau's translator keys and values are the same encoder states h_j,
    and the output is the context vector c_i. A query that may attend to nothing
    gets a zero output.

    Returns:
        The output and the weights.

    Source: Bahdanau et al. (2015), section 3.1. Chapter 01 derives it.

    Example:
        >>> query, key = torch.zeros(1, 2), torch.zeros(3, 2)
        >>> value = torch.tensor([[3.0], [6.0], [9.0]])
        >>> W, v = torch.eye(2), torch.ones(2)
        >>> additive_attention(query, key, value, W_a=W, U_a=W, v_a=v)
        (tensor([[6.]]), tensor([[0.3333, 0.3333, 0.3333]]))
    """
    return attend(additive_scores(query, key, W_a, U_a, v_a), value, mask)


class AdditiveAttention(ScoredAttention):
    """`additive_attention` with its parameters W_a, U_a and v_a.

    The projected keys ``U_a h_j`` do not depend on the query. A decoder that
    attends once a step computes them once with `project_key` and scores with
    `score_projected`. A parameter starts uniform, with a spread of one over the
    root of the width it reads.

    Source: Bahdanau et al. (2015), section 3.1, and appendix A.1.2 for the keys
    projected once. Chapter 01 derives it.
    """

    def __init__(self, d_query: int, d_key: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        self.d_query, self.d_key = d_query, d_key
        self.d_attention = d_attention
        self.W_a = nn.Parameter(torch.empty(d_attention, d_query))
        self.U_a = nn.Parameter(torch.empty(d_attention, d_key))
        self.v_a = nn.Parameter(torch.empty(d_attention))
        for parameter in (self.W_a, self.U_a, self.v_a):
            spread = parameter.shape[-1] ** -0.5
            nn.init.uniform_(parameter, -spread, spread)

    @checked
    def project_key(
        self, key: Float[Tensor, "*leading key d_key"]
    ) -> Float[Tensor, "*leading key d_attention"]:
        """Return ``U_a key[j]`` for every key."""
        return key @ self.U_a.T

    @checked
    @widens
    def score_projected(
        self,
        query: Float[Tensor, "*leading query d_query"],
        projected_key: Float[Tensor, "*leading key d_attention"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `additive_scores` for keys that are projected already."""
        return _from_keys(query, projected_key, self.W_a, self.v_a)

    @checked
    @widens
    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `additive_scores` of query and key."""
        return additive_scores(query, key, self.W_a, self.U_a, self.v_a)

    def extra_repr(self) -> str:
        """Name the widths in the module's printed form."""
        sizes = ("d_query", "d_key", "d_attention")
        return ", ".join(f"{name}={getattr(self, name)}" for name in sizes)
