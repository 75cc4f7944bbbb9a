"""Exercise: one softmax from two, by their log-sum-exp (Milakov & Gimelshein, 2018, section 3)."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.sparse_transformers.merge_parts import Pair
from bottomup.exercises.sparse_transformers.merge_run import compare, with_gradients_on
from bottomup.exercises.sparse_transformers.merge_softmaxes_mistakes import (
    EMPTY,
    GRADIENTS,
    HAND,
    LARGE,
    MISCONCEPTIONS,
    ONE_EMPTY,
)
from bottomup.i18n import _

STUB = '''\
def merge_two(out_a, log_sum_a, out_b, log_sum_b):
    """Attention to two disjoint sets of keys, from attention to each.

    out_a, out_b [head, query, d_value]: what was read from each set, with a
    softmax over that set alone. log_sum_a, log_sum_b [head, query]: the
    logarithm of the sum of exp(score) over that set. A query without a key
    in a set has the output 0 and the log-sum -inf there.
    The scores may be large: log-sums of 1000 and of -1000 occur.
    Returns (output, log_sum) of the softmax over both sets, [head, query,
    d_value] and [head, query]: 0 and -inf for a query without any key.
    Gradients lead back to all four, for queries with keys in both sets;
    what they are for a query without keys is not asked.
    """
    ...
'''


def merge_two(
    out_a: torch.Tensor, log_sum_a: torch.Tensor, out_b: torch.Tensor, log_sum_b: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    log_sum = torch.logaddexp(log_sum_a, log_sum_b)
    share_a = (log_sum_a - log_sum).exp().nan_to_num()  # no keys at all: -inf less -inf
    share_b = (log_sum_b - log_sum).exp().nan_to_num()
    return share_a[..., None] * out_a + share_b[..., None] * out_b, log_sum


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

MERGE_SOFTMAXES = Exercise(
    slug="merge-softmaxes",
    title=_("One softmax from two"),
    chapter="07",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "The scores of one set have exponentials that sum to 1, those of the other 3. In one "
            "softmax over both, how much of the weight lies in the first set?"
        ),
        _(
            "Set a's share is exp(log_sum_a) over the sum of both, and its weights keep their "
            "proportions: the output is a mean of out_a and out_b with these shares. Subtract "
            "before you take the exponential: exp(log_sum_a - log_sum)."
        ),
        _(
            "`torch.logaddexp(log_sum_a, log_sum_b)` is the new log-sum. Where both are -inf, "
            "-inf - (-inf) is NaN; the share there is 0."
        ),
    ),
    solution=merge_two,
    alternatives=(with_a_softmax, with_the_maximum, with_a_sigmoid, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=with_gradients_on(GRADIENTS, merge_two),
    compare=compare,
)
