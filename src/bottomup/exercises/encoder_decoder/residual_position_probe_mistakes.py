"""Mistakes in choosing the pairs of runs that tell what one part of a model does."""

import torch
from torch import Tensor

from bottomup.exercises.encoder_decoder.residual_position_probe_parts import (
    Choose,
    alone,
    answering,
    right_pairs,
)
from bottomup.exercises.encoder_decoder.residual_position_probe_results import (
    averaged,
    by_second,
    difference_as_number,
    difference_for_every_pair,
    difference_of_means,
    flipped,
    float_columns,
    float_list,
    mean_through_columns,
    one_list,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("What carries the position")
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
    Misconception(
        "confounded",
        answering(_confounded),
        _(
            "Runs are compared that differ in another part too. If a model without attention's "
            "skip and without the MLP's cannot tell the position, either may be to blame. A pair "
            "decides only if everything but the part in question is the same."
        ),
        SECTION,
        (answering(_at_most(1)), answering(_at_most(2))),
        HAND,
    ),
    Misconception(
        "another-part-switched",
        answering(_any_single_part),
        _(
            "The runs of a pair differ in one part, but not always in the one that was asked for. "
            "The MLP's skip then gets the credit of attention's. Ask of a pair both things: it "
            "differs in this part, and in no other."
        ),
        SECTION,
        (
            answering(_first_has_more),
            answering(lambda switches, part: _any_single_part(switches, part).triu()),
        ),
        HAND,
    ),
    Misconception(
        "both-runs-have-the-part",
        answering(_any_part_of_a_run_with_it),
        _(
            "Some pairs differ in another part. That the first run has the part, and that one part "
            "differs, does not say that the second lacks it: both may have it. Ask for all three: "
            "the first has the part, the second lacks it, and nothing else differs."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "whole-model-only",
        answering(_from_the_whole_model),
        _(
            "Only pairs with one particular run are taken, such as the whole model or the first "
            "run. A part may matter there and not elsewhere: with positions added again in every "
            "layer, the skip carries nothing that is not there anyway. Take every pair that "
            "differs in the part alone."
        ),
        SECTION,
        (
            answering(_from_the_first_run),
            answering(_added_to_nothing),
        ),
        AGAIN,
    ),
    Misconception(
        "pairs-lost",
        answering(_later_runs_only),
        _(
            "Pairs are missing: only those whose run with the part comes first in the list, or one "
            "partner for each run. The order of the runs means nothing, and a run that was "
            "repeated with another seed is a partner of its own. Compare every run with every "
            "other."
        ),
        SECTION,
        (answering(_each_once), answering(_earlier_runs_only)),
    ),
)

EFFECT = (
    Misconception(
        "every-pair-twice",
        answering(alone),
        _(
            "Every pair is there twice, once in each direction, so the effects sum to zero. The "
            "first run of a pair is the one that has the part."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "direction-reversed",
        answering(measure=lambda having, lacking: lacking - having),
        _(
            "The direction is reversed: a part that helps gets a negative effect, or the run "
            "without the part comes first. The effect of a part is the accuracy with it minus the "
            "accuracy without it, and the pair has the same order."
        ),
        SECTION,
        (
            answering(returned=flipped),
            answering(lambda switches, part: right_pairs(switches, part).T),
            answering(
                lambda switches, part: right_pairs(switches, part).T,
                lambda lacking, having: having - lacking,
            ),
        ),
        HAND,
    ),
    Misconception(
        "size-without-sign",
        answering(measure=lambda having, lacking: (having - lacking).abs()),
        _(
            "The effect has lost its sign. A part can do harm: then the run without it is the "
            "better one, and the effect is negative. Leave out abs."
        ),
        SECTION,
    ),
    Misconception(
        "ratio",
        answering(measure=torch.div),
        _(
            "The effect is a ratio. From 0.02 to 0.04 is then as much as from 0.4 to 0.8, though "
            "the first may be chance. The statement asks for the difference."
        ),
        SECTION,
        (answering(measure=lambda having, lacking: (having - lacking) / lacking),),
        HAND,
    ),
    Misconception(
        "averaged-over-pairs",
        next(averaged()),
        _(
            "The effects are averaged into one number. What decides is then hidden: the skip may "
            "mean everything where positions enter once, and nothing where every layer gets them. "
            "Return one effect for each pair."
        ),
        SECTION,
        (
            *tuple(averaged())[1:],
            mean_through_columns,
            difference_of_means,
            difference_for_every_pair,
            difference_as_number,
        ),
        AGAIN,
    ),
    Misconception(
        "empty-without-columns",
        answering(returned=one_list),
        _(
            "Where no pair decides, `pairs` has lost its second axis or its integers: a tensor "
            "made of an empty list has the shape [0] and the dtype float32. Code that goes on with "
            "`pairs[:, 0]`, or indexes with it, then fails, and only where nothing was found. Make "
            "it with `dtype=torch.int64` and `.reshape(-1, 2)`, so that its shape is [0, 2]."
        ),
        SECTION,
        (answering(returned=float_list), answering(returned=float_columns)),
        NONE_DECIDES,
    ),
    Misconception(
        "sorted-by-the-second",
        answering(returned=by_second),
        _(
            "The pairs are right, but sorted by the run without the part. The statement asks for "
            "the order of the first run, then of the second, which is how `nonzero()` lists a "
            "table whose rows are the runs with the part."
        ),
        SECTION,
    ),
)

MISCONCEPTIONS = (*CHOICE, *EFFECT)
