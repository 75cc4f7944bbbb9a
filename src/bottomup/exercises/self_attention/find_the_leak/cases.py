"""Self-attentions to be tested for leaks: some read the future, each in its own way."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine import Case, call_with_inputs, case
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.show import Described
from bottomup.i18n import _

POSITIONS, WIDTH = 12, 4
NOISE = 1e-12  # at most, as the stub says
LOUD = 2  # times the values: a plain leak moves an output by more than a loose tolerance
FAVOUR = 8.0  # added to the score of a single leaky pair, which else gets hardly any weight
Step = Callable[[Tensor], Tensor]


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer; a truth value may come as a tensor, or from NumPy."""
    value = call_with_inputs(answer, case)
    is_truth_value = isinstance(value, Tensor) and value.dtype == torch.bool and value.dim() == 0
    return bool(value) if is_truth_value or isinstance(value, np.bool_) else value


def compare(got: Any, expected: bool, case: Case) -> str | None:
    """Say which way the verdict is wrong."""
    if isinstance(got, bool) and got != expected:
        return (
            _("This attention leaks, and your test does not notice.")
            if expected
            else _("This attention does not leak, and your test says that it does.")
        )
    return difference(got, expected)


def as_it_is(x: Tensor) -> Tensor:
    return x


@dataclass(frozen=True, repr=False)
class SelfAttention(Described):
    """A self-attention with fixed parameters: x [n, 4] -> output [n, 4], n up to 12.

    Args:
        bias: added to the scores, [query, key]: 0 where a query may read a key, else -inf.
        before: applied to the tokens before they are projected.
        after: applied to the output.
    """

    bias: Tensor
    before: Step = as_it_is
    after: Step = as_it_is

    def __call__(self, x: Tensor) -> Tensor:
        """Return the output for the tokens x."""
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        if kind != torch.float64:
            raise TypeError(f"attend: expected a tensor of dtype torch.float64, got {kind}")
        if x.dim() != 2 or not 1 <= len(x) <= POSITIONS or x.shape[1] != WIDTH:
            wanted = f"[n, {WIDTH}] with n from 1 to {POSITIONS}"
            raise ValueError(f"attend: expected a tensor {wanted}, got shape {tuple(x.shape)}")
        return self.after(self.read(self.before(x)))

    def __repr__(self) -> str:
        return _("a self-attention with fixed parameters, up to {n} positions of width {d}").format(
            n=POSITIONS, d=WIDTH
        )

    def read(self, x: Tensor) -> Tensor:
        """Return what each position reads."""
        query, key, value = (x @ matrix for matrix in matrices())
        scores = query @ key.T / WIDTH**0.5 + self.bias[: len(x), : len(x)]
        empty = (scores == -inf).all(dim=-1, keepdim=True)
        return scores.masked_fill(empty, 0).softmax(dim=-1).masked_fill(empty, 0) @ (LOUD * value)


class ByPrefix(SelfAttention):
    """The same attention without a mask: a loop in which each position is given its past only."""

    def read(self, x: Tensor) -> Tensor:
        """Return what each position reads."""
        return torch.stack([super(ByPrefix, self).read(x[: i + 1])[-1] for i in range(len(x))])


class Backwards(SelfAttention):
    """The same attention on the sequence read from its end, and turned round again."""

    def read(self, x: Tensor) -> Tensor:
        """Return what each position reads."""
        return super().read(x.flip(0)).flip(0)


def matrices() -> Tensor:
    """Return the projections to query, key and value."""
    generator = torch.Generator().manual_seed(7)
    return torch.randn(3, WIDTH, WIDTH, generator=generator, dtype=torch.float64) / WIDTH**0.5


# ---- Which pairs may read, and what becomes of the others


def where(allowed: Callable[[Tensor, Tensor], Tensor], otherwise: float = -inf) -> Tensor:
    """Return the bias that is 0 where query i may read key j, and `otherwise` elsewhere."""
    position = torch.arange(POSITIONS)
    table = allowed(position[:, None], position[None, :])
    return torch.zeros(table.shape, dtype=torch.float64).masked_fill(~table, otherwise)


def past_and(query: int, key: int) -> Tensor:
    """Return the bias of the past and of one pair besides, which is favoured."""
    bias = PAST.clone()
    bias[query, key] = FAVOUR
    return bias


PAST = where(lambda i, j: j <= i)
EVERYTHING = where(lambda i, j: j < POSITIONS)
NEXT_TOO = where(lambda i, j: j <= i + 1)
STRICT = where(lambda i, j: j < i)
FUTURE = where(lambda i, j: j >= i)
BLOCKS = where(lambda i, j: (j <= i) | (i // 4 == j // 4))
SIX_AHEAD = where(lambda i, j: (j <= i) | (j == i + 6))
ALMOST_HIDDEN = where(lambda i, j: j <= i, otherwise=-13)


# ---- Steps before and after


def normalised(x: Tensor) -> Tensor:
    """Shift and scale each token to mean 0 and variance 1 over its features."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / centred.square().mean(dim=-1, keepdim=True).sqrt().clamp(min=1e-9)


def lengths(x: Tensor) -> Tensor:
    """Put the length of each token in all of its places."""
    return x.norm(dim=-1, keepdim=True).expand_as(x)


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


def one_position_on(output: Tensor) -> Tensor:
    """Move each row to the next position; the first gets zeros."""
    return torch.cat([torch.zeros_like(output[:1]), output[:-1]])


def with_the_next(feature: int) -> Step:
    """Return the step that adds to each row one feature of the next one."""

    def step(x: Tensor) -> Tensor:
        result = x.clone()
        result[:-1, feature] += x[1:, feature]
        return result

    return step


def faint(output: Tensor) -> Tensor:
    """Scale so that no leak moves an output by 1e-4; most move it by more than 1e-8."""
    return 5e-6 * output


def summed(output: Tensor) -> Tensor:
    """Put three times the sum of an output in all of its places."""
    return 3 * output.sum(dim=-1, keepdim=True).expand_as(output)


def negated(output: Tensor) -> Tensor:
    """Put the negative of that in all places."""
    return -summed(output)


def noisy(output: Tensor) -> Tensor:
    """Change the last digits at random, as sums do whose order differs from run to run."""
    return output + NOISE * (2 * torch.rand(output.shape, dtype=output.dtype) - 1)


CASES = (
    case(_("a causal mask"), attend=SelfAttention(PAST), gives=False),
    case(_("no mask"), attend=SelfAttention(EVERYTHING), gives=True),
    case(_("each position reads the next one too"), attend=SelfAttention(NEXT_TOO), gives=True),
    case(_("only position 0 reads the next one"), attend=SelfAttention(past_and(0, 1)), gives=True),
    case(_("only position 6 reads the next one"), attend=SelfAttention(past_and(6, 7)), gives=True),
    case(_("only position 7 reads the next one"), attend=SelfAttention(past_and(7, 8)), gives=True),
    case(
        _("only position 10 reads the last one"),
        attend=SelfAttention(past_and(10, 11)),
        gives=True,
    ),
    case(
        _("only position 6 reads the next one, its four outputs are summed"),
        attend=SelfAttention(past_and(6, 7), after=summed),
        gives=True,
    ),
    case(
        _("only position 6 reads the next one, its four outputs are summed and negated"),
        attend=SelfAttention(past_and(6, 7), after=negated),
        gives=True,
    ),
    case(
        _("each position reads the one six further on"),
        attend=SelfAttention(SIX_AHEAD),
        gives=True,
    ),
    case(
        _("blocks of four positions that read one another"),
        attend=SelfAttention(BLOCKS),
        gives=True,
    ),
    case(_("each position reads itself and the future"), attend=SelfAttention(FUTURE), gives=True),
    case(_("-13 in place of -inf"), attend=SelfAttention(ALMOST_HIDDEN), gives=True),
    case(
        _("a causal mask, then the mean over all positions is subtracted"),
        attend=SelfAttention(PAST, after=less_the_mean),
        gives=True,
    ),
    case(
        _("feature 1 of the next token is added to each token, then a causal mask"),
        attend=SelfAttention(PAST, before=with_the_next(feature=1)),
        gives=True,
    ),
    case(
        _("a causal mask, then feature 2 of the next output is added to each output"),
        attend=SelfAttention(PAST, after=with_the_next(feature=2)),
        gives=True,
    ),
    case(
        _("each position reads the next one too, the outputs are scaled by 0.000005"),
        attend=SelfAttention(NEXT_TOO, after=faint),
        gives=True,
    ),
    case(
        _("no mask, each token is normalised first"),
        attend=SelfAttention(EVERYTHING, before=normalised),
        gives=True,
    ),
    case(  # no sum of an output and no length of it moves
        _("each position reads the next one too, each output is normalised"),
        attend=SelfAttention(NEXT_TOO, after=normalised),
        gives=True,
    ),
    case(  # of a token with its numbers negated or rearranged, the length is the same
        _("no mask, but of each token only its length is read"),
        attend=SelfAttention(EVERYTHING, before=lengths),
        gives=True,
    ),
    case(
        _("each position reads the next one too, tokens are rounded to halves"),
        attend=SelfAttention(NEXT_TOO, before=rounded),
        gives=True,
    ),
    case(_("a causal mask without its diagonal"), attend=SelfAttention(STRICT), gives=False),
    case(
        _("a causal mask, each token is normalised first"),
        attend=SelfAttention(PAST, before=normalised),
        gives=False,
    ),
    case(
        _("a causal mask, then the mean of the positions so far is subtracted"),
        attend=SelfAttention(PAST, after=less_the_mean_so_far),
        gives=False,
    ),
    case(  # no position reads itself
        _("a causal mask, then each output moves one position on"),
        attend=SelfAttention(PAST, after=one_position_on),
        gives=False,
    ),
    case(
        _("no mask, but a loop that hands each position its past only"),
        attend=ByPrefix(EVERYTHING),
        gives=False,
    ),
    case(
        _("the sequence turned round, masked, turned back"), attend=Backwards(FUTURE), gives=False
    ),
    case(
        _("a causal mask, with rounding noise"),
        attend=SelfAttention(PAST, after=noisy),
        gives=False,
    ),
)
