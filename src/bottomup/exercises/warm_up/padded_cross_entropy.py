"""Exercise: the cross-entropy of the real tokens of a padded batch."""

from collections.abc import Callable
from functools import partial
from math import log

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _
from bottomup.masks import padding_mask


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


# ---- Mistakes: padding and the mean

ANYWHERE = _("padding on the left and in the middle")
Finish = Callable[[Tensor, Tensor], Tensor]
Wrong = Callable[..., Tensor]


def nats_of(logits: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


def from_nats(finish: Finish) -> Wrong:
    """A wrong answer that goes astray after the right loss of each position."""
    return lambda logits, target, mask: finish(nats_of(logits, target), mask)


def mean_of_product(nats: Tensor, mask: Tensor) -> Tensor:
    return (nats * mask).mean()


def sum_over_count(nats: Tensor, mask: Tensor) -> Tensor:
    return (nats * mask).sum() / mask.sum()


def _each_sentence(least: int) -> Wrong:
    """The mean of the sentences' means, each over at least `least` tokens."""
    return from_nats(
        lambda nats, mask: ((nats * mask).sum(1) / mask.sum(1).clamp(min=least)).mean()
    )


def _each_real_sentence(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    kept = mask.any(1)
    return _each_sentence(0)(logits[kept], target[kept], mask[kept])


def _first_of_each_row(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    first = torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)
    return sum_over_count(nats_of(logits, target), first)


def _up_to_padding(own_count: bool) -> Wrong:
    """A loop over each row that ends at the first padding."""

    def finish(nats: Tensor, mask: Tensor) -> Tensor:
        kept = mask.long().cumprod(1)
        return (nats * kept).sum() / (kept if own_count else mask).sum()

    return from_nats(finish)


PADDING_MISTAKES = (
    Mistake(
        "padding-counted",
        from_nats(lambda nats, mask: nats.mean()),
        (lambda logits, target, mask: nats_of(logits, target.masked_fill(~mask, 0)).mean(),),
    ),
    Mistake(
        "mask-inverted",
        from_nats(lambda nats, mask: nats[~mask].mean()),
        (
            from_nats(lambda nats, mask: sum_over_count(nats, ~mask)),
            from_nats(lambda nats, mask: (nats * ~mask).sum() / mask.sum()),
        ),
    ),
    Mistake("divided-by-all-places", from_nats(mean_of_product)),
    Mistake("sum", from_nats(lambda nats, mask: (nats * mask).sum())),
    Mistake(
        "divided-by-one-axis",
        from_nats(lambda nats, mask: (nats * mask).sum() / len(mask)),
        (from_nats(lambda nats, mask: (nats * mask).sum() / mask.shape[1]),),
    ),
    Mistake("mean-of-sentence-means", _each_sentence(0), (_each_sentence(1), _each_real_sentence)),
    Mistake(
        "places-ignored",
        _first_of_each_row,
        (_up_to_padding(own_count=True), _up_to_padding(own_count=False)),
        case=ANYWHERE,
    ),
    Mistake(
        "padding-logits-zero",
        lambda logits, target, mask: nats_of(logits * mask[..., None], target).mean(),
        (
            lambda logits, target, mask: (
                nats_of(logits * mask[..., None], target).sum() / mask.sum()
            ),
        ),
    ),
    Mistake(
        "padding-logits-infinite",
        lambda logits, target, mask: nats_of(
            logits.masked_fill(~mask[..., None], -torch.inf), target
        ).mean(),
    ),
    Mistake(
        "number-zero-is-padding",
        lambda logits, target, mask: F.cross_entropy(
            logits.transpose(1, 2), target, ignore_index=0
        ),
        (
            lambda logits, target, mask: F.cross_entropy(
                logits.transpose(1, 2), target * mask, ignore_index=0
            ),
        ),
    ),
)


# ---- Mistakes: the loss of a place

SQUARE, ABOVE = _("as many positions as tokens to choose from"), _("all logits far above zero")
FLOORS = (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5)


def _probability_of_right(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    return logits.softmax(-1).gather(-1, target[..., None])[mask]


def _over_axis(axis: int) -> Callable[..., Tensor]:
    return lambda logits, target, mask: (
        -logits.log_softmax(axis).gather(-1, target[..., None])[mask].mean()
    )


def _log_of_softmax(floor: float) -> Callable[..., Tensor]:
    return lambda *inputs: -torch.log(_probability_of_right(*inputs) + floor).mean()


def _own_softmax(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    p = logits.exp() / logits.exp().sum(-1, keepdim=True)
    return -p.gather(-1, target[..., None])[mask].log().mean()


def _own_logsumexp(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    log_p = logits - logits.exp().sum(-1, keepdim=True).log()
    return -log_p.gather(-1, target[..., None])[mask].mean()


def _below_the_largest(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    behind = logits.amax(-1, keepdim=True) - logits
    return behind.gather(-1, target[..., None])[mask].mean()


def _classes_second(finish: Finish) -> Callable[..., Tensor]:
    """cross_entropy takes the second axis for the vocabulary; here it is the position."""
    nats = partial(F.cross_entropy, reduction="none")
    return lambda logits, target, mask: finish(nats(logits, target), mask)


def _shifted(kept: slice) -> Callable[..., Tensor]:
    return lambda logits, target, mask: nats_of(logits[:, :-1], target[:, 1:])[mask[:, kept]].mean()


MISTAKES = (
    *PADDING_MISTAKES,
    Mistake(
        "softmax-twice",
        lambda logits, target, mask: F.cross_entropy(logits.softmax(-1)[mask], target[mask]),
        (lambda *inputs: -_probability_of_right(*inputs).log_softmax(0).mean(),),
    ),
    Mistake(
        "every-loss-with-every-mask",
        from_nats(lambda nats, mask: sum_over_count(nats[..., None], mask)),
        (from_nats(lambda nats, mask: mean_of_product(nats[..., None], mask)),),
    ),
    Mistake("shifted-by-one", _shifted(slice(1, None)), (_shifted(slice(None, -1)),)),
    Mistake(
        "vocabulary-second",
        _classes_second(lambda nats, mask: nats[mask].mean()),
        (
            _classes_second(lambda nats, mask: nats.mean()),
            _classes_second(sum_over_count),
            _classes_second(mean_of_product),
        ),
        case=SQUARE,
    ),
    Mistake("bits", from_nats(lambda nats, mask: nats[mask].mean() / log(2))),
    Mistake("sign", from_nats(lambda nats, mask: -nats[mask].mean())),
    Mistake(
        "no-logarithm",
        lambda *inputs: -_probability_of_right(*inputs).mean(),
        (lambda *inputs: 1 - _probability_of_right(*inputs).mean(),),
    ),
    Mistake(
        "no-softmax",
        lambda logits, target, mask: -logits.gather(-1, target[..., None])[mask].mean(),
    ),
    Mistake(
        "whole-vocabulary",
        lambda logits, target, mask: -logits.log_softmax(-1)[mask].mean(),
        (lambda logits, target, mask: nats_of(logits, target)[mask].mean() / logits.shape[-1],),
    ),
    Mistake("positions-compete", _over_axis(1), (_over_axis(0),)),
    Mistake(
        "logarithm-of-softmax",
        _log_of_softmax(0.0),
        tuple(_log_of_softmax(floor) for floor in FLOORS),
    ),
    Mistake("overflow", _own_softmax, (_own_logsumexp,), case=ABOVE),
    Mistake("largest-for-the-sum", _below_the_largest),
)


# ---- Cases


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

ANSWERS = Answers(
    solution=padded_cross_entropy,
    alternatives=(
        with_cross_entropy,
        with_a_product,
        with_log_softmax_first,
        with_an_ignored_number,
        with_loops,
    ),
    mistakes=MISTAKES,
    cases=CASES,
)
