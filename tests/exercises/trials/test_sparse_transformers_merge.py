"""One softmax from two, of chapter 07: by hand, against one over all keys, typical slips."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention import merge_attention, partial_attention
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

MERGE_SOFTMAXES = catalog()["merge-softmaxes"]
merge_two = MERGE_SOFTMAXES.solution

INF = torch.inf


def numbers_of(case: int) -> tuple[list[float], list[float]]:
    output, log_sum = expected_of(MERGE_SOFTMAXES, case)
    return output.flatten().tolist(), log_sum.exp().flatten().tolist()


def test_shares_of_a_quarter_and_a_half_by_hand():
    output, sums = numbers_of(0)
    assert output == pytest.approx([5.0, 6.0])  # 8 / 4 + 4 * 3 / 4
    assert sums == pytest.approx([4.0, 4.0])


def test_a_set_without_keys_changes_nothing():
    output, sums = numbers_of(1)
    assert output == [8.0, 4.0]
    assert sums == pytest.approx([5.0, 3.0])
    output, sums = numbers_of(2)
    assert output == [0.0, 6.0]
    assert sums == [0.0, pytest.approx(2.0)]


@pytest.mark.slow
@settings(max_examples=50)
@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=4),
    st.integers(0, 10**6),
    st.sampled_from([1.0, 300.0]),
)
def test_sets_merged_one_after_the_other_are_attention_to_all(
    sizes: list[int], seed: int, scale: float
):
    generator = seeded(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    n = sum(sizes)
    query, key, value = scale * draw(2, 3, 7), draw(2, n, 7), draw(2, n, 5)
    parts = [
        partial_attention(query, k, v) if k.shape[1] else (torch.zeros(2, 3, 5).double(), empty())
        for k, v in zip(key.split(sizes, 1), value.split(sizes, 1), strict=True)
    ]
    output, log_sum = reduce(lambda a, b: merge_two(*a, *b), parts)
    if n == 0:
        assert torch.equal(output, torch.zeros(2, 3, 5).double())
        assert torch.equal(log_sum, empty())
        return
    whole = partial_attention(query, key, value)
    torch.testing.assert_close(output, whole[0], rtol=1e-8, atol=1e-9)
    torch.testing.assert_close(log_sum, whole[1])


def empty() -> Tensor:
    return torch.full((2, 3), -INF, dtype=torch.float64)


# ---- Other right answers


def with_a_safe_softmax(out_a, log_sum_a, out_b, log_sum_b):
    weights = torch.softmax(torch.stack([log_sum_a, log_sum_b]), dim=0).nan_to_num(0)
    output = (weights.unsqueeze(-1) * torch.stack([out_a, out_b])).sum(0)
    return output, torch.logsumexp(torch.stack([log_sum_a, log_sum_b]), 0)


def with_where(out_a, log_sum_a, out_b, log_sum_b):
    larger = torch.max(log_sum_a, log_sum_b)
    safe = torch.where(larger == -INF, 0.0, larger)
    x, y = torch.exp(log_sum_a - safe), torch.exp(log_sum_b - safe)
    total = torch.where(larger == -INF, 1.0, x + y)
    output = (x / total)[..., None] * out_a + (y / total)[..., None] * out_b
    return output, torch.where(larger == -INF, larger, safe + torch.log(total))


def with_einsum(out_a, log_sum_a, out_b, log_sum_b):
    log_sum = log_sum_a.logaddexp(log_sum_b)
    finite = log_sum.masked_fill(log_sum == -INF, 0.0)
    output = torch.einsum("hq,hqv->hqv", (log_sum_a - finite).exp(), out_a)
    return output + torch.einsum("hq,hqv->hqv", (log_sum_b - finite).exp(), out_b), log_sum


def with_the_empty_left_out(out_a, log_sum_a, out_b, log_sum_b):
    output = torch.zeros_like(out_a)
    log_sum = torch.logaddexp(log_sum_a, log_sum_b)
    some = log_sum > -INF
    a, b = (torch.exp(x[some] - log_sum[some])[:, None] for x in (log_sum_a, log_sum_b))
    output[some] = a * out_a[some] + b * out_b[some]
    return [output, log_sum]


def with_the_library(out_a, log_sum_a, out_b, log_sum_b):
    return merge_attention([out_a, out_b], [log_sum_a, log_sum_b])


@pytest.mark.parametrize(
    "answer",
    [with_a_safe_softmax, with_where, with_einsum, with_the_empty_left_out, with_the_library],
)
def test_other_ways_to_merge_pass(answer: Callable[..., Any]):
    assert report_on(MERGE_SOFTMAXES, answer).passed


# ---- Slips


def shares(a: Tensor, b: Tensor) -> Tensor:
    return torch.stack([a, b]).softmax(0)


def merged(weights: Callable[..., Any], log_sum: Callable[..., Any] = torch.logaddexp):
    def answer(out_a, log_sum_a, out_b, log_sum_b):
        a, b = weights(log_sum_a, log_sum_b)
        return a[..., None] * out_a + b[..., None] * out_b, log_sum(log_sum_a, log_sum_b)

    return answer


def plain_sums(a: Tensor, b: Tensor) -> Tensor:
    return torch.stack([a.exp(), b.exp()]) / (a.exp() + b.exp())


def one_maximum(out_a, log_sum_a, out_b, log_sum_b):
    m = torch.stack([log_sum_a, log_sum_b]).max()
    x, y = torch.exp(log_sum_a - m)[..., None], torch.exp(log_sum_b - m)[..., None]
    return (x * out_a + y * out_b) / (x + y), m + torch.log(x + y).squeeze(-1)


def broadcast_at_the_front(out_a, log_sum_a, out_b, log_sum_b):
    a, b = shares(log_sum_a, log_sum_b).nan_to_num()[:, :, None]
    return a * out_a + b * out_b, torch.logaddexp(log_sum_a, log_sum_b)


def larger_wins(out_a, log_sum_a, out_b, log_sum_b):
    larger = (log_sum_a > log_sum_b)[..., None]
    return torch.where(larger, out_a, out_b), torch.logaddexp(log_sum_a, log_sum_b)


def with_log_sum_of_zero(out_a, log_sum_a, out_b, log_sum_b):
    output, log_sum = merge_two(out_a, log_sum_a, out_b, log_sum_b)
    return output, log_sum.masked_fill(log_sum == -INF, 0.0)


def not_divided(log_sum: Callable[..., Any]) -> Callable[..., Any]:
    """Weights relative to the larger log-sum, and no division by their sum."""

    def answer(out_a, log_sum_a, out_b, log_sum_b):
        m = torch.maximum(log_sum_a, log_sum_b)
        x, y = (log_sum_a - m).exp(), (log_sum_b - m).exp()
        return x[..., None] * out_a + y[..., None] * out_b, log_sum(log_sum_a, log_sum_b)

    return answer


def log_sum_by_the_maximum(a: Tensor, b: Tensor) -> Tensor:
    m = torch.maximum(a, b)
    return m + torch.log(torch.exp(a - m) + torch.exp(b - m))


def divided_once(divide: Callable[..., Any], log_sum: Callable[..., Any] = torch.logaddexp):
    """The paper's formula with plain exponentials: first the sum, then one division."""

    def answer(out_a, log_sum_a, out_b, log_sum_b):
        ea, eb = log_sum_a.exp()[..., None], log_sum_b.exp()[..., None]
        return divide(ea * out_a + eb * out_b, ea + eb), log_sum(log_sum_a, log_sum_b)

    return answer


def log_of_sum(a: Tensor, b: Tensor) -> Tensor:
    return (a.exp() + b.exp()).log()


def plain_where(a: Tensor, b: Tensor) -> Tensor:
    s = a.exp() + b.exp()
    return torch.stack([torch.where(s > 0, x.exp() / s, 0.0) for x in (a, b)])


def without_a_gradient(out_a, log_sum_a, out_b, log_sum_b):
    output = (out_a + out_b).detach()
    return output, torch.logaddexp(log_sum_a, log_sum_b).detach()


SLIPS = {
    "overflow": [
        divided_once(torch.div, log_of_sum),
        divided_once(lambda x, s: x / torch.where(s == 0, 1, s)),
        divided_once(lambda x, s: (x / s).nan_to_num(), log_of_sum),
        merged(plain_where),
        merged(plain_where, log_of_sum),
        merged(plain_sums, lambda a, b: torch.log(a.exp() + b.exp())),
        merged(lambda a, b: plain_sums(a, b).nan_to_num()),
    ],
    "shares-not-divided": [
        not_divided(torch.logaddexp),
        not_divided(log_sum_by_the_maximum),
        merged(lambda a, b: (a.exp(), b.exp())),
    ],
    "outputs-added": [
        lambda oa, la, ob, lb: (oa + ob, torch.logaddexp(la, lb)),
        lambda oa, la, ob, lb: (oa + ob, la + lb),
        without_a_gradient,
    ],
    "averaged": [
        lambda oa, la, ob, lb: ((oa + ob) / 2, (la + lb) / 2),
        lambda oa, la, ob, lb: ((oa + ob) / 2, torch.logaddexp(la, lb)),
    ],
    "shares-by-log-sums": [
        merged(lambda a, b: (a / (a + b), b / (a + b))),
        merged(lambda a, b: (a, b)),
    ],
    "shares-exchanged": merged(lambda a, b: shares(b, a).nan_to_num()),
    "one-maximum-for-all": one_maximum,
    "nan-without-keys": [
        merged(shares),
        merged(shares, lambda a, b: torch.stack([a, b]).logsumexp(0)),
    ],
    "log-sums-added": merged(lambda a, b: shares(a, b).nan_to_num(), torch.add),
    "larger-log-sum-returned": merged(lambda a, b: shares(a, b).nan_to_num(), torch.maximum),
    "sum-without-logarithm": merged(
        lambda a, b: shares(a, b).nan_to_num(), lambda a, b: a.exp() + b.exp()
    ),
    "shares-along-the-width": broadcast_at_the_front,
}


@wrong_answers(SLIPS)
def test_a_slip_in_merging_is_named(wrong, mistake: str):
    assert named(MERGE_SOFTMAXES, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: merge_two(*inputs)[0], "It returned a tensor, expected 2 tensors"),
        (lambda *inputs: merge_two(*inputs)[::-1], "In output: The result has shape"),
        (lambda *inputs: (merge_two(*inputs)[0], merge_two(*inputs)[1][..., None]),
         "In log_sum: The result has shape"),
        (lambda *inputs: [x.nan_to_num() for x in merge_two(*inputs)], "In log_sum: 1 of 2 values"),
        (lambda oa, la, ob, lb: merge_two(oa, la.clamp(min=-1e9), ob, lb.clamp(min=-1e9)),
         "In log_sum: 1 of 2 values differs, by at most inf. The log-sum of a query without keys"),
        (lambda *inputs: with_log_sum_of_zero(*inputs), "The log-sum of a query without keys is"),
        (lambda *inputs: tuple(x.numpy() for x in merge_two(*inputs)),
         "In output: It returned a NumPy array, expected a tensor: compute with torch throughout."),
        (lambda *inputs: (merge_two(*inputs)[0], merge_two(*inputs)[1].numpy()),
         "In log_sum: It returned a NumPy array"),
        (larger_wins, "In output: "),
        (lambda oa, la, ob, lb: (merge_two(oa, la, ob, lb)[0], torch.logaddexp(la, lb) / 0.6931),
         "In log_sum: "),
    ],
)  # fmt: skip
def test_another_merge_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(MERGE_SOFTMAXES, answer, sentence)


# ---- Gradients


def test_the_gradients_are_those_of_one_softmax_over_both():
    case = MERGE_SOFTMAXES.cases[-1]
    inputs = {name: x.requires_grad_() for name, x in case.fresh().inputs.items()}
    weights = torch.stack([inputs["log_sum_a"], inputs["log_sum_b"]]).softmax(0)[..., None]
    output = weights[0] * inputs["out_a"] + weights[1] * inputs["out_b"]
    whole = torch.stack([inputs["log_sum_a"], inputs["log_sum_b"]]).logsumexp(0)
    both = torch.cat([output, whole[..., None]], -1)
    count = both.numel()
    both.backward(torch.arange(1, count + 1).view(both.shape).double() / count)
    found = MERGE_SOFTMAXES.run(merge_two, case.fresh())
    torch.testing.assert_close(found.value, both.detach())
    for name, leaf in inputs.items():
        torch.testing.assert_close(found.gradients[name], leaf.grad)


def shares_as_numbers(out_a, log_sum_a, out_b, log_sum_b):
    log_sum = torch.logaddexp(log_sum_a, log_sum_b)
    a, b = ((x - log_sum).exp().nan_to_num().detach()[..., None] for x in (log_sum_a, log_sum_b))
    return a * out_a + b * out_b, log_sum


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: tuple(x.detach() for x in merge_two(*inputs)),
         "no gradient leads back from them to out_a, log_sum_a, out_b, log_sum_b"),
        (lambda oa, la, ob, lb: merge_two(oa.detach(), la, ob, lb), "back from them to out_a:"),
        (lambda oa, la, ob, lb: (merge_two(oa, la, ob, lb)[0],
                                 merge_two(oa, la, ob, lb)[1].detach()),
         "not the gradient of log_sum_a"),
        (shares_as_numbers, "The values are right, but not the gradient of log_sum_a"),
    ],
)  # fmt: skip
def test_a_gradient_that_is_cut_off_is_seen(answer: Callable[..., Any], sentence: str):
    count = len(MERGE_SOFTMAXES.cases)
    assert is_plain(MERGE_SOFTMAXES, answer, sentence)
    assert f" {count - 1} of {count} cases agree" in report_on(MERGE_SOFTMAXES, answer).message


def test_an_output_scaled_in_place_is_seen():
    def in_place(out_a, log_sum_a, out_b, log_sum_b):
        result = merge_two(out_a, log_sum_a, out_b, log_sum_b)
        out_a *= 0.5
        return result

    assert "changes its input out_a in place" in report_on(MERGE_SOFTMAXES, in_place).message
