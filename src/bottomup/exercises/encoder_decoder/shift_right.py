"""Exercise: what the decoder reads and what it is asked for, one place apart."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bottomup.exercises.encoder_decoder.shift_right_mistakes import (
    HAND,
    MISCONCEPTIONS,
    ZERO_IS_A_TOKEN,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def shift_right(target, bos, eos, pad):
    """What the decoder reads, and what it should answer at each place.

    target [batch, position], integers: each row holds a sentence, then
    the number pad up to the width. bos, eos and pad are three numbers
    that occur in no sentence. Returns (target_in, target_out), both
    [batch, position + 1]: target_in holds bos and the sentence,
    target_out the sentence and eos; both are filled with pad.
    """
    ...
'''


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

SHIFT_RIGHT = Exercise(
    slug="shift-right",
    title=_("Shift right"),
    chapter="05",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Write the rows of the sentence 5 6 7 under each other: what is read, 1 5 6 7, and "
            "what is asked for, 5 6 7 2. Which number stands below 6, and has the decoder read it?"
        ),
        _(
            "`target.new_full((batch, 1), bos)` is a column of bos. `torch.cat([..., ...], dim=1)` "
            "sets two blocks beside each other. That is all of target_in."
        ),
        _(
            "target_out starts as target with a column of pad behind it. In each row, eos then "
            "belongs at one place: how many tokens of the row are not pad?"
        ),
        _(
            "With `lengths` [batch], `target_out[torch.arange(batch), lengths] = eos` writes one "
            "number into each row."
        ),
    ),
    solution=shift_right,
    alternatives=(with_lists, with_where, with_scatter, with_sentences),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named("target_in", "target_out"),
)
