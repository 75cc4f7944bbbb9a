"""Influence: what a layer would give to the other tokens if they could not read one of them."""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.analysis.token_groups import (
    Pair,
    check_drawing,
    check_groups,
    check_some,
    check_whole,
    distances,
)
from bottomup.checks import check_axes, check_mask
from bottomup.training.modes import evaluating

Batch = tuple[Tensor, Tensor | None]


def token_influence(
    layer: nn.Module,
    x: Float[Tensor, "batch position d_model"],
    mask: Bool[Tensor, "..."] | None,
    dropped: Int64[Tensor, " batch"],
) -> Pair:
    """Return what a layer gives to the other tokens, with and without one of them to read.

    In each sequence no other position may read the position `dropped`, in this layer alone: the
    layers before it have run as usual. The token still reads itself, so that its own row is not
    empty. What comes back are the outputs at the positions that may read it under `mask`, save
    itself; with a causal mask these are the later ones. All other outputs stay as they are.

    Args:
        layer: a layer called as ``layer(x, mask, False)`` that returns ``(x, weights)``, such as
            `EncoderLayer`. It runs in evaluation mode, without gradient.
        x: the streams before the layer, of sequences of one length.
        mask: True = may attend: ``[query, key]`` or ``[batch, query, key]``, each axis as given or
            1; None for all.
        dropped: the position that cannot be read, for each sequence.

    Returns:
        ``(states, without)``, each ``[token, d_model]``: a row for each position that may read the
        dropped one, sequence by sequence. There may be none, as for the last position under a
        causal mask.

    Source: Voita, Sennrich and Titov (2019), who mask out the influencing token at one layer; that
    it still reads itself is our choice. Chapter 08 uses it.
    """
    batch, n, _ = check_axes("x", x, "batch position d_model").values()
    check_mask("mask", mask, (batch, n, n))
    check_whole("dropped", dropped)
    if tuple(dropped.shape) != (batch,):
        raise ValueError(
            f"dropped: expected axes [batch={batch}], got {tuple(dropped.shape)}"
        )
    if int(dropped.max()) >= n:
        raise ValueError(
            f"dropped: expected positions in [0, {n}), got {int(dropped.max())}"
        )
    with evaluating(layer), torch.no_grad():
        states = _run(layer, x, mask)
        without, readers = _without(
            layer, x, _expanded(mask, x), dropped.to(x.device)
        )
    return states[readers], without[readers]


def influence_by_group(
    layer: nn.Module,
    batches: Sequence[Batch],
    groups: Sequence[Int64[Tensor, "batch position"]],
    *,
    rows: int,
    generator: torch.Generator,
    few_samples: str = "refuse",
) -> dict[int, float]:
    """Return how much the tokens of each group influence the others of their sentence in a layer.

    ``influence(g) = PWCCA distance between h_t with and h_t without a token of group g to read``,
    averaged over both directions

    In each sentence that holds tokens of group g one of them is drawn, each as likely, and
    `token_influence` gives the states with and without it of the tokens t that may read it. A
    drawn token that none may read adds no state. As in `change_by_group`, all groups are measured
    on as many states: `rows`, or what the group with the fewest has.

    Args:
        layer: as for `token_influence`.
        batches: pairs ``(x, mask)``: the streams before the layer, of sentences of one length, and
            their mask. The length may differ from batch to batch.
        groups: for each batch the group of each token, from 0, none left out over all batches; -1
            for tokens that are neither drawn nor counted among the t, such as a sentence's marks.
        rows: the most states to compare for a group.
        generator: draws tokens and states; on the CPU, wherever the streams are.
        few_samples: as for `cca`, which counts the states of each group.

    Returns:
        The distance for each group, from group 0 on.

    Warns:
        FewSamplesWarning: fewer than 100 states for each feature.

    Source: Voita, Sennrich and Titov (2019), who name the distance; how tokens are drawn, as many
    states for each group and the average of both directions are our choice. Chapter 08 uses it.
    """
    count, d_model = _check_batches(batches, groups)
    check_drawing(rows, generator, few_samples, d_model)
    pairs: list[list[Pair]] = [
        [_no_states(batches[0][0])] for _ in range(count)
    ]
    with evaluating(layer), torch.no_grad():
        for (x, mask), own in zip(batches, groups, strict=True):
            states, allowed, counted = (
                _run(layer, x, mask),
                _expanded(mask, x),
                own >= 0,
            )
            for number, chosen, dropped in _drawn(own.cpu(), count, generator):
                chosen, dropped = chosen.to(x.device), dropped.to(x.device)
                without, readers = _without(
                    layer, x[chosen], allowed[chosen], dropped
                )
                readers &= counted.to(x.device)[chosen]
                pairs[number].append(
                    (states[chosen][readers], without[readers])
                )
    return distances(
        [_joined(each) for each in pairs], rows, generator, few_samples
    )


def _run(layer: nn.Module, x: Tensor, mask: Tensor | None) -> Tensor:
    states, _weights = layer(x, mask, False)
    return states


def _expanded(mask: Tensor | None, x: Tensor) -> Tensor:
    """Return the mask as [batch, position, position]."""
    batch, n, _ = x.shape
    if mask is None:
        mask = torch.ones(n, n, dtype=torch.bool, device=x.device)
    return mask.expand(batch, n, n)


def _without(
    layer: nn.Module, x: Tensor, allowed: Tensor, dropped: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the outputs where no other position reads `dropped`, and which may [batch, n]."""
    positions = torch.arange(x.shape[1], device=x.device)
    is_dropped = positions == dropped[:, None]  # [batch, position]
    cut = is_dropped[:, None, :] & (positions != positions[:, None])
    return _run(layer, x, allowed & ~cut), (allowed & cut).any(dim=-1)


def _drawn(
    groups: Tensor, count: int, generator: torch.Generator
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Draw a token of each group in every sequence that has one: group, sequences, positions."""
    for number in range(count):
        members = groups == number
        chosen = members.any(dim=1).nonzero().flatten()
        if len(chosen) > 0:
            dropped = (
                members[chosen].float().multinomial(1, generator=generator)
            )
            yield number, chosen, dropped.flatten()


def _no_states(x: Tensor) -> Pair:
    return x.new_empty(0, x.shape[-1]), x.new_empty(0, x.shape[-1])


def _joined(pairs: list[Pair]) -> Pair:
    states, without = zip(*pairs, strict=True)
    return torch.cat(states), torch.cat(without)


def _check_batches(
    batches: Sequence[Batch], groups: Sequence[Tensor]
) -> tuple[int, int]:
    """Check the batches against their groups and return the number of groups and of features."""
    if len(batches) == 0 or len(groups) != len(batches):
        raise ValueError(
            "groups: expected one tensor for each batch, and a batch at least, "
            f"got {len(groups)} for {len(batches)}"
        )
    d_model = check_axes("x", batches[0][0], "batch position d_model")[
        "d_model"
    ]
    count = 0
    for (x, mask), own in zip(batches, groups, strict=True):
        batch, n, _ = check_axes(
            "x", x, "batch position d_model", d_model=d_model
        ).values()
        check_mask("mask", mask, (batch, n, n))
        count = max(count, check_groups(own, (batch, n)))
    check_some(count)
    return count, d_model
