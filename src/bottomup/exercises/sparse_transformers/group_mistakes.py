"""Mistakes in the weights, which attention within blocks and along columns have in common."""

from collections.abc import Callable

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.group_parts import (
    Answer,
    Attend,
    attention,
    softmax_over,
    softmax_over_without_nan,
)
from bottomup.i18n import _

SECTION = _("Computing only what is needed")


def weight_mistakes(
    grouping: Callable[[Attend], Answer],
    exchanged: Answer,
    *,
    groups: str,
    hand: str,
    hand_scores: str,
) -> tuple[Misconception, ...]:
    """Return the mistakes, with the cases that show them.

    Args:
        grouping: makes an answer of what one group attends to.
        exchanged: the answer with queries and keys exchanged.
        groups: what the diagnoses call the groups.
        hand, hand_scores: names of the cases worked out by hand.
    """
    return (
        Misconception(
            "query-and-key-exchanged",
            exchanged,
            _(
                "Queries and keys have changed places: the score of i and j was taken from the key "
                "of i and the query of j. Where all queries are alike, a position then weighs what "
                "it reads all the same. Row i of the scores belongs to the query i: q @ k.mT."
            ),
            SECTION,
            case=hand_scores,
        ),
        Misconception(
            "another-scale",
            grouping(attention(divisor=lambda q, v: 1.0)),
            _(
                "The scores are not divided by sqrt(d), or by something else. The weights are then "
                "sharper or flatter than those of dense attention, of which the {groups} are a "
                "part. d is the last axis of q."
            ).format(groups=groups),
            SECTION,
            (
                grouping(attention(divisor=lambda q, v: q.shape[-1])),
                grouping(attention(divisor=lambda q, v: v.shape[-1] ** 0.5)),
                grouping(attention(divisor=lambda q, v: q.shape[-2] ** 0.5)),
                grouping(attention(divisor=lambda q, v: q.shape[-3] ** 0.5)),
                grouping(attention(divisor=lambda q, v: (q.shape[-3] * q.shape[-2]) ** 0.5)),
            ),
            hand_scores,
        ),
        Misconception(
            "softmax-over-another-axis",
            grouping(attention(softmax_over(-2))),
            _(
                "The softmax runs over the queries, the {groups} or the heads. The weights of one "
                "query then do not sum to one, and a position's output changes with positions that "
                "it does not read. Take it over the keys: the last axis of the scores."
            ).format(groups=groups),
            SECTION,
            tuple(
                grouping(attention(way(axis)))
                for axis in (-3, -4)
                for way in (softmax_over, softmax_over_without_nan)
            ),
            hand,
        ),
    )
