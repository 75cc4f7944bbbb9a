"""Merging two softmaxes, and ways to get the shares or the new log-sum wrong."""

from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, Tensor, Tensor], Pair]
Shares = Callable[[Tensor, Tensor], Pair]  # the two log-sums -> a share for each
Joined = Callable[[Tensor, Tensor], Tensor]  # the two log-sums -> the new one


def right_shares(a: Tensor, b: Tensor) -> Pair:
    whole = torch.logaddexp(a, b)
    return (a - whole).exp().nan_to_num(), (b - whole).exp().nan_to_num()


def merged(
    shares: Shares = right_shares, joined: Joined = torch.logaddexp, axis: int = -1
) -> Answer:
    """Right but for the shares or for the new log-sum."""

    def wrong(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
        share_a, share_b = (share.unsqueeze(axis) for share in shares(log_sum_a, log_sum_b))
        return share_a * out_a + share_b * out_b, joined(log_sum_a, log_sum_b)

    return wrong


def equal(share: float) -> Shares:
    return lambda a, b: (torch.full_like(a, share), torch.full_like(b, share))


def mean_of_those_with_keys(a: Tensor, b: Tensor) -> Pair:
    has_a, has_b = (a > -torch.inf).to(a), (b > -torch.inf).to(b)
    return has_a / (has_a + has_b).clamp(min=1), has_b / (has_a + has_b).clamp(min=1)


def by_log_sums(a: Tensor, b: Tensor) -> Pair:
    return a / (a + b), b / (a + b)


def plain_exponentials(guard: Callable[[Tensor], Tensor]) -> Shares:
    def shares(a: Tensor, b: Tensor) -> Pair:
        x, y = a.exp(), b.exp()
        return guard(x / (x + y)), guard(y / (x + y))

    return shares


def sum_with_floor(a: Tensor, b: Tensor) -> Pair:
    x, y = a.exp(), b.exp()
    return x / (x + y + 1e-9), y / (x + y + 1e-9)


def where_positive(a: Tensor, b: Tensor) -> Pair:
    x, y = a.exp(), b.exp()
    return torch.where(x + y > 0, x / (x + y), 0.0), torch.where(x + y > 0, y / (x + y), 0.0)


def divided_at_the_end(divide: Callable[[Tensor, Tensor], Tensor], joined: Joined) -> Answer:
    """The outputs are added with plain exponentials, and the sum is divided once."""

    def wrong(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
        x, y = (log_sum.exp()[..., None] for log_sum in (log_sum_a, log_sum_b))
        return divide(x * out_a + y * out_b, x + y), joined(log_sum_a, log_sum_b)

    return wrong


def divide_where_not_zero(total: Tensor, whole: Tensor) -> Tensor:
    return total / torch.where(whole == 0, 1.0, whole)


def divide_without_nan(total: Tensor, whole: Tensor) -> Tensor:
    return (total / whole).nan_to_num()


def plain_log(a: Tensor, b: Tensor) -> Tensor:
    return (a.exp() + b.exp()).log()


def not_divided(a: Tensor, b: Tensor) -> Pair:
    largest = torch.maximum(a, b)
    return (a - largest).exp().nan_to_num(), (b - largest).exp().nan_to_num()


def not_divided_or_guarded(a: Tensor, b: Tensor) -> Pair:
    largest = torch.maximum(a, b)
    return (a - largest).exp(), (b - largest).exp()


def not_divided_by_one_maximum(a: Tensor, b: Tensor) -> Pair:
    largest = torch.maximum(a, b).max()
    return (a - largest).exp(), (b - largest).exp()


def bare_exponentials(a: Tensor, b: Tensor) -> Pair:
    return a.exp(), b.exp()


def unguarded(a: Tensor, b: Tensor) -> Pair:
    whole = torch.logaddexp(a, b)
    return (a - whole).exp(), (b - whole).exp()


def log_sum_without_guard(a: Tensor, b: Tensor) -> Tensor:
    largest = torch.maximum(a, b)
    return largest + ((a - largest).exp() + (b - largest).exp()).log()


def one_maximum(guard: Callable[[Tensor], Tensor]) -> Shares:
    def shares(a: Tensor, b: Tensor) -> Pair:
        largest = torch.maximum(a, b).max()
        x, y = (a - largest).exp(), (b - largest).exp()
        return guard(x / (x + y)), guard(y / (x + y))

    return shares


def log_sum_of_one_maximum(a: Tensor, b: Tensor) -> Tensor:
    largest = torch.maximum(a, b).max()
    return largest + ((a - largest).exp() + (b - largest).exp()).log()


def exchanged(a: Tensor, b: Tensor) -> Pair:
    return right_shares(b, a)


def by_log_sums_without_nan(a: Tensor, b: Tensor) -> Pair:
    return torch.nan_to_num(a / (a + b)), torch.nan_to_num(b / (a + b))


def as_it_is(share: Tensor) -> Tensor:
    return share


OTHER_SUMS: tuple[Joined, ...] = (
    torch.add, torch.maximum, lambda a, b: a.exp() + b.exp(), lambda a, b: (a + b) / 2,
)  # fmt: skip


def with_other_sums(shares: Shares) -> tuple[Answer, ...]:
    return tuple(merged(shares, joined) for joined in OTHER_SUMS)


GUARDED: tuple[Shares, ...] = (
    plain_exponentials(as_it_is), plain_exponentials(torch.nan_to_num), sum_with_floor,
    where_positive,
)  # fmt: skip
NOT_DIVIDED: tuple[Shares, ...] = (
    not_divided, not_divided_or_guarded, not_divided_by_one_maximum, bare_exponentials,
)  # fmt: skip
UNSTABLE: tuple[Joined, ...] = (log_sum_without_guard, log_sum_of_one_maximum, plain_log)
NEW_SUMS: tuple[Joined, ...] = (plain_log, torch.logaddexp)
DIVIDED: tuple[Joined, ...] = (torch.div, divide_where_not_zero, divide_without_nan)
OVERFLOW = [
    *(merged(*way) for way in (*product(GUARDED, NEW_SUMS), (right_shares, plain_log))),
    *(divided_at_the_end(*way) for way in product(DIVIDED, NEW_SUMS)),
]
