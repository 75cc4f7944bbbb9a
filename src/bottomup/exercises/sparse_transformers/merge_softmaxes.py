"""Exercise: one softmax from two, by their log-sum-exp (Milakov & Gimelshein, 2018, section 3)."""

from collections.abc import Callable
from itertools import product
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake, call_with_inputs
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import Differentiated, differentiate
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def merge_two(
    out_a: torch.Tensor, log_sum_a: torch.Tensor, out_b: torch.Tensor, log_sum_b: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    log_sum = torch.logaddexp(log_sum_a, log_sum_b)
    share_a = (log_sum_a - log_sum).exp().nan_to_num()  # no keys at all: -inf less -inf
    share_b = (log_sum_b - log_sum).exp().nan_to_num()
    return share_a[..., None] * out_a + share_b[..., None] * out_b, log_sum


Pair = tuple[Tensor, Tensor]


def with_a_softmax(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
    sums = torch.stack([log_sum_a, log_sum_b], dim=-1)
    empty = (sums == -inf).all(-1, keepdim=True)
    shares = sums.masked_fill(empty, 0.0).softmax(-1)
    output = torch.einsum("hqp,hqvp->hqv", shares, torch.stack([out_a, out_b], dim=-1))
    return output, sums.logsumexp(-1)


def with_the_maximum(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
    largest = torch.maximum(log_sum_a, log_sum_b)
    largest = torch.where(largest.isinf(), torch.zeros_like(largest), largest)
    a, b = torch.exp(log_sum_a - largest), torch.exp(log_sum_b - largest)
    total = a + b
    output = (a.unsqueeze(-1) * out_a + b.unsqueeze(-1) * out_b) / total.clamp(min=1).unsqueeze(-1)
    return output, total.log() + largest


def with_a_sigmoid(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
    gap = (log_sum_a - log_sum_b).nan_to_num(0.0)
    output = torch.lerp(out_b, out_a, gap.sigmoid()[:, :, None])
    smaller = torch.nn.functional.softplus(-gap.abs())
    return output, torch.maximum(log_sum_a, log_sum_b) + smaller


def with_loops(out_a: Tensor, log_sum_a: Tensor, out_b: Tensor, log_sum_b: Tensor) -> Pair:
    output, log_sum = torch.zeros_like(out_a), torch.full_like(log_sum_a, -inf)
    for h in range(len(out_a)):
        for i in range(out_a.shape[1]):
            a, b = log_sum_a[h, i], log_sum_b[h, i]
            largest = max(a.item(), b.item())
            if largest == -inf:
                continue
            x, y = torch.exp(a - largest), torch.exp(b - largest)
            output[h, i] = (x * out_a[h, i] + y * out_b[h, i]) / (x + y)
            log_sum[h, i] = largest + torch.log(x + y)
    return output, log_sum


# ---- Merging two softmaxes, and ways to get the shares or the new log-sum wrong

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


def by_log_sums_and_the_rest(a: Tensor, b: Tensor) -> Pair:
    share = torch.nan_to_num(a / (a + b))
    return share, 1 - share


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


# ---- How an answer is run and compared: its values, then its gradients

NAMES = ("output", "log_sum")
_compare_values = compare_named(*NAMES)


def with_gradients_on(
    name: str, solution: Callable[..., Any]
) -> Callable[[Callable[..., Any], Case], Any]:
    """Return a way to run answers which also asks for gradients, on the case of that name.

    Values that are wrong are returned alone: their mistake is another one. So are those of an
    answer that writes to its inputs, which breaks gradients and is told for itself.
    """

    def run(answer: Callable[..., Any], case: Case) -> Any:
        if case.name != name:
            return call_with_inputs(answer, case)
        inputs = {key: value.requires_grad_() for key, value in case.fresh().inputs.items()}
        copies = [leaf.clone() for leaf in inputs.values()]
        returned = answer(*copies)
        kept = all(map(torch.equal, copies, inputs.values()))
        if not kept or _compare_values(returned, solution(*inputs.values()), case) is not None:
            return returned
        return differentiate(lambda *leaves: _as_one(answer(*leaves)), inputs)

    return run


def _as_one(pair: tuple[Tensor, Tensor]) -> Tensor:
    output, log_sum = pair
    return torch.cat([output, log_sum[..., None]], dim=-1)


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare output and log-sum, and where they were asked for and the values agree, gradients."""
    if isinstance(got, Differentiated) and isinstance(expected, Differentiated):
        return difference(got, expected)
    got, expected = _values(got), _values(expected)
    sentence = _numpy(got) or _compare_values(got, expected, case)
    if sentence is not None and _finite_without_keys(got, expected):
        return _("{sentence} The log-sum of a query without keys is -inf.").format(
            sentence=sentence
        )
    return sentence


def _values(value: Any) -> Any:
    if not isinstance(value, Differentiated):
        return value
    return value.value[..., :-1], value.value[..., -1]


def _numpy(got: Any) -> str | None:
    """Say so where a pair holds an array of NumPy."""
    if not isinstance(got, tuple | list) or len(got) != len(NAMES):
        return None
    for name, ours in zip(NAMES, got, strict=True):
        if isinstance(ours, np.ndarray):
            return _("In {name}: {sentence}").format(
                name=name, sentence=difference(ours, torch.zeros(1))
            )
    return None


def _finite_without_keys(got: Any, expected: Any) -> bool:
    """Whether the log-sum alone differs, and is a number where no key is read."""
    pair = isinstance(got, tuple | list) and len(got) == len(NAMES)
    if not pair or not all(isinstance(each, Tensor) for each in got):
        return False
    if difference(got[0], expected[0]) is not None or got[1].shape != expected[1].shape:
        return False
    return bool(got[1][expected[1] == -torch.inf].isfinite().any())


# ---- Mistakes: equal shares, overflow, nothing to read, the new log-sum

HAND = _("two queries, sums of 1 and 3, and of 2 and 2")
ONE_EMPTY = _("one of the sets has no key for a query")
EMPTY = _("a query without any key")
LARGE = _("log-sums of about 1000 and -1000")
GRADIENTS = _("gradients, where both sets have keys")

SHARES = (
    Mistake("outputs-added", merged(equal(1.0)), with_other_sums(equal(1.0)), case=HAND),
    Mistake(
        "averaged",
        merged(equal(0.5)),
        (*with_other_sums(equal(0.5)), merged(mean_of_those_with_keys)),
        case=HAND,
    ),
    Mistake(
        "shares-by-log-sums",
        merged(by_log_sums),
        (
            *with_other_sums(by_log_sums),
            merged(lambda a, b: (a, b)),
            merged(by_log_sums_without_nan),
            merged(by_log_sums_and_the_rest),
        ),
        case=HAND,
    ),
    Mistake("shares-exchanged", merged(exchanged), case=HAND),
    Mistake(
        "shares-not-divided",
        merged(not_divided),
        tuple(merged(*way) for way in product(NOT_DIVIDED, (torch.logaddexp, *UNSTABLE)))[1:],
        case=HAND,
    ),
    Mistake("shares-along-the-width", merged(axis=-2)),
)

EDGES = (
    Mistake("overflow", OVERFLOW[0], tuple(OVERFLOW[1:]), case=LARGE),
    Mistake(
        "one-maximum-for-all",
        merged(one_maximum(as_it_is), log_sum_of_one_maximum),
        (
            merged(one_maximum(torch.nan_to_num), log_sum_of_one_maximum),
            merged(one_maximum(as_it_is)),
            merged(one_maximum(torch.nan_to_num)),
        ),
        case=LARGE,
    ),
    Mistake(
        "nan-without-keys",
        merged(unguarded),
        (
            merged(unguarded, log_sum_without_guard),
            merged(right_shares, log_sum_without_guard),
        ),
        case=EMPTY,
    ),
)

SUMS = (
    Mistake(
        "log-sums-added",
        merged(joined=torch.add),
        (merged(joined=lambda a, b: (a + b).log()),),
        case=HAND,
    ),
    Mistake("larger-log-sum-returned", merged(joined=torch.maximum), case=HAND),
    Mistake(
        "sum-without-logarithm",
        merged(joined=lambda a, b: torch.logaddexp(a, b).exp()),
        (merged(joined=lambda a, b: a.exp() + b.exp()),),
        case=HAND,
    ),
)

MISTAKES = (*SHARES, *EDGES, *SUMS)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _given(
    out_a: list[float], sums_a: list[float], out_b: list[float], sums_b: list[float]
) -> Make:
    """One head, outputs of one number; the sums of exp(score) and not their logarithms."""

    def make(generator: torch.Generator) -> Inputs:
        return {
            "out_a": torch.tensor(out_a)[None, :, None],
            "log_sum_a": torch.tensor([sums_a]).log(),
            "out_b": torch.tensor(out_b)[None, :, None],
            "log_sum_b": torch.tensor([sums_b]).log(),
        }

    return make


def _random(
    heads: int, queries: int, d_value: int, *, at: tuple[float, ...] = (0.0,), empty: bool = False,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Log-sums around the numbers `at`, in turn; some sets without keys."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        around = torch.tensor(at, dtype=dtype).repeat(heads * queries)[: heads * queries]
        place = torch.arange(heads * queries).view(heads, queries)
        inputs: dict[str, Tensor] = {}
        for name, residue in (("a", 1), ("b", 2)):
            out, log_sum = draw(heads, queries, d_value), draw(heads, queries)
            log_sum = log_sum + around.view(heads, queries)
            if empty:  # remainder 0: both sets
                without = (place % 5 == residue) | (place % 5 == 0)
                out[without], log_sum[without] = 0.0, -inf
            inputs |= {f"out_{name}": out, f"log_sum_{name}": log_sum}
        return inputs

    return make


CASES = (
    Case(HAND, _given([8.0, 8.0], [1.0, 2.0], [4.0, 4.0], [3.0, 2.0])),
    Case(ONE_EMPTY, _given([8.0, 0.0], [5.0, 0.0], [0.0, 4.0], [0.0, 3.0])),
    Case(EMPTY, _given([0.0, 8.0], [0.0, 1.0], [0.0, 4.0], [0.0, 1.0])),
    Case(_("three heads"), _random(3, 5, 7), seed=1),
    Case(_("as many queries as numbers"), _random(2, 5, 5), seed=2),
    Case(_("as many heads, queries and numbers"), _random(3, 3, 3), seed=3),
    Case(_("queries without keys"), _random(2, 11, 3, empty=True), seed=4),
    Case(LARGE, _random(1, 4, 1, at=(1000.0, -1000.0), dtype=torch.float64), seed=5),
    Case(_("log-sums of 100 and -100 in float32"), _random(2, 7, 3, at=(100.0, -100.0)), seed=6),
    Case(_("float64"), _random(2, 7, 5, dtype=torch.float64), seed=7),
    Case(GRADIENTS, _random(1, 3, 2, dtype=torch.float64), seed=8),
)

ANSWERS = Answers(
    solution=merge_two,
    alternatives=(with_a_softmax, with_the_maximum, with_a_sigmoid, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=with_gradients_on(GRADIENTS, merge_two),
    compare=compare,
)
