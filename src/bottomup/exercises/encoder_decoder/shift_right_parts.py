"""Rows of token numbers, and the shift with one half in another way."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

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
