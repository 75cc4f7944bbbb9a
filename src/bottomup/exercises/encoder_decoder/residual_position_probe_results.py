"""What is returned of the pairs that decide, in other ways: one mean, other shapes and orders."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.encoder_decoder.residual_position_probe_parts import (
    Answer,
    Pair,
    answering,
    right_pairs,
)


def flipped(result: Pair) -> Pair:
    return result[0].flip(-1), result[1]


def by_second(result: Pair) -> Pair:
    pairs, effect = result
    order = pairs[:, 1].argsort(stable=True)
    return pairs[order], effect[order]


def one_list(result: Pair) -> Pair:
    """Pairs made of a list: without any, torch sees no second axis."""
    pairs, effect = result
    return (pairs if len(pairs) else pairs.reshape(0)), effect


def float_list(result: Pair) -> Pair:
    """The same, with torch's dtype for an empty list."""
    pairs, effect = one_list(result)
    return (pairs if len(pairs) else pairs.float()), effect


def float_columns(result: Pair) -> Pair:
    """The same with its columns."""
    pairs, effect = result
    return (pairs if len(pairs) else pairs.float()), effect


def mean_of_list(effect: Tensor) -> float:
    return sum(effect.tolist()) / len(effect)


def with_one_mean(
    result: Pair, *, mean: Callable[[Tensor], Any], shaped: Callable[[Pair], Pair]
) -> Any:
    return shaped(result)[0], mean(result[1])


def averaged() -> Iterator[Answer]:
    """One mean in several writings, each with pairs of every shape that a reader may give them."""
    means: tuple[Callable[[Tensor], Any], ...] = (
        torch.mean,
        lambda effect: effect.mean(0, keepdim=True),
        lambda effect: effect.mean().expand(len(effect)),
        lambda effect: effect.mean().item(),
        mean_of_list,
        lambda effect: effect.sum() / max(len(effect), 1),
        lambda effect: effect.sum().item() / max(len(effect), 1),
    )
    for mean in means:
        for shaped in (lambda result: result, one_list, float_list):
            yield answering(returned=partial(with_one_mean, mean=mean, shaped=shaped))


def difference_of_means(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
    """The right pairs; the effect is over all runs with the part and all without."""
    pairs = right_pairs(switches, part).nonzero()
    having = switches[:, part]
    return pairs, accuracy[having].mean() - accuracy[~having].mean()


def difference_for_every_pair(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
    pairs, effect = difference_of_means(switches, accuracy, part)
    return pairs, effect.expand(len(pairs))


def difference_as_number(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, float]:
    pairs, effect = difference_of_means(switches, accuracy, part)
    return pairs, effect.item()


def mean_through_columns(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
    """Fails where no pair decides, for a tensor of an empty list has no columns."""
    pairs, _effect = answering(returned=one_list)(switches, accuracy, part)
    return pairs, (accuracy[pairs[:, 0]] - accuracy[pairs[:, 1]]).mean()
