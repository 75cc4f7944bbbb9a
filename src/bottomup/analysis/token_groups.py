"""Tokens in groups by how frequent they are, and how much a layer changes those of each group."""

import warnings
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis.canonical_correlation import (
    ENOUGH,
    FEW_SAMPLES,
    LEAST,
    FewSamplesWarning,
)
from bottomup.analysis.pwcca import pwcca_distance
from bottomup.checks import (
    check_axes,
    check_choice,
    check_generator,
    check_integer,
    check_tensor,
)

Pair = tuple[Tensor, Tensor]


def frequency_groups(
    tokens: Int64[Tensor, "..."],
    bounds: Sequence[int],
    counts: Int64[Tensor, " type"] | None = None,
) -> Int64[Tensor, "..."]:
    """Return the group of each token, by the frequency rank of its type.

    ``group(t) = number of bounds b with b <= rank(t)``, rank 0 being the most frequent type

    With ``bounds=(10, 40)``, the ten most frequent types are group 0, the next thirty group 1 and
    all others group 2. Of types that are equally frequent, the one with the smaller number comes
    first.

    Args:
        tokens: type numbers, of any shape.
        bounds: the first rank of each group but group 0, rising.
        counts: how often each type occurs, in the training text say. None counts `tokens`.

    Chapter 08 uses it.
    """
    check_whole("tokens", tokens)
    _check_bounds(bounds)
    if counts is None:
        counts = tokens.flatten().bincount()
    check_whole("counts", counts)
    if counts.dim() != 1:
        raise ValueError(
            f"counts: expected axes [type], got shape {tuple(counts.shape)}"
        )
    if int(tokens.max()) >= len(counts):
        raise ValueError(
            f"tokens: expected numbers below {len(counts)}, got {int(tokens.max())}"
        )
    order = counts.to(tokens.device).argsort(descending=True, stable=True)
    edges = torch.tensor(tuple(bounds), dtype=torch.int64, device=tokens.device)
    ranks = order.argsort()
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

    ``change(g) = PWCCA distance between h_t before and h_t after the layer``, over tokens t of
    group g, averaged over both directions

    A PWCCA distance depends on the number of samples, so all groups are measured on as many tokens:
    `rows`, or what the smallest group has, drawn at random without replacement.

    Args:
        before: the states that the layer reads.
        after: the states that it returns, of the same tokens.
        groups: the group of each token, from 0, none left out; -1 for tokens that do not count.
        rows: the most tokens to take from a group.
        generator: draws them; on the CPU, wherever the states are.
        few_samples: as for `cca`, which counts samples in each group.

    Returns:
        The distance for each group, from group 0 on.

    Warns:
        FewSamplesWarning: fewer than 100 tokens for each feature.

    Source: Voita, Sennrich and Titov (2019) name the distance; as many tokens for each group and
    the average of both directions are our choice. Chapter 08 uses it.
    """
    sizes = check_axes("before", before, "token d_model")
    check_axes("after", after, "token d_model", **sizes)
    count = check_groups(groups, (sizes["token"],))
    check_some(count)
    check_drawing(rows, generator, few_samples, sizes["d_model"])
    groups = groups.to(before.device)
    members = [groups == number for number in range(count)]
    pairs = [(before[member], after[member]) for member in members]
    return distances(pairs, rows, generator, few_samples)


def distances(
    pairs: list[Pair], rows: int, generator: torch.Generator, few_samples: str
) -> dict[int, float]:
    """Return the distance of each group's pair, all of them measured on as many rows.

    A warning names the line that called the public function, if that calls this one itself.
    """
    sizes = [len(states) for states, _ in pairs]
    least = min(range(len(pairs)), key=sizes.__getitem__)
    _check_samples(sizes[least], least, pairs[0][0].shape[1], rows, few_samples)
    found = {}
    for number, (one, other) in enumerate(pairs):
        picked = torch.randperm(len(one), generator=generator)[
            : min(rows, sizes[least])
        ]
        picked = picked.to(one.device)
        found[number] = pwcca_distance(
            one[picked], other[picked], symmetric=True, few_samples="allow"
        )
    return found


def _check_samples(
    found: int, group: int, features: int, rows: int, few_samples: str
) -> None:
    needed = LEAST * features if few_samples == "refuse" else 1
    if found < needed:
        raise ValueError(
            f"groups: expected at least {needed} states to compare for group {group}, got {found}"
        )
    if few_samples == "refuse" and min(found, rows) < ENOUGH * features:
        message = (
            f"rows, groups: expected at least {ENOUGH} states for each of {features} features, "
            f"{ENOUGH * features} in all, got {min(found, rows)}, group {group} having {found}; "
            "with fewer, distances come out too low"
        )
        warnings.warn(message, FewSamplesWarning, stacklevel=4)


def check_whole(name: str, value: Tensor) -> None:
    """Check int64 numbers from 0, at least one of them."""
    check_tensor(name, value)
    if value.dtype != torch.int64:
        raise TypeError(
            f"{name}: expected dtype torch.int64, got {value.dtype}"
        )
    if value.numel() == 0:
        raise ValueError(
            f"{name}: expected at least one number, got {tuple(value.shape)}"
        )
    if int(value.min()) < 0:
        raise ValueError(
            f"{name}: expected numbers of at least 0, got {int(value.min())}"
        )


def check_groups(groups: Tensor, shape: tuple[int, ...]) -> int:
    """Check group numbers from -1 and return how many groups the largest number makes."""
    check_tensor("groups", groups)
    if groups.dtype != torch.int64:
        raise TypeError(
            f"groups: expected dtype torch.int64, got {groups.dtype}"
        )
    if tuple(groups.shape) != shape:
        raise ValueError(
            f"groups: expected shape {shape}, got {tuple(groups.shape)}"
        )
    if int(groups.min()) < -1:
        raise ValueError(
            f"groups: expected numbers of at least -1, got {int(groups.min())}"
        )
    return int(groups.max()) + 1


def check_some(count: int) -> None:
    """Check that there is a group."""
    if count == 0:
        raise ValueError(
            "groups: expected a token with a group from 0, got -1 for all of them"
        )


def check_drawing(
    rows: int, generator: torch.Generator, few_samples: str, d_model: int
) -> None:
    """Check what says how many states are drawn, and from where."""
    check_choice("few_samples", few_samples, FEW_SAMPLES)
    check_integer(
        "rows", rows, at_least=LEAST * d_model if few_samples == "refuse" else 1
    )
    check_generator("generator", generator)


def _check_bounds(bounds: Sequence[int]) -> None:
    for bound in bounds:
        check_integer("bounds", bound, at_least=1)
    if list(bounds) != sorted(set(bounds)):
        raise ValueError(
            f"bounds: expected rising numbers, got {tuple(bounds)}"
        )
