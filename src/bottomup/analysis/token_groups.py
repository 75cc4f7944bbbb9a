"""Tokens in groups by frequency, and how much a layer changes each group."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.canonical_correlation import LEAST, check_samples
from bottomup.analysis.pwcca import pwcca_distance
from bottomup.analysis.samples import (
    check_numbers,
    check_vectors,
    permutation,
)
from bottomup.checks import check_choice, check_generator, check_integer

Pair = tuple[Tensor, Tensor]


def frequency_groups(
    tokens: Int64[Tensor, "..."],
    bounds: Sequence[int],
    counts: Int64[Tensor, " type"] | None = None,
) -> Int64[Tensor, "..."]:
    """Return the group of each token, by the frequency rank of its type.

    ``group(t) = number of bounds b with b <= rank(t)``, rank 0 being the most
    frequent type

    With ``bounds=(10, 40)``, the ten most frequent types are group 0, the next
    thirty group 1 and all others group 2. Of types that are equally frequent,
    the one with the smaller number comes first.

    Args:
        tokens: type numbers, of any shape.
        bounds: the first rank of each group but group 0, rising.
        counts: how often each type occurs, in the training text say. None
            counts `tokens`.

    Chapter 08 uses it.
    """
    check_numbers("tokens", tokens, "...")
    for bound in bounds:
        check_integer("bounds", bound, at_least=1)
    if list(bounds) != sorted(set(bounds)):
        raise ValueError(
            f"bounds: expected rising numbers, got {tuple(bounds)}"
        )
    counts = tokens.flatten().bincount() if counts is None else counts
    check_numbers("counts", counts, "type")
    if int(tokens.max()) >= len(counts):
        raise ValueError(
            f"tokens: expected numbers below {len(counts)}, got "
            f"{int(tokens.max())}"
        )
    order = counts.to(tokens.device).argsort(descending=True, stable=True)
    ranks = order.argsort()  # [type]
    edges = torch.tensor(tuple(bounds), dtype=torch.int64, device=tokens.device)
    return torch.bucketize(ranks[tokens], edges, right=True)


def change_by_group(
    before: Float[Tensor, "token d_model"],
    after: Float[Tensor, "token d_model"],
    groups: Int64[Tensor, " token"],
    *,
    rows: int,
    generator: torch.Generator,
    few_samples: str = "refuse",
) -> dict[int, float]:
    """Return how much a layer changes the tokens of each group.

    ``change(g) = PWCCA distance between h_t before and h_t after the layer``,
    over tokens t of group g, averaged over both directions

    A PWCCA distance depends on the number of samples, so all groups are
    measured on as many tokens: `rows`, or what the smallest group has, drawn at
    random without replacement.

    Args:
        before: the states that the layer reads.
        after: the states that it returns, of the same tokens.
        groups: the group of each token, from 0, none left out; -1 for tokens
            that do not count.
        rows: the most tokens to take from a group.
        generator: draws them; on the CPU, wherever the states are.
        few_samples: as for `cca`, which counts samples in each group.

    Source: Voita, Sennrich and Titov (2019) name the distance; as many tokens
    for each group and the average of both directions are our choice. Chapter 08
    uses it.
    """
    check_vectors("before", before, "token d_model")
    token, d_model = before.shape
    check_vectors("after", after, "token d_model", token=token, d_model=d_model)
    check_numbers("groups", groups, "token", at_least=-1, token=token)
    groups = groups.to(before.device)
    members = [groups == g for g in range(int(groups.max()) + 1)]
    pairs = [(before[member], after[member]) for member in members]
    check_drawing(rows, generator, few_samples, d_model)
    return distances(pairs, rows, generator, few_samples)


def distances(
    pairs: list[Pair], rows: int, generator: torch.Generator, few_samples: str
) -> dict[int, float]:
    """Return the distance of each group's pair, all on as many rows.

    Args:
        pairs: for each group, two tensors [row, d_model].
        rows: the most rows to take.
        generator: draws them.
        few_samples: as for `cca`.
    """
    if not pairs:
        raise ValueError(
            "groups: expected a token with a group from 0, got -1 for all"
        )
    sizes = [len(before) for before, _after in pairs]
    smallest = min(range(len(pairs)), key=sizes.__getitem__)
    count = min(rows, sizes[smallest])
    if count == 0:
        raise ValueError(
            f"groups: expected states to compare for group {smallest}, got none"
        )
    note = f"group {smallest} has {sizes[smallest]}"
    d_model = pairs[0][0].shape[1]
    check_samples("rows, groups", count, d_model, few_samples, note=note)
    found = {}
    for group, (before, after) in enumerate(pairs):
        picked = permutation(len(before), generator)[:count].to(before.device)
        found[group] = pwcca_distance(
            before[picked], after[picked], symmetric=True, few_samples="allow"
        )
    return found


def check_drawing(
    rows: int, generator: torch.Generator, few_samples: str, d_model: int
) -> None:
    """Check what says how many states are drawn, and from where."""
    check_generator("generator", generator)
    check_choice("few_samples", few_samples, ("refuse", "allow"))
    least = LEAST * d_model if few_samples == "refuse" else 1
    check_integer("rows", rows, at_least=least)
