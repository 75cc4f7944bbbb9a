"""Exercise: write on from prefixes of different lengths, all rows of the batch in one loop."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.decoding.ragged_prefixes_mistakes import (
    ALL_END,
    COUNTS,
    ENDS,
    GUESSED,
    HAND,
    INSIDE,
    MISCONCEPTIONS,
)
from bottomup.exercises.decoding.ragged_prefixes_models import (
    COUNTED,
    MIXED,
    MODELS,
    ONE_MORE,
    WORDS,
    Step,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.i18n import _

STUB = '''\
def continue_prefixes(step, prefixes, lengths, total, eos, pad):
    """Write on from prefixes of different lengths, in one batch.

    step(token, state): the model reads one token of each row, [batch], and
    returns (what it would write next [batch], the new state). The state is
    None before the first token. prefixes [batch, position], integers: row b
    holds lengths[b] tokens, at least one, then pad. The numbers eos and pad
    may also be among its tokens. Inside its prefix a row reads the prefix;
    after it, the model's own tokens. Only the model's own eos, behind the
    prefix, ends a row.
    Returns [batch, total]: each prefix, the model's tokens up to its eos,
    and pad. total is not smaller than the width of prefixes.
    """
    ...
'''


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

RAGGED_PREFIXES = Exercise(
    slug="ragged-prefixes",
    title=_("A batch of prefixes of different lengths"),
    chapter="06",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Two rows, prefixes of three and two tokens. In which column does each row get its "
            "first token from the model? And what does the first row read in that step?"
        ),
        _(
            "Let every row read column 0, then column 1, and so on. Before column i is read it is "
            "filled, in each row with the prefix's token or with the model's: "
            "`writes = i >= lengths`."
        ),
        _(
            "Start from a tensor [batch, total] that holds the prefixes and pad. In each step, "
            "write `own` into column i where a row's prefix is over; elsewhere leave what stands "
            "there."
        ),
        _(
            "A boolean `ended` [batch] becomes True where the model wrote eos. The rows that have "
            "ended are still read, but nothing is written into them."
        ),
    ),
    solution=continue_prefixes,
    alternatives=(with_columns, one_by_one, with_pads_written_last),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
)
