"""Exercise: a test that finds an attention which reads the future."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.compare import difference
from bottomup.exercises.exercise import Case, Exercise, Inputs, call_with_inputs
from bottomup.exercises.self_attention import leaky_attentions as some
from bottomup.exercises.self_attention.find_the_leak_mistakes import (
    MISCONCEPTIONS,
    Attend,
)
from bottomup.exercises.self_attention.leaky_attentions import (
    POSITIONS,
    Backwards,
    ByPrefix,
    SelfAttention,
    past_and,
    where,
)
from bottomup.i18n import _

STUB = '''\
def leaks(attend):
    """Whether the output of some position depends on a later token.

    attend takes tokens [12, 4] in float64 and returns outputs of that
    shape, with rounding noise of up to 1e-12. It need not be
    differentiable. Returns True or False.
    """
    x = torch.randn(12, 4, dtype=torch.float64)
    ...
'''


def leaks(attend: "Attend") -> bool:
    x = torch.randn(12, 4, dtype=torch.float64)
    for i in range(11):
        edited = torch.cat([x[: i + 1], torch.randn(11 - i, 4)])  # position i and its past stay
        if (attend(edited) - attend(x))[i].norm() > 1e-9:
            return True
    return False


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


_PAST = where(some.past)
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
    _("each position reads the one six further on"): SelfAttention(_SIX_AHEAD),
    _("blocks of four positions that read one another"): SelfAttention(_BLOCKS),
    _("each position reads itself and the future"): SelfAttention(_FUTURE),
    _("-13 in place of -inf"): SelfAttention(where(some.past, otherwise=-13)),
    _("a causal mask, then the mean over all positions is subtracted"): SelfAttention(
        _PAST, after=some.less_the_mean
    ),
    _("no mask, each token is normalised first"): SelfAttention(
        _EVERYTHING, before=some.normalised
    ),
    _("each position reads the next one too, tokens are rounded to halves"): SelfAttention(
        _NEXT_TOO, before=some.rounded
    ),
    _("a causal mask without its diagonal"): SelfAttention(_STRICT),
    _("a causal mask, each token is normalised first"): SelfAttention(
        _PAST, before=some.normalised
    ),
    _("a causal mask, then the mean of the positions so far is subtracted"): SelfAttention(
        _PAST, after=some.less_the_mean_so_far
    ),
    _("no mask, but a loop that hands each position its past only"): ByPrefix(_EVERYTHING),
    _("the sequence turned round, masked, turned back"): Backwards(_FUTURE),
    _("a causal mask, with rounding noise"): SelfAttention(_PAST, after=some.noisy),
}


def _handing_over(attend: SelfAttention) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"attend": attend}


FIND_THE_LEAK = Exercise(
    slug="find-the-leak",
    title=_("Find the leak"),
    chapter="02",
    difficulty=3,
    minutes=20,
    stub=STUB,
    hints=(
        _(
            "Which outputs may move when token 5 changes, and which may not? Write the test for "
            "token 5 first."
        ),
        _(
            "Call `attend` twice: on some tokens, and on a copy in which everything after position "
            "i is replaced by new random numbers. Nothing up to i may move by more than noise."
        ),
        _(
            "Do that for every i. One cut misses a leak that does not cross it, and an edit such "
            "as `+ 1` is undone by an attention that normalises its tokens."
        ),
    ),
    solution=leaks,
    alternatives=(with_one_token_at_a_time, with_prefixes, with_a_table),
    misconceptions=MISCONCEPTIONS,
    cases=tuple(Case(name, _handing_over(attend)) for name, attend in ATTENTIONS.items()),
    run=run,
    compare=compare,
)
