"""Mistakes in merging two softmaxes: equal shares, overflow, nothing to read, the new log-sum."""

from itertools import product

import torch

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.merge_parts import (
    NOT_DIVIDED,
    OVERFLOW,
    UNSTABLE,
    as_it_is,
    by_log_sums,
    by_log_sums_without_nan,
    equal,
    exchanged,
    log_sum_of_one_maximum,
    log_sum_without_guard,
    mean_of_those_with_keys,
    merged,
    not_divided,
    one_maximum,
    right_shares,
    unguarded,
    with_other_sums,
)
from bottomup.i18n import _

SECTION = _("One softmax over two sets")
HAND = _("two queries, sums of 1 and 3, and of 2 and 2")
ONE_EMPTY = _("one of the sets has no key for a query")
EMPTY = _("a query without any key")
LARGE = _("log-sums of about 1000 and -1000")
GRADIENTS = _("gradients, where both sets have keys")

SHARES = (
    Misconception(
        "outputs-added",
        merged(equal(1.0)),
        _(
            "The two outputs are added. Each is a mean with weights that sum to one, so the sum "
            "has weights that sum to two, and it is twice as large where both sets agree. In one "
            "softmax the sets share the weight, by exp(log_sum_a) and exp(log_sum_b)."
        ),
        SECTION,
        with_other_sums(equal(1.0)),
        HAND,
    ),
    Misconception(
        "averaged",
        merged(equal(0.5)),
        _(
            "Both sets have the same share, whatever their scores. A set with one weak key then "
            "counts as much as one with a hundred strong ones. A set's share is its part of the "
            "sum of exponentials: exp(log_sum_a) of exp(log_sum_a) + exp(log_sum_b)."
        ),
        SECTION,
        (*with_other_sums(equal(0.5)), merged(mean_of_those_with_keys)),
        HAND,
    ),
    Misconception(
        "shares-by-log-sums",
        merged(by_log_sums),
        _(
            "The shares are made of the log-sums, not of the sums. A log-sum can be zero or "
            "negative: shares then divide by zero, or lie outside 0 to 1. What adds up in a "
            "softmax is exp(log_sum_a) and exp(log_sum_b)."
        ),
        SECTION,
        (
            *with_other_sums(by_log_sums),
            merged(lambda a, b: (a, b)),
            merged(by_log_sums_without_nan),
        ),
        HAND,
    ),
    Misconception(
        "shares-exchanged",
        merged(exchanged),
        _(
            "Each output has the other set's share: the set with the smaller scores counts more. "
            "Where both sums agree nothing shows. Multiply out_a by exp(log_sum_a - log_sum)."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "shares-not-divided",
        merged(not_divided),
        _(
            "The larger set has a share of 1 and the other one is added to it: the shares do not "
            "sum to one. Subtracting the maximum keeps the exponentials small, and only dividing "
            "by their sum makes weights of them."
        ),
        SECTION,
        tuple(merged(*way) for way in product(NOT_DIVIDED, (torch.logaddexp, *UNSTABLE)))[1:],
        HAND,
    ),
    Misconception(
        "shares-along-the-width",
        merged(axis=-2),
        _(
            "A share meets a number of the output where it should meet a query: [head, query] was "
            "set against the last two axes, query and d_value. Where the two sizes agree it runs, "
            "and mixes the shares of different queries. Give the share an axis at the end: "
            "share[..., None]."
        ),
        SECTION,
    ),
)  # fmt: skip

EDGES = (
    Misconception(
        "overflow",
        OVERFLOW[0],
        _(
            "exp(log_sum) is taken as it is. In float32 exp(89) is infinite and exp(-104) is zero, "
            "in float64 exp(710): infinite over infinite is NaN, and so is 0 over 0. Take the "
            "larger log-sum off both first, or use `torch.logaddexp`; only differences matter."
        ),
        SECTION,
        tuple(OVERFLOW[1:]),
        LARGE,
    ),
    Misconception(
        "one-maximum-for-all",
        merged(one_maximum(as_it_is), log_sum_of_one_maximum),
        _(
            "The largest log-sum of the whole tensor was taken off. Where another query's scores "
            "lie far below it, both of its exponentials are zero, and 0 over 0 is NaN. Each query "
            "has a softmax of its own: take off the larger of its own two log-sums."
        ),
        SECTION,
        (
            merged(one_maximum(torch.nan_to_num), log_sum_of_one_maximum),
            merged(one_maximum(as_it_is)),
            merged(one_maximum(torch.nan_to_num)),
        ),
        LARGE,
    ),
    Misconception(
        "nan-without-keys",
        merged(unguarded),
        _(
            "A query that has no key in either set comes out as NaN, because -inf less -inf is "
            "NaN. From there NaN spreads to every position that reads it, and to all gradients. "
            "Set the shares of such a query to 0."
        ),
        SECTION,
        (
            merged(unguarded, log_sum_without_guard),
            merged(right_shares, log_sum_without_guard),
        ),
        EMPTY,
    ),
)

SUMS = (
    Misconception(
        "log-sums-added",
        merged(joined=torch.add),
        _(
            "The output is right, but the two log-sums were added. The logarithm of a sum is not "
            "the sum of logarithms, which belongs to a product. A third set that is merged later "
            "would get a wrong share: return log(exp(log_sum_a) + exp(log_sum_b))."
        ),
        SECTION,
        (merged(joined=lambda a, b: (a + b).log()),),
        HAND,
    ),
    Misconception(
        "larger-log-sum-returned",
        merged(joined=torch.maximum),
        _(
            "The output is right, but the log-sum is only the larger of the two. Where both sets "
            "have the same sum it lacks log 2. A third set that is merged later would get too "
            "large a share: return log(exp(log_sum_a) + exp(log_sum_b))."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "sum-without-logarithm",
        merged(joined=lambda a, b: torch.logaddexp(a, b).exp()),
        _(
            "The output is right, but what was returned beside it is the sum and not its "
            "logarithm. The next merge would take its exponential once more. A sum of scores that "
            "are large would not even fit into a float."
        ),
        SECTION,
        (merged(joined=lambda a, b: a.exp() + b.exp()),),
        HAND,
    ),
)

MISCONCEPTIONS = (*SHARES, *EDGES, *SUMS)
