"""Bits per character: values by hand, the library's function, and slips with units and counts."""

import math

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.metrics import bits_per_character
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

EXERCISE = catalog()["bits-per-character"]


@pytest.mark.parametrize(
    "case, bits",
    [
        (0, 1.0),  # 5 tokens of 2 bits, 10 characters
        (1, 1.0),  # 10 tokens of 1 bit: neither model is better
        (2, 0.0),
        (3, 5.0),  # 32 = 2^5
        (4, 5 * 4 / 12),
    ],
)
def test_bits_by_hand(case: int, bits: float):
    assert expected_of(EXERCISE, case) == pytest.approx(bits)


@pytest.mark.parametrize("case", EXERCISE.cases, ids=lambda case: case.name)
def test_the_library_gives_the_same(case):
    perplexity, tokens, text = case.inputs.values()
    nats = tokens * math.log(perplexity)
    expected = bits_per_character(nats, characters=len(text))
    assert EXERCISE.solution(perplexity, tokens, text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "answer",
    [
        lambda perplexity, tokens, text: math.log2(perplexity) * tokens / len(text),
        lambda perplexity, tokens, text: math.log(perplexity, 2) / (len(text) / tokens),
        lambda perplexity, tokens, text: math.log(perplexity ** (tokens / len(text))) / math.log(2),
        lambda perplexity, tokens, text: -sum([-math.log2(perplexity)] * tokens) / len(list(text)),
        lambda perplexity, tokens, text: tokens * torch.tensor(perplexity).log2() / len(text),
    ],
)
def test_right_answers_of_other_kinds_pass(answer):
    assert report_on(EXERCISE, answer).passed


@wrong_answers(
    {
        "nats": lambda p, n, text: n * math.log(p) / len(text),
        "multiplied-by-log-2": [
            lambda p, n, text: n * math.log(p) / len(text) * math.log(2),
            lambda p, n, text: n * math.log(p) * (math.log(2) / len(text)),
        ],
        "converted-twice": lambda p, n, text: n * math.log2(p) / len(text) / math.log(2),
        "per-token": [lambda p, n, text: math.log2(p), lambda p, n, text: math.log(p)],
        "tokens-missing": lambda p, n, text: math.log(p) / len(text),
        "whole-text": lambda p, n, text: n * math.log(p) / math.log(2),
        "logarithm-missing": lambda p, n, text: p * n / len(text) / math.log(2),
        "tokens-and-characters-exchanged": lambda p, n, text: math.log2(p) * len(text) / n,
        "perplexity-per-character": lambda p, n, text: 2 ** (math.log2(p) * n / len(text)),
        "spaces-left-out": lambda p, n, text: n * math.log2(p) / sum(map(len, text.split())),
        "words-counted": lambda p, n, text: n * math.log2(p) / len(text.split()),
        "alphabet-counted": lambda p, n, text: n * math.log2(p) / len({*text}),
        "bytes-counted": lambda p, n, text: n * math.log2(p) / len(text.encode("utf-8")),
        "base-ten": lambda p, n, text: n * math.log10(p) / len(text),
    }
)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_another_sign_has_no_name():
    answer = EXERCISE.solution
    assert is_plain(EXERCISE, lambda *inputs: -answer(*inputs), "The number differs by 2.")


def test_a_power_that_overflows_is_shown_with_its_line():
    report = report_on(EXERCISE, lambda p, n, text: math.log2(p**n) / len(text))
    assert "OverflowError" in report.message
    assert report.misconception is None
