"""Corrupted sentences, of chapter 08: rounding, the library, what a report says."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bottomup.data import corrupt
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain

MLM_CORRUPTION = catalog()["mlm-corruption"]
corrupt_tokens = MLM_CORRUPTION.solution


def test_special_tokens_stay_and_are_not_asked_for():
    tokens = MLM_CORRUPTION.cases[2].inputs["tokens"]
    corrupted, chosen = expected_of(MLM_CORRUPTION, 2)
    assert (tokens < 4).any() and chosen.equal(tokens >= 4)
    assert corrupted[tokens < 4].equal(tokens[tokens < 4])


@pytest.mark.parametrize("case", [0, *range(2, len(MLM_CORRUPTION.cases))])
def test_rounding_decides_no_case(case: int):
    inputs = MLM_CORRUPTION.cases[case].inputs.values()
    _tokens, choose, kind, draw, _mask, first, vocabulary = inputs
    assert ((choose - 0.15).abs() > 1e-5).all()
    assert torch.stack([kind - 0.8, kind - 0.9]).abs().min() > 1e-6
    drawn = draw.double() * (vocabulary - first)
    assert (drawn - drawn.round()).abs().min() > 1e-5


def test_the_library_chooses_and_masks_the_same():
    shape, mask_id, vocabulary = (31, 37), 29, 29
    tokens = torch.randint(vocabulary, shape, generator=seeded(1))
    generator = seeded(2)
    choose, kind = (torch.rand(shape, generator=generator) for _number in range(2))
    theirs = corrupt(tokens, mask_id=mask_id, vocabulary=vocabulary, generator=seeded(2))
    ours, chosen = corrupt_tokens(tokens, choose, kind, choose / 0.15, mask_id, 4, vocabulary)
    assert chosen.equal(theirs.chosen)
    assert (ours == mask_id).equal(theirs.tokens == mask_id)
    assert 80 < chosen.sum() < 200


# ---- What a report says

found = {mistake.slug: mistake for mistake in MLM_CORRUPTION.mistakes}
in_place = found["targets-overwritten"].answers[0]


def test_lost_targets_are_named_and_shown():
    report = examine(MLM_CORRUPTION, in_place)
    assert report.mistake == "targets-overwritten"
    assert "tokens has become the corrupted sentence" in repr(report)


def test_lost_targets_do_not_hide_another_mistake():
    def answer(tokens, choose, *rest):
        corrupted, _chosen = in_place(tokens, choose, *rest)
        return corrupted, choose < 0.15

    report = examine(MLM_CORRUPTION, answer)
    assert report.mistake is None
    assert "In chosen: " in report.message and "changes its input tokens" in report.message


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: corrupt_tokens(*inputs)[0], "expected 2 tensors: corrupted, chosen"),
        (lambda *inputs: corrupt_tokens(*inputs)[::-1], "In corrupted: "),
        (lambda *inputs: (corrupt_tokens(*inputs)[0], inputs[1] < 0.15), "In chosen: "),
        (lambda *inputs: (corrupt_tokens(*inputs)[0].double(), inputs[1]), "has dtype"),
        (lambda tokens, *rest: (tokens, corrupt_tokens(tokens, *rest)[1]), "In corrupted: "),
    ],
)
def test_another_corruption_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(MLM_CORRUPTION, answer, sentence)
