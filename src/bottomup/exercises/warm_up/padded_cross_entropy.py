"""Exercise: the cross-entropy of the real tokens of a padded batch."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.warm_up.padded_cross_entropy_mistakes import (
    ABOVE,
    MISCONCEPTIONS,
    SQUARE,
)
from bottomup.exercises.warm_up.padded_cross_entropy_padding import ANYWHERE
from bottomup.i18n import _
from bottomup.masks import padding_mask

STUB = '''\
def padded_cross_entropy(logits, target, mask):
    """Mean of -log p(right token) over the real tokens of a batch, in nats.

    logits [batch, position, vocabulary]: scores before the softmax.
    target [batch, position]: the number of the right token at each place.
    mask [batch, position]: boolean, True = real token, False = padding;
    at least one is True. Returns a tensor without axes. Use torch
    throughout: a gradient must flow back.
    """
    ...
'''


def padded_cross_entropy(
    logits: torch.Tensor, target: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    log_p = torch.log_softmax(logits, dim=-1)
    right = log_p.gather(-1, target[..., None])
    return -right[mask].mean()


def with_cross_entropy(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    return F.cross_entropy(logits[mask], target[mask])


def with_a_product(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    nats = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    return (nats * mask).sum() / mask.sum()


def with_log_softmax_first(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    # no mistake: the log-softmax of log-probabilities gives them back
    return F.cross_entropy(logits.log_softmax(-1)[mask], target[mask])


def with_an_ignored_number(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    # -100 is what cross_entropy leaves out, unless told otherwise
    return F.cross_entropy(logits.transpose(1, 2), target.masked_fill(~mask, -100))


def with_loops(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    total, count = logits.new_zeros(()), 0
    for b, i in mask.nonzero().tolist():
        total = total + logits[b, i].logsumexp(0) - logits[b, i, target[b, i]]
        count += 1
    return total / count


def _by_hand(generator: torch.Generator) -> Inputs:
    """Probabilities in sixteenths: a row of logits is too large by log 16, a shift."""
    sixteenths = [
        [[2.0, 8, 4, 2], [4, 2, 2, 8], [4, 8, 1, 3]],
        [[5, 5, 2, 4], [1, 1, 1, 13], [2, 10, 2, 2]],
    ]
    return {
        "logits": torch.tensor(sixteenths).log(),
        "target": torch.tensor([[1, 3, 0], [2, 3, 1]]),
        "mask": torch.tensor([[True, True, True], [True, False, False]]),
    }


def _hand(
    p_right: list[list[float]], mask: list[list[bool]]
) -> Callable[[torch.Generator], Inputs]:
    """Two tokens; the right one, number 1, has the given probability."""

    def make(generator: torch.Generator) -> Inputs:
        p = torch.tensor(p_right)
        logits = torch.stack([torch.zeros_like(p), torch.log(p / (1 - p))], dim=-1)
        return {"logits": logits, "target": torch.ones_like(p).long(), "mask": torch.tensor(mask)}

    return make


def _random(
    lengths: list[int],
    width: int,
    vocabulary: int,
    *,
    scale: float = 2.0,
    shift: float = 0.0,
    double: bool = False,
) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        dtype = torch.float64 if double else torch.float32
        shape = (len(lengths), width)
        mask = padding_mask(torch.tensor(lengths), width=width)[:, 0]
        logits = torch.randn(*shape, vocabulary, generator=generator, dtype=dtype)
        return {
            "logits": scale * logits + shift,
            "target": torch.randint(vocabulary, shape, generator=generator),
            "mask": mask.clone(),
        }

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    inputs = _random([1, 2], 2, 3)(generator)
    return {**inputs, "logits": inputs["logits"].requires_grad_()}


CASES = (
    Case(_("two sentences; the right tokens have p = 1/2, 1/2, 1/4, and 1/8"), _by_hand),
    Case(_("one sentence without padding"), _hand([[0.5, 0.8, 0.1]], [[True, True, True]])),
    Case(
        ANYWHERE,
        _hand([[0.4, 0.5, 0.8], [0.1, 0.7, 0.5]], [[False, True, True], [True, False, True]]),
    ),
    Case(_("a padded batch"), _random([7, 2, 5], 7, 11), seed=1),
    Case(SQUARE, _random([5, 3], 5, 5), seed=2),
    Case(_("float64"), _random([3, 2, 1], 3, 13, double=True), seed=3),
    Case(_("padding beyond the longest sentence"), _random([2, 3], 7, 5), seed=4),
    Case(_("a sentence of padding alone"), _random([3, 0, 2], 3, 7), seed=5),
    Case(ABOVE, _random([3, 5], 5, 7, shift=300.0), seed=8),
    Case(_("large logits"), _random([3, 5], 5, 7, scale=300.0), seed=6),
    Case(_("a gradient for the logits"), _with_gradient, seed=7),
)

PADDED_CROSS_ENTROPY = Exercise(
    slug="padded-cross-entropy",
    title=_("Cross-entropy of a padded batch"),
    chapter="00",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _("How many terms does the mean have? Neither axis of the batch says so; the mask does."),
        _(
            "`torch.log_softmax(logits, dim=-1)` gives the log-probability of every token. "
            "`gather(-1, target[..., None])` picks the right one of each place."
        ),
        _(
            "A boolean mask picks: `values[mask]` lists the real tokens' values. Minus their mean "
            "is the answer."
        ),
    ),
    solution=padded_cross_entropy,
    alternatives=(
        with_cross_entropy,
        with_a_product,
        with_log_softmax_first,
        with_an_ignored_number,
        with_loops,
    ),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
