"""Mistakes in a test that looks for an attention which reads the future."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

MASKS, WHO_READS_WHOM = _("Masks"), _("Who reads whom")
POSITIONS, WIDTH = 12, 4
TINY = 1e-9

Attend = Callable[[Tensor], Tensor]
Test = Callable[[Attend], bool]
Edit = Callable[[Tensor, int], Tensor]  # tokens and a cut -> tokens changed from the cut on


def _tokens() -> Tensor:
    return torch.randn(POSITIONS, WIDTH, dtype=torch.float64)


def _replaced(x: Tensor, cut: int) -> Tensor:
    return torch.cat([x[:cut], torch.randn(POSITIONS - cut, WIDTH)])


def _from_the_cut(change: Callable[[Tensor], Tensor]) -> Edit:
    return lambda x, cut: torch.cat([x[:cut], change(x[cut:])])


def _moves(attend: Attend, edit: Edit, cut: int) -> Tensor:
    """How far each output moves when the tokens from the cut on are edited: [position]."""
    x = _tokens()
    return (attend(edit(x, cut)) - attend(x)).abs().amax(dim=-1)


def _test(
    edit: Edit = _replaced, *, cuts: range = range(1, POSITIONS), above: float = TINY
) -> Test:
    """A test that edits from each cut on, and looks at everything before the cut."""
    return lambda attend: any(bool(_moves(attend, edit, cut)[:cut].max() > above) for cut in cuts)


def _past_edited(attend: Attend) -> bool:
    x = _tokens()
    edited = torch.cat([torch.randn(6, WIDTH), x[6:]])
    return bool((attend(edited) - attend(x))[6:].abs().max() > TINY)


def _own_position_compared(attend: Attend) -> bool:
    return any(
        bool(_moves(attend, _replaced, cut)[: cut + 1].max() > TINY) for cut in range(1, POSITIONS)
    )


def _shapes_compared(attend: Attend) -> bool:
    x = _tokens()
    return attend(x).shape != attend(_replaced(x, 6)).shape


def _neighbours_only(attend: Attend) -> bool:
    x = _tokens()
    for i in range(POSITIONS - 1):
        edited = x.clone()
        edited[i + 1] = torch.randn(WIDTH)
        if (attend(edited)[i] - attend(x)[i]).abs().max() > TINY:
            return True
    return False


def _last_output_unwatched(attend: Attend) -> bool:
    cuts = range(2, POSITIONS)
    return any(bool(_moves(attend, _replaced, cut)[: cut - 1].max() > TINY) for cut in cuts)


def _bit_for_bit(attend: Attend) -> bool:
    x = _tokens()
    return any(
        not torch.equal(attend(_replaced(x, cut))[:cut], attend(x)[:cut])
        for cut in range(1, POSITIONS)
    )


def _with_nan(attend: Attend) -> bool:
    edit = _from_the_cut(lambda future: torch.full_like(future, torch.nan))
    return any(bool(_moves(attend, edit, cut)[:cut].isnan().any()) for cut in range(1, POSITIONS))


COVERAGE = (
    Misconception(
        "first-position-only",
        _test(cuts=range(1, 2)),
        _(
            "Your test watches the first position only. A mask can be right in its first row and "
            "wrong in another one. Watch every position, each while all that follows it changes."
        ),
        MASKS,
    ),
    Misconception(
        "last-token-only",
        _test(cuts=range(11, 12)),
        _(
            "Your test changes the last token only. Most leaks do not reach that far: a position "
            "that reads its neighbour is not moved by the end of the sequence. Change what follows "
            "position 0, then what follows position 1, and so on."
        ),
        MASKS,
    ),
    Misconception(
        "one-cut",
        _test(cuts=range(6, 7)),
        _(
            "Your test cuts the sequence once, and changes what follows the cut. A leak that does "
            "not cross this one cut stays hidden. Cut after every position."
        ),
        MASKS,
        (_test(cuts=range(4, 5)),),  # between two blocks of four
    ),
    Misconception(
        "a-cut-missing",
        _test(cuts=range(2, POSITIONS)),
        _(
            "Your test leaves out one cut, that behind position 0 or that before the last token. A "
            "leak between the two neighbours there crosses no other cut. Cut behind each of the "
            "positions 0 to 10: `range(11)`, with x[i + 1:] edited."
        ),
        MASKS,
        (_test(cuts=range(1, POSITIONS - 1)),),
    ),
    Misconception(
        "last-output-unwatched",
        _last_output_unwatched,
        _(
            "Your test does not watch the output right before the tokens that it changes. If that "
            "position reads the next one and no other, nothing else moves. With x[i + 1:] edited, "
            "compare the outputs up to i, that of i included: [: i + 1]."
        ),
        MASKS,
    ),
    Misconception(
        "neighbours-only",
        _neighbours_only,
        _(
            "Your test changes the next token only. A leak may skip it and reach further, as in a "
            "strided mask. A position must not move whatever happens to any later token."
        ),
        MASKS,
    ),
    Misconception(
        "past-edited",
        _past_edited,
        _(
            "Your test calls every attention leaky, also the one with a causal mask. It changes "
            "tokens that the watched positions may read. Row i reads the past of i: change what "
            "comes after position i, and compare the outputs up to i."
        ),
        WHO_READS_WHOM,
    ),
    Misconception(
        "own-position-compared",
        _own_position_compared,
        _(
            "Your test compares the output of a position whose own token it has changed. Position "
            "i may read itself, so that output moves without any leak. Only later tokens may "
            "change: with x[i + 1:] edited, compare the outputs up to i. If your slices say so "
            "already, look for the copy: `edited = x` is none, and what the first cut changed "
            "stays changed at the next one. `x.clone()` is."
        ),
        WHO_READS_WHOM,
    ),
    Misconception(
        "never-moves",
        _shapes_compared,
        _(
            "Your test finds no leak at all, not even without a mask. Either it compares something "
            "that no leak changes, such as the shape, or both outputs come from the same tokens: "
            "`edited = x` is no copy, `x.clone()` is."
        ),
        MASKS,
    ),
    Misconception(
        "inverted-verdict",
        lambda attend: not _test()(attend),
        _(
            "Your verdict is the wrong way round: True for an attention that keeps the past still. "
            "The function is called `leaks`, so it returns True where an output has moved."
        ),
        MASKS,
    ),
)

MEASURE = (
    Misconception(
        "too-loose",
        _test(above=1e-2),
        _(
            "Your tolerance lets a small leak pass. A mask that adds -13 in place of -inf leaves "
            "each future token a share of about e^-13, and training can raise it. In float64, 1e-9 "
            "lies far above rounding noise and far below any leak that matters."
        ),
        MASKS,
    ),
    Misconception(
        "no-tolerance",
        _bit_for_bit,
        _(
            "Your test asks for equal bits, and rounding noise of 1e-13 counts as a leak. Sums run "
            "in another order whenever a kernel splits its work differently, as on a GPU. Allow "
            "for the noise: compare with a tolerance such as 1e-9."
        ),
        MASKS,
    ),
    Misconception(
        "undone-by-normalisation",
        _test(_from_the_cut(lambda future: future + 1)),
        _(
            "Your edit shifts or stretches tokens, and an attention that normalises its tokens "
            "first takes the edit back before it reads. The layers of a Transformer normalise. "
            "Replace the later tokens by others, drawn anew."
        ),
        MASKS,
    ),
    Misconception(
        "too-small-an-edit",
        _test(_from_the_cut(lambda future: future + 1e-4 * torch.randn(future.shape))),
        _(
            "Your edit is too small for an attention that rounds its tokens, as quantised models "
            "do: nothing of it arrives. A gradient is the limit of ever smaller edits, and here it "
            "is zero. Replace the later tokens by others of ordinary size."
        ),
        MASKS,
    ),
    Misconception(
        "shuffled-future",
        _test(_from_the_cut(lambda future: future.flip(0))),
        _(
            "Your edit only changes the order of the later tokens. Attention has no sense of "
            "order: a position that reads all of the future sums up the same values as before, and "
            "does not move. Put other tokens in their place."
        ),
        WHO_READS_WHOM,
    ),
    Misconception(
        "nan-as-an-edit",
        _with_nan,
        _(
            "NaN in the future makes the past NaN, also under a right mask: a weight of zero times "
            "NaN is NaN, and the product with the values runs over all keys. So this does not show "
            "who reads whom. Use ordinary numbers."
        ),
        MASKS,
    ),
)

MISCONCEPTIONS = (*COVERAGE, *MEASURE)
