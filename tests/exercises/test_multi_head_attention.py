"""Three exercises of chapter 03: values by hand, the library's own functions, typical slips."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from bottomup import attention
from bottomup.exercises.checking import examine
from bottomup.exercises.exercise import Exercise
from bottomup.exercises.multi_head_attention.multi_head_attention import MULTI_HEAD_ATTENTION
from bottomup.exercises.multi_head_attention.prune_head import PRUNE_HEAD
from bottomup.exercises.multi_head_attention.split_merge_heads import SPLIT_MERGE_HEADS


def expected_of(exercise: Exercise, case: int) -> Any:
    return exercise.run(exercise.solution, exercise.cases[case].fresh())


def named(exercise: Exercise, answer: Callable[..., Any]) -> str | None:
    return examine(exercise, answer).misconception


# ---- Split and merge


def test_two_heads_of_width_two_are_cut_and_glued():
    split, merged = expected_of(SPLIT_MERGE_HEADS, 0)
    assert split.tolist() == [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]
    assert merged.tolist() == [[[0, 1, 4, 5], [2, 3, 6, 7]]]


def test_the_library_s_split_and_merge_pass():
    report = examine(
        SPLIT_MERGE_HEADS,
        lambda x, heads, h: (attention.split_heads(x, h), attention.merge_heads(heads)),
    )
    assert report.passed, report


def merge(heads: Tensor) -> Tensor:
    return torch.cat(list(heads.unbind(1)), dim=-1)


@pytest.mark.parametrize(
    "split, slug",
    [
        (lambda x, h: x.view(len(x), h, x.shape[1], -1), "view-without-transpose"),
        (lambda x, h: x.reshape(len(x) * h, x.shape[1], -1), "heads-mixed-with-batch"),
        (lambda x, h: torch.stack(x.chunk(h, -1)), "heads-mixed-with-batch"),
        (lambda x, h: torch.stack(x.chunk(h, -1), dim=2), "heads-after-positions"),
        (lambda x, h: torch.stack([x[..., i::h] for i in range(h)], 1), "every-so-many-columns"),
        (lambda x, h: torch.stack([x] * h, dim=1), "full-width-for-each-head"),
    ],
)
def test_a_slip_of_the_split_is_named(split, slug):
    assert named(SPLIT_MERGE_HEADS, lambda x, heads, h: (split(x, h), merge(heads))) == slug


def test_a_slip_of_the_merge_is_named():
    def answer(x: Tensor, heads: Tensor, h: int) -> tuple[Tensor, Tensor]:
        return torch.stack(x.chunk(h, -1), 1), heads.reshape(len(heads), heads.shape[2], -1)

    assert named(SPLIT_MERGE_HEADS, answer) == "merge-without-transpose"


# ---- Multi-head attention


def test_attention_of_two_positions_in_two_heads():
    output, weights = expected_of(MULTI_HEAD_ATTENTION, 0)
    # head 1: queries 0, 2 and keys 0, 1; head 2: queries 3, 0 and keys 1, 0
    second, third = 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(-3))
    maps = [[[0.5, 0.5], [1 - second, second]], [[third, 1 - third], [0.5, 0.5]]]
    torch.testing.assert_close(weights, torch.tensor([maps]))
    # head 1 reads 0 and 10, head 2 reads 10 everywhere; W_O gives head 1 + 2 head 2, and head 2
    expected = torch.tensor([[[25.0, 10.0], [20 + 10 * second, 10.0]]])
    torch.testing.assert_close(output, expected)


def test_under_a_causal_mask_the_first_position_reads_itself():
    output, weights = expected_of(MULTI_HEAD_ATTENTION, 1)
    _, second = expected_of(MULTI_HEAD_ATTENTION, 0)[1][0].unbind(1)
    assert weights[0, :, 0].tolist() == [[1, 0], [1, 0]]
    torch.testing.assert_close(weights[0, :, 1], second)
    assert output[0, 0].tolist() == [20, 10]  # the values are 0 in head 1, 10 in head 2


def by_library(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    maps = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    return attention.multi_head_attention(query, key, value, mask, num_heads=num_heads, **maps)


def test_the_library_s_attention_passes():
    report = examine(MULTI_HEAD_ATTENTION, by_library)
    assert report.passed, report


def reader(
    *,
    scale: Callable[[Tensor, Tensor], float] = lambda query, q: math.sqrt(q.size(-1)),
    masked: Callable[[Tensor, Tensor], Tensor] = lambda mask, scores: mask.unsqueeze(1),
    softmax: Callable[[Tensor], Tensor] = lambda scores: torch.softmax(scores, dim=-1),
    output: Callable[[Tensor, Tensor], Tensor] = lambda read, W_O: read @ W_O.T,
) -> Callable[..., tuple[Tensor, Tensor]]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        q = torch.stack((query @ W_Q.T).chunk(num_heads, dim=-1), dim=1)
        k = torch.stack((key @ W_K.T).chunk(num_heads, dim=-1), dim=1)
        v = torch.stack((value @ W_V.T).chunk(num_heads, dim=-1), dim=1)
        scores = q @ k.transpose(-2, -1) / scale(query, q)
        if mask is not None:
            scores = scores.masked_fill(masked(mask, scores) == 0, float("-inf"))
        weights = softmax(scores)
        read = torch.cat((weights @ v).unbind(1), dim=-1)
        return output(read, W_O), weights

    return answer


def test_the_reader_s_answer_passes_unchanged():
    assert examine(MULTI_HEAD_ATTENTION, reader()).passed


@pytest.mark.parametrize(
    "change, slug",
    [
        ({"scale": lambda query, q: math.sqrt(query.size(-1))}, "root-of-d-model"),
        ({"scale": lambda query, q: math.sqrt(q.size(1) * q.size(-1))}, "root-of-d-model"),
        ({"scale": lambda query, q: 1.0}, "no-scale"),
        ({"scale": lambda query, q: float(q.size(-1))}, "root-missing"),
        ({"masked": lambda mask, scores: mask}, "mask-without-head-axis"),
        ({"masked": lambda mask, scores: mask[None]}, "mask-without-head-axis"),
        ({"masked": lambda mask, scores: ~mask[:, None]}, "mask-inverted"),
        ({"softmax": lambda scores: scores.softmax(dim=1)}, "softmax-over-heads"),
        ({"output": lambda read, W_O: read}, "output-map-missing"),
        ({"output": lambda read, W_O: read @ W_O}, "map-untransposed"),
    ],
)
def test_a_slip_of_attention_is_named(change, slug):
    assert named(MULTI_HEAD_ATTENTION, reader(**change)) == slug


def test_torch_s_module_is_told_that_it_averages_the_maps():
    def answer(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        output, weights = by_library(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask)
        return output, weights.mean(dim=1)

    assert named(MULTI_HEAD_ATTENTION, answer) == "maps-averaged-on-return"


def test_a_slice_of_the_input_for_each_head_is_named():
    def answer(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        width, heads, maps = query.shape[-1] // num_heads, [], []
        pieces = zip(W_Q.chunk(num_heads), W_K.chunk(num_heads), W_V.chunk(num_heads), strict=True)
        for h, (of_query, of_key, of_value) in enumerate(pieces):
            own = slice(h * width, (h + 1) * width)
            q, k, v = (
                x[..., own] @ W[:, own].T
                for x, W in ((query, of_query), (key, of_key), (value, of_value))
            )
            scores = q @ k.mT / len(of_query) ** 0.5
            if mask is not None:
                scores = scores.masked_fill(~mask, -torch.inf)
            maps.append(scores.softmax(-1))
            heads.append(maps[-1] @ v)
        return torch.cat(heads, -1) @ W_O.T, torch.stack(maps, 1)

    assert named(MULTI_HEAD_ATTENTION, answer) == "heads-slice-the-input"


def test_the_report_says_which_tensor_differs():
    def answer(*inputs):
        output, weights = by_library(*inputs)
        return output, weights + 1

    assert "In weights: " in repr(examine(MULTI_HEAD_ATTENTION, answer))
    report = examine(MULTI_HEAD_ATTENTION, lambda *inputs: by_library(*inputs)[0])
    assert "It returned a tensor, expected 2 tensors: output, weights." in repr(report)
    report = examine(MULTI_HEAD_ATTENTION, lambda *inputs: (by_library(*inputs)[0],))
    assert "It returned 1 of them, expected 2 tensors: output, weights." in repr(report)


# ---- Removing a head


def test_the_first_of_two_heads_is_cut_out():
    W_Q, W_K, W_V, b_V, W_O, b_O = (x.tolist() for x in expected_of(PRUNE_HEAD, 0))
    assert (W_Q, W_K) == ([[3, 4]], [[7, 8]])
    assert (W_V, b_V) == ([[3, 3], [4, 4]], [3, 4])
    assert (W_O, b_O) == ([[3, 4], [7, 8]], [9, 10])


def module_of(num_heads, W_Q, W_K, W_V, b_V, W_O, b_O) -> attention.MultiHeadAttention:
    widths = {"d_head": len(W_Q) // num_heads, "d_value": len(W_V) // num_heads}
    with torch.random.fork_rng(devices=[]):
        module = attention.MultiHeadAttention(W_Q.shape[1], num_heads, **widths).to(W_Q)
    given = {"W_Q.weight": W_Q, "W_K.weight": W_K, "W_V.weight": W_V, "W_V.bias": b_V}
    module.load_state_dict({**given, "W_O.weight": W_O, "W_O.bias": b_O}, strict=False)
    return module


def by_module(head: int, num_heads: int, *parameters: Tensor) -> tuple[Tensor, ...]:
    smaller = attention.prune_heads(module_of(num_heads, *parameters), [head])
    kept = (
        smaller.W_Q.weight, smaller.W_K.weight, smaller.W_V.weight, smaller.W_V.bias,
        smaller.W_O.weight, smaller.W_O.bias,
    )  # fmt: skip
    return tuple(parameter.detach() for parameter in kept)


def test_the_library_s_pruning_passes():
    report = examine(PRUNE_HEAD, by_module)
    assert report.passed, report


@pytest.mark.parametrize("case", range(len(PRUNE_HEAD.cases)))
def test_what_is_left_gives_the_sum_over_the_other_heads(case):
    head, num_heads, *parameters = PRUNE_HEAD.cases[case].fresh().inputs.values()
    parameters = [parameter.double() for parameter in parameters]
    x = torch.randn(2, 5, parameters[0].shape[1], generator=torch.Generator().manual_seed(0))
    on = torch.arange(num_heads) != head
    smaller = module_of(num_heads - 1, *PRUNE_HEAD.solution(head, num_heads, *parameters))
    masked = module_of(num_heads, *parameters)(*[x.double()] * 3, head_mask=on)[0]
    torch.testing.assert_close(smaller(*[x.double()] * 3)[0], masked, rtol=0, atol=1e-12)


def pruned(**changes: Callable[[Tensor, int, int], Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    """An answer with `torch.cat`, some of its parts changed."""

    def cut(x: Tensor, head: int, heads: int) -> Tensor:
        width = len(x) // heads
        return torch.cat([x[: head * width], x[(head + 1) * width :]])

    parts = {
        **dict.fromkeys(("W_Q", "W_K", "W_V", "b_V"), cut),
        "W_O": lambda x, head, heads: cut(x.T, head, heads).T,
        "b_O": lambda x, head, heads: x,
        **changes,
    }
    return lambda head, heads, *given: tuple(
        part(x, head, heads) for part, x in zip(parts.values(), given, strict=True)
    )


def test_slices_pass():
    assert examine(PRUNE_HEAD, pruned()).passed


@pytest.mark.parametrize(
    "answer, slug",
    [
        (pruned(W_O=lambda x, head, heads: x), "output-map-whole"),
        (pruned(b_V=lambda x, head, heads: x), "value-bias-forgotten"),
        (
            pruned(W_O=lambda x, head, heads: x[:, : -x.shape[1] // heads]),
            "wrong-columns-of-the-output-map",
        ),
        (
            pruned(W_O=lambda x, head, heads: x[:, x.shape[1] // heads :]),
            "wrong-columns-of-the-output-map",
        ),
        (lambda head, heads, *given: pruned()((head - 1) % heads, heads, *given),
         "counted-from-one"),
    ],
)  # fmt: skip
def test_a_slip_of_pruning_is_named(answer, slug):
    assert named(PRUNE_HEAD, answer) == slug


def test_the_differing_parameter_is_named():
    report = examine(PRUNE_HEAD, pruned(b_O=lambda x, head, heads: x / heads))
    assert report.misconception is None
    assert "In b_O: " in repr(report)


def test_a_head_of_zeros_is_another_thing_than_no_head():
    def answer(head: int, heads: int, *given: Tensor) -> tuple[Tensor, ...]:
        result = [x.clone() for x in given]
        nn.init.zeros_(result[4].chunk(heads, dim=1)[head])
        return tuple(result)

    assert named(PRUNE_HEAD, answer) == "zeros-in-its-place"
