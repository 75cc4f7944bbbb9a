"""Influence: what a layer gives to tokens that cannot read one of them."""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.analysis.samples import check_numbers, check_vectors
from bottomup.analysis.token_groups import Pair, check_drawing, distances
from bottomup.checks import check_mask
from bottomup.training.modes import evaluating

Batch = tuple[Tensor, Tensor | None]


def token_influence(
    layer: nn.Module,
    x: Float[Tensor, "batch position d_model"],
    mask: Bool[Tensor, "..."] | None,
    dropped: Int64[Tensor, " batch"],
) -> Pair:
    """Return a layer's outputs, with and without one token to read.

    In each sequence no other position may read the position `dropped`, in this
    layer alone: the layers before it have run as usual. The token still reads
    itself, so that its own row is not empty. What comes back are the outputs at
    the positions that may read it under `mask`, save itself; with a causal mask
    these are the later ones. All other outputs stay as they are.

    Args:
        layer: a layer called as ``layer(x, mask)`` that returns
            ``(x, weights)``, such as `EncoderLayer`. It runs in evaluation
            mode, without gradient.
        x: the streams before the layer, of sequences of one length.
        mask: True = may attend: ``[query, key]`` or ``[batch, query, key]``,
            each axis as given or 1; None for all.
        dropped: the position that cannot be read, for each sequence.

    Returns:
        ``(states, without)``, each ``[token, d_model]``: a row for each
        position that may read the dropped one, sequence by sequence, or none.

    Source: Voita, Sennrich and Titov (2019), who mask out the influencing token
    at one layer; that it still reads itself is our choice. Chapter 08 uses it.
    """
    check_vectors("x", x, "batch position d_model")
    batch, n, _d_model = x.shape
    check_mask("mask", mask, (batch, n, n))
    check_numbers("dropped", dropped, "batch", batch=batch)
    if int(dropped.max()) >= n:
        raise ValueError(
            f"dropped: expected positions in [0, {n}), got {int(dropped.max())}"
        )
    with evaluating(layer), torch.no_grad():
        states = layer(x, mask)[0]
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
    """Return how much each group's tokens influence others of their sentence.

    ``influence(g) = PWCCA distance between h_t with and h_t without a token of
    group g to read``, averaged over both directions

    In each sentence that holds tokens of group g one of them is drawn, each as
    likely, and `token_influence` gives the states with and without it of the
    tokens t that may read it. As in `change_by_group`, all groups are measured
    on as many states: `rows`, or what the group with the fewest has.

    Args:
        layer: as for `token_influence`.
        batches: pairs ``(x, mask)``: the streams before the layer, of sentences
            of one length, and their mask. The length may differ from batch to
            batch.
        groups: for each batch the group of each token, from 0, none left out
            over all batches; -1 for tokens that are neither drawn nor counted
            among the t, such as a sentence's marks.
        rows: the most states to compare for a group.
        generator: draws tokens and states; on the CPU, wherever the streams
            are.
        few_samples: as for `cca`, which counts the states of each group.

    Source: Voita, Sennrich and Titov (2019), who name the distance; how tokens
    are drawn, as many states for each group and the average of both directions
    are our choice. Chapter 08 uses it.
    """
    _check_batches(batches, groups)
    d_model = batches[0][0].shape[-1]
    check_drawing(rows, generator, few_samples, d_model)
    count = max(int(own.max()) for own in groups) + 1
    nothing = batches[0][0].new_empty(0, d_model)
    read = [[nothing] for _group in range(count)]
    unread = [[nothing] for _group in range(count)]
    with evaluating(layer), torch.no_grad():
        for (x, mask), own in zip(batches, groups, strict=True):
            states = layer(x, mask)[0]  # [batch, position, d_model]
            allowed, counted = _expanded(mask, x), (own >= 0).to(x.device)
            for group, chosen, dropped in _drawn(own.cpu(), count, generator):
                chosen, dropped = chosen.to(x.device), dropped.to(x.device)
                without, readers = _without(
                    layer, x[chosen], allowed[chosen], dropped
                )
                readers &= counted[chosen]
                read[group].append(states[chosen][readers])
                unread[group].append(without[readers])
    sides = zip(map(torch.cat, read), map(torch.cat, unread), strict=True)
    return distances(list(sides), rows, generator, few_samples)


def _without(
    layer: nn.Module, x: Tensor, allowed: Tensor, dropped: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what others that may read `dropped` get without it, and which."""
    positions = torch.arange(x.shape[1], device=x.device)
    is_dropped = positions == dropped[:, None]  # [batch, position]
    cut = is_dropped[:, None, :] & (positions != positions[:, None])
    without = layer(x, allowed & ~cut)[0]  # [batch, position, d_model]
    return without, (allowed & cut).any(dim=-1)


def _expanded(mask: Tensor | None, x: Tensor) -> Tensor:
    """Return the mask as [batch, position, position]."""
    batch, n, _d_model = x.shape
    if mask is None:
        mask = torch.ones(n, n, dtype=torch.bool, device=x.device)
    return mask.expand(batch, n, n)


def _drawn(
    groups: Tensor, count: int, generator: torch.Generator
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Draw a token of each group in every sequence that has one.

    Gives the group, the sequences and their positions.
    """
    for group in range(count):
        members = groups == group  # [batch, position]
        chosen = members.any(dim=1).nonzero().flatten()
        if len(chosen) > 0:
            weights = members[chosen].float()
            dropped = weights.multinomial(1, generator=generator)
            yield group, chosen, dropped.flatten()


def _check_batches(batches: Sequence[Batch], groups: Sequence[Tensor]) -> None:
    if len(batches) == 0 or len(groups) != len(batches):
        raise ValueError(
            "groups: expected one tensor for each batch, and a batch at least, "
            f"got {len(groups)} for {len(batches)}"
        )
    sizes: dict[str, int] = {}
    for (x, mask), own in zip(batches, groups, strict=True):
        check_vectors("x", x, "batch position d_model", **sizes)
        batch, n, sizes["d_model"] = x.shape
        check_mask("mask", mask, (batch, n, n))
        axes = "batch position"
        check_numbers("groups", own, axes, at_least=-1, batch=batch, position=n)
