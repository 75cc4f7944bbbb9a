"""Mistakes in merging two softmaxes: equal shares, overflow, nothing to read, the new log-sum."""

from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("One softmax over two sets")
HAND = _("two queries, sums of 1 and 3, and of 2 and 2")
ONE_EMPTY = _("one of the sets has no key for a query")
EMPTY = _("a query without any key")
LARGE = _("log-sums of about 1000 and -1000")
GRADIENTS = _("gradients, where both sets have keys")

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, Tensor, Tensor], Pair]
Shares = Callable[[Tensor, Tensor], Pair]  # the two log-sums -> a share for each
Joined = Callable[[Tensor, Tensor], Tensor]  # the two log-sums -> the new one


def _shares(a: Tensor, b: Tensor) -> Pair:
    whole = torch.logaddexp(a, b)
    return (a - whole).exp().nan_to_num(), (b - whole).exp().nan_to_num()


def _merged(shares: Shares = _shares, joined: Joined = torch.logaddexp, axis: int = -1) -> Answer:
    """Right but for the shares or for the new log-sum."""

    def wrong(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
        share_a, share_b = (share.unsqueeze(axis) for share in shares(log_sum_a, log_sum_b))
        return share_a * out_a + share_b * out_b, joined(log_sum_a, log_sum_b)

    return wrong


def _equal(share: float) -> Shares:
    return lambda a, b: (torch.full_like(a, share), torch.full_like(b, share))


def _mean_of_those_with_keys(a: Tensor, b: Tensor) -> Pair:
    has_a, has_b = (a > -torch.inf).to(a), (b > -torch.inf).to(b)
    return has_a / (has_a + has_b).clamp(min=1), has_b / (has_a + has_b).clamp(min=1)


def _by_log_sums(a: Tensor, b: Tensor) -> Pair:
    return a / (a + b), b / (a + b)


def _plain_exponentials(guard: Callable[[Tensor], Tensor]) -> Shares:
    def shares(a: Tensor, b: Tensor) -> Pair:
        x, y = a.exp(), b.exp()
        return guard(x / (x + y)), guard(y / (x + y))

    return shares


def _sum_with_floor(a: Tensor, b: Tensor) -> Pair:
    x, y = a.exp(), b.exp()
    return x / (x + y + 1e-9), y / (x + y + 1e-9)


def _plain_log(a: Tensor, b: Tensor) -> Tensor:
    return (a.exp() + b.exp()).log()


def _not_divided(a: Tensor, b: Tensor) -> Pair:
    largest = torch.maximum(a, b)
    return (a - largest).exp().nan_to_num(), (b - largest).exp().nan_to_num()


def _not_divided_or_guarded(a: Tensor, b: Tensor) -> Pair:
    largest = torch.maximum(a, b)
    return (a - largest).exp(), (b - largest).exp()


def _not_divided_by_one_maximum(a: Tensor, b: Tensor) -> Pair:
    largest = torch.maximum(a, b).max()
    return (a - largest).exp(), (b - largest).exp()


def _bare_exponentials(a: Tensor, b: Tensor) -> Pair:
    return a.exp(), b.exp()


def _unguarded(a: Tensor, b: Tensor) -> Pair:
    whole = torch.logaddexp(a, b)
    return (a - whole).exp(), (b - whole).exp()


def _log_sum_without_guard(a: Tensor, b: Tensor) -> Tensor:
    largest = torch.maximum(a, b)
    return largest + ((a - largest).exp() + (b - largest).exp()).log()


def _one_maximum(guard: Callable[[Tensor], Tensor]) -> Shares:
    def shares(a: Tensor, b: Tensor) -> Pair:
        largest = torch.maximum(a, b).max()
        x, y = (a - largest).exp(), (b - largest).exp()
        return guard(x / (x + y)), guard(y / (x + y))

    return shares


def _log_sum_of_one_maximum(a: Tensor, b: Tensor) -> Tensor:
    largest = torch.maximum(a, b).max()
    return largest + ((a - largest).exp() + (b - largest).exp()).log()


def _exchanged(a: Tensor, b: Tensor) -> Pair:
    return _shares(b, a)


def _by_log_sums_without_nan(a: Tensor, b: Tensor) -> Pair:
    return torch.nan_to_num(a / (a + b)), torch.nan_to_num(b / (a + b))


def _as_it_is(share: Tensor) -> Tensor:
    return share


OTHER_SUMS: tuple[Joined, ...] = (
    torch.add, torch.maximum, lambda a, b: a.exp() + b.exp(), lambda a, b: (a + b) / 2,
)  # fmt: skip


def _with_other_sums(shares: Shares) -> tuple[Answer, ...]:
    return tuple(_merged(shares, joined) for joined in OTHER_SUMS)


GUARDED: tuple[Shares, ...] = (
    _plain_exponentials(_as_it_is), _plain_exponentials(torch.nan_to_num), _sum_with_floor,
)  # fmt: skip
NOT_DIVIDED: tuple[Shares, ...] = (
    _not_divided, _not_divided_or_guarded, _not_divided_by_one_maximum, _bare_exponentials,
)  # fmt: skip
UNSTABLE: tuple[Joined, ...] = (_log_sum_without_guard, _log_sum_of_one_maximum, _plain_log)
NEW_SUMS: tuple[Joined, ...] = (_plain_log, torch.logaddexp)
OVERFLOW = [_merged(*way) for way in (*product(GUARDED, NEW_SUMS), (_shares, _plain_log))]

SHARES = (
    Misconception(
        "outputs-added",
        _merged(_equal(1.0)),
        _(
            "The two outputs are added. Each is a mean with weights that sum to one, so the sum "
            "has weights that sum to two, and it is twice as large where both sets agree. In one "
            "softmax the sets share the weight, by exp(log_sum_a) and exp(log_sum_b)."
        ),
        SECTION,
        _with_other_sums(_equal(1.0)),
        HAND,
    ),
    Misconception(
        "averaged",
        _merged(_equal(0.5)),
        _(
            "Both sets have the same share, whatever their scores. A set with one weak key then "
            "counts as much as one with a hundred strong ones. A set's share is its part of the "
            "sum of exponentials: exp(log_sum_a) of exp(log_sum_a) + exp(log_sum_b)."
        ),
        SECTION,
        (*_with_other_sums(_equal(0.5)), _merged(_mean_of_those_with_keys)),
        HAND,
    ),
    Misconception(
        "shares-by-log-sums",
        _merged(_by_log_sums),
        _(
            "The shares are made of the log-sums, not of the sums. A log-sum can be zero or "
            "negative: shares then divide by zero, or lie outside 0 to 1. What adds up in a "
            "softmax is exp(log_sum_a) and exp(log_sum_b)."
        ),
        SECTION,
        (
            *_with_other_sums(_by_log_sums),
            _merged(lambda a, b: (a, b)),
            _merged(_by_log_sums_without_nan),
        ),
        HAND,
    ),
    Misconception(
        "shares-exchanged",
        _merged(_exchanged),
        _(
            "Each output has the other set's share: the set with the smaller scores counts more. "
            "Where both sums agree nothing shows. Multiply out_a by exp(log_sum_a - log_sum)."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "shares-not-divided",
        _merged(_not_divided),
        _(
            "The larger set has a share of 1 and the other one is added to it: the shares do not "
            "sum to one. Subtracting the maximum keeps the exponentials small, and only dividing "
            "by their sum makes weights of them."
        ),
        SECTION,
        tuple(_merged(*way) for way in product(NOT_DIVIDED, (torch.logaddexp, *UNSTABLE)))[1:],
        HAND,
    ),
    Misconception(
        "shares-along-the-width",
        _merged(axis=-2),
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
        _merged(_one_maximum(_as_it_is), _log_sum_of_one_maximum),
        _(
            "The largest log-sum of the whole tensor was taken off. Where another query's scores "
            "lie far below it, both of its exponentials are zero, and 0 over 0 is NaN. Each query "
            "has a softmax of its own: take off the larger of its own two log-sums."
        ),
        SECTION,
        (
            _merged(_one_maximum(torch.nan_to_num), _log_sum_of_one_maximum),
            _merged(_one_maximum(_as_it_is)),
            _merged(_one_maximum(torch.nan_to_num)),
        ),
        LARGE,
    ),
    Misconception(
        "nan-without-keys",
        _merged(_unguarded),
        _(
            "A query that has no key in either set comes out as NaN, because -inf less -inf is "
            "NaN. From there NaN spreads to every position that reads it, and to all gradients. "
            "Set the shares of such a query to 0."
        ),
        SECTION,
        (
            _merged(_unguarded, _log_sum_without_guard),
            _merged(_shares, _log_sum_without_guard),
        ),
        EMPTY,
    ),
)

SUMS = (
    Misconception(
        "log-sums-added",
        _merged(joined=torch.add),
        _(
            "The output is right, but the two log-sums were added. The logarithm of a sum is not "
            "the sum of logarithms, which belongs to a product. A third set that is merged later "
            "would get a wrong share: return log(exp(log_sum_a) + exp(log_sum_b))."
        ),
        SECTION,
        (_merged(joined=lambda a, b: (a + b).log()),),
        HAND,
    ),
    Misconception(
        "larger-log-sum-returned",
        _merged(joined=torch.maximum),
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
        _merged(joined=lambda a, b: torch.logaddexp(a, b).exp()),
        _(
            "The output is right, but what was returned beside it is the sum and not its "
            "logarithm. The next merge would take its exponential once more. A sum of scores that "
            "are large would not even fit into a float."
        ),
        SECTION,
        (_merged(joined=lambda a, b: a.exp() + b.exp()),),
        HAND,
    ),
)

MISCONCEPTIONS = (*SHARES, *EDGES, *SUMS)
