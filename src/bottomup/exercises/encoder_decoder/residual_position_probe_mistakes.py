"""Mistakes in choosing the pairs of runs that tell what one part of a model does."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("What carries the position")
HAND = _("four runs: both skips, either one, none")
AGAIN = _("two more runs, with positions added in every layer")
REPEATED = _("the same settings in several runs")
NONE_DECIDES = _("no pair decides")

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, int], Any]
Choose = Callable[[Tensor, int], Tensor]  # switches, part -> [run, run], True = a pair
Measure = Callable[[Tensor, Tensor], Tensor]  # accuracy with and without the part


def _right_pairs(switches: Tensor, part: int) -> Tensor:
    """True where the first run has the part, the second has not, and nothing else differs."""
    return _alone(switches, part) & switches[:, part, None]


def _alone(switches: Tensor, part: int) -> Tensor:
    """True where two runs differ in the part alone, in both directions."""
    differs = switches[:, None] != switches
    return differs[..., part] & (differs.sum(-1) == 1)


def _with(
    choose: Choose = _right_pairs,
    measure: Measure = torch.sub,
    returned: Callable[[Pair], Pair] = lambda result: result,
) -> Answer:
    """Right but for the pairs, for what is computed of them, or for how it is returned."""

    def wrong(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
        pairs = choose(switches, part).nonzero()
        first, second = accuracy[pairs].unbind(-1)
        return returned((pairs, measure(first, second)))

    return wrong


def _confounded(switches: Tensor, part: int) -> Tensor:
    return switches[:, part, None] & ~switches[:, part]


def _at_most(others: int) -> Choose:
    def choose(switches: Tensor, part: int) -> Tensor:
        count = (switches[:, None] != switches).sum(-1)
        return _confounded(switches, part) & (count <= 1 + others)

    return choose


def _any_single_part(switches: Tensor, part: int) -> Tensor:
    return (switches[:, None] != switches).sum(-1) == 1


def _first_has_more(switches: Tensor, part: int) -> Tensor:
    more = switches.sum(-1)[:, None] > switches.sum(-1)
    return _any_single_part(switches, part) & more


def _from_the_whole_model(switches: Tensor, part: int) -> Tensor:
    return _right_pairs(switches, part) & switches.all(-1)[:, None]


def _from_the_first_run(switches: Tensor, part: int) -> Tensor:
    return _right_pairs(switches, part) & (torch.arange(len(switches)) == 0)[:, None]


def _added_to_nothing(switches: Tensor, part: int) -> Tensor:
    return _right_pairs(switches, part) & ~switches.any(-1)


def _later_runs_only(switches: Tensor, part: int) -> Tensor:
    return _right_pairs(switches, part).triu()


def _earlier_runs_only(switches: Tensor, part: int) -> Tensor:
    return _right_pairs(switches, part).tril()


def _flipped(result: Pair) -> Pair:
    return result[0].flip(-1), result[1]


def _one_list(result: Pair) -> Pair:
    """Pairs made of a list: without any, torch sees no second axis."""
    pairs, effect = result
    return (pairs if len(pairs) else pairs.reshape(0)), effect


def _float_list(result: Pair) -> Pair:
    """The same, with torch's dtype for an empty list."""
    pairs, effect = _one_list(result)
    return (pairs if len(pairs) else pairs.float()), effect


def _mean_of_list(effect: Tensor) -> float:
    return sum(effect.tolist()) / len(effect)


def _with_one_mean(
    result: Pair, *, mean: Callable[[Tensor], Any], shaped: Callable[[Pair], Pair]
) -> Any:
    return shaped(result)[0], mean(result[1])


def _averaged() -> Iterator[Answer]:
    """One mean in several writings, each with pairs of every shape that a reader may give them."""
    means: tuple[Callable[[Tensor], Any], ...] = (
        torch.mean,
        lambda effect: effect.mean(0, keepdim=True),
        lambda effect: effect.mean().expand(len(effect)),
        lambda effect: effect.mean().item(),
        _mean_of_list,
        lambda effect: effect.sum() / max(len(effect), 1),
        lambda effect: effect.sum().item() / max(len(effect), 1),
    )
    for mean in means:
        for shaped in (lambda result: result, _one_list, _float_list):
            yield _with(returned=partial(_with_one_mean, mean=mean, shaped=shaped))


def _difference_of_means(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
    """The right pairs; the effect is over all runs with the part and all without."""
    pairs = _right_pairs(switches, part).nonzero()
    having = switches[:, part]
    return pairs, accuracy[having].mean() - accuracy[~having].mean()


def _difference_as_number(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, float]:
    pairs, effect = _difference_of_means(switches, accuracy, part)
    return pairs, effect.item()


def _mean_through_columns(switches: Tensor, accuracy: Tensor, part: int) -> Pair:
    """Fails where no pair decides, for a tensor of an empty list has no columns."""
    pairs, _effect = _with(returned=_one_list)(switches, accuracy, part)
    return pairs, (accuracy[pairs[:, 0]] - accuracy[pairs[:, 1]]).mean()


def _each_once(switches: Tensor, part: int) -> Tensor:
    """Only the first partner of each run."""
    pairs = _right_pairs(switches, part)
    return pairs & (pairs.cumsum(-1) == 1)


CHOICE = (
    Misconception(
        "confounded",
        _with(_confounded),
        _(
            "Runs are compared that differ in another part too. If a model without attention's "
            "skip and without the MLP's cannot tell the position, either may be to blame. A pair "
            "decides only if everything but the part in question is the same."
        ),
        SECTION,
        (_with(_at_most(1)), _with(_at_most(2))),
        HAND,
    ),
    Misconception(
        "another-part-switched",
        _with(_any_single_part),
        _(
            "The runs of a pair differ in one part, but not always in the one that was asked for. "
            "The MLP's skip then gets the credit of attention's. Ask of a pair both things: it "
            "differs in this part, and in no other."
        ),
        SECTION,
        (
            _with(_first_has_more),
            _with(lambda switches, part: _any_single_part(switches, part).triu()),
        ),
        HAND,
    ),
    Misconception(
        "whole-model-only",
        _with(_from_the_whole_model),
        _(
            "Only pairs with one particular run are taken, such as the whole model or the first "
            "run. A part may matter there and not elsewhere: with positions added again in every "
            "layer, the skip carries nothing that is not there anyway. Take every pair that "
            "differs in the part alone."
        ),
        SECTION,
        (
            _with(_from_the_first_run),
            _with(_added_to_nothing),
        ),
        AGAIN,
    ),
    Misconception(
        "pairs-lost",
        _with(_later_runs_only),
        _(
            "Pairs are missing: only those whose run with the part comes first in the list, or one "
            "partner for each run. The order of the runs means nothing, and a run that was "
            "repeated with another seed is a partner of its own. Compare every run with every "
            "other."
        ),
        SECTION,
        (_with(_each_once), _with(_earlier_runs_only)),
    ),
)

EFFECT = (
    Misconception(
        "every-pair-twice",
        _with(_alone),
        _(
            "Every pair is there twice, once in each direction, so the effects sum to zero. The "
            "first run of a pair is the one that has the part."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "direction-reversed",
        _with(measure=lambda having, lacking: lacking - having),
        _(
            "The direction is reversed: a part that helps gets a negative effect, or the run "
            "without the part comes first. The effect of a part is the accuracy with it minus the "
            "accuracy without it, and the pair has the same order."
        ),
        SECTION,
        (
            _with(returned=_flipped),
            _with(lambda switches, part: _right_pairs(switches, part).T),
            _with(
                lambda switches, part: _right_pairs(switches, part).T,
                lambda lacking, having: having - lacking,
            ),
        ),
        HAND,
    ),
    Misconception(
        "size-without-sign",
        _with(measure=lambda having, lacking: (having - lacking).abs()),
        _(
            "The effect has lost its sign. A part can do harm: then the run without it is the "
            "better one, and the effect is negative. Leave out abs."
        ),
        SECTION,
    ),
    Misconception(
        "ratio",
        _with(measure=torch.div),
        _(
            "The effect is a ratio. From 0.02 to 0.04 is then as much as from 0.4 to 0.8, though "
            "the first may be chance. The statement asks for the difference."
        ),
        SECTION,
        (_with(measure=lambda having, lacking: (having - lacking) / lacking),),
        HAND,
    ),
    Misconception(
        "averaged-over-pairs",
        next(_averaged()),
        _(
            "The effects are averaged into one number. What decides is then hidden: the skip may "
            "mean everything where positions enter once, and nothing where every layer gets them. "
            "Return one effect for each pair."
        ),
        SECTION,
        (
            *tuple(_averaged())[1:],
            _mean_through_columns,
            _difference_of_means,
            _difference_as_number,
        ),
        AGAIN,
    ),
    Misconception(
        "empty-without-columns",
        _with(returned=_one_list),
        _(
            "Where no pair decides, `pairs` has lost its second axis: a tensor made of an empty "
            "list has the shape [0]. Code that goes on with `pairs[:, 0]` then fails, and only "
            "where nothing was found. Make it with an integer dtype and `.reshape(-1, 2)`, so that "
            "its shape is [0, 2]."
        ),
        SECTION,
        (_with(returned=_float_list),),
        NONE_DECIDES,
    ),
)

MISCONCEPTIONS = (*CHOICE, *EFFECT)
