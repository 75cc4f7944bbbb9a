"""Exercise: choose the ablations that decide what carries a token's position."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


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


# ---- Pairs chosen or measured in another way: what the mistakes are made of

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, int], Any]
Choose = Callable[[Tensor, int], Tensor]  # switches, part -> [run, run], True = a pair
Measure = Callable[[Tensor, Tensor], Tensor]  # accuracy with and without the part


def right_pairs(switches: Tensor, part: int) -> Tensor:
    """True where the first run has the part, the second has not, and nothing else differs."""
    return alone(switches, part) & switches[:, part, None]


def alone(switches: Tensor, part: int) -> Tensor:
    """True where two runs differ in the part alone, in both directions."""
    differs = switches[:, None] != switches
    return differs[..., part] & (differs.sum(-1) == 1)


def answering(
    choose: Choose = right_pairs,
    measure: Measure = torch.sub,
    returned: Callable[[Pair], Pair] = lambda result: result,
) -> Answer:
    """Right but for the pairs, for what is computed of them, or for how it is returned."""

    def wrong(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
        pairs = choose(switches, part).nonzero()
        first, second = accuracy[pairs].unbind(-1)
        return returned((pairs, measure(first, second)))

    return wrong


# ---- Other results: one mean, other shapes and orders


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


# ---- Mistakes

HAND = _("four runs: both skips, either one, none")
AGAIN = _("two more runs, with positions added in every layer")
REPEATED = _("the same settings in several runs")
NONE_DECIDES = _("no pair decides")


def _confounded(switches: Tensor, part: int) -> Tensor:
    return switches[:, part, None] & ~switches[:, part]


def _at_most(others: int) -> Choose:
    def choose(switches: Tensor, part: int) -> Tensor:
        count = (switches[:, None] != switches).sum(-1)
        return _confounded(switches, part) & (count <= 1 + others)

    return choose


def _any_single_part(switches: Tensor, part: int) -> Tensor:
    return (switches[:, None] != switches).sum(-1) == 1


def _any_part_of_a_run_with_it(switches: Tensor, part: int) -> Tensor:
    return _any_single_part(switches, part) & switches[:, part, None]


def _first_has_more(switches: Tensor, part: int) -> Tensor:
    more = switches.sum(-1)[:, None] > switches.sum(-1)
    return _any_single_part(switches, part) & more


def _from_the_whole_model(switches: Tensor, part: int) -> Tensor:
    return right_pairs(switches, part) & switches.all(-1)[:, None]


def _from_the_first_run(switches: Tensor, part: int) -> Tensor:
    return right_pairs(switches, part) & (torch.arange(len(switches)) == 0)[:, None]


def _added_to_nothing(switches: Tensor, part: int) -> Tensor:
    return right_pairs(switches, part) & ~switches.any(-1)


def _later_runs_only(switches: Tensor, part: int) -> Tensor:
    return right_pairs(switches, part).triu()


def _earlier_runs_only(switches: Tensor, part: int) -> Tensor:
    return right_pairs(switches, part).tril()


def _each_once(switches: Tensor, part: int) -> Tensor:
    """Only the first partner of each run."""
    pairs = right_pairs(switches, part)
    return pairs & (pairs.cumsum(-1) == 1)


CHOICE = (
    Mistake(
        "confounded",
        answering(_confounded),
        (answering(_at_most(1)), answering(_at_most(2))),
        case=HAND,
    ),
    Mistake(
        "another-part-switched",
        answering(_any_single_part),
        (
            answering(_first_has_more),
            answering(lambda switches, part: _any_single_part(switches, part).triu()),
        ),
        case=HAND,
    ),
    Mistake("both-runs-have-the-part", answering(_any_part_of_a_run_with_it), case=HAND),
    Mistake(
        "whole-model-only",
        answering(_from_the_whole_model),
        (
            answering(_from_the_first_run),
            answering(_added_to_nothing),
        ),
        case=AGAIN,
    ),
    Mistake(
        "pairs-lost",
        answering(_later_runs_only),
        (answering(_each_once), answering(_earlier_runs_only)),
    ),
)

EFFECT = (
    Mistake("every-pair-twice", answering(alone), case=HAND),
    Mistake(
        "direction-reversed",
        answering(measure=lambda having, lacking: lacking - having),
        (
            answering(returned=flipped),
            answering(lambda switches, part: right_pairs(switches, part).T),
            answering(
                lambda switches, part: right_pairs(switches, part).T,
                lambda lacking, having: having - lacking,
            ),
        ),
        case=HAND,
    ),
    Mistake(
        "size-without-sign", answering(measure=lambda having, lacking: (having - lacking).abs())
    ),
    Mistake(
        "ratio",
        answering(measure=torch.div),
        (answering(measure=lambda having, lacking: (having - lacking) / lacking),),
        case=HAND,
    ),
    Mistake(
        "averaged-over-pairs",
        next(averaged()),
        (
            *tuple(averaged())[1:],
            mean_through_columns,
            difference_of_means,
            difference_for_every_pair,
            difference_as_number,
        ),
        case=AGAIN,
    ),
    Mistake(
        "empty-without-columns",
        answering(returned=one_list),
        (answering(returned=float_list), answering(returned=float_columns)),
        case=NONE_DECIDES,
    ),
    Mistake("sorted-by-the-second", answering(returned=by_second)),
)

MISTAKES = (*CHOICE, *EFFECT)


# ---- Cases

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

ANSWERS = Answers(
    solution=deciding_pairs,
    alternatives=(with_loops, with_the_part_switched_off, with_all_differences),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare,
)
