"""Cases of the ablations that decide what carries a token's position."""

from itertools import product
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, booleans, case, tensor, uniform
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _

BY_NAME = compare_named("pairs", "effect")


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Say which of the two tensors differs; a number counts as a tensor without axes."""
    got, expected = as_tensors(got), as_tensors(expected)
    sentence = BY_NAME(got, expected, case)
    return sentence and (other_pairs(got, expected) or sentence)


def other_pairs(got: Any, expected: Any) -> str:
    """Name the first pair that is missing and the first that is too many, where there is one."""
    if not isinstance(got, tuple | list) or len(got) != 2 or not is_pairs(got[0]):
        return ""
    ours, theirs = ([tuple(pair) for pair in result[0].tolist()] for result in (got, expected))
    told = (
        (_("The pairs lack {pair}."), [pair for pair in theirs if pair not in ours]),
        (_("The pairs have {pair} too many."), [pair for pair in ours if pair not in theirs]),
    )
    return " ".join(sentence.format(pair=pairs[0]) for sentence, pairs in told if pairs)


def is_pairs(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.dtype == torch.int64
        and value.ndim == 2
        and value.shape[1] == 2
    )


def as_tensors(result: Any) -> Any:
    if not isinstance(result, tuple | list):
        return result
    return [torch.tensor(value) if isinstance(value, float) else value for value in result]


def runs(*settings: list[int]) -> Drawn:
    return tensor(settings, dtype=torch.bool)


def every_setting(parts: int) -> Drawn:
    """One run of every setting, in random order."""
    settings = torch.tensor(list(product([True, False], repeat=parts)))
    return Drawn(lambda generator: settings[torch.randperm(len(settings), generator=generator)])


FOUR_RUNS = ([1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0])
SIX_RUNS = (*FOUR_RUNS, [0, 1, 1], [1, 1, 1])
ACCURACIES = [0.9, 0.2, 0.8, 0.1, 0.95, 0.97]

CASES = (
    case(
        _("four runs: both skips, either one, none"),
        switches=runs(*FOUR_RUNS),
        accuracy=tensor(ACCURACIES[:4]),
        part=0,
        gives=(tensor([[0, 1], [2, 3]]), tensor([0.7, 0.7])),
    ),
    case(
        _("two more runs, with positions added in every layer"),
        switches=runs(*SIX_RUNS),
        accuracy=tensor(ACCURACIES),
        part=0,
        gives=(tensor([[0, 1], [2, 3], [5, 4]]), tensor([0.7, 0.7, 0.02])),
    ),
    case(
        _("the same runs, asked about the last part"),
        switches=runs(*SIX_RUNS),
        accuracy=tensor(ACCURACIES),
        part=2,
        gives=(tensor([[4, 1], [5, 0]]), tensor([0.75, 0.07])),
    ),
    case(
        _("a part without effect"),
        switches=runs([1], [0]),
        accuracy=tensor([0.5, 0.5]),
        part=0,
        gives=(tensor([[0, 1]]), tensor([0.0])),
    ),
    case(
        _("every setting of three parts"),
        seed=1,
        switches=every_setting(3),
        accuracy=uniform(8),
        part=1,
    ),
    case(
        _("the same settings in several runs"),
        seed=2,
        switches=booleans(13, 3),
        accuracy=uniform(13),
        part=0,
    ),
    case(
        _("no pair decides"),
        switches=runs([1, 1], [0, 0], [1, 1]),
        accuracy=tensor([0.9, 0.1, 0.7]),
        part=1,
        gives=(tensor([], dtype=torch.int64).then(lambda pairs: pairs.reshape(0, 2)), tensor([])),
    ),
    case(_("one part alone"), seed=3, switches=booleans(5, 1), accuracy=uniform(5), part=0),
    case(_("many parts"), seed=4, switches=booleans(31, 5), accuracy=uniform(31), part=4),
    case(
        _("float64"),
        seed=5,
        switches=booleans(11, 3),
        accuracy=uniform(11, dtype=torch.float64),
        part=2,
    ),
)
