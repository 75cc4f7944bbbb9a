"""Attention within blocks and along columns, of chapter 07: by hand, its cost, typical slips."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup import attention
from bottomup.attention import fixed_masks, strided_masks
from bottomup.exercises import Exercise, catalog
from bottomup.exercises.engine.runner import attempt
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

BLOCKED_LOCAL = catalog()["blocked-local"]
COLUMN_ATTENTION = catalog()["column-attention"]

BOTH = pytest.mark.parametrize(
    "exercise", [BLOCKED_LOCAL, COLUMN_ATTENTION], ids=lambda exercise: exercise.slug
)
COST = 8  # the case that counts


def allowed(exercise: Exercise, n: int, size: int) -> Tensor:
    return fixed_masks(n, size)[0] if exercise is BLOCKED_LOCAL else strided_masks(n, size)[1]


def of_dense(exercise: Exercise, q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, allowed(exercise, q.shape[1], size))


def test_means_of_the_values_so_far():
    blocks, columns = expected_of(BLOCKED_LOCAL, 0), expected_of(COLUMN_ATTENTION, 0)
    assert blocks.flatten().tolist() == [10.0, 15.0, 30.0, 35.0, 50.0, 55.0]
    assert columns.flatten().tolist() == pytest.approx([10.0, 20.0, 20.0, 30.0, 30.0, 40.0])


def test_scores_of_four_numbers_are_halved():
    # scores 4 k / 2: positions 1 and 2 of a block differ by 2, rows 1 and 2 of a column by 4
    near, far = (torch.sigmoid(torch.tensor(x)).item() for x in (2.0, 4.0))
    blocks, columns = expected_of(BLOCKED_LOCAL, 1), expected_of(COLUMN_ATTENTION, 1)
    assert blocks.flatten().tolist() == pytest.approx([0, 8 * near, 0, 8 * near])
    assert columns.flatten().tolist() == pytest.approx([0, 8, 8 * far, 8 - 8 * far], rel=1e-5)


@BOTH
@pytest.mark.parametrize("case", range(2, 8))
def test_the_values_are_those_of_dense_attention_under_a_mask(exercise: Exercise, case: int):
    whole = of_dense(exercise, *exercise.cases[case].inputs.values())
    torch.testing.assert_close(expected_of(exercise, case), whole)


# ---- The cost


@BOTH
def test_the_right_answers_compute_far_less_than_every_pair(exercise: Exercise):
    for answer in (exercise.solution, *exercise.alternatives):
        counted = attempt(exercise, answer, exercise.cases[COST]).value
        assert not counted["every pair"]
        assert counted["numbers computed"] < 512 * 512 / 4


def with_masked_scores(exercise: Exercise) -> Callable[..., Any]:
    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        scores = torch.einsum("hid,hjd->hij", q, k) / q.shape[-1] ** 0.5
        mask = allowed(exercise, q.shape[1], size)
        return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v

    return answer


def with_row_by_row(exercise: Exercise) -> Callable[..., Any]:
    """No table exists at any time, but every pair is scored."""

    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        i, rows = torch.arange(q.shape[1]), []
        for row in range(q.shape[1]):
            mask = i // size == row // size if exercise is BLOCKED_LOCAL else (row - i) % size == 0
            scores = (k @ q[:, row, :, None]).squeeze(-1) / q.shape[-1] ** 0.5
            weights = scores.masked_fill(~(mask & (i <= row)), -torch.inf).softmax(-1)
            rows.append((weights[..., None] * v).sum(1))
        return torch.stack(rows, 1)

    return answer


def with_additive_mask(exercise: Exercise) -> Callable[..., Any]:
    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        mask = torch.zeros(q.shape[1], q.shape[1], dtype=q.dtype)
        mask[~allowed(exercise, q.shape[1], size)] = -torch.inf
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    return answer


def with_prefixes(exercise: Exercise) -> Callable[..., Any]:
    """No table either, and no later position: the pairs j <= i, one prefix at a time."""

    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        rows = []
        for i in range(q.shape[1]):
            scores = torch.einsum("hd,hjd->hj", q[:, i], k[:, : i + 1]) / q.shape[-1] ** 0.5
            mask = allowed(exercise, i + 1, size)[i]
            rows.append(
                scores.masked_fill(~mask, -torch.inf).softmax(-1).unsqueeze(1) @ v[:, : i + 1]
            )
        return torch.cat(rows, 1)

    return answer


def with_one_triangle(exercise: Exercise) -> Callable[..., Any]:
    """Dense under the causal mask: wrong in its values, whatever it costs."""
    return lambda q, k, v, size: F.scaled_dot_product_attention(q, k, v, is_causal=True)


@BOTH
@pytest.mark.parametrize(
    "dense",
    [with_masked_scores, with_row_by_row, with_additive_mask, with_prefixes,
     lambda exercise: lambda *inputs: of_dense(exercise, *inputs)],
)  # fmt: skip
def test_a_dense_product_under_a_mask_is_named(exercise: Exercise, dense: Callable[..., Any]):
    report = report_on(exercise, dense(exercise))
    assert report.misconception == "dense-under-a-mask"
    assert "The output is right, but " in repr(report)
    assert "are enough (all results on the way count: scores, weights, outputs)" in repr(report)
    assert "every pair j <= i was scored, or masked" in report.message
    assert report.case == exercise.cases[COST].name


@BOTH
def test_every_other_case_of_a_dense_answer_agrees(exercise: Exercise):
    for index, case in enumerate(exercise.cases):
        trial = attempt(exercise, with_masked_scores(exercise), case)
        expected = attempt(exercise, exercise.solution, case).value
        assert (exercise.compare(trial.value, expected, case) is None) == (index != COST)


@BOTH
def test_a_wrong_value_is_named_before_its_cost(exercise: Exercise):
    slug = {"blocked-local": "blocks-not-cut", "column-attention": "columns-not-cut"}
    assert named(exercise, with_one_triangle(exercise)) == slug[exercise.slug]


# ---- Other right answers


def with_a_view(q, k, v, block):
    heads, n, d = q.shape
    shape = (heads, n // block, block, -1)
    scores = torch.matmul(q.view(shape), k.view(shape).transpose(2, 3)) * d**-0.5
    scores = scores + torch.full((block, block), -torch.inf, dtype=q.dtype).triu(1)
    return torch.matmul(F.softmax(scores, dim=3), v.view(shape)).view(heads, n, -1)


def with_vmap(q, k, v, block):
    def one(q, k, v):
        scores = q @ k.T / q.shape[-1] ** 0.5
        hidden = torch.ones(block, block, dtype=torch.bool).triu(1)
        return torch.softmax(torch.where(hidden, -torch.inf, scores), -1) @ v

    cut = [x.reshape(-1, block, x.shape[-1]) for x in (q, k, v)]
    return torch.vmap(one)(*cut).reshape(v.shape)


def with_large_negative_number(q, k, v, block):
    outputs = []
    for start in range(0, q.shape[1], block):
        own = slice(start, start + block)
        scores = torch.bmm(q[:, own], k[:, own].mT) / np.sqrt(q.shape[-1])
        scores = scores.masked_fill(torch.triu(torch.ones(block, block), 1) == 1, -1e9)
        outputs.append(torch.bmm(torch.softmax(scores, -1), v[:, own]))
    return torch.cat(outputs, 1)


def with_broadcasting(q, k, v, block):
    q, k, v = (torch.stack(x.chunk(x.shape[1] // block, 1), 1) for x in (q, k, v))
    scores = (q[..., :, None, :] * k[..., None, :, :]).sum(-1) / q.shape[-1] ** 0.5
    i = torch.arange(block)
    weights = scores.where(i[:, None] >= i, -torch.inf).softmax(-1)
    return (weights[..., None] * v[..., None, :, :]).sum(-2).flatten(1, 2)


def with_rows_joined_one_by_one(q, k, v, block):
    output = v[:, :0]
    for i in range(q.shape[1]):
        own = range(i - i % block, i + 1)
        scores = (q[:, [i]] @ k[:, own].mT) / q.shape[-1] ** 0.5
        output = torch.cat([output, scores.softmax(-1) @ v[:, own]], 1)
    return output


def with_the_library(q, k, v, block):
    return attention.block_attention(q[None], k[None], v[None], block=block)[0]


@pytest.mark.parametrize(
    "answer",
    [with_a_view, with_vmap, with_large_negative_number, with_broadcasting,
     with_rows_joined_one_by_one, with_the_library],
)  # fmt: skip
def test_other_ways_within_blocks_pass(answer: Callable[..., Any]):
    assert report_on(BLOCKED_LOCAL, answer).passed


def column_by_gather(q, k, v, stride):
    """An index that puts the columns one after the other, and its inverse."""
    n = q.shape[1]
    order = torch.arange(n).view(-1, stride).T.flatten()
    back = order.argsort()
    rows = n // stride
    return BLOCKED_LOCAL.solution(q[:, order], k[:, order], v[:, order], rows)[:, back]


def column_by_permute(q, k, v, stride):
    heads, n, _d = q.shape
    q, k, v = (x.view(heads, n // stride, stride, -1).permute(0, 2, 1, 3) for x in (q, k, v))
    output = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return output.permute(0, 2, 1, 3).reshape(heads, n, -1)


def column_by_stack(q, k, v, stride):
    columns = [
        F.scaled_dot_product_attention(*(x[:, c::stride] for x in (q, k, v)), is_causal=True)
        for c in range(stride)
    ]
    return torch.stack(columns, dim=2).flatten(1, 2)


def column_by_list(q, k, v, stride):
    rows: list[Tensor] = []
    for i in range(q.shape[1]):
        own = list(range(i, -1, -stride))
        weights = torch.softmax(q[:, i : i + 1] @ k[:, own].mT / q.shape[-1] ** 0.5, dim=-1)
        rows += [weights @ v[:, own]]
    return torch.cat(rows, dim=1)


def column_of_the_library(q, k, v, stride):
    return attention.column_attention(q[None], k[None], v[None], stride=stride)[0]


@pytest.mark.parametrize(
    "answer",
    [column_by_gather, column_by_permute, column_by_stack, column_by_list, column_of_the_library],
)
def test_other_ways_along_columns_pass(answer: Callable[..., Any]):
    assert report_on(COLUMN_ATTENTION, answer).passed


# ---- Slips


def in_blocks(weights: Callable[[Tensor, Tensor], Tensor], *, causal: bool = True):
    def answer(q, k, v, block):
        q, k, v = (x.reshape(len(x), -1, block, x.shape[-1]) for x in (q, k, v))
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        mask = torch.tril(torch.ones(block, block))
        return (weights(scores, mask) @ v).flatten(1, 2)

    return answer


def fill(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, -torch.inf)


BLOCK_SLIPS = {
    "later-positions-read": in_blocks(lambda s, mask: s.softmax(-1)),
    "zero-for-minus-infinity": [
        in_blocks(lambda s, mask: torch.tril(s).softmax(-1)),
        in_blocks(lambda s, mask: (s * mask).softmax(-1)),
    ],
    "mask-after-softmax": in_blocks(lambda s, mask: s.softmax(-1) * mask),
    "past-hidden": in_blocks(lambda s, mask: fill(s, mask.T).softmax(-1)),
    "own-position-hidden": in_blocks(lambda s, mask: fill(s, mask.tril(-1)).softmax(-1)),
    "softmax-over-another-axis": [
        in_blocks(lambda s, mask: fill(s, mask).softmax(2)),
        in_blocks(lambda s, mask: fill(s, mask).softmax(1)),
    ],
    "another-scale": [
        lambda q, k, v, block: BLOCKED_LOCAL.solution(q * q.shape[-1] ** 0.5, k, v, block),
        lambda q, k, v, block: BLOCKED_LOCAL.solution(q / q.shape[-1] ** 0.5, k, v, block),
    ],
    "block-is-the-number-of-blocks": lambda q, k, v, block: BLOCKED_LOCAL.solution(
        q, k, v, q.shape[1] // block
    ),
    "every-so-many-positions": COLUMN_ATTENTION.solution,
    "window-for-the-block": lambda q, k, v, block: attention.window_attention(
        q[None], k[None], v[None], width=block
    )[0],
    "query-and-key-exchanged": lambda q, k, v, block: BLOCKED_LOCAL.solution(k, q, v, block),
    "block-before-too": lambda q, k, v, block: own_block_and_the_one_before(q, k, v, block),
}


def own_block_and_the_one_before(q, k, v, block):
    rows = []
    for i in range(q.shape[1]):
        near = slice(max(0, i - i % block - block), i + 1)
        rows.append(F.scaled_dot_product_attention(q[:, i : i + 1], k[:, near], v[:, near]))
    return torch.cat(rows, 1)


@wrong_answers(BLOCK_SLIPS)
def test_a_slip_within_blocks_is_named(wrong, mistake: str):
    assert named(BLOCKED_LOCAL, wrong) == mistake


def in_columns(into, back, attend=None):
    def answer(q, k, v, stride):
        q, k, v = (into(x, stride) for x in (q, k, v))
        output = F.scaled_dot_product_attention(q, k, v, is_causal=attend is None)
        return back(output)

    return answer


def table(x: Tensor, stride: int) -> Tensor:
    return x.reshape(len(x), x.shape[1] // stride, stride, x.shape[-1])


def flat(x: Tensor) -> Tensor:
    return x.reshape(len(x), -1, x.shape[-1])


def column_without_position_zero(q, k, v, stride):
    rows = []
    for i in range(q.shape[1]):
        own = list(range(i, 0, -stride))
        weights = torch.softmax(q[:, i : i + 1] @ k[:, own].mT / q.shape[-1] ** 0.5, dim=-1)
        rows.append(weights @ v[:, own])
    return torch.cat(rows, dim=1)


COLUMN_SLIPS = {
    "first-position-missing": column_without_position_zero,
    "features-exchanged": [
        in_columns(lambda x, w: table(x, w).mT, lambda x: x.mT.flatten(1, 2)),
        in_columns(lambda x, w: table(x, w).mT, lambda x: x.flatten(1, 2)),
        in_columns(lambda x, w: table(x, w).transpose(1, 2), lambda x: x.mT.flatten(1, 2)),
    ],
    "runs-of-neighbours": in_columns(lambda x, w: x.reshape(len(x), w, -1, x.shape[-1]), flat),
    "rows-attended": [
        in_columns(table, flat),
        in_columns(table, lambda x: flat(x.transpose(1, 2))),
        BLOCKED_LOCAL.solution,
    ],
    "not-transposed-back": in_columns(lambda x, w: table(x, w).transpose(1, 2), flat),
    "columns-n-over-stride-apart": [
        in_columns(
            lambda x, w: x.reshape(len(x), w, -1, x.shape[-1]).transpose(1, 2),
            lambda x: flat(x.transpose(1, 2)),
        ),
        lambda q, k, v, w: COLUMN_ATTENTION.solution(q, k, v, q.shape[1] // w),
    ],
    "later-positions-read": in_columns(
        lambda x, w: table(x, w).transpose(1, 2),
        lambda x: flat(x.transpose(1, 2)),
        "not causal",
    ),
    "another-scale": lambda q, k, v, w: COLUMN_ATTENTION.solution(q * q.shape[-1] ** 0.5, k, v, w),
    "query-and-key-exchanged": lambda q, k, v, w: COLUMN_ATTENTION.solution(k, q, v, w),
}


@wrong_answers(COLUMN_SLIPS)
def test_a_slip_along_columns_is_named(wrong, mistake: str):
    assert named(COLUMN_ATTENTION, wrong) == mistake


def left_in_groups(exercise: Exercise) -> Callable[..., Any]:
    return lambda *inputs: exercise.solution(*inputs).unflatten(1, (-1, inputs[-1]))


OTHERS = [
    (left_in_groups, "The result has shape"),
    (lambda exercise: lambda *inputs: (exercise.solution(*inputs), None), "expected a tensor"),
    (lambda exercise: lambda q, k, v, size: exercise.solution(q, k, v, size) + v, "values differ"),
    (lambda exercise: lambda q, k, v, size: exercise.solution(q, k, v, size).numpy(),
     "It returned a NumPy array"),
]  # fmt: skip


@BOTH
@pytest.mark.parametrize("answer, sentence", OTHERS)
def test_another_output_gets_a_plain_report(
    exercise: Exercise, answer: Callable[..., Any], sentence: str
):
    assert is_plain(exercise, answer(exercise), sentence)


@BOTH
def test_a_score_written_into_the_input_is_seen(exercise: Exercise):
    def in_place(q, k, v, size):
        q /= q.shape[-1] ** 0.5
        return exercise.solution(q * q.shape[-1] ** 0.5, k, v, size)

    assert "changes its input q in place" in report_on(exercise, in_place).message
