"""Chapter 09: a network of two layers as a graph, and the greedy removal of its edges.

Nodes write to the stream: ``stream``, which is what it holds at its start, and the heads, ``0.1``
for head 1 of layer 0. What reads it are the queries, keys and values of each head, ``1.0.keys``,
and the ``readout``. Positions and the biases of W_O are no nodes: they stay.
"""

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import scaled_dot_product_attention
from bottomup.data import InductionBatch
from bottomup.experiments.circuits.induction import attentions
from bottomup.models import AttentionOnly

Edge = tuple[str, str]  # what writes, what reads
ROLES = ("queries", "keys", "values")


def edges(heads: int) -> list[Edge]:
    """Return all edges of two layers of heads, those into the readout first."""
    first, second = ([f"{layer}.{head}" for head in range(heads)] for layer in range(2))
    into = [("readout", ["stream", *first, *second])]
    into += [(f"{head}.{role}", ["stream", *first]) for head in second for role in ROLES]
    into += [(f"{head}.{role}", ["stream"]) for head in first for role in ROLES]
    return [(writes, reads) for reads, earlier in into for writes in reversed(earlier)]


def circuit(heads: int) -> set[Edge]:
    """Return the edges that the circuit by hand has, with each of its heads taken several times."""
    first, second = ([f"{layer}.{head}" for head in range(heads)] for layer in range(2))
    return {
        *{("stream", f"{head}.values") for head in first + second},
        *{("stream", f"{head}.queries") for head in second},
        *{(earlier, f"{later}.keys") for earlier in first for later in second},
        *{(head, "readout") for head in second},
    }


def is_whole(kept: set[Edge], heads: int) -> bool:
    """Say whether one previous-token head and one induction head have all that they need."""
    return any(
        {
            ("stream", f"0.{g}.values"),
            (f"0.{g}", f"1.{h}.keys"),
            ("stream", f"1.{h}.queries"),
            ("stream", f"1.{h}.values"),
            (f"1.{h}", "readout"),
        }
        <= kept
        for g in range(heads)
        for h in range(heads)
    )


@torch.no_grad()
def run(
    model: AttentionOnly, tokens: Tensor, removed: set[Edge], mean: Mapping[str, Tensor]
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return logits and what each node writes, [batch, position, d_model].

    Args:
        model: of two layers, with positions in the scores.
        tokens: token numbers [batch, position].
        removed: edges through which the node's mean is read in place of what it writes.
        mean: of each node, [d_model]; needed for those of removed edges.
    """
    wrote = {"stream": model.embed(tokens)}
    bias = torch.zeros_like(wrote["stream"])

    def read(reads: str) -> Tensor:
        total = bias
        for node, x in wrote.items():
            total = total + (mean[node] if (node, reads) in removed else x)
        return total

    for number, layer in enumerate(attentions(model)):
        width = layer.d_head
        new: dict[str, Tensor] = {}
        for head in range(layer.num_heads):
            name, rows = f"{number}.{head}", slice(head * width, (head + 1) * width)
            query, key, value = (
                F.linear(x, linear.weight[rows], linear.bias[rows])
                for linear, x in (
                    (layer.W_Q, model.in_scores(read(f"{name}.queries"))),
                    (layer.W_K, model.in_scores(read(f"{name}.keys"))),
                    (layer.W_V, read(f"{name}.values")),
                )
            )
            z, _ = scaled_dot_product_attention(query, key, value, causal=True)
            new[name] = z @ layer.W_O.weight[:, rows].T
        wrote |= new
        bias = bias + layer.W_O.bias
    return model.readout(read("readout")), wrote


def means(wrote: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the mean of what each node writes, over sequences and positions."""
    return {node: x.mean(dim=(0, 1)) for node, x in wrote.items()}


def divergence(whole: Tensor, part: Tensor, batch: InductionBatch) -> float:
    """Return the mean Kullback-Leibler divergence at the predictable places, in nats."""
    p, q = (logits[batch.predictable].log_softmax(dim=-1) for logits in (whole, part))
    return F.kl_div(q, p, reduction="batchmean", log_target=True).item()


def greedy(
    model: AttentionOnly, batch: InductionBatch, threshold: float, order: Sequence[Edge]
) -> tuple[set[Edge], float]:
    """Remove edges in their order, each that costs less than a threshold; return what is left.

    An edge goes if the divergence from the whole network then rises by less than `threshold` over
    that of what was left so far. The second number is the divergence at the end.

    Source: Conmy et al. (2023), algorithm 1, which takes states of a corrupted run where this takes
    means.
    """
    whole, wrote = run(model, batch.symbols, set(), {})
    mean = means(wrote)
    removed: set[Edge] = set()
    now = 0.0
    for edge in order:
        logits, _ = run(model, batch.symbols, removed | {edge}, mean)
        cost = divergence(whole, logits, batch)
        if cost - now < threshold:
            removed.add(edge)
            now = cost
    return set(order) - removed, now
