"""Two exercises of chapter 03: values by hand, the library's own functions, typical slips."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from bottomup import attention
from bottomup.exercises import catalog
from bottomup.exercises.engine.evidence import AT_A_GLANCE
from tests.attention.heads import multi_head_attention
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

MULTI_HEAD_ATTENTION = catalog()["multi-head-attention"]
SPLIT_MERGE_HEADS = catalog()["split-merge-heads"]


# ---- Split and merge


def test_two_heads_of_width_two_are_cut_and_glued():
    split, merged = expected_of(SPLIT_MERGE_HEADS, 0)
    assert split.tolist() == [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]
    assert merged.tolist() == [[[0, 1, 4, 5], [2, 3, 6, 7]]]


def test_the_library_s_split_and_merge_pass():
    report = report_on(
        SPLIT_MERGE_HEADS,
        lambda x, heads, h: (attention.split_heads(x, h), attention.merge_heads(heads)),
    )
    assert report.passed, report


def merge(heads: Tensor) -> Tensor:
    return torch.cat(list(heads.unbind(1)), dim=-1)


@wrong_answers(
    {
        "view-without-transpose": lambda x, h: x.view(len(x), h, x.shape[1], -1),
        "heads-mixed-with-batch": [
            lambda x, h: x.reshape(len(x) * h, x.shape[1], -1),
            lambda x, h: torch.stack(x.chunk(h, -1)),
        ],
        "heads-after-positions": lambda x, h: torch.stack(x.chunk(h, -1), dim=2),
        "every-so-many-columns": lambda x, h: torch.stack([x[..., i::h] for i in range(h)], 1),
        "full-width-for-each-head": lambda x, h: torch.stack([x] * h, dim=1),
    }
)
def test_a_slip_of_the_split_is_named(wrong, mistake: str):
    assert named(SPLIT_MERGE_HEADS, lambda x, heads, h: (wrong(x, h), merge(heads))) == mistake


def test_a_slip_of_the_merge_is_named():
    def answer(x: Tensor, heads: Tensor, h: int) -> tuple[Tensor, Tensor]:
        return torch.stack(x.chunk(h, -1), 1), heads.reshape(len(heads), heads.shape[2], -1)

    def in_turn(x: Tensor, heads: Tensor, h: int) -> tuple[Tensor, Tensor]:
        return torch.stack(x.chunk(h, -1), 1), torch.stack(heads.unbind(1), dim=-1).flatten(2)

    assert named(SPLIT_MERGE_HEADS, answer) == "merge-without-transpose"
    assert named(SPLIT_MERGE_HEADS, in_turn) == "merge-in-turn"


def test_a_reader_s_own_split_merged_and_results_in_another_order_are_named():
    def own(x: Tensor, heads: Tensor, h: int) -> tuple[Tensor, Tensor]:
        split = torch.stack(x.chunk(h, -1), 1)
        return split, split.transpose(1, 2).reshape(x.shape)

    def swapped(x: Tensor, heads: Tensor, h: int) -> tuple[Tensor, Tensor]:
        return merge(heads), torch.stack(x.chunk(h, -1), 1)

    assert named(SPLIT_MERGE_HEADS, own) == "own-split-merged"
    assert named(SPLIT_MERGE_HEADS, swapped) == "results-swapped"


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
    return multi_head_attention(query, key, value, mask, num_heads=num_heads, **maps)


def test_the_library_s_attention_passes():
    assert report_on(MULTI_HEAD_ATTENTION, by_library).passed


def reader(
    *,
    scale: Callable[[Tensor, Tensor], float] = lambda query, q: math.sqrt(q.size(-1)),
    masked: Callable[[Tensor, Tensor], Tensor] = lambda mask, scores: mask.unsqueeze(1),
    softmax: Callable[[Tensor], Tensor] = lambda scores: torch.softmax(scores, dim=-1),
    merge: Callable[[Tensor], Tensor] = merge,
    fill: float = float("-inf"),
    output: Callable[[Tensor, Tensor], Tensor] = lambda read, W_O: read @ W_O.T,
) -> Callable[..., tuple[Tensor, Tensor]]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        q = torch.stack((query @ W_Q.T).chunk(num_heads, dim=-1), dim=1)
        k = torch.stack((key @ W_K.T).chunk(num_heads, dim=-1), dim=1)
        v = torch.stack((value @ W_V.T).chunk(num_heads, dim=-1), dim=1)
        scores = q @ k.transpose(-2, -1) / scale(query, q)
        if mask is not None:
            scores = scores.masked_fill(masked(mask, scores) == 0, fill)
        weights = softmax(scores)
        return output(merge(weights @ v), W_O), weights

    return answer


def test_the_reader_s_answer_passes_unchanged():
    assert report_on(MULTI_HEAD_ATTENTION, reader()).passed


def torch_s_module(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    output, weights = by_library(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask)
    return output, weights.mean(dim=1)


def slice_of_the_input_for_each_head(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
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


def heads_behind_the_queries(*inputs):
    output, weights = by_library(*inputs)
    return output, weights.transpose(1, 2)


@wrong_answers(
    {
        "root-of-d-model": [
            reader(scale=lambda query, q: math.sqrt(query.size(-1))),
            reader(scale=lambda query, q: math.sqrt(q.size(1) * q.size(-1))),
        ],
        "no-scale": reader(scale=lambda query, q: 1.0),
        "width-of-the-model": [
            reader(scale=lambda query, q: (query.size(-1) // q.size(1)) ** 0.5),
            reader(scale=lambda query, q: (query.size(-1) / q.size(1)) ** 0.5),
        ],
        "root-of-num-heads": [
            reader(scale=lambda query, q: math.sqrt(q.size(1))),
            reader(scale=lambda query, q: float(q.size(1))),
        ],
        "root-missing": reader(scale=lambda query, q: float(q.size(-1))),
        "mask-without-head-axis": [
            reader(masked=lambda mask, scores: mask),
            reader(masked=lambda mask, scores: mask[None]),
        ],
        "mask-inverted": reader(masked=lambda mask, scores: ~mask[:, None]),
        "softmax-over-heads": reader(softmax=lambda scores: scores.softmax(dim=1)),
        "softmax-over-queries": reader(softmax=lambda scores: scores.softmax(dim=2)),
        "masked-scores-zero": [reader(fill=0.0), reader(fill=1e-9)],
        "merge-in-turn": reader(merge=lambda read: torch.stack(read.unbind(1), -1).flatten(2)),
        "output-map-missing": reader(output=lambda read, W_O: read),
        "map-untransposed": reader(output=lambda read, W_O: read @ W_O),
        "heads-after-queries": heads_behind_the_queries,
        "heads-slice-the-input": slice_of_the_input_for_each_head,
        "maps-averaged-on-return": torch_s_module,
    }
)
def test_a_slip_in_attention_is_named(wrong, mistake: str):
    assert named(MULTI_HEAD_ATTENTION, wrong) == mistake


def test_the_root_of_the_width_of_the_values_is_named_on_a_small_case():
    def answer(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
        root = math.sqrt(len(W_V) // num_heads)
        given = (query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask)
        return reader(scale=lambda query, q: root)(*given)

    report = report_on(MULTI_HEAD_ATTENTION, answer)
    assert report.misconception == "root-of-d-value"
    shown = next(case for case in MULTI_HEAD_ATTENTION.cases if case.name == report.case)
    assert sum(x.numel() for x in shown.inputs.values() if isinstance(x, Tensor)) <= AT_A_GLANCE


def test_the_report_says_which_tensor_differs():
    def answer(*inputs):
        output, weights = by_library(*inputs)
        return output, weights + 1

    assert "In weights: " in repr(report_on(MULTI_HEAD_ATTENTION, answer))
    report = report_on(MULTI_HEAD_ATTENTION, lambda *inputs: by_library(*inputs)[0])
    assert "It returned a tensor, expected 2 tensors: output, weights." in repr(report)
    report = report_on(MULTI_HEAD_ATTENTION, lambda *inputs: (by_library(*inputs)[0],))
    assert "It returned 1 value, expected 2 tensors: output, weights." in repr(report)
