"""Additive attention: a small network scores each pair of query and key (Bahdanau et al., 2015)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.module import ScoredAttention
from bottomup.attention.weights import attend
from bottomup.checks import (
    check_axes,
    check_integer,
    check_leading,
    check_same_kind,
)


def additive_scores(
    query: Float[Tensor, "*leading query d_query"],
    key: Float[Tensor, "*leading key d_key"],
    W_a: Float[Tensor, "d_attention d_query"],
    U_a: Float[Tensor, "d_attention d_key"],
    v_a: Float[Tensor, " d_attention"],
) -> Float[Tensor, "*leading query key"]:
    """Score every query against every key with a network of one hidden layer.

    ``scores[i, j] = v_a · tanh(W_a query[i] + U_a key[j])``

    Args:
        query: what asks; in translation the decoder state s_{i-1}.
        key: what can be read; in translation the encoder states h_j.
        W_a, U_a: project queries and keys to the hidden layer's width d_attention.
        v_a: reads one number off the hidden layer.

    Source: Bahdanau et al. (2015), appendix A.1.2, e_ij = v_a^T tanh(W_a s_{i-1} + U_a h_j).
    Chapter 01 derives it.
    """
    d_query = check_axes("query", query, "... query d_query")["d_query"]
    d_key = check_axes("key", key, "... key d_key")["d_key"]
    d_attention = check_axes("v_a", v_a, "d_attention")["d_attention"]
    check_axes(
        "W_a",
        W_a,
        "d_attention d_query",
        d_attention=d_attention,
        d_query=d_query,
    )
    check_axes(
        "U_a", U_a, "d_attention d_key", d_attention=d_attention, d_key=d_key
    )
    check_leading("key", key, "query", query)
    for name, tensor in {
        "key": key,
        "W_a": W_a,
        "U_a": U_a,
        "v_a": v_a,
    }.items():
        check_same_kind(name, tensor, "query", query)
    return _score_projections(query @ W_a.T, key @ U_a.T, v_a)


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

    ``output[i] = sum_j weights[i, j] value[j]``, ``weights = masked_softmax(scores, mask)``

    In Bahdanau's translator keys and values are the same encoder states h_j, and the output is the
    context vector c_i. A query that may attend to nothing gets a zero output.

    Returns:
        The output and the weights.

    Source: Bahdanau et al. (2015), section 3.1. Chapter 01 derives it.
    """
    return attend(additive_scores(query, key, W_a, U_a, v_a), value, mask)


class AdditiveAttention(ScoredAttention):
    """`additive_attention` with its parameters W_a, U_a and v_a.

    The projected keys ``U_a h_j`` do not depend on the query. A decoder that attends once a step
    computes them once with `project_key` and scores with `score_projected`.

    Source: Bahdanau et al. (2015), section 3.1, and appendix A.1.2 for the keys projected once.
    Chapter 01 derives it.
    """

    def __init__(self, d_query: int, d_key: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_query", d_query, at_least=1)
        check_integer("d_key", d_key, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        self.W_a = nn.Parameter(torch.empty(d_attention, d_query))
        self.U_a = nn.Parameter(torch.empty(d_attention, d_key))
        self.v_a = nn.Parameter(torch.empty(d_attention))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw every parameter uniformly with a spread of one over the root of its input width."""
        for parameter in (self.W_a, self.U_a, self.v_a):
            nn.init.uniform_(
                parameter,
                -(parameter.shape[-1] ** -0.5),
                parameter.shape[-1] ** -0.5,
            )

    def project_key(
        self, key: Float[Tensor, "*leading key d_key"]
    ) -> Float[Tensor, "*leading key d_attention"]:
        """Return ``U_a key[j]`` for every key."""
        check_axes("key", key, "... key d_key", d_key=self.U_a.shape[1])
        check_same_kind("key", key, "U_a", self.U_a)
        return key @ self.U_a.T

    def score_projected(
        self,
        query: Float[Tensor, "*leading query d_query"],
        projected_key: Float[Tensor, "*leading key d_attention"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `additive_scores` for keys that `project_key` has projected."""
        check_axes(
            "query", query, "... query d_query", d_query=self.W_a.shape[1]
        )
        check_same_kind("query", query, "W_a", self.W_a)
        width = self.W_a.shape[0]
        check_axes(
            "projected_key",
            projected_key,
            "... key d_attention",
            d_attention=width,
        )
        check_leading("projected_key", projected_key, "query", query)
        check_same_kind("projected_key", projected_key, "query", query)
        return _score_projections(query @ self.W_a.T, projected_key, self.v_a)

    def score(
        self,
        query: Float[Tensor, "*leading query d_query"],
        key: Float[Tensor, "*leading key d_key"],
    ) -> Float[Tensor, "*leading query key"]:
        """Return `additive_scores` of query and key."""
        return self.score_projected(query, self.project_key(key))

    def extra_repr(self) -> str:
        """Name the widths in the module's printed form."""
        (d_attention, d_query), d_key = self.W_a.shape, self.U_a.shape[1]
        return f"d_query={d_query}, d_key={d_key}, d_attention={d_attention}"


def _score_projections(query: Tensor, key: Tensor, v_a: Tensor) -> Tensor:
    hidden = torch.tanh(
        query[..., :, None, :] + key[..., None, :, :]
    )  # [..., query, key, d_attention]
    return hidden @ v_a
