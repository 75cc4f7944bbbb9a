"""Exercise: choose the ablations that decide what carries a token's position."""

from collections.abc import Callable
from itertools import product
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.encoder_decoder.residual_position_probe_mistakes import (
    AGAIN,
    HAND,
    MISCONCEPTIONS,
    NONE_DECIDES,
    REPEATED,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def deciding_pairs(switches, accuracy, part):
    """The pairs of runs that tell what one part does, and what they say.

    switches [run, part], boolean: which parts the model of a run has, such
    as attention's skip, the MLP's skip, positions added in every layer.
    accuracy [run]: of a probe that reads the position of a token off the
    last layer. part: the column of switches that is in question.
    A pair decides if its runs differ in this part and in nothing else.
    Returns (pairs, effect): pairs [pair, 2], int64, holds the numbers of
    two runs, with the part and without, sorted by the first, then by the
    second; effect [pair] is the accuracy with the part minus that without.
    """
    ...
'''


def deciding_pairs(
    switches: torch.Tensor, accuracy: torch.Tensor, part: int
) -> tuple[torch.Tensor, torch.Tensor]:
    differs = switches[:, None] != switches  # [run, run, part]
    alone = differs[..., part] & (differs.sum(dim=-1) == 1)
    pairs = (alone & switches[:, [part]]).nonzero()
    return pairs, accuracy[pairs[:, 0]] - accuracy[pairs[:, 1]]


def with_loops(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, Tensor]:
    settings, found = switches.tolist(), []
    for i, having in enumerate(settings):
        for j, lacking in enumerate(settings):
            changed = [k for k, on in enumerate(having) if on != lacking[k]]
            if having[part] and changed == [part]:
                found.append((i, j))
    pairs = torch.tensor(found, dtype=torch.int64).reshape(-1, 2)
    with_part, without = accuracy[pairs].unbind(1)
    return pairs, with_part - without


def with_the_part_switched_off(
    switches: Tensor, accuracy: Tensor, part: int
) -> tuple[Tensor, Tensor]:
    target = switches.clone()
    target[:, part] = False  # the run that a partner must be
    same = (target[:, None] == switches[None]).all(-1)
    pairs = torch.argwhere(same & switches[:, part].unsqueeze(1))
    return pairs, accuracy[pairs[:, 0]].sub(accuracy[pairs[:, 1]])


def with_all_differences(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, Tensor]:
    others = [column for column in range(switches.shape[1]) if column != part]
    rest = switches[:, others].double()
    distance = (rest[:, None] - rest).abs().sum(-1)
    chosen = (distance == 0) & (switches[:, part].outer(~switches[:, part]))
    having, lacking = chosen.nonzero(as_tuple=True)
    return torch.stack([having, lacking], dim=1), (accuracy[:, None] - accuracy)[chosen]


BY_NAME = compare_named("pairs", "effect")


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Say which of the two tensors differs; a number counts as a tensor without axes."""
    return BY_NAME(_as_tensors(got), _as_tensors(expected), case)


def _as_tensors(result: Any) -> Any:
    if not isinstance(result, tuple | list):
        return result
    return [torch.tensor(value) if isinstance(value, float) else value for value in result]


Make = Callable[[torch.Generator], Inputs]
FOUR_RUNS = [[1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]]


def _given(switches: list[list[int]], accuracy: list[float], part: int) -> Make:
    return lambda generator: {
        "switches": torch.tensor(switches, dtype=torch.bool),
        "accuracy": torch.tensor(accuracy),
        "part": part,
    }


def _every_setting(parts: int, part: int) -> Make:
    """One run of every setting, in random order."""

    def make(generator: torch.Generator) -> Inputs:
        settings = torch.tensor(list(product([True, False], repeat=parts)))
        order = torch.randperm(len(settings), generator=generator)
        return {
            "switches": settings[order],
            "accuracy": torch.rand(len(settings), generator=generator),
            "part": part,
        }

    return make


def _random(runs: int, parts: int, part: int, dtype: torch.dtype = torch.float32) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        return {
            "switches": torch.rand(runs, parts, generator=generator) < 0.5,
            "accuracy": torch.rand(runs, generator=generator, dtype=dtype),
            "part": part,
        }

    return make


CASES = (
    Case(HAND, _given(FOUR_RUNS, [0.9, 0.2, 0.8, 0.1], 0)),
    Case(
        AGAIN,
        _given([*FOUR_RUNS, [0, 1, 1], [1, 1, 1]], [0.9, 0.2, 0.8, 0.1, 0.95, 0.97], 0),
    ),
    Case(
        _("the same runs, asked about the last part"),
        _given([*FOUR_RUNS, [0, 1, 1], [1, 1, 1]], [0.9, 0.2, 0.8, 0.1, 0.95, 0.97], 2),
    ),
    Case(_("every setting of three parts"), _every_setting(3, 1), seed=1),
    Case(REPEATED, _random(13, 3, 0), seed=2),
    Case(NONE_DECIDES, _given([[1, 1], [0, 0], [1, 1]], [0.9, 0.1, 0.7], 1)),
    Case(_("one part alone"), _random(5, 1, 0), seed=3),
    Case(_("many parts"), _random(31, 5, 4), seed=4),
    Case(_("float64"), _random(11, 3, 2, torch.float64), seed=5),
)

RESIDUAL_POSITION_PROBE = Exercise(
    slug="residual-position-probe",
    title=_("Choose the ablation that decides"),
    chapter="05",
    difficulty=3,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Four runs: both skips, none of attention's, none of the MLP's, neither. Which of them "
            "may you compare if the question is about attention's skip, and which pair leaves it "
            "open what made the difference?"
        ),
        _(
            "`switches[:, None] != switches` compares every run with every other, part by part: "
            "[run, run, part]. In how many parts does a pair that decides differ, and in which?"
        ),
        _(
            "Of each pair keep the direction in which the first run has the part. `nonzero()` of "
            "the boolean table [run, run] lists the pairs, sorted as the statement asks."
        ),
    ),
    solution=deciding_pairs,
    alternatives=(with_loops, with_the_part_switched_off, with_all_differences),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare,
)
