"""Exercise: a test that finds an attention which reads the future."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake, call_with_inputs
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _


def leaks(attend: "Attend") -> bool:
    x = torch.randn(12, 4, dtype=torch.float64)
    for i in range(11):
        edited = torch.cat([x[: i + 1], torch.randn(11 - i, 4)])  # position i and its past stay
        if (attend(edited) - attend(x))[i].norm() > 1e-9:
            return True
    return False


Attend = Callable[[Tensor], Tensor]


def with_one_token_at_a_time(attend: Attend) -> bool:
    x = torch.rand(12, 4, dtype=torch.float64)
    found = False
    for j in range(1, 12):
        edited = x.clone()
        edited[j] = torch.randn(4, dtype=torch.float64)
        found = found or not torch.allclose(attend(edited)[:j], attend(x)[:j])
    return found


def with_prefixes(attend: Attend) -> bool:
    x = torch.randn(12, 4, dtype=torch.float64)
    whole = attend(x)
    return any((attend(x[:n]) - whole[:n]).abs().max() > 1e-8 for n in range(1, 12))


def with_a_table(attend: Attend) -> Tensor:
    x, moved = torch.randn(12, 4).double(), torch.zeros(12, 12)
    for j in range(12):
        edited = x.clone()
        edited[j] = 3 * torch.randn(4)
        moved[:, j] = (attend(edited) - attend(x)).abs().amax(dim=1)
    return (moved.triu(diagonal=1) > 1e-7).any()


# ---- Self-attentions to be tested for leaks: some read the future, each in its own way

POSITIONS, WIDTH = 12, 4
NOISE = 1e-14
LOUD = 2  # times the values: a plain leak moves an output by more than a loose tolerance
FAVOUR = 8.0  # added to the score of a single leaky pair, which else gets hardly any weight
Step = Callable[[Tensor], Tensor]


def _as_it_is(x: Tensor) -> Tensor:
    return x


@dataclass(frozen=True)
class SelfAttention:
    """A self-attention with fixed parameters: x [n, 4] -> output [n, 4], n up to 12.

    Args:
        bias: added to the scores, [query, key]: 0 where a query may read a key, else -inf.
        before: applied to the tokens before they are projected.
        after: applied to the output.
    """

    bias: Tensor
    before: Step = _as_it_is
    after: Step = _as_it_is

    def __call__(self, x: Tensor) -> Tensor:
        """Return the output for the tokens x."""
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        if kind != torch.float64:
            raise TypeError(f"attend: expected a tensor of dtype torch.float64, got {kind}")
        if x.dim() != 2 or not 1 <= len(x) <= POSITIONS or x.shape[1] != WIDTH:
            wanted = f"[n, {WIDTH}] with n from 1 to {POSITIONS}"
            raise ValueError(f"attend: expected a tensor {wanted}, got shape {tuple(x.shape)}")
        return self.after(self._read(self.before(x)))

    def _read(self, x: Tensor) -> Tensor:
        query, key, value = (x @ matrix for matrix in _matrices())
        scores = query @ key.T / WIDTH**0.5 + self.bias[: len(x), : len(x)]
        empty = (scores == -inf).all(dim=-1, keepdim=True)
        return scores.masked_fill(empty, 0).softmax(dim=-1).masked_fill(empty, 0) @ (LOUD * value)


class ByPrefix(SelfAttention):
    """The same attention without a mask: a loop in which each position is given its past only."""

    def _read(self, x: Tensor) -> Tensor:
        rows = [SelfAttention._read(self, x[: i + 1])[-1] for i in range(len(x))]
        return torch.stack(rows)


class Backwards(SelfAttention):
    """The same attention on the sequence read from its end, and turned round again."""

    def _read(self, x: Tensor) -> Tensor:
        return super()._read(x.flip(0)).flip(0)


def _matrices() -> Tensor:
    generator = torch.Generator().manual_seed(7)
    return torch.randn(3, WIDTH, WIDTH, generator=generator, dtype=torch.float64) / WIDTH**0.5


# ---- Which pairs may read, and what becomes of the others


def where(allowed: Callable[[Tensor, Tensor], Tensor], otherwise: float = -inf) -> Tensor:
    """Return the bias that is 0 where query i may read key j, and `otherwise` elsewhere."""
    position = torch.arange(POSITIONS)
    table = allowed(position[:, None], position[None, :])
    return torch.zeros(table.shape, dtype=torch.float64).masked_fill(~table, otherwise)


def past(i: Tensor, j: Tensor) -> Tensor:
    """Position i reads itself and what came before."""
    return j <= i


def past_and(query: int, key: int) -> Tensor:
    """Return the bias of the past and of one pair besides, which is favoured."""
    bias = where(past)
    bias[query, key] = FAVOUR
    return bias


# ---- Steps before and after


def normalised(x: Tensor) -> Tensor:
    """Shift and scale each token to mean 0 and variance 1 over its features."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / centred.square().mean(dim=-1, keepdim=True).sqrt().clamp(min=1e-9)


def rounded(x: Tensor) -> Tensor:
    """Round each number to a multiple of one half."""
    return (2 * x).round() / 2


def less_the_mean(output: Tensor) -> Tensor:
    """Subtract the mean over all positions."""
    return output - output.mean(dim=0)


def less_the_mean_so_far(output: Tensor) -> Tensor:
    """Subtract from each position the mean of the positions up to it."""
    counts = torch.arange(1, len(output) + 1, dtype=output.dtype)[:, None]
    return output - output.cumsum(dim=0) / counts


def summed(sign: int) -> Step:
    """Put three times the sum of an output, or its negative, in all of its places."""
    return lambda output: 3 * sign * output.sum(dim=-1, keepdim=True).expand_as(output)


def noisy(output: Tensor) -> Tensor:
    """Change the last digits at random, as sums do whose order differs from run to run."""
    return output * (1 + NOISE * torch.rand(output.shape, dtype=output.dtype))


# ---- Mistakes

ROUNDED = _("each position reads the next one too, tokens are rounded to halves")
POSITIVE = _("only position 6 reads the next one, its four outputs are summed")
NEGATIVE = _("only position 6 reads the next one, its four outputs are summed and negated")
TINY = 1e-9
Test = Callable[[Attend], bool]
Edit = Callable[[Tensor, int], Tensor]  # tokens and a cut -> tokens changed from the cut on


def _tokens() -> Tensor:
    return torch.randn(POSITIONS, WIDTH, dtype=torch.float64)


def _replaced(x: Tensor, cut: int) -> Tensor:
    return torch.cat([x[:cut], torch.randn(POSITIONS - cut, WIDTH)])


def _from_the_cut(change: Callable[[Tensor], Tensor]) -> Edit:
    return lambda x, cut: torch.cat([x[:cut], change(x[cut:])])


def _slightly_moved(size: float) -> Edit:
    return _from_the_cut(lambda future: future + size * torch.randn(future.shape))


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


def _signed(reduced: Callable[[Tensor], Tensor], dtype: torch.dtype) -> Test:
    """A test that looks at differences with their signs."""

    def leaks(attend: Attend) -> bool:
        x = _tokens()
        before = attend(x)
        found = False
        for cut in range(1, POSITIONS):
            edited = torch.cat([x[:cut], torch.randn(POSITIONS - cut, WIDTH, dtype=dtype)])
            found = found or bool(reduced((attend(edited) - before)[:cut]) > TINY)
        return found

    return leaks


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
    Mistake("first-position-only", _test(cuts=range(1, 2))),
    Mistake("last-token-only", _test(cuts=range(11, 12))),
    Mistake(
        "one-cut",
        _test(cuts=range(6, 7)),
        (_test(cuts=range(4, 5)),),  # between two blocks of four
    ),
    Mistake(
        "a-cut-missing", _test(cuts=range(2, POSITIONS)), (_test(cuts=range(1, POSITIONS - 1)),)
    ),
    Mistake("last-output-unwatched", _last_output_unwatched),
    Mistake("neighbours-only", _neighbours_only),
    Mistake("past-edited", _past_edited),
    Mistake("own-position-compared", _own_position_compared),
    Mistake("never-moves", _shapes_compared, (_test(_slightly_moved(1e-12)),)),
    Mistake("inverted-verdict", lambda attend: not _test()(attend)),
)

SIGNED = tuple(
    _signed(reduced, dtype)
    for reduced in (torch.max, torch.mean)
    for dtype in (torch.float64, torch.float32)
)

MEASURE = (
    Mistake("too-loose", _test(above=1e-2)),
    Mistake("no-tolerance", _bit_for_bit),
    Mistake("signs-kept", SIGNED[0], SIGNED[1:], case=NEGATIVE),
    Mistake("undone-by-normalisation", _test(_from_the_cut(lambda future: future + 1))),
    Mistake(
        "too-small-an-edit",
        _test(_slightly_moved(1e-4)),
        tuple(map(_test, map(_slightly_moved, (1e-6, 1e-7, 1e-8)))),
        case=ROUNDED,
    ),
    Mistake("shuffled-future", _test(_from_the_cut(lambda future: future.flip(0)))),
    Mistake("nan-as-an-edit", _with_nan),
)

MISTAKES = (*COVERAGE, *MEASURE)


# ---- Cases


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer; a truth value may come as a tensor."""
    value = call_with_inputs(answer, case)
    is_truth_value = isinstance(value, Tensor) and value.dtype == torch.bool and value.dim() == 0
    return bool(value) if is_truth_value else value


def compare(got: Any, expected: bool, case: Case) -> str | None:
    """Say which way the verdict is wrong."""
    if isinstance(got, bool) and got != expected:
        return (
            _("This attention leaks, and your test does not notice.")
            if expected
            else _("This attention does not leak, and your test says that it does.")
        )
    return difference(got, expected)


_PAST = where(past)
_EVERYTHING = where(lambda i, j: j < POSITIONS)
_NEXT_TOO = where(lambda i, j: j <= i + 1)
_STRICT = where(lambda i, j: j < i)
_FUTURE = where(lambda i, j: j >= i)
_BLOCKS = where(lambda i, j: (j <= i) | (i // 4 == j // 4))
_SIX_AHEAD = where(lambda i, j: (j <= i) | (j == i + 6))

ATTENTIONS = {
    _("a causal mask"): SelfAttention(_PAST),
    _("no mask"): SelfAttention(_EVERYTHING),
    _("each position reads the next one too"): SelfAttention(_NEXT_TOO),
    _("only position 0 reads the next one"): SelfAttention(past_and(0, 1)),
    _("only position 6 reads the next one"): SelfAttention(past_and(6, 7)),
    _("only position 10 reads the last one"): SelfAttention(past_and(10, 11)),
    POSITIVE: SelfAttention(past_and(6, 7), after=summed(1)),
    NEGATIVE: SelfAttention(past_and(6, 7), after=summed(-1)),
    _("each position reads the one six further on"): SelfAttention(_SIX_AHEAD),
    _("blocks of four positions that read one another"): SelfAttention(_BLOCKS),
    _("each position reads itself and the future"): SelfAttention(_FUTURE),
    _("-13 in place of -inf"): SelfAttention(where(past, otherwise=-13)),
    _("a causal mask, then the mean over all positions is subtracted"): SelfAttention(
        _PAST, after=less_the_mean
    ),
    _("no mask, each token is normalised first"): SelfAttention(_EVERYTHING, before=normalised),
    ROUNDED: SelfAttention(_NEXT_TOO, before=rounded),
    _("a causal mask without its diagonal"): SelfAttention(_STRICT),
    _("a causal mask, each token is normalised first"): SelfAttention(_PAST, before=normalised),
    _("a causal mask, then the mean of the positions so far is subtracted"): SelfAttention(
        _PAST, after=less_the_mean_so_far
    ),
    _("no mask, but a loop that hands each position its past only"): ByPrefix(_EVERYTHING),
    _("the sequence turned round, masked, turned back"): Backwards(_FUTURE),
    _("a causal mask, with rounding noise"): SelfAttention(_PAST, after=noisy),
}


def _handing_over(attend: SelfAttention) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"attend": attend}


ANSWERS = Answers(
    solution=leaks,
    alternatives=(with_one_token_at_a_time, with_prefixes, with_a_table),
    mistakes=MISTAKES,
    cases=tuple(Case(name, _handing_over(attend)) for name, attend in ATTENTIONS.items()),
    run=run,
    compare=compare,
)
