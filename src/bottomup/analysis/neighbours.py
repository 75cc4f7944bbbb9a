"""Which tokens lie nearest to a token: of its type, and at its position?"""

from collections import Counter
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.samples import (
    check_finite,
    check_numbers,
    check_vectors,
    permutation,
)
from bottomup.checks import check_integer
from bottomup.training.device import in_float64

SIMILARITIES = 2**24  # held at a time: 64 MiB in float32
TIE = 1e-12  # float64 rounds similarities a thousand times finer


class NeighbourShare(NamedTuple):
    """Shares of neighbours, from 0 to 1.

    `share` is what was found, `ceiling` what there would be if every token of
    the query's type came before every other, and `chance` what neighbours drawn
    at random would give on average.
    """

    share: float
    ceiling: float
    chance: float


def same_token_neighbours(
    states: Float[Tensor, "token d_model"],
    tokens: Int64[Tensor, " token"],
    *,
    k: int = 10,
    queries: int = 4000,
    generator: torch.Generator,
) -> NeighbourShare:
    """Return how many of a state's nearest neighbours have its token's type.

    ``share = mean over queries n of
    #{m among the k nearest to n : t_m = t_n} / k``,
    ``ceiling = mean of min(k, N_t - 1) / k``,
    ``chance = mean of (N_t - 1) / (N - 1)``

    Near means a large cosine similarity ``h_n . h_m / (||h_n|| ||h_m||)`` of
    the vectors as they are; no mean is taken off. The queries are drawn at
    random without replacement, and their neighbours sought among all N tokens
    but the query itself; N_t of them have the query's type. A rare type cannot
    fill k places, so hold the share against the ceiling, and both rise with N:
    compare only values for the same tokens. Of equally near tokens any may be
    taken. The memory is about 64 MiB of similarities, or those of one query.

    Args:
        states: one vector h for each token, on any device. Below float64,
            float32 is used.
        tokens: the type t of each token, at least 0.
        k: number of neighbours.
        queries: number of queries; all tokens if there are fewer.
        generator: draws the queries, on its own device.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", the share of the nearest neighbours with the same token;
    the cosine, k, the ceiling and chance are our choice. Chapter 08 derives it.
    """
    check_integer("k", k, at_least=1)
    check_integer("queries", queries, at_least=1)
    directions = _directions("states", states)  # [token, d_model]
    check_numbers("tokens", tokens, "token", token=len(states))
    count = len(states)
    if count <= k:
        raise ValueError(
            f"states: expected more than k={k} tokens to have k neighbours "
            f"each, got {count}"
        )
    types = tokens.to(states.device).unique(return_inverse=True)[1]
    asked = permutation(count, generator)[:queries].to(states.device)
    same = 0
    for rows in asked.split(max(1, SIMILARITIES // count)):
        similarity = directions[rows] @ directions.T  # [query, token]
        similarity.scatter_(1, rows[:, None], -torch.inf)
        nearest = similarity.topk(k, dim=1).indices  # [query, k]
        same += int((types[nearest] == types[rows, None]).sum())
    others = in_float64(torch.bincount(types)[types[asked]] - 1)  # [query]
    return NeighbourShare(
        share=same / (int(k) * len(asked)),
        ceiling=float(others.clamp(max=k).mean()) / k,
        chance=float(others.mean()) / (count - 1),
    )


def nearest_types(
    queries: Float[Tensor, "query d_model"],
    states: Float[Tensor, "token d_model"],
    tokens: Int64[Tensor, " token"],
    *,
    k: int = 10,
) -> list[list[tuple[int, float]]]:
    """Return the types of each query's k nearest states and their shares.

    Near means a large cosine similarity, as in `same_token_neighbours`. A query
    that stands among the states is its own neighbour; leave it out of them. The
    largest share comes first, of equal shares the smaller number. Of equally
    near states any may be taken.

    Args:
        queries: vectors to find neighbours of.
        states: the vectors among which they are sought, on any device. Below
            float64, float32 is used.
        tokens: the type of each of them, at least 0.
        k: how many neighbours; at most the number of states.

    Chapter 08 lists them in a figure.

    Example:
        >>> states = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
        >>> tokens = torch.tensor([7, 7, 8])
        >>> nearest_types(torch.tensor([[1.0, 0.0]]), states, tokens, k=2)
        [[(7, 1.0)]]
    """
    among = _directions("states", states)  # [token, d_model]
    check_numbers("tokens", tokens, "token", token=len(states))
    check_integer("k", k, at_least=1)
    if k > len(states):
        raise ValueError(
            f"k: expected at most the {len(states)} states, got {k}"
        )
    asked = _directions("queries", queries, d_model=states.shape[1])
    similarity = asked.to(among) @ among.T  # [query, token]
    nearest = similarity.topk(k, dim=1).indices  # [query, k]
    types = []
    for row in tokens.to(states.device)[nearest].tolist():
        counts = sorted(Counter(row).items(), key=lambda item: (-item[1], item))
        types.append([(number, count / k) for number, count in counts])
    return types


def neighbour_position_distance(
    states: Float[Tensor, "token d_model"],
    tokens: Int64[Tensor, " token"],
    positions: Int64[Tensor, " token"],
    *,
    k: int = 5,
    types: int = 30,
    per_type: int = 800,
    generator: torch.Generator,
) -> float:
    """Return how far apart neighbours of one type stand, among all its pairs.

    ``mean over types of (mean of |p_n - p_m| over the k nearest m to each n)
    / (mean over n != m)``

    All n and m have the same type, so that a distance of 0 says that the
    nearest occurrences of a type stand at the same place of their sentences,
    and one of 1 that position plays no part in who is near. Near is meant as in
    `same_token_neighbours`; occurrences that are equally near share the places
    that are left, so vectors without position or context give exactly 1.

    Each of the most frequent types counts alike. Left out are types that occur
    fewer than k + 1 times, and those whose occurrences drawn stand at one
    position. With few occurrences to choose from, the value rises towards 1
    even where position is kept: compare only values for the same tokens.

    Args:
        states: one vector h for each token, on any device. Similarities are
            taken in float64.
        tokens: the type of each token, at least 0.
        positions: the position p of each token in its sentence, at least 0.
        k: number of neighbours.
        types: how many of the most frequent types to take; of equally frequent
            ones the smaller number goes first.
        per_type: the most occurrences of a type to take, drawn at random.
        generator: draws the occurrences, on its own device.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", the mean distance in position to the nearest neighbours;
    to seek them within a type, to divide by all pairs, the cosine and k are our
    choice. Chapter 08 derives it.
    """
    check_integer("k", k, at_least=1)
    check_integer("types", types, at_least=1)
    check_integer("per_type", per_type, at_least=k + 1)
    directions = _directions("states", states)  # [token, d_model]
    check_numbers("tokens", tokens, "token", token=len(states))
    check_numbers("positions", positions, "token", token=len(states))
    p, t = positions.to(states.device), tokens.cpu()
    names, counts = t.unique(return_counts=True)
    order = counts.sort(descending=True, stable=True).indices[:types]
    ratios = []
    for name in names[order[counts[order] > k]]:
        occurrences = (t == name).nonzero().flatten()
        some = permutation(len(occurrences), generator)[:per_type]
        rows = occurrences[some].to(states.device)  # [n]
        gaps = in_float64((p[rows, None] - p[rows]).abs())  # |p_n - p_m| [n, m]
        if gaps.any():
            pairs = float(gaps.sum()) / (len(gaps) * (len(gaps) - 1))
            near = _mean_of_nearest(gaps, in_float64(directions[rows]), k)
            ratios.append(near / pairs)
    if not ratios:
        raise ValueError(
            f"tokens: expected at least one of the {types} most frequent types "
            f"to occur {k + 1} times or more and at different positions, got "
            "none"
        )
    return sum(ratios) / len(ratios)


def _mean_of_nearest(gaps: Tensor, directions: Tensor, k: int) -> float:
    similarity = (directions @ directions.T).fill_diagonal_(-torch.inf)
    last = similarity.topk(k, dim=1).values[:, -1:]  # of the k nearest [n, 1]
    nearer = (similarity > last + TIE).double()  # [n, m]
    tied = ((similarity - last).abs() <= TIE).double()
    places = k - nearer.sum(dim=1, keepdim=True)  # for those that tie
    weights = nearer + tied * places / tied.sum(dim=1, keepdim=True)  # [n, m]
    return float((weights * gaps).sum(dim=1).mean()) / k


def _directions(name: str, vectors: Tensor, **sizes: int) -> Tensor:
    """Check vectors [token, d_model] and return them with the length 1."""
    axis = "query" if name == "queries" else "token"
    check_vectors(name, vectors, f"{axis} d_model", **sizes)
    check_finite(name, vectors)
    wide = vectors.dtype == torch.float64
    vectors = vectors.detach().to(torch.float64 if wide else torch.float32)
    # Squares of very small or large numbers would leave float32.
    largest = vectors.abs().amax(dim=1, keepdim=True)
    if zeros := int((largest == 0).sum()):
        raise ValueError(
            f"{name}: expected vectors with a direction, got {zeros} of "
            f"{len(vectors)} that are zero"
        )
    vectors = vectors / largest
    return vectors / vectors.norm(dim=1, keepdim=True)
