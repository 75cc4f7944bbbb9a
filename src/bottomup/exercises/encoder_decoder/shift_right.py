"""Exercise: what the decoder reads and what it is asked for, one place apart."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def shift_right(
    target: torch.Tensor, bos: int, eos: int, pad: int
) -> tuple[torch.Tensor, torch.Tensor]:
    batch = len(target)
    target_in = torch.cat([target.new_full((batch, 1), bos), target], dim=1)
    target_out = torch.cat([target, target.new_full((batch, 1), pad)], dim=1)
    lengths = (target != pad).sum(dim=1)
    target_out[torch.arange(batch), lengths] = eos
    return target_in, target_out


def with_lists(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    width, read, answered = target.shape[1], [], []
    for row in target.tolist():
        sentence = [number for number in row if number != pad]
        filling = [pad] * (width - len(sentence))
        read.append([bos, *sentence, *filling])
        answered.append([*sentence, eos, *filling])
    shape = (len(read), width + 1)
    made = (torch.tensor(rows, dtype=target.dtype).reshape(shape) for rows in (read, answered))
    return next(made), next(made)


def with_where(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    read = torch.nn.functional.pad(target, (1, 0), value=bos)
    answered = torch.nn.functional.pad(target, (0, 1), value=pad)
    ends = (read != pad) & (answered == pad)  # real before, padding from here on
    return read, torch.where(ends, eos, answered).to(target.dtype)


def with_scatter(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    wide = target.new_full((target.shape[0], target.shape[1] + 1), pad)
    read, answered = wide.clone(), wide.clone()
    read[:, 0], read[:, 1:], answered[:, :-1] = bos, target, target
    return read, answered.scatter(1, target.ne(pad).sum(1, keepdim=True), eos)


def with_sentences(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    start, end = target.new_tensor([bos]), target.new_tensor([eos])
    sentences = [row[row != pad] for row in target]
    full = target.new_zeros(target.shape[1] + 1)  # one row as wide as the result
    read = [torch.cat([start, sentence]) for sentence in sentences]
    answered = [torch.cat([sentence, end]) for sentence in sentences]
    return (
        pad_sequence([*read, full], batch_first=True, padding_value=pad)[:-1],
        pad_sequence([*answered, full], batch_first=True, padding_value=pad)[:-1],
    )


# ---- Rows of token numbers, and the shift with one half in another way

Pair = tuple[Tensor, Tensor]
Answer = Callable[[Tensor, int, int, int], Pair]


@dataclass(frozen=True)
class Rows:
    """Padded sentences with the special numbers; builds rows from parts.

    Args:
        target: sentences, padded at the right, [batch, position].
        bos: begin of sentence.
        eos: end of sentence.
        pad: padding.
    """

    target: Tensor
    bos: int
    eos: int
    pad: int

    @property
    def lengths(self) -> Tensor:
        """Tokens of each sentence, [batch]."""
        return (self.target != self.pad).sum(1)

    @property
    def read(self) -> Tensor:
        """The right target_in: BOS, the sentence, padding."""
        return self.after(self.bos)

    @property
    def answered(self) -> Tensor:
        """The right target_out: the sentence, EOS, padding."""
        return self.closed(self.before(self.pad), self.lengths)

    @property
    def whole(self) -> Tensor:
        """BOS, the sentence, EOS, padding: one place more than either half."""
        return self.closed(torch.cat([self.read, self.column(self.pad)], 1), self.lengths + 1)

    def column(self, number: int) -> Tensor:
        """One number for each row, [batch, 1]."""
        return self.target.new_full((len(self.target), 1), number)

    def after(self, number: int) -> Tensor:
        """A number in front of every row."""
        return torch.cat([self.column(number), self.target], 1)

    def before(self, number: int) -> Tensor:
        """A number behind every row, padding included."""
        return torch.cat([self.target, self.column(number)], 1)

    def closed(self, rows: Tensor, places: Tensor) -> Tensor:
        """The rows with EOS at one place each."""
        rows = rows.clone()
        rows[torch.arange(len(rows)), places] = self.eos
        return rows

    def to_the_right(self, rows: Tensor, lengths: Tensor) -> Tensor:
        """The rows with their padding in front."""
        moved = [row.roll(rows.shape[1] - n) for row, n in zip(rows, lengths.tolist(), strict=True)]
        return torch.stack(moved)


def left_by_one(rows: Rows) -> Tensor:
    """The token after the one that is asked for."""
    return torch.cat([rows.answered[:, 1:], rows.column(rows.pad)], 1)


def without_last(rows: Rows) -> Tensor:
    return rows.read[:, :-1]


def end_over_last(rows: Rows) -> Tensor:
    return rows.closed(rows.target, rows.lengths - 1)


def end_in_the_last_column(rows: Rows) -> Tensor:
    return torch.cat([rows.target[:, :-1], rows.column(rows.eos)], 1)


def end_behind_the_padding(rows: Rows) -> Tensor:
    return rows.before(rows.eos)


def end_in_columns(rows: Rows, places: Tensor) -> Tensor:
    """EOS in whole columns."""
    wide = rows.before(rows.pad)
    wide[:, places] = rows.eos
    return wide


def first_padding(numbers: Tensor, rows: Rows) -> Tensor:
    """Where the first padding of each row stands; 0 where there is none."""
    return (numbers == rows.pad).int().argmax(1)


def halves(read: Callable[[Rows], Tensor], answered: Callable[[Rows], Tensor]) -> Answer:
    """An answer from what it gives the decoder to read and what it asks for."""

    def wrong(target: Tensor, bos: int, eos: int, pad: int) -> Pair:
        rows = Rows(target, bos, eos, pad)
        return read(rows), answered(rows)

    return wrong


def reads(read: Callable[[Rows], Tensor]) -> Answer:
    """Wrong in target_in alone."""
    return halves(read, lambda rows: rows.answered)


def answers(answered: Callable[[Rows], Tensor]) -> Answer:
    """Wrong in target_out alone."""
    return halves(lambda rows: rows.read, answered)


# ---- Mistakes: where EOS stands, and whether it is there

HAND = _("a sentence of three tokens and one of a single token")

ENDS = (
    Mistake(
        "eos-missing",
        answers(lambda rows: rows.before(rows.pad)),
        (
            halves(without_last, lambda rows: rows.target),
            answers(lambda rows: rows.target),
        ),
        case=HAND,
    ),
    Mistake(
        "eos-behind-the-padding",
        answers(end_behind_the_padding),
        (
            halves(without_last, end_in_the_last_column),
            answers(end_in_the_last_column),
            halves(
                lambda rows: torch.cat([rows.column(rows.bos), rows.before(rows.eos)], 1)[:, :-1],
                lambda rows: torch.cat([rows.before(rows.eos), rows.column(rows.pad)], 1)[:, :-1],
            ),
        ),
        case=HAND,
    ),
    Mistake(
        "last-token-overwritten",
        answers(lambda rows: torch.cat([end_over_last(rows), rows.column(rows.pad)], 1)),
        (
            halves(without_last, end_over_last),
            answers(lambda rows: rows.closed(rows.before(rows.pad), rows.lengths - 1)),
        ),
        case=HAND,
    ),
    Mistake(
        "bos-rolled-round",
        answers(lambda rows: rows.read.roll(-1, 1)),
        (
            answers(lambda rows: rows.closed(rows.read.roll(-1, 1), rows.lengths)),
            answers(lambda rows: rows.closed(rows.read.roll(-1, 1), rows.lengths - 1)),
        ),
        case=HAND,
    ),
    Mistake("eos-in-the-input", reads(lambda rows: rows.whole[:, :-1]), case=HAND),
    Mistake(
        "one-place-too-wide",
        halves(
            lambda rows: rows.whole,
            lambda rows: torch.cat([rows.answered, rows.column(rows.pad)], 1),
        ),
        (
            reads(lambda rows: rows.whole),
            halves(lambda rows: rows.whole, lambda rows: rows.whole[:, 1:]),
            answers(lambda rows: rows.whole),
        ),
        case=HAND,
    ),
    Mistake(
        "eos-at-the-lengths-of-all",
        answers(lambda rows: end_in_columns(rows, rows.lengths)),
        case=HAND,
    ),
    Mistake(
        "full-row-without-padding",
        answers(lambda rows: rows.closed(rows.before(rows.pad), first_padding(rows.target, rows))),
        case=HAND,
    ),
    Mistake(
        "eos-as-padding",
        answers(lambda rows: rows.answered.masked_fill(rows.answered == rows.pad, rows.eos)),
        case=HAND,
    ),
    Mistake(
        "no-room-for-eos",
        halves(without_last, lambda rows: rows.answered[:, :-1]),
        (
            halves(without_last, lambda rows: rows.answered),
            answers(lambda rows: rows.answered[:, :-1]),
        ),
        case=HAND,
    ),
)


# ---- Mistakes

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
    Mistake(
        "unshifted",
        halves(lambda rows: rows.answered, lambda rows: rows.answered),
        (
            halves(lambda rows: rows.read, lambda rows: rows.read),
            halves(lambda rows: rows.target, lambda rows: rows.target),
            halves(lambda rows: rows.whole, lambda rows: rows.whole),
            halves(lambda rows: rows.before(rows.pad), lambda rows: rows.answered),
            halves(lambda rows: rows.before(rows.pad), lambda rows: rows.before(rows.pad)),
            halves(end_behind_the_padding, end_behind_the_padding),
        ),
        case=HAND,
    ),
    Mistake(
        "shifted-left",
        reads(left_by_one),
        (
            reads(lambda rows: rows.answered.roll(-1, 1)),
            answers(left_by_one),
            answers(lambda rows: rows.answered.roll(-1, 1)),
        ),
        case=HAND,
    ),
    Mistake(
        "dropped-from-the-wrong-side",
        halves(lambda rows: rows.answered, lambda rows: rows.read),
        (
            halves(lambda rows: rows.whole[:, 1:], lambda rows: rows.whole[:, :-1]),
            halves(lambda rows: rows.before(rows.pad), lambda rows: rows.read),
            halves(end_behind_the_padding, lambda rows: rows.read),
        ),
        case=HAND,
    ),
)

STARTS = (
    Mistake(
        "bos-missing",
        reads(lambda rows: torch.cat([rows.target[:, :1], rows.target], 1)),
        (
            halves(lambda rows: rows.target, lambda rows: rows.answered[:, 1:]),
            halves(lambda rows: rows.target, lambda rows: rows.answered),
            reads(lambda rows: rows.answered.roll(1, 1)),
            halves(lambda rows: rows.target, lambda rows: rows.target.roll(-1, 1)),
        ),
        case=HAND,
    ),
    Mistake("padding-as-bos", reads(lambda rows: rows.after(rows.pad)), case=HAND),
    Mistake("eos-as-bos", reads(lambda rows: rows.after(rows.eos)), case=HAND),
)

NUMBERS = (
    Mistake(
        "special-numbers-fixed",
        answers(_zeros_counted),
        (answers(_all_zeros_counted), answers(_padded_with_zero), _fixed_numbers),
        case=ZERO_IS_A_TOKEN,
    ),
    Mistake("bos-and-eos-exchanged", _other_ends, case=HAND),
)

PADDING = (
    Mistake(
        "padding-on-the-left",
        halves(
            lambda rows: rows.to_the_right(rows.read, rows.lengths + 1),
            lambda rows: rows.to_the_right(rows.answered, rows.lengths + 1),
        ),
        (
            reads(lambda rows: rows.to_the_right(rows.read, rows.lengths + 1)),
            answers(lambda rows: rows.to_the_right(rows.answered, rows.lengths + 1)),
        ),
        case=HAND,
    ),
)

MISTAKES = (*SHIFTS, *STARTS, *ENDS, *NUMBERS, *PADDING)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _given(rows: list[list[int]], dtype: torch.dtype = torch.int64, *, pad: int = 0) -> Make:
    return lambda generator: {
        "target": torch.tensor(rows, dtype=dtype), "bos": 1, "eos": 2, "pad": pad,
    }  # fmt: skip


def _random(lengths: list[int], width: int, *, bos: int = 1, eos: int = 2, pad: int = 0) -> Make:
    """Sentences over 17 tokens, without the three special numbers."""

    def make(generator: torch.Generator) -> Inputs:
        words = torch.tensor([number for number in range(17) if number not in (bos, eos, pad)])
        drawn = words[torch.randint(len(words), (len(lengths), width), generator=generator)]
        real = torch.arange(width) < torch.tensor(lengths)[:, None]
        return {"target": drawn.masked_fill(~real, pad), "bos": bos, "eos": eos, "pad": pad}

    return make


CASES = (
    Case(HAND, _given([[5, 6, 7], [8, 0, 0]])),
    Case(_("one sentence without padding"), _given([[9, 4, 9]])),
    Case(_("a padded batch"), _random([7, 2, 5, 3, 1], 7), seed=1),
    Case(ZERO_IS_A_TOKEN, _given([[4, 0, 3, 9, 9], [0, 5, 9, 9, 9]], pad=9)),
    Case(_("other special numbers"), _random([3, 5, 2], 5, bos=13, eos=3, pad=11), seed=6),
    Case(_("one token in each sentence"), _given([[4], [3]])),
    Case(_("the same token again and again"), _given([[3, 3, 3, 3, 3], [3, 3, 0, 0, 0]])),
    Case(_("padding beyond the longest sentence"), _random([2, 3, 1], 7), seed=3),
    Case(_("an empty sentence"), _random([3, 0, 2], 3), seed=4),
    Case(_("32-bit numbers"), _given([[7, 11, 0, 0, 0], [3, 5, 7, 13, 0]], torch.int32)),
)

ANSWERS = Answers(
    solution=shift_right,
    alternatives=(with_lists, with_where, with_scatter, with_sentences),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("target_in", "target_out"),
)
