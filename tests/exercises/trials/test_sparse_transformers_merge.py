"""One softmax from two, of chapter 07: against one over all keys, words of reports, gradients."""

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
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded
from tests.exercises.trials.verdicts import is_plain

MERGE_SOFTMAXES = catalog()["merge-softmaxes"]
merge_two = MERGE_SOFTMAXES.solution

INF = torch.inf


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


def test_the_library_s_function_passes():
    def merged(out_a, log_sum_a, out_b, log_sum_b):
        return merge_attention([out_a, out_b], [log_sum_a, log_sum_b])

    assert examine(MERGE_SOFTMAXES, merged).passed


# ---- Reports


def larger_wins(out_a, log_sum_a, out_b, log_sum_b):
    larger = (log_sum_a > log_sum_b)[..., None]
    return torch.where(larger, out_a, out_b), torch.logaddexp(log_sum_a, log_sum_b)


def with_log_sum_of_zero(out_a, log_sum_a, out_b, log_sum_b):
    output, log_sum = merge_two(out_a, log_sum_a, out_b, log_sum_b)
    return output, log_sum.masked_fill(log_sum == -INF, 0.0)


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
    case = [case for case in MERGE_SOFTMAXES.cases if case.own][-1]
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
    assert f" {count - 1} of {count} cases agree" in examine(MERGE_SOFTMAXES, answer).message


def test_an_output_scaled_in_place_is_seen():
    def in_place(out_a, log_sum_a, out_b, log_sum_b):
        result = merge_two(out_a, log_sum_a, out_b, log_sum_b)
        out_a *= 0.5
        return result

    assert "changes its input out_a in place" in examine(MERGE_SOFTMAXES, in_place).message
