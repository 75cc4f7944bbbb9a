"""Attention in chapter 02: how another kind of result is reported."""

import pytest

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine

ATTENTION = catalog()["scaled-dot-product-attention"]


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
    report = examine(ATTENTION, answer)
    assert report.mistake is None
    assert sentence in report.message


def test_a_lost_float64_is_shown_on_a_small_case():
    def in_float32(*inputs):
        output, weights = ATTENTION.solution(*inputs)
        return output.float(), weights.float()

    report, count = examine(ATTENTION, in_float32), len(ATTENTION.cases)
    agree = f"{count - 1} of {count} cases agree"
    assert f"dtype torch.float32, expected torch.float64. {agree}" in report.message
    assert len(repr(report)) < 1500
