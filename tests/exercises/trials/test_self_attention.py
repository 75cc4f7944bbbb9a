"""Attention and its causal mask in chapter 02: values by hand, slips that are named."""

import math

import pytest
import torch

from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

ATTENTION = catalog()["scaled-dot-product-attention"]
MASK = catalog()["causal-mask"]


# ---- Scaled dot-product attention


def test_attention_of_two_queries_over_three_keys():
    output, weights = expected_of(ATTENTION, 0)  # 1 : 3 : 1 and 1 : 1 : 2
    torch.testing.assert_close(weights, torch.tensor([[0.2, 0.6, 0.2], [0.25, 0.25, 0.5]]))
    torch.testing.assert_close(output, torch.tensor([[8.0, 16.0], [15.0, 15.0]]))


def test_attention_under_a_causal_mask():
    output, weights = expected_of(ATTENTION, 1)  # scores [0], [1, 0], [1, 1, 3], over root two
    second, third = math.exp(1 / math.sqrt(2)), math.exp(2 / math.sqrt(2))
    by_hand = [
        [1, 0, 0],
        [second / (second + 1), 1 / (second + 1), 0],
        [1 / (third + 2), 1 / (third + 2), third / (third + 2)],
    ]
    torch.testing.assert_close(weights, torch.tensor(by_hand))
    torch.testing.assert_close(output, torch.tensor(by_hand) @ torch.tensor([[1.0], [2], [4]]))


def without_the_root(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1]
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, -1).nan_to_num()
    return weights @ value, weights


def with_the_mask_as_it_is(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    weights = torch.softmax(scores, -1).nan_to_num()
    return weights @ value, weights


def with_a_finite_fill(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, -1)
    return weights @ value, weights


@wrong_answers(
    {
        "root-missing": without_the_root,
        "inverted-mask": with_the_mask_as_it_is,
        "uniform-empty-row": with_a_finite_fill,
    }
)
def test_a_slip_in_attention_is_named(wrong, mistake: str):
    assert named(ATTENTION, wrong) == mistake


def attention_with(scores_of, *, fill=-torch.inf, guarded=True, ordered=tuple):
    """Attention as a reader writes it, with one or two parts to choose."""

    def answer(query, key, value, mask=None):
        scores = scores_of(query, key)
        if mask is not None:
            scores = scores.masked_fill(~mask, fill)
        weights = torch.softmax(scores, -1)
        if mask is not None and guarded:
            weights = torch.where(mask.any(-1, keepdim=True), weights, 0)
        return ordered((weights @ value, weights))

    return answer


def scaled(query, key):
    return query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5


def lengths(x):
    return x.norm(dim=-1, keepdim=True)


MASKINGS = [
    {},
    {"guarded": False},
    {"guarded": False, "fill": -1e9},
]


@pytest.mark.parametrize("masking", MASKINGS, ids=["right", "nan", "uniform"])
@wrong_answers(
    {
        "no-scale": lambda q, k: q @ k.mT,
        "root-missing": lambda q, k: q @ k.mT / k.shape[-1],
        "norm-in-place-of-the-width": [
            lambda q, k: q @ k.mT / lengths(k).mT,
            lambda q, k: q @ k.mT / k.norm(),
            lambda q, k: q @ k.mT / lengths(q),
        ],
        "cosine": lambda q, k: (q / lengths(q)) @ (k / (lengths(k) + 1e-8)).mT,
        "axes-counted-from-the-front": [
            lambda q, k: q @ k.T / k.shape[-1] ** 0.5,
            lambda q, k: q @ k.transpose(0, 1) / k.shape[-1] ** 0.5,
        ],
        "key-not-transposed": lambda q, k: q @ k / k.shape[-1] ** 0.5,
    }
)
def test_wrong_scores_are_named_however_the_mask_is_used(wrong, mistake: str, masking):
    assert named(ATTENTION, attention_with(wrong, **masking)) == mistake


@pytest.mark.parametrize("masking", MASKINGS, ids=["right", "nan", "uniform"])
def test_swapped_outputs_are_named(masking):
    answer = attention_with(scaled, ordered=lambda pair: pair[::-1], **masking)
    assert named(ATTENTION, answer) == "outputs-swapped"


def with_torch_s_own(query, key, value, mask=None):
    def read(rows):
        result = torch.nn.functional.scaled_dot_product_attention(query, key, rows, attn_mask=mask)
        return result if mask is None else torch.where(mask.any(-1, keepdim=True), result, 0)

    identity = torch.eye(key.shape[-2], dtype=key.dtype).expand(*key.shape[:-1], key.shape[-2])
    return read(value), read(identity)


def test_rounding_in_float32_refuses_no_right_attention():
    def quarter_roots(query, key):
        return (query * query.shape[-1] ** -0.25) @ (key * key.shape[-1] ** -0.25).mT

    assert report_on(ATTENTION, with_torch_s_own).passed
    assert report_on(ATTENTION, attention_with(quarter_roots)).passed
    assert named(ATTENTION, attention_with(scaled, fill=-1e6)) == "finite-fill"


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda q, k, v, mask=None: v, "It returned a tensor, expected two tensors"),
        (lambda q, k, v, mask=None: (v, 3), "a value of type tuple, expected two tensors"),
        (lambda q, k, v, mask=None: (v, q), "In the output: The result has shape (3, 2)"),
        (lambda q, k, v, mask=None: q and None, "raised RuntimeError"),
    ],
    ids=["one tensor", "a number", "shapes", "an error"],
)
def test_another_kind_of_result_is_named(answer, sentence: str):
    report = report_on(ATTENTION, answer)
    assert report.misconception is None
    assert sentence in report.message


def test_a_lost_float64_is_shown_on_a_small_case():
    def in_float32(query, key, value, mask=None):
        output, weights = attention_with(scaled)(query, key, value, mask)
        return output.float(), weights.float()

    report = report_on(ATTENTION, in_float32)
    assert "dtype torch.float32, expected torch.float64. 13 of 14 cases agree" in report.message
    assert len(repr(report)) < 1500


# ---- The causal mask


def test_causal_mask_of_four_positions():
    assert expected_of(MASK, 0).int().tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
    ]


def additive(n: int) -> torch.Tensor:
    return torch.nn.Transformer.generate_square_subsequent_mask(n)


@wrong_answers(
    {
        "additive": additive,
        "inverted": lambda n: additive(n) != 0,
        "strict": lambda n: torch.tril(torch.ones(n, n), -1).bool(),
        "one-too-many": lambda n: torch.tril(torch.ones(n, n), 1).bool(),
    }
)
def test_a_slip_in_the_mask_is_named(wrong, mistake: str):
    assert named(MASK, wrong) == mistake


def test_a_mask_of_numbers_is_told_its_dtype():
    report = report_on(MASK, lambda n: torch.ones(n, n).tril())
    assert report.misconception is None
    assert "dtype torch.float32, expected torch.bool" in report.message
