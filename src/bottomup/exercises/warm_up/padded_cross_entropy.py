"""Exercise: the cross-entropy of the real tokens of a padded batch."""

from collections.abc import Callable
from math import log

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _
from bottomup.masks import padding_mask

LOSS, PADDING = _("Cross-entropy"), _("Padding in a mean")
STUB = '''\
def padded_cross_entropy(logits, target, mask):
    """Mean of -log p(right token) over the real tokens of a batch, in nats.

    logits [batch, target, vocabulary]: scores before the softmax.
    target [batch, target]: the right tokens' numbers.
    mask [batch, target]: boolean, True = real token, False = padding; at
    least one is True. Returns a tensor without axes.
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


def with_loops(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    total, count = logits.new_zeros(()), 0
    for b, i in mask.nonzero().tolist():
        total = total + logits[b, i].logsumexp(0) - logits[b, i, target[b, i]]
        count += 1
    return total / count


def _nats(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


def _from_nats(finish: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """A wrong answer that goes astray after the right loss of each position."""
    return lambda logits, target, mask: finish(_nats(logits, target), mask)


def _probability_of_right(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    return logits.softmax(-1).gather(-1, target[..., None])[mask]


def _over_axis(axis: int) -> Callable[..., Tensor]:
    return lambda logits, target, mask: (
        -logits.log_softmax(axis).gather(-1, target[..., None])[mask].mean()
    )


def _each_sentence(least: int) -> Callable[..., Tensor]:
    """The mean of the sentences' means, each over at least `least` tokens."""
    return _from_nats(
        lambda nats, mask: ((nats * mask).sum(1) / mask.sum(1).clamp(min=least)).mean()
    )


def _each_real_sentence(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    kept = mask.any(1)
    return _each_sentence(0)(logits[kept], target[kept], mask[kept])


def _log_of_softmax(floor: float) -> Callable[..., Tensor]:
    return lambda *inputs: -torch.log(_probability_of_right(*inputs) + floor).mean()


MISCONCEPTIONS = (
    Misconception(
        "padding-counted",
        _from_nats(lambda nats, mask: nats.mean()),
        _(
            "Padding counts like a token: the mean runs over every place of the rectangle. The "
            "model is then trained to predict padding, and the loss of a sentence changes with the "
            "longest one in its batch. Take the mean over the places where the mask is True."
        ),
        PADDING,
    ),
    Misconception(
        "divided-by-all-places",
        _from_nats(lambda nats, mask: (nats * mask).mean()),
        _(
            "The padded losses are zero, but they are still counted in the denominator. The more "
            "padding a batch holds, the smaller its loss looks, and the smaller its gradient is. "
            "Divide by the number of real tokens."
        ),
        PADDING,
    ),
    Misconception(
        "softmax-twice",
        lambda logits, target, mask: F.cross_entropy(logits.softmax(-1)[mask], target[mask]),
        _(
            "A softmax stands before the cross-entropy, which takes one itself. The second one "
            "sees numbers between 0 and 1, so even a certain and right model keeps a loss of "
            "log((e + V - 1)/e) for V tokens, and the gradient is nearly zero. Pass the logits as "
            "they are."
        ),
        LOSS,
        (lambda *inputs: -_probability_of_right(*inputs).log_softmax(0).mean(),),
    ),
    Misconception(
        "sum",
        _from_nats(lambda nats, mask: (nats * mask).sum()),
        _(
            "This is the sum over the real tokens. A batch with twice as many tokens then takes a "
            "step twice as large, and losses of different batches cannot be compared. Divide by "
            "the number of real tokens."
        ),
        PADDING,
        (_from_nats(lambda nats, mask: (nats * mask).sum() / len(mask)),),
    ),
    Misconception(
        "mean-of-sentence-means",
        _each_sentence(0),
        _(
            "Each sentence is averaged first, and then the sentences are. A word in a sentence of "
            "two then weighs ten times as much as one in a sentence of twenty, and a sentence of "
            "padding alone divides by zero. Sum over all real tokens and divide once."
        ),
        PADDING,
        (_each_sentence(1), _each_real_sentence),
    ),
    Misconception(
        "bits",
        _from_nats(lambda nats, mask: nats[mask].mean() / log(2)),
        _(
            "The logarithm has base 2, so this is the loss in bits. It is larger than the loss in "
            "nats by a factor 1/log 2 = 1.44, and e to the power of it is no perplexity. Use the "
            "natural logarithm."
        ),
        LOSS,
    ),
    Misconception(
        "sign",
        _from_nats(lambda nats, mask: -nats[mask].mean()),
        _(
            "The minus is missing. Log-probabilities are negative, so minimising this makes the "
            "right token less and less probable. The loss is minus their mean."
        ),
        LOSS,
    ),
    Misconception(
        "no-logarithm",
        lambda *inputs: -_probability_of_right(*inputs).mean(),
        _(
            "The mean is taken of probabilities, not of their logarithms. It hardly notices "
            "whether a right token got 0.01 or 0.0001, and its gradient vanishes exactly where the "
            "model is most wrong. Take log_softmax of the logits; `nll_loss` takes no logarithm."
        ),
        LOSS,
        (lambda *inputs: 1 - _probability_of_right(*inputs).mean(),),
    ),
    Misconception(
        "no-softmax",
        lambda logits, target, mask: -logits.gather(-1, target[..., None])[mask].mean(),
        _(
            "Minus the right token's logit is averaged, with no softmax. The loss falls for ever "
            "when all logits grow together, and the wrong tokens never matter. `nll_loss` expects "
            "log-probabilities: take log_softmax first."
        ),
        LOSS,
    ),
    Misconception(
        "positions-compete",
        _over_axis(1),
        _(
            "The softmax runs over the positions of the sentence instead of the vocabulary. The "
            "probabilities of one position then do not sum to one, and the loss depends on what "
            "stands at the other positions, padding included. Take dim=-1, the vocabulary."
        ),
        LOSS,
        (_over_axis(0),),
    ),
    Misconception(
        "logarithm-of-softmax",
        _log_of_softmax(0.0),
        _(
            "The softmax is taken first and its logarithm afterwards. In float32 a probability "
            "below e^-104 rounds to zero, and its logarithm is minus infinity. One such token "
            "makes the loss infinite. log_softmax does both at once and stays finite."
        ),
        LOSS,
        tuple(_log_of_softmax(floor) for floor in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7)),
    ),
    Misconception(
        "number-zero-is-padding",
        lambda logits, target, mask: F.cross_entropy(
            logits.transpose(1, 2), target, ignore_index=0
        ),
        _(
            "Padding is recognised by its number, 0, instead of the mask. Padded places may hold "
            "any number, and a real token may have number 0: the first are counted and the second "
            "are left out. The mask alone says which places are real."
        ),
        PADDING,
    ),
)


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
    lengths: list[int], width: int, vocabulary: int, *, scale: float = 2.0, double: bool = False
) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        dtype = torch.float64 if double else torch.float32
        shape = (len(lengths), width)
        mask = padding_mask(torch.tensor(lengths), width=width)[:, 0]
        return {
            "logits": scale * torch.randn(*shape, vocabulary, generator=generator, dtype=dtype),
            "target": torch.randint(vocabulary, shape, generator=generator),
            "mask": mask.clone(),
        }

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    inputs = _random([1, 2], 2, 3)(generator)
    return {**inputs, "logits": inputs["logits"].requires_grad_()}


CASES = (
    Case(
        _("two sentences; the right tokens have p = 1/2 and 1/4, and 1/8"),
        _hand([[0.5, 0.25], [0.125, 0.9]], [[True, True], [True, False]]),
    ),
    Case(_("one sentence without padding"), _hand([[0.5, 0.8, 0.1]], [[True, True, True]])),
    Case(_("a padded batch"), _random([7, 2, 5], 7, 11), seed=1),
    Case(_("as many positions as tokens"), _random([5, 3], 5, 5), seed=2),
    Case(_("float64"), _random([3, 2, 1], 3, 13, double=True), seed=3),
    Case(_("padding beyond the longest sentence"), _random([2, 3], 7, 5), seed=4),
    Case(_("a sentence of padding alone"), _random([3, 0, 2], 3, 7), seed=5),
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
    alternatives=(with_cross_entropy, with_a_product, with_log_softmax_first, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
