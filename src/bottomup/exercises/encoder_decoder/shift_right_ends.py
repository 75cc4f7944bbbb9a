"""Mistakes at the end of a sentence: where EOS stands, and whether it is there."""

import torch

from bottomup.exercises.encoder_decoder.shift_right_parts import (
    answers,
    end_behind_the_padding,
    end_in_columns,
    end_in_the_last_column,
    end_over_last,
    first_padding,
    halves,
    reads,
    without_last,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Teacher forcing and the shift")
HAND = _("a sentence of three tokens and one of a single token")

ENDS = (
    Misconception(
        "eos-missing",
        answers(lambda rows: rows.before(rows.pad)),
        _(
            "EOS is missing from target_out. The model is never asked to stop, so generation goes "
            "on up to the length limit, often in repetitions. The token after the last one of the "
            "sentence is EOS."
        ),
        SECTION,
        (
            halves(without_last, lambda rows: rows.target),
            answers(lambda rows: rows.target),
        ),
        HAND,
    ),
    Misconception(
        "eos-behind-the-padding",
        answers(end_behind_the_padding),
        _(
            "EOS stands at the end of the row, so a shorter sentence has padding inside it, "
            "between its last token and EOS. The mask leaves out the padding, and what is left "
            "asks for EOS after a padding token, which never happens in generation. EOS comes "
            "right after the last real token."
        ),
        SECTION,
        (
            halves(without_last, end_in_the_last_column),
            answers(end_in_the_last_column),
            halves(
                lambda rows: torch.cat([rows.column(rows.bos), rows.before(rows.eos)], 1)[:, :-1],
                lambda rows: torch.cat([rows.before(rows.eos), rows.column(rows.pad)], 1)[:, :-1],
            ),
        ),
        HAND,
    ),
    Misconception(
        "last-token-overwritten",
        answers(lambda rows: torch.cat([end_over_last(rows), rows.column(rows.pad)], 1)),
        _(
            "EOS is written over the last token of the sentence. The model then learns to stop one "
            "word early. The sentence has as many tokens as before, and EOS is one more: it stands "
            "at place number `lengths`, counted from zero, not at `lengths - 1`."
        ),
        SECTION,
        (
            halves(without_last, end_over_last),
            answers(lambda rows: rows.closed(rows.before(rows.pad), rows.lengths - 1)),
        ),
        HAND,
    ),
    Misconception(
        "bos-rolled-round",
        answers(lambda rows: rows.read.roll(-1, 1)),
        _(
            "target_out is target_in, rolled by one place. `roll` moves in a circle: BOS leaves at "
            "the front and comes back in the last column, so the model is asked to write BOS after "
            "the end. Build target_out from target: a column of pad behind it, then eos right "
            "after the last token of each row."
        ),
        SECTION,
        (
            answers(lambda rows: rows.closed(rows.read.roll(-1, 1), rows.lengths)),
            answers(lambda rows: rows.closed(rows.read.roll(-1, 1), rows.lengths - 1)),
        ),
        HAND,
    ),
    Misconception(
        "eos-in-the-input",
        reads(lambda rows: rows.whole[:, :-1]),
        _(
            "The last column of BOS, sentence, EOS was dropped, but a shorter sentence has its EOS "
            "further left, and the decoder reads it. It is asked for nothing there, so the loss "
            "does not change; but target_in then has a real token more than target_out, and one "
            "mask no longer serves both. The statement asks for padding after the sentence."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "one-place-too-wide",
        halves(
            lambda rows: rows.whole,
            lambda rows: torch.cat([rows.answered, rows.column(rows.pad)], 1),
        ),
        _(
            "target_in is BOS, sentence, EOS with nothing cut off, and one place too wide. The "
            "decoder reads an EOS behind which nothing is asked for. Cutting the last column would "
            "mend the longest sentence alone: make target_in of BOS and target, n + 1 places."
        ),
        SECTION,
        (
            reads(lambda rows: rows.whole),
            halves(lambda rows: rows.whole, lambda rows: rows.whole[:, 1:]),
        ),
        HAND,
    ),
    Misconception(
        "eos-at-the-lengths-of-all",
        answers(lambda rows: end_in_columns(rows, rows.lengths)),
        _(
            "Every row gets EOS at the lengths of all rows: `[:, lengths]` chooses whole columns. "
            "A long sentence then has EOS over a word in the middle, a short one a second EOS in "
            "its padding. Pair row numbers with lengths: `[torch.arange(batch), lengths]`."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "full-row-without-padding",
        answers(lambda rows: rows.closed(rows.before(rows.pad), first_padding(rows.target, rows))),
        _(
            "The place of EOS is that of the first padding, and a full row has none: `argmax` over "
            "a row without a True gives 0, so EOS overwrites the first token of the longest "
            "sentence. Count the tokens that are not pad, or look in the row with its column of "
            "pad."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "eos-as-padding",
        answers(lambda rows: rows.answered.masked_fill(rows.answered == rows.pad, rows.eos)),
        _(
            "EOS fills the row, where padding should. Some language models pad with EOS and mask "
            "all but the first; it is another convention, and a mask of what is not pad in "
            "target_out then counts every filling as a token to learn. Write eos once."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "no-room-for-eos",
        halves(without_last, lambda rows: rows.answered[:, :-1]),
        _(
            "The result is as wide as target. The longest sentence then has no place for EOS, or "
            "its last token is not read, while shorter ones are right. A sentence of n tokens "
            "needs n + 1 places on either side."
        ),
        SECTION,
        (
            halves(without_last, lambda rows: rows.answered),
            answers(lambda rows: rows.answered[:, :-1]),
        ),
        HAND,
    ),
)
