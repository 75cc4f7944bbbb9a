"""Mistakes in the shift between what a decoder reads and what it is asked for."""

import torch
from torch import Tensor

from bottomup.exercises.encoder_decoder.shift_right_ends import ENDS, HAND, SECTION
from bottomup.exercises.encoder_decoder.shift_right_parts import (
    Pair,
    Rows,
    answers,
    end_behind_the_padding,
    halves,
    left_by_one,
    reads,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

__all__ = ["HAND", "MISCONCEPTIONS", "ZERO_IS_A_TOKEN"]

ZERO_IS_A_TOKEN = _("zero is a token of a sentence, and padding is 9")


def _zeros_counted(rows: Rows) -> Tensor:
    return rows.closed(rows.before(rows.pad), (rows.target != 0).sum(1))


def _all_zeros_counted(rows: Rows) -> Tensor:
    wide = rows.before(rows.pad)
    return rows.closed(wide, (wide != 0).sum(1))


def _padded_with_zero(rows: Rows) -> Tensor:
    return rows.closed(rows.before(0), (rows.target != 0).sum(1))


def _fixed_numbers(target: Tensor, bos: int, eos: int, pad: int) -> Pair:
    rows = Rows(target, 1, 2, 0)
    return rows.read, rows.answered


def _other_ends(target: Tensor, bos: int, eos: int, pad: int) -> Pair:
    rows = Rows(target, eos, bos, pad)
    return rows.read, rows.answered


SHIFTS = (
    Misconception(
        "unshifted",
        halves(lambda rows: rows.answered, lambda rows: rows.answered),
        _(
            "The decoder reads the very token that it is asked for. The loss falls to nearly zero "
            "within a few steps, because copying is enough. In generation that token does not "
            "exist yet: the model answers with the token it reads, so it writes BOS for ever, and "
            "no translation is right. target_in has to stand one place behind target_out."
        ),
        SECTION,
        (
            halves(lambda rows: rows.read, lambda rows: rows.read),
            halves(lambda rows: rows.target, lambda rows: rows.target),
            halves(lambda rows: rows.whole, lambda rows: rows.whole),
            halves(lambda rows: rows.before(rows.pad), lambda rows: rows.answered),
            halves(lambda rows: rows.before(rows.pad), lambda rows: rows.before(rows.pad)),
            halves(end_behind_the_padding, end_behind_the_padding),
        ),
        HAND,
    ),
    Misconception(
        "shifted-left",
        reads(left_by_one),
        _(
            "target_in is shifted to the left: at each place the decoder reads the token after the "
            "one that it is asked for, or the answer skips one. A causal mask does not help, for "
            "the future stands at the present place. The shift goes to the right: place i reads "
            "token i - 1."
        ),
        SECTION,
        (
            reads(lambda rows: rows.answered.roll(-1, 1)),
            answers(left_by_one),
            answers(lambda rows: rows.answered.roll(-1, 1)),
        ),
        HAND,
    ),
    Misconception(
        "dropped-from-the-wrong-side",
        halves(lambda rows: rows.answered, lambda rows: rows.read),
        _(
            "The two are exchanged. Of BOS, sentence, EOS the decoder reads all but the last token "
            "and answers all but the first; here the first is dropped from what it reads. It then "
            "learns to give back the token before, and can never answer EOS."
        ),
        SECTION,
        (
            halves(lambda rows: rows.whole[:, 1:], lambda rows: rows.whole[:, :-1]),
            halves(lambda rows: rows.before(rows.pad), lambda rows: rows.read),
            halves(end_behind_the_padding, lambda rows: rows.read),
        ),
        HAND,
    ),
)

STARTS = (
    Misconception(
        "bos-missing",
        reads(lambda rows: torch.cat([rows.target[:, :1], rows.target], 1)),
        _(
            "BOS is missing: the first place of target_in holds a token of the sentence, or is not "
            "there. The first token is then read before it is predicted, or never predicted at "
            "all, and at generation there is nothing to start from. BOS comes first in every row."
        ),
        SECTION,
        (
            halves(lambda rows: rows.target, lambda rows: rows.answered[:, 1:]),
            halves(lambda rows: rows.target, lambda rows: rows.answered),
            reads(lambda rows: rows.answered.roll(1, 1)),
            halves(lambda rows: rows.target, lambda rows: rows.target.roll(-1, 1)),
        ),
        HAND,
    ),
    Misconception(
        "padding-as-bos",
        reads(lambda rows: rows.after(rows.pad)),
        _(
            "target_in starts with the padding number. T5 does so, and it trains as well; but it "
            "is another convention, and a mask of what is not pad in target_in then hides the "
            "first place. The statement asks for bos."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "eos-as-bos",
        reads(lambda rows: rows.after(rows.eos)),
        _(
            "target_in starts with EOS. Some translation models do so and call it the start "
            "symbol; it is another convention, and a model trained with BOS has never seen it at "
            "the first place. The statement asks for bos."
        ),
        SECTION,
        case=HAND,
    ),
)

NUMBERS = (
    Misconception(
        "special-numbers-fixed",
        answers(_zeros_counted),
        _(
            "A special number is written into the function: the lengths count what is not zero, or "
            "BOS is 1. Another tokenizer gives padding another number, and zero to a real token; "
            "EOS then lands in the wrong place. Use bos, eos and pad as they are given."
        ),
        SECTION,
        (answers(_all_zeros_counted), answers(_padded_with_zero), _fixed_numbers),
        ZERO_IS_A_TOKEN,
    ),
    Misconception(
        "bos-and-eos-exchanged",
        _other_ends,
        _(
            "BOS and EOS have changed places: rows start with EOS and end with BOS. A model "
            "trained like this would not mind, but generation starts from bos and waits for eos, "
            "and never gets it. bos opens target_in, eos closes target_out."
        ),
        SECTION,
        case=HAND,
    ),
)

PADDING = (
    Misconception(
        "padding-on-the-left",
        halves(
            lambda rows: rows.to_the_right(rows.read, rows.lengths + 1),
            lambda rows: rows.to_the_right(rows.answered, rows.lengths + 1),
        ),
        _(
            "The padding stands on the left. Then BOS of a short sentence lies at a late position, "
            "and the position encoding of every token depends on the longest sentence of its "
            "batch. Rows here start at position 0, with the padding behind."
        ),
        SECTION,
        (
            reads(lambda rows: rows.to_the_right(rows.read, rows.lengths + 1)),
            answers(lambda rows: rows.to_the_right(rows.answered, rows.lengths + 1)),
        ),
        HAND,
    ),
)

MISCONCEPTIONS = (*SHIFTS, *STARTS, *ENDS, *NUMBERS, *PADDING)
