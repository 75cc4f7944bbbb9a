"""Cases of writing on from prefixes of different lengths, all rows of the batch in one loop."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, integers, tensor
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _

# ---- Models of a line, which a case names by a text so that a report can show them

MODULUS, WORDS = 97, 11

# a token of each row and the state -> the token that the model would write next, the state
Step = Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]


def one_more(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor | None]:
    return token + 1, state


def counted(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    state = torch.zeros_like(token) if state is None else state
    state = state + 1
    return token + state, state


def mixed(token: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
    """What comes next depends on every token read, on their order, and on where it begins."""
    state = torch.full_like(token, 3) if state is None else state
    state = (5 * state + token + 1) % MODULUS
    return 2 + state % WORDS, state


ONE_MORE = _("next = token + 1")
COUNTED = _("next = token + number of tokens read")
MIXED = _("state = (5 state + token + 1) mod 97, at first 3, next = 2 + state mod 11")
MODELS: dict[str, Step] = {ONE_MORE: one_more, COUNTED: counted, MIXED: mixed}

run = run_with(MODELS)


# ---- Cases


def given(
    model: str, rows: list[list[int]], total: int, *, eos: int = 2, pad: int = 0
) -> dict[str, Any]:
    width = max(map(len, rows))
    return {
        "step": model,
        "prefixes": tensor([row + [pad] * (width - len(row)) for row in rows]),
        "lengths": tensor([len(row) for row in rows]),
        "total": total,
        "eos": eos,
        "pad": pad,
    }


def drawn(
    lengths: list[int], total: int, *, eos: int = 2, pad: int = 0, width: int = 0
) -> dict[str, Any]:
    """Words that the model can also write; eos among them, with one chance in eleven."""
    width = max(width, *lengths)

    def padded(words: Tensor) -> Tensor:
        return words.masked_fill(torch.arange(width) >= torch.tensor(lengths)[:, None], pad)

    return {
        "step": MIXED,
        "prefixes": integers(len(lengths), width, low=2, high=2 + WORDS).then(padded),
        "lengths": tensor(lengths),
        "total": total,
        "eos": eos,
        "pad": pad,
    }


CASES = (
    case(
        _("prefixes of three and two tokens"),
        **given(ONE_MORE, [[5, 3, 7], [8, 4]], 5),
        gives=tensor([[5, 3, 7, 8, 9], [8, 4, 5, 6, 7]]),
    ),
    case(
        _("one row ends before the other"),
        **given(ONE_MORE, [[1, 7], [1, 3, 4]], 6, eos=9),
        gives=tensor([[1, 7, 8, 9, 0, 0], [1, 3, 4, 5, 6, 7]]),
    ),
    case(
        _("inside a prefix the model would have written eos"),
        **given(ONE_MORE, [[1, 8, 5], [1, 3]], 5, eos=9),
        gives=tensor([[1, 8, 5, 6, 7], [1, 3, 4, 5, 6]]),
    ),
    case(
        _("a prefix that contains eos"),
        **given(ONE_MORE, [[1, 9, 4], [5, 9, 6, 3]], 6, eos=9),
        gives=tensor([[1, 9, 4, 5, 6, 7], [5, 9, 6, 3, 4, 5]]),
    ),
    case(
        _("the model counts what it has read"),
        **given(COUNTED, [[3], [5, 7, 4], [6, 3]], 5),
        gives=tensor([[3, 4, 6, 9, 13], [5, 7, 4, 7, 11], [6, 3, 5, 8, 12]]),
    ),
    case(
        _("all rows end before the last column"),
        **given(ONE_MORE, [[1, 7], [1, 3, 4]], 10, eos=9, pad=12),
        gives=tensor([[1, 7, 8, 9, 12, 12, 12, 12, 12, 12], [1, 3, 4, 5, 6, 7, 8, 9, 12, 12]]),
    ),
    case(
        _("a single column: nothing is written"),
        **given(ONE_MORE, [[8], [3]], 1, eos=9),
        gives=tensor([[8], [3]]),
    ),
    case(
        _("a prefix that contains the number of pad"),
        **given(ONE_MORE, [[1, 6, 4], [5, 3], [6, 7, 6, 6]], 7, eos=9, pad=6),
        gives=tensor([[1, 6, 4, 5, 6, 7, 8], [5, 3, 4, 5, 6, 7, 8], [6, 7, 6, 6, 7, 8, 9]]),
    ),
    case(_("five rows"), seed=1, **drawn([2, 7, 3, 5, 1], 13)),
    case(_("rows that end soon"), seed=2, **drawn([3, 1, 5], 17, eos=5)),
    case(_("prefixes of one length"), seed=3, **drawn([3, 3], 11)),
    case(_("first tokens alone"), seed=4, **drawn([1, 1, 1], 7, eos=7)),
    case(_("no room behind the longest prefix"), seed=5, **drawn([5, 2, 3], 5)),
    case(_("padding beyond the longest prefix"), seed=6, **drawn([2, 3, 1], 11, width=5)),
    case(_("other special numbers"), seed=7, **drawn([5, 2, 7, 3], 13, eos=11, pad=19)),
)
