"""Exercise: the mask that hides the future."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _

MASKS, WHO_READS_WHOM = _("Masks"), _("Who reads whom")
STUB = '''\
def causal_mask(n):
    """Let each of n positions attend to itself and to all before it.

    Returns a boolean tensor [query, key] of shape [n, n]:
    True = may attend.
    """
    ...
'''


def causal_mask(n: int) -> torch.Tensor:
    query = torch.arange(n).unsqueeze(1)  # [n, 1]
    key = torch.arange(n).unsqueeze(0)  # [1, n]
    return key <= query


def with_tril(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def with_triu(n: int) -> Tensor:
    return ~torch.ones(n, n).triu(diagonal=1).bool()


def with_loops(n: int) -> Tensor:
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])


def _where(allowed: Callable[[Tensor, Tensor], Tensor]) -> Callable[[int], Tensor]:
    """A mask that lets query i read key j where `allowed` says so."""
    return lambda n: allowed(torch.arange(n)[:, None], torch.arange(n)[None, :])


def _additive(hidden: Callable[[Tensor, Tensor], Tensor], value: float) -> Callable[[int], Tensor]:
    """Zeros, and `value` where a key is hidden."""
    return lambda n: torch.zeros(n, n).masked_fill(_where(hidden)(n), value)


MISCONCEPTIONS = (
    Misconception(
        "strict",
        _where(lambda i, j: j < i),
        _(
            "Each position sees what comes before it, but not itself. The first position then "
            "sees nothing at all, and its output is zero. A model predicts the token after "
            "position i, so it may read position i: the diagonal is True."
        ),
        MASKS,
    ),
    Misconception(
        "one-too-many",
        _where(lambda i, j: j <= i + 1),
        _(
            "Each position sees the next one too. That is the very token it has to predict, so "
            "training ends with almost no errors, and generation, where the next token does not "
            "exist yet, fails. The triangle ends on the diagonal."
        ),
        MASKS,
    ),
    Misconception(
        "transposed",
        _where(lambda i, j: j >= i),
        _(
            "Each position sees itself and what comes after it: rows and columns have changed "
            "places. Row i is the query i, and it says what position i may read. The past of "
            "position i is the columns 0 to i."
        ),
        WHO_READS_WHOM,
    ),
    Misconception(
        "inverted",
        _where(lambda i, j: j > i),
        _(
            "True stands where attending is forbidden. That is the convention of the attn_mask of "
            "nn.MultiheadAttention; here, and in torch's scaled_dot_product_attention, True = may "
            "attend. Used as it is, this mask shows each position the future only."
        ),
        MASKS,
        (_where(lambda i, j: j > i + 1),),
    ),
    Misconception(
        "additive",
        _additive(lambda i, j: j > i, -inf),
        _(
            "This is an additive mask, 0 where attending is allowed and -inf where it is not, to "
            "be added to the scores. The task wants a boolean one, True = may attend. `mask == 0` "
            "turns yours into that."
        ),
        MASKS,
        (
            _additive(lambda i, j: j > i, -1e9),
            _additive(lambda i, j: j > i, torch.finfo(torch.float32).min),
            _additive(lambda i, j: j >= i, -inf),
            _additive(lambda i, j: j < i, -inf),
        ),
    ),
    Misconception(
        "nothing-hidden",
        lambda n: torch.ones(n, n, dtype=torch.bool),
        _(
            "Every position sees every other one, the future included. While it learns, the model "
            "reads off the token that it has to predict. Where the key comes after the query, the "
            "mask must be False."
        ),
        MASKS,
    ),
    Misconception(
        "axis-missing",
        lambda n: torch.arange(n) <= torch.arange(n),
        _(
            "The result has one axis: each position was compared with itself only. A mask needs "
            "an answer for every pair. Give the query its own axis, `position[:, None]`, and the "
            "key the other one, `position[None, :]`; comparing the two gives a table."
        ),
        WHO_READS_WHOM,
        (lambda n: torch.ones(n, dtype=torch.bool), lambda n: torch.arange(n) < torch.arange(n)),
    ),
)


def _positions(n: int) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"n": n}


CASES = (
    Case(_("four positions"), _positions(4)),
    Case(_("one position"), _positions(1)),
    Case(_("two positions"), _positions(2)),
    Case(_("seven positions"), _positions(7)),
    Case(_("thirteen positions"), _positions(13)),
)

CAUSAL_MASK = Exercise(
    slug="causal-mask",
    title=_("The causal mask"),
    chapter="02",
    difficulty=1,
    minutes=5,
    stub=STUB,
    hints=(
        _("For four positions, write the table down: which keys may query 0 read, which query 3?"),
        _(
            "Row i is True in the columns j <= i. Either compare `torch.arange(n)` with itself "
            "along two axes, or cut `torch.ones(n, n, dtype=torch.bool)` with `tril`."
        ),
    ),
    solution=causal_mask,
    alternatives=(with_tril, with_triu, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
