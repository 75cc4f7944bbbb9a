"""Exercise: write on from prefixes of different lengths, all rows of the batch in one loop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def continue_prefixes(
    step: "Step", prefixes: torch.Tensor, lengths: torch.Tensor, total: int, eos: int, pad: int
) -> torch.Tensor:
    batch, width = prefixes.shape
    tokens = prefixes.new_full((batch, total), pad)
    tokens[:, :width] = prefixes
    state, ended = None, torch.zeros(batch, dtype=torch.bool)
    for i in range(1, total):
        own, state = step(tokens[:, i - 1], state)
        writes = (i >= lengths) & ~ended
        tokens[writes, i] = own[writes]
        ended = ended | (writes & (own == eos))
    return tokens


# a token of each row and the state -> the token that the model would write next, the state
Step = Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]


def with_columns(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    ended = torch.zeros(len(prefixes), dtype=torch.bool)
    columns, state = [prefixes[:, 0]], None
    while len(columns) < total:
        i = len(columns)
        own, state = step(columns[-1], state)
        own, given = torch.where(ended, pad, own), i < lengths
        ended = ended | (~given & (own == eos))
        columns.append(torch.where(given, prefixes[:, min(i, prefixes.shape[1] - 1)], own))
    return torch.stack(columns, dim=1).to(prefixes.dtype)


def one_by_one(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    rows = []
    for row, length in zip(prefixes.tolist(), lengths.tolist(), strict=True):
        tokens, state = row[:length], None
        for token in tokens:
            own, state = step(torch.tensor([token]), state)
        while len(tokens) < total and (len(tokens) == length or tokens[-1] != eos):
            tokens.append(int(own))
            own, state = step(own, state)
        rows.append(tokens + [pad] * (total - len(tokens)))
    return torch.tensor(rows, dtype=prefixes.dtype)


def with_pads_written_last(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    """As a search without an end: what stands behind a row's own eos is cleared afterwards."""
    columns = torch.arange(total)
    tokens = torch.nn.functional.pad(prefixes, (0, total - prefixes.shape[1]), value=pad)
    behind, state = columns >= lengths[:, None], None
    for i in range(total - 1):
        own, state = step(tokens[:, i], state)
        tokens[:, i + 1] = own.where(behind[:, i + 1], tokens[:, i + 1])
    found = (behind & (tokens == eos)).long()
    return tokens.masked_fill(found.cumsum(1) - found > 0, pad)


# ---- Models of a line, which a case names by a text so that a report can show them

MODULUS, WORDS = 97, 11


def _one_more(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor | None]:
    return token + 1, state


def _counted(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    state = torch.zeros_like(token) if state is None else state
    state = state + 1
    return token + state, state


def _mixed(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    """What comes next depends on every token read, and on their order."""
    state = torch.zeros_like(token) if state is None else state
    state = (5 * state + token + 1) % MODULUS
    return 2 + state % WORDS, state


ONE_MORE = _("next = token + 1")
COUNTED = _("next = token + number of tokens read")
MIXED = _("state = (5 state + token + 1) mod 97, next = 2 + state mod 11")
MODELS: dict[str, Step] = {ONE_MORE: _one_more, COUNTED: _counted, MIXED: _mixed}


# ---- One thing in another way: what the mistakes are made of

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


# ---- Mistakes: where a row starts, what it reads, its end

HAND = _("prefixes of three and two tokens")
GUESSED = _("inside a prefix the model would have written eos")
INSIDE = _("a prefix that contains eos")
COUNTS = _("the model counts what it has read")
ALL_END = _("all rows end before the last column")
ENDS = _("one row ends before the other")

STARTS = (
    Mistake(
        "padding-read-as-words",
        padding_read(behind_the_longest),
        (
            padding_read(behind_the_longest, removed=True),
            padding_read(behind_the_padding),
        ),
        case=HAND,
    ),
    Mistake("padding-in-front-read", moved_to_the_right),
    Mistake("padding-left-in-the-state", padding_in_the_state),
    Mistake(
        "prefix-overwritten",
        loop(
            lambda now: (now.i >= now.lengths.min()).expand_as(now.own),
            lambda now: (now.i >= now.lengths.min()) & (now.own == now.eos),
        ),
        (
            loop(over_pad, lambda now: over_pad(now) & (now.own == now.eos)),
            loop(lambda now: now.own >= 0, lambda now: now.own == now.eos),
            loop(lambda now: now.own >= 0, lambda now: now.own == now.eos, pads_ended_prefix=True),
        ),
        case=HAND,
    ),
    Mistake(
        "one-column-late",
        loop(lambda now: now.i > now.lengths, lambda now: (now.i > now.lengths) & wrote_eos(now)),
        case=HAND,
    ),
    Mistake(
        "one-column-early",
        loop(
            lambda now: now.i >= now.lengths - 1,
            lambda now: (now.i >= now.lengths - 1) & (now.own == now.eos),
        ),
        case=HAND,
    ),
)

READING = (
    Mistake("state-not-handed-on", loop(hands_on_state=False), case=COUNTS),
    Mistake("written-where-it-was-read", written_where_read, case=HAND),
    Mistake("own-token-read-inside-the-prefix", loop(feeds_own=True), case=HAND),
)

ENDINGS = (
    Mistake(
        "eos-guessed-inside-the-prefix",
        loop(ends=lambda now: now.own == now.eos),
        (loop(ends=lambda now: now.own == now.eos, pads_ended_prefix=True),),
        case=GUESSED,
    ),
    Mistake(
        "eos-in-the-prefix-ends",
        loop(ends=read_eos),
        (
            loop(ends=holds_eos),
            loop(ends=read_eos, pads_ended_prefix=True),
            cut_at_the_first_eos,
        ),
        case=INSIDE,
    ),
    Mistake("never-ended", loop(ends=never), case=ENDS),
    Mistake("first-end-stops-all", loop(stops=torch.any), case=ENDS),
    Mistake("not-filled-up", cut_after_the_last_end, case=ALL_END),
    Mistake("eos-left-out", loop(keeps_eos=False), case=ENDS),
    Mistake("equally-many-new-tokens", equally_many, case=HAND),
)

MISTAKES = (*STARTS, *READING, *ENDINGS)


# ---- Cases


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer with the model that the case names."""
    name, *inputs = case.inputs.values()
    return answer(MODELS[name], *inputs)


Make = Callable[[torch.Generator], Inputs]


def _inputs(
    model: str, rows: list[list[int]], total: int, *, eos: int = 2, pad: int = 0, width: int = 0,
    dtype: torch.dtype = torch.int64,
) -> Inputs:  # fmt: skip
    width = max(width, *map(len, rows))
    padded = [row + [pad] * (width - len(row)) for row in rows]
    return {
        "step": model,
        "prefixes": torch.tensor(padded, dtype=dtype),
        "lengths": torch.tensor([len(row) for row in rows]),
        "total": total,
        "eos": eos,
        "pad": pad,
    }


def _given(model: str, rows: list[list[int]], total: int, *, eos: int = 2, width: int = 0) -> Make:
    return lambda generator: _inputs(model, rows, total, eos=eos, width=width)


def _random(lengths: list[int], total: int, *, eos: int = 2, pad: int = 0, width: int = 0) -> Make:
    """Words that the model can also write; eos among them, with one chance in eleven."""

    def make(generator: torch.Generator) -> Inputs:
        rows = [(torch.randint(WORDS, (n,), generator=generator) + 2).tolist() for n in lengths]
        return _inputs(MIXED, rows, total, eos=eos, pad=pad, width=width)

    return make


def _pad_inside(generator: torch.Generator) -> Inputs:
    return _inputs(ONE_MORE, [[1, 6, 4], [5, 3], [6, 7, 6, 6]], 7, eos=9, pad=6)


CASES = (
    Case(HAND, _given(ONE_MORE, [[5, 3, 7], [8, 4]], 5)),
    Case(ENDS, _given(ONE_MORE, [[1, 7], [1, 3, 4]], 6, eos=9)),
    Case(GUESSED, _given(ONE_MORE, [[1, 8, 5], [1, 3]], 5, eos=9)),
    Case(INSIDE, _given(ONE_MORE, [[1, 9, 4], [5, 9, 6, 3]], 6, eos=9)),
    Case(COUNTS, _given(COUNTED, [[3], [5, 7, 4], [6, 3]], 5)),
    Case(ALL_END, _given(ONE_MORE, [[1, 7], [1, 3, 4]], 11, eos=9)),
    Case(_("a prefix that contains the number of pad"), _pad_inside),
    Case(_("five rows"), _random([2, 7, 3, 5, 1], 13), seed=1),
    Case(_("rows that end soon"), _random([3, 1, 5], 17, eos=5), seed=2),
    Case(_("prefixes of one length"), _random([3, 3], 11), seed=3),
    Case(_("first tokens alone"), _random([1, 1, 1], 7, eos=7), seed=4),
    Case(_("no room behind the longest prefix"), _random([5, 2, 3], 5), seed=5),
    Case(_("padding beyond the longest prefix"), _random([2, 3, 1], 11, width=5), seed=6),
    Case(_("other special numbers"), _random([5, 2, 7, 3], 13, eos=11, pad=19), seed=7),
)

ANSWERS = Answers(
    solution=continue_prefixes,
    alternatives=(with_columns, one_by_one, with_pads_written_last),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
)
