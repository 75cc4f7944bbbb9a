"""Which tokens lie nearest to a token: others of its type, and others at its position?"""

from collections import Counter
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.centring import check_length, check_states
from bottomup.analysis.contingency import check_numbers
from bottomup.checks import check_axes, check_generator, check_integer

SIMILARITIES = 2**24  # held at a time: 64 MiB in float32
TIE = 1e-12  # similarities closer than this count as equal; float64 rounds a thousand times finer


class NeighbourShare(NamedTuple):
    """Shares of neighbours, from 0 to 1.

    `share` is what was found, `ceiling` what there would be if every token of the query's type came
    before every other token, and `chance` what neighbours drawn at random would give on average.
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
    """Return how many of a state's nearest neighbours belong to a token of the same type.

    ``share = mean over queries n of #{m among the k nearest to n : t_m = t_n} / k``

    ``ceiling = mean of min(k, N_t - 1) / k``, ``chance = mean of (N_t - 1) / (N - 1)``

    Near means a large cosine similarity ``h_n . h_m / (||h_n|| ||h_m||)`` of the vectors as they
    are; no mean is taken off. The queries are drawn at random without replacement. Their
    neighbours are sought among all N tokens, the query itself left out; N_t of them have the
    query's type. A rare type cannot fill k places, so hold the share against the ceiling, and both
    rise with N: compare only values for the same tokens. Of equally near tokens any may be taken.

    Beyond the states, the memory is about 64 MiB of similarities, or those of one query with all.

    Args:
        states: one vector h for each token, on any device. Below float64, float32 is used.
        tokens: the type t of each token, at least 0.
        k: number of neighbours.
        queries: number of queries; all tokens if there are fewer.
        generator: draws the queries, on its own device.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer",
    the share of the nearest neighbours with the same token; the cosine, k, the ceiling and chance
    are our choice. Chapter 08 derives it.
    """
    check_integer("k", k, at_least=1)
    check_integer("queries", queries, at_least=1)
    check_generator("generator", generator)
    check_states(states, tokens)
    count = len(states)
    if count <= k:
        raise ValueError(
            f"states: expected more than k={k} tokens to have k neighbours each, got {count}"
        )
    directions = _directions(states)
    types = tokens.to(states.device).unique(return_inverse=True)[1]
    drawn = torch.randperm(count, generator=generator, device=generator.device)[
        :queries
    ]
    same = 0
    for rows in drawn.to(states.device).split(max(1, SIMILARITIES // count)):
        similarity = directions[rows] @ directions.T  # [query, token]
        similarity.scatter_(1, rows[:, None], -torch.inf)
        nearest = similarity.topk(k, dim=1).indices
        same += int((types[nearest] == types[rows, None]).sum())
    others = (
        torch.bincount(types)[types[drawn.to(states.device)]] - 1
    ).double()
    return NeighbourShare(
        share=same / (k * len(drawn)),
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
    """Return for each query the types of its k nearest states and their shares, largest first.

    Near means a large cosine similarity, as in `same_token_neighbours`. A query that stands among
    the states is its own neighbour; leave it out of them. Types with equal shares come in the order
    of their numbers. Of equally near states any may be taken.

    Args:
        queries: vectors to find neighbours of.
        states: the vectors among which they are sought, on any device. Below float64, float32 is
            used.
        tokens: the type of each of them, at least 0.
        k: how many neighbours; at most the number of states.

    Chapter 08 lists them in a figure.
    """
    check_states(states, tokens)
    check_axes("queries", queries, "query d_model", d_model=states.shape[1])
    check_integer("k", k, at_least=1)
    if k > len(states):
        raise ValueError(
            f"k: expected at most the {len(states)} states, got {k}"
        )
    if not queries.isfinite().all():
        raise ValueError(
            "queries: expected finite numbers, got NaN or infinity"
        )
    among = _directions(states)
    similarity = (
        _directions(queries, "queries").to(among) @ among.T
    )  # [query, token]
    near = similarity.topk(k, dim=1).indices
    found = []
    for row in tokens.to(states.device)[near].tolist():
        counts = Counter(row)
        order = sorted(counts, key=lambda number: (-counts[number], number))
        found.append([(number, counts[number] / k) for number in order])
    return found


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
    """Return how far apart in position neighbours of one type stand, relative to all its pairs.

    ``mean over types of (mean of |p_n - p_m| over the k nearest m to each n) / (mean over n != m)``

    All n and m have the same type, so that a distance of 0 says that the nearest occurrences of a
    type stand at the same place of their sentences, and one of 1 that position plays no part in
    who is near. Above 1, neighbours stand farther apart than pairs do. Near means a large cosine
    similarity of the vectors as they are; occurrences that are equally near share the places that
    are left, so vectors without position or context give exactly 1.

    Each of the most frequent types counts alike, with at most `per_type` occurrences drawn at
    random. Left out are types that occur fewer than k + 1 times, and those whose occurrences drawn
    stand at one position. With few occurrences to choose from, the value rises towards 1 even
    where position is kept: compare only values for the same tokens.

    Args:
        states: one vector h for each token, on any device. Their directions are taken as in
            `same_token_neighbours`, the similarities of those in float64.
        tokens: the type of each token, at least 0.
        positions: the position p of each token in its sentence, at least 0.
        k: number of neighbours.
        types: how many of the most frequent types to take; of equally frequent ones the smaller
            number goes first.
        per_type: the most occurrences of a type to take.
        generator: draws the occurrences, on its own device.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer",
    the mean distance in position to the nearest neighbours; to seek them within a type, to divide
    by all pairs, the cosine and k are our choice. Chapter 08 derives it.
    """
    check_integer("k", k, at_least=1)
    check_integer("types", types, at_least=1)
    check_integer("per_type", per_type, at_least=k + 1)
    check_generator("generator", generator)
    check_states(states, tokens)
    check_numbers("positions", positions)
    check_length("positions", positions, states)
    directions, places = _directions(states), positions.to(states.device)
    ratios = []
    for occurrences in _occurrences(
        tokens.cpu(), k + 1, types, per_type, generator
    ):
        rows = occurrences.to(states.device)
        gaps = (places[rows, None] - places[rows]).abs().double()
        if gaps.any():
            ratios.append(
                _nearest_mean(directions[rows].double(), gaps, k)
                / _pair_mean(gaps)
            )
    if not ratios:
        raise ValueError(
            f"tokens: expected at least one of the {types} most frequent types to occur {k + 1} "
            "times or more and at different positions, got none"
        )
    return sum(ratios) / len(ratios)


def _directions(states: Tensor, name: str = "states") -> Tensor:
    values = states.detach().to(
        torch.float64 if states.dtype == torch.float64 else torch.float32
    )
    # the largest entry becomes 1 first: squares of very small or large numbers leave float32
    largest = values.abs().amax(dim=1, keepdim=True)
    zeros = int((largest == 0).sum())
    if zeros:
        raise ValueError(
            f"{name}: expected vectors with a direction, got {zeros} of {len(states)} that are zero"
        )
    values = values / largest
    return values / values.norm(dim=1, keepdim=True)


def _occurrences(
    tokens: Tensor,
    least: int,
    types: int,
    most: int,
    generator: torch.Generator,
) -> list[Tensor]:
    """Return the indices of some occurrences of each frequent type, in random order."""
    names, counts = tokens.unique(return_counts=True)
    order = counts.sort(descending=True, stable=True).indices[:types]
    found = []
    for name in names[order[counts[order] >= least]]:
        rows = (tokens == name).nonzero().flatten()
        drawn = torch.randperm(
            len(rows), generator=generator, device=generator.device
        )[:most]
        found.append(rows[drawn.cpu()])
    return found


def _nearest_mean(directions: Tensor, gaps: Tensor, k: int) -> float:
    similarity = (directions @ directions.T).fill_diagonal_(-torch.inf)
    last = similarity.topk(k, dim=1).values[:, -1:]
    above = (similarity > last + TIE).double()
    tied = ((similarity - last).abs() <= TIE).double()
    left = k - above.sum(
        dim=1, keepdim=True
    )  # places for those that are equally near
    weights = above + tied * left / tied.sum(dim=1, keepdim=True)
    return float((weights * gaps).sum(dim=1).mean()) / k


def _pair_mean(gaps: Tensor) -> float:
    return float(gaps.sum()) / (len(gaps) * (len(gaps) - 1))
