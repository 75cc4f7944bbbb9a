"""A loop over columns with one thing in another way: what the mistakes are made of."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from bottomup.exercises.decoding.ragged_prefixes_models import Step

Answer = Callable[[Step, Tensor, Tensor, int, int, int], Tensor]


@dataclass(frozen=True)
class Now:
    """A batch before column i is written.

    Args:
        tokens: what was written so far, pad behind, [batch, total].
        lengths: tokens of each prefix, [batch].
        width: columns of the prefixes.
        i: the column.
        own: what the model would write, [batch].
        ended: True where a row has ended, [batch].
        eos: end of sentence.
        pad: what stands behind a prefix.
    """

    tokens: Tensor
    lengths: Tensor
    width: int
    i: int
    own: Tensor
    ended: Tensor
    eos: int
    pad: int

    @property
    def is_own(self) -> Tensor:
        """Whether the prefix of a row is over at column i."""
        return self.i >= self.lengths


Where = Callable[[Now], Tensor]  # [batch], boolean


def is_own(now: Now) -> Tensor:
    return now.is_own


def wrote_eos(now: Now) -> Tensor:
    return now.is_own & (now.own == now.eos)


def loop(
    writes: Where = is_own, ends: Where = wrote_eos, *, feeds_own: bool = False,
    stops: Callable[[Tensor], Tensor] = torch.all, keeps_eos: bool = True,
    pads_ended_prefix: bool = False, hands_on_state: bool = True,
) -> Answer:  # fmt: skip
    """Right but for where the model writes, what ends a row, or what the model reads."""

    def wrong(
        step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
    ) -> Tensor:
        width, state = prefixes.shape[1], None
        tokens = torch.nn.functional.pad(prefixes, (0, total - width), value=pad)
        ended = torch.zeros_like(lengths, dtype=torch.bool)
        token = tokens[:, 0]
        for i in range(1, total):
            own, state = step(token, state if hands_on_state else None)
            now = Now(tokens, lengths, width, i, own, ended, eos, pad)
            written, ending = writes(now) & ~ended, ends(now)
            tokens[:, i] = torch.where(written, own, tokens[:, i])
            if pads_ended_prefix:
                tokens[ended, i] = pad
            if not keeps_eos:
                tokens[written & ending, i] = pad
            ended = ended | ending
            token = own if feeds_own else tokens[:, i]
            if stops(ended):
                break
        return tokens

    return wrong


def read_eos(now: Now) -> Tensor:
    """Any eos in the column ends the row, the prefix's as well as the model's."""
    shown = torch.where(now.is_own, now.own, now.tokens[:, now.i])
    return shown == now.eos


def holds_eos(now: Now) -> Tensor:
    return read_eos(now) | (now.tokens[:, : now.i] == now.eos).any(-1)


def over_pad(now: Now) -> Tensor:
    """The model writes wherever the number of pad stands."""
    return now.tokens[:, now.i] == now.pad


def never(now: Now) -> Tensor:
    return torch.zeros_like(now.ended)


def padding_read(first: Callable[[Now], int], *, removed: bool = False) -> Answer:
    """All rows start in one column, the first behind the padding or behind the longest prefix."""
    whole = loop(
        lambda now: (now.i >= torch.tensor(first(now))).expand_as(now.own),
        lambda now: torch.tensor(now.i >= first(now)) & (now.own == now.eos),
    )

    def wrong(
        step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
    ) -> Tensor:
        tokens, longest = whole(step, prefixes, lengths, total, eos, pad), int(lengths.max())
        if removed:
            for row, length in zip(tokens, lengths.tolist(), strict=True):
                row[:] = torch.cat([row[:length], row[longest:], row[length:longest]])
        return tokens

    return wrong


def behind_the_longest(now: Now) -> int:
    return int(now.lengths.max())


def behind_the_padding(now: Now) -> int:
    return now.width


def moved_to_the_right(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    """The padding stands in front and is read; the rows are moved back in the end."""
    longest = int(lengths.max())
    gaps = (longest - lengths).tolist()
    moved = torch.stack([row[:longest].roll(gap) for row, gap in zip(prefixes, gaps, strict=True)])
    same = torch.full_like(lengths, longest)
    tokens = loop()(step, moved, same, total + max(gaps), eos, pad)
    return torch.stack([row[gap : gap + total] for row, gap in zip(tokens, gaps, strict=True)])


def padding_in_the_state(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    """The whole rectangle is read; each row goes on from its own last guess."""
    guesses, state = [], None
    for token in prefixes.unbind(1):
        own, state = step(token, state)
        guesses.append(own)
    own = torch.stack(guesses, 1).gather(1, lengths[:, None] - 1)[:, 0]
    tokens = torch.nn.functional.pad(prefixes, (0, total - prefixes.shape[1]), value=pad)
    ended = torch.zeros_like(lengths, dtype=torch.bool)
    for k in range(total - int(lengths.min())):
        writes = ~ended & (lengths + k < total)
        tokens[writes, lengths[writes] + k] = own[writes]
        ended = ended | (writes & (own == eos))
        own, state = step(own, state)
    return tokens


def written_where_read(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    """The answer to column i stands in column i, and so the padding there was read."""
    tokens = torch.nn.functional.pad(prefixes, (0, total - prefixes.shape[1]), value=pad)
    state, ended = None, torch.zeros_like(lengths, dtype=torch.bool)
    for i in range(total):
        own, state = step(tokens[:, i], state)
        writes = (i >= lengths) & ~ended
        tokens[writes, i] = own[writes]
        ended = ended | (writes & (own == eos))
    return tokens


def equally_many(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    tokens = loop()(step, prefixes, lengths, total, eos, pad)
    new = total - int(lengths.max())
    late = torch.arange(total) >= lengths[:, None] + new
    return tokens.masked_fill(late, pad)


def cut_at_the_first_eos(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    tokens = loop(ends=never)(step, prefixes, lengths, total, eos, pad)
    found = (tokens == eos).long()
    return tokens.masked_fill(found.cumsum(1) > found, pad)


def cut_after_the_last_end(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    """The loop stops when all rows have ended, and the rest is left out."""
    tokens = loop()(step, prefixes, lengths, total, eos, pad)
    found = (torch.arange(total) >= lengths[:, None]) & (tokens == eos)
    if not found.any(1).all():
        return tokens
    return tokens[:, : int(found.long().argmax(1).max()) + 1]
