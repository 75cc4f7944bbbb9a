"""Exercise: cross-entropy against smoothed targets (Szegedy et al., 2016, section 7)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.encoder_decoder.label_smoothing_mistakes import (
    FOUR,
    HAND,
    LARGE,
    MISCONCEPTIONS,
    PAD_IS_FOUR,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.i18n import _

STUB = '''\
def smoothed_cross_entropy(logits, target, mask, smoothing, pad):
    """Cross-entropy against smoothed targets, mean over real tokens, nats.

    Convention: of V classes, the right token has the mass 1 - smoothing,
    the class pad has none, and the V - 2 other tokens share smoothing
    equally. A place's loss is minus the sum of mass times log-probability.
    logits [batch, position, V]: scores before the softmax; V is at least 3.
    target [batch, position]: right tokens, pad where there is none.
    mask [batch, position]: boolean, True = real token; one at least.
    Returns a tensor without axes. A gradient must flow back.
    """
    ...
'''


def smoothed_cross_entropy(
    logits: torch.Tensor, target: torch.Tensor, mask: torch.Tensor, smoothing: float, pad: int
) -> torch.Tensor:
    log_p = torch.log_softmax(logits, dim=-1)
    right = log_p.gather(-1, target[..., None])  # [batch, position, 1]
    others = log_p.sum(dim=-1, keepdim=True) - right - log_p[..., [pad]]
    share = smoothing / (logits.shape[-1] - 2)
    return -((1 - smoothing) * right + share * others)[mask].mean()


def with_a_distribution(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    spread = torch.full_like(logits, smoothing / (logits.shape[-1] - 2))
    spread = spread.scatter(-1, target.unsqueeze(-1), 1 - smoothing)
    spread[..., pad] = 0
    losses = -(spread * torch.log_softmax(logits, -1)).sum(-1)
    return (losses * mask).sum() / mask.sum()


def with_torch_s_class_probabilities(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    classes = logits.shape[-1]
    hot = F.one_hot(target[mask], classes).to(logits)
    others = 1 - hot
    others[:, pad] = 0
    spread = (1 - smoothing) * hot + smoothing * others / others.sum(-1, keepdim=True)
    return F.cross_entropy(logits[mask], spread)


def with_two_cross_entropies(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    scores, right = logits[mask], target[mask]
    classes = torch.arange(logits.shape[-1])
    nats = scores.logsumexp(-1, keepdim=True) - scores
    kept = (classes != pad) & (classes != right[:, None])
    rest = (nats * kept).sum(-1) / kept.sum(-1)
    return (1 - smoothing) * F.cross_entropy(scores, right) + smoothing * rest.mean()


def with_loops(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
    losses = []
    for b, i in mask.nonzero().tolist():
        log_p = logits[b, i].log_softmax(0)
        others = [c for c in range(len(log_p)) if c not in (pad, int(target[b, i]))]
        loss = -(1 - smoothing) * log_p[target[b, i]]
        for c in others:
            loss = loss - smoothing / len(others) * log_p[c]
        losses.append(loss)
    return torch.stack(losses).mean()


Make = Callable[[torch.Generator], Inputs]


def _hand(eighths: list[list[float]], target: list[int], mask: list[bool]) -> Make:
    """One sentence; the probabilities are given in eighths, class 0 is padding."""
    return lambda generator: {
        "logits": torch.tensor([eighths]).log(),
        "target": torch.tensor([target]),
        "mask": torch.tensor([mask]),
        "smoothing": 0.2,
        "pad": 0,
    }


def _random(
    lengths: list[int], classes: int, smoothing: float, *, pad: int = 0,
    scale: float = 2.0, width: int = 0, pad_shift: float = 0.0, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Sentences of these lengths; no real target is padding."""

    def make(generator: torch.Generator) -> Inputs:
        shape = (len(lengths), max(width, *lengths))
        tokens = torch.tensor([number for number in range(classes) if number != pad])
        real = torch.arange(shape[1]) < torch.tensor(lengths)[:, None]
        drawn = tokens[torch.randint(len(tokens), shape, generator=generator)]
        logits = scale * torch.randn(*shape, classes, generator=generator, dtype=dtype)
        logits[..., pad] += pad_shift
        return {
            "logits": logits, "target": drawn.masked_fill(~real, pad), "mask": real,
            "smoothing": smoothing, "pad": pad,
        }  # fmt: skip

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    inputs = _random([1, 2], 5, 0.3, dtype=torch.float64)(generator)
    return {**inputs, "logits": inputs["logits"].requires_grad_()}


CASES = (
    Case(FOUR, _hand([[1, 4, 2, 1]], [1], [True])),
    Case(HAND, _hand([[1, 4, 2, 1], [4, 1, 1, 2]], [2, 0], [True, False])),
    Case(_("a padded batch"), _random([7, 2, 5], 11, 0.1), seed=1),
    Case(PAD_IS_FOUR, _random([3, 3], 7, 0.3, pad=4), seed=2),
    Case(_("the last class is padding"), _random([2, 5, 3], 13, 0.1, pad=12), seed=3),
    Case(_("without smoothing"), _random([5, 3], 7, 0.0), seed=4),
    Case(_("three classes: one other token"), _random([3, 2, 5], 3, 0.2), seed=5),
    Case(_("padding is very improbable"), _random([3, 2], 5, 0.1, pad_shift=-50.0), seed=6),
    Case(LARGE, _random([3, 5], 7, 0.1, scale=100.0), seed=7),
    Case(_("padding beyond the longest sentence"), _random([2, 3], 5, 0.4, width=7), seed=8),
    Case(_("float64"), _random([3, 1, 2], 17, 0.1, dtype=torch.float64), seed=9),
    Case(_("a gradient for the logits"), _with_gradient, seed=10),
)

LABEL_SMOOTHING = Exercise(
    slug="label-smoothing",
    title=_("Label smoothing by hand"),
    chapter="05",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Four classes, smoothing 0.2, padding is class 0, class 1 is right: the masses are "
            "0, 0.8, 0.1, 0.1. What are they for five classes, and what do they sum to?"
        ),
        _(
            "Two numbers are enough for each place: the log-probability of the right token, and "
            "the sum of those of the V - 2 others. `torch.log_softmax` gives all of them."
        ),
        _(
            "The sum over the others is the sum over all classes, less the right one, less that of "
            "the class pad. `log_p.gather(-1, target[..., None])` picks the right one, "
            "`log_p[..., [pad]]` the other."
        ),
        _(
            "A place's loss is -((1 - smoothing) * right + smoothing / (V - 2) * others). Indexing "
            "with [mask] keeps the real tokens; take their mean."
        ),
    ),
    solution=smoothed_cross_entropy,
    alternatives=(
        with_a_distribution,
        with_torch_s_class_probabilities,
        with_two_cross_entropies,
        with_loops,
    ),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
