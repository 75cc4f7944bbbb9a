"""Corrupted sentences, of chapter 08: by hand, against the library, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from bottomup.data import corrupt
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

MLM_CORRUPTION = catalog()["mlm-corruption"]
corrupt_tokens = MLM_CORRUPTION.solution


def test_one_word_is_masked_one_exchanged_one_kept():
    corrupted, chosen = expected_of(MLM_CORRUPTION, 0)
    assert corrupted.tolist() == [[1, 10, 9, 7, 8, 6, 2]]  # 4 + floor(0.6 * 6) = 7
    assert chosen.tolist() == [[False, True, False, True, True, False, False]]


def test_a_border_belongs_to_what_lies_above_it():
    corrupted, chosen = expected_of(MLM_CORRUPTION, 1)
    assert corrupted.tolist() == [
        [5, 7, 4, 8, 4, 7]
    ]  # 4 + floor(0.75 * 4), kept, masked, 4 + 0, 4 + 3
    assert chosen.tolist() == [[False, True, True, True, True, True]]


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


# ---- Other right answers


def with_a_view_and_torch_where(tokens, choose, kind, draw, mask_id, first, vocabulary):
    special = tokens < first
    chosen = torch.where(special, False, choose < 0.15)
    n = vocabulary - first
    fate = torch.where(
        kind < 0.8, mask_id, torch.where(kind < 0.9, first + (draw * n).int(), tokens)
    )
    return torch.where(chosen, fate, tokens), chosen


def with_arithmetic(tokens, choose, kind, draw, mask_id, first, vocabulary):
    chosen = (choose < 0.15) * (tokens >= first)
    hidden = chosen * (kind < 0.8)
    exchanged = chosen * (kind < 0.9) * ~hidden
    drawn = torch.floor(first + draw * (vocabulary - first)).to(tokens.dtype)
    return tokens * ~(hidden | exchanged) + hidden * mask_id + exchanged * drawn, chosen


@pytest.mark.parametrize("answer", [with_a_view_and_torch_where, with_arithmetic])
def test_another_writing_passes(answer: Callable[..., Any]):
    assert report_on(MLM_CORRUPTION, answer).passed


# ---- Slips


def step_by_step(
    *, chosen=lambda tokens, choose, first: (tokens >= first) & (choose < 0.15),
    hidden=lambda kind: kind < 0.8, exchanged=lambda kind: (kind >= 0.8) & (kind < 0.9),
    token=lambda draw, first, vocabulary: first + (draw * (vocabulary - first)).long(),
    where=lambda tokens, chosen: chosen, asked=lambda tokens, corrupted, chosen, kind: chosen,
    mask_last=True,
):  # fmt: skip
    """An answer as a reader may write it, with one thing to change."""

    def answer(tokens, choose, kind, draw, mask_id, first, vocabulary):
        picked = chosen(tokens, choose, first)
        corrupted, reach = tokens.clone(), where(tokens, picked)
        drawn = token(draw, first, vocabulary)
        steps = [(exchanged(kind), drawn), (hidden(kind), torch.full_like(tokens, mask_id))]
        for this, written in steps if mask_last else reversed(steps):
            corrupted[this & reach] = written[this & reach]
        return corrupted, asked(tokens, corrupted, picked, kind)

    return answer


def in_place(tokens, choose, kind, draw, mask_id, first, vocabulary):
    corrupted = tokens  # no copy
    chosen = (tokens >= first) & (choose < 0.15)
    corrupted[chosen & (kind < 0.8)] = mask_id
    exchanged = chosen & (kind >= 0.8) & (kind < 0.9)
    corrupted[exchanged] = (first + draw * (vocabulary - first)).long()[exchanged]
    return corrupted, chosen


def kind_after_choice(tokens, choose, kind, draw, *rest):
    return corrupt_tokens(tokens, choose, choose, draw, *rest)


SLIPS = {
    "special-tokens-chosen": [
        step_by_step(chosen=lambda tokens, choose, first: choose < 0.15),
        step_by_step(chosen=lambda tokens, choose, first: (choose < 0.15) & (tokens != 0)),
    ],
    "share-inverted": step_by_step(
        chosen=lambda tokens, choose, first: (tokens >= first) & (choose > 0.15)
    ),
    "shares-of-all-tokens": step_by_step(where=lambda tokens, chosen: torch.ones_like(chosen)),
    "kept-tokens-without-loss": [
        step_by_step(asked=lambda tokens, read, chosen, kind: read != tokens),
        step_by_step(asked=lambda tokens, read, chosen, kind: chosen & (kind < 0.9)),
    ],
    "loss-on-masks-only": step_by_step(
        asked=lambda tokens, read, chosen, kind: chosen & (kind < 0.8)
    ),
    "loss-on-every-token": step_by_step(
        asked=lambda tokens, read, chosen, kind: torch.ones_like(chosen)
    ),
    "ninety-percent-masked": step_by_step(hidden=lambda kind: kind < 0.9),
    "every-chosen-token-masked": [step_by_step(hidden=lambda kind: kind < 1), kind_after_choice],
    "shares-not-added-up": [
        step_by_step(exchanged=lambda kind: kind < 0.1),
        step_by_step(exchanged=lambda kind: kind < 0.1, mask_last=False),
    ],
    "mask-overwritten": step_by_step(exchanged=lambda kind: kind < 0.9, mask_last=False),
    "kept-and-exchanged-the-other-way": [
        step_by_step(exchanged=lambda kind: kind >= 0.9),
        step_by_step(exchanged=lambda kind: kind > 0.9),
    ],
    "no-chosen-token-kept": [
        step_by_step(exchanged=lambda kind: kind > 0.8),
        step_by_step(exchanged=lambda kind: kind >= 0.8),
    ],
    "special-tokens-drawn": step_by_step(
        token=lambda draw, first, vocabulary: (draw * vocabulary).long()
    ),
    "drawn-from-another-range": [
        step_by_step(token=lambda draw, first, V: (first + draw * (V - first)).round().long()),
        step_by_step(token=lambda draw, first, vocabulary: (first + draw * vocabulary).long()),
        step_by_step(
            token=lambda draw, first, vocabulary: (first + draw * (vocabulary - 1)).long()
        ),
    ],
}


def test_the_reader_s_steps_pass_unchanged():
    assert report_on(MLM_CORRUPTION, step_by_step()).passed
    assert report_on(MLM_CORRUPTION, step_by_step(mask_last=False)).passed


@wrong_answers(SLIPS)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(MLM_CORRUPTION, wrong) == mistake


def test_lost_targets_are_named_and_shown():
    report = report_on(MLM_CORRUPTION, in_place)
    assert report.misconception == "targets-overwritten"
    assert "tokens has become the corrupted sentence" in repr(report)


def test_lost_targets_do_not_hide_another_mistake():
    def answer(tokens, choose, *rest):
        corrupted, _chosen = in_place(tokens, choose, *rest)
        return corrupted, choose < 0.15

    report = report_on(MLM_CORRUPTION, answer)
    assert report.misconception is None
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
