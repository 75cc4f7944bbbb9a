"""Exercise: cross-entropy against smoothed targets (Szegedy et al., 2016, section 7)."""

from collections.abc import Callable
from math import inf, log

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


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


# ---- Other targets and means: what the mistakes are made of

Answer = Callable[[Tensor, Tensor, Tensor, float, int], Tensor]

# number of classes, smoothing -> mass of the right token, of each other one, of padding
Masses = Callable[[int, float], tuple[float, float, float]]
Average = Callable[[Tensor, Tensor], Tensor]  # loss of every place, mask -> loss


def masses(classes: int, smoothing: float) -> tuple[float, float, float]:
    """The exercise's convention."""
    return 1 - smoothing, smoothing / (classes - 2), 0.0


def mean_of_real(losses: Tensor, mask: Tensor) -> Tensor:
    return losses[mask].mean()


def distribution(
    target: Tensor, classes: int, smoothing: float, pad: int, masses: Masses = masses
) -> Tensor:
    """The target distribution of every place; at a padded target all of `right` is padding's."""
    right, other, padding = masses(classes, smoothing)
    spread = torch.full((*target.shape, classes), other, dtype=torch.float64, device=target.device)
    spread[..., pad] = padding
    return spread.scatter(-1, target[..., None], right)


def losses_of(
    logits: Tensor, target: Tensor, smoothing: float, pad: int, masses: Masses = masses
) -> Tensor:
    """The loss of every place, padding included."""
    spread = distribution(target, logits.shape[-1], smoothing, pad, masses)
    return -(spread.to(logits) * logits.log_softmax(-1)).sum(-1)


def with_masses(masses: Masses, average: Average = mean_of_real) -> Answer:
    """Another target distribution, or another mean."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        return average(losses_of(logits, target, smoothing, pad, masses), mask)

    return wrong


def averaged(average: Average) -> Answer:
    """The right loss of every place, with another mean."""
    return with_masses(masses, average)


def scored(score: Callable[[Tensor], Tensor]) -> Answer:
    """The right distribution against something other than log-probabilities."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
        return -(spread * score(logits)).sum(-1)[mask].mean()

    return wrong


def picked(score: Callable[[Tensor], Tensor], *, subtracting: bool = True) -> Answer:
    """The same without a distribution; the others' sum subtracts, or is over them alone."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        scores, right = score(logits)[mask], target[mask][:, None]
        own = scores.gather(-1, right)[:, 0]
        classes = torch.arange(scores.shape[-1])
        others = scores.masked_fill((classes == pad) | (classes == right), 0).sum(-1)
        if subtracting:
            others = scores.sum(-1) - own - scores[:, pad]
        return -((1 - smoothing) * own + smoothing / (len(classes) - 2) * others).mean()

    return wrong


def log_of_softmax(added: float) -> Callable[[Tensor], Tensor]:
    """The logarithm of a probability, with a small number added to it."""
    return lambda logits: (logits.softmax(-1) + added).log()


# ---- Mistakes: which places count, and what is smoothed

FOUR = _("one place, four classes")
HAND = _("two places, the second is padding")
LARGE = _("large logits")
PAD_IS_FOUR = _("padding is class 4, and no place is padded")


def _masked_mean(losses: Tensor, mask: Tensor) -> Tensor:
    return (losses * mask).mean()


def _over_real(losses: Tensor, mask: Tensor) -> Tensor:
    """All losses, but divided by the number of real tokens."""
    return losses.sum() / mask.sum()


def _each_sentence(least: int) -> Average:
    return lambda losses, mask: ((losses * mask).sum(1) / mask.sum(1).clamp(min=least)).mean()


def _torch_everywhere(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), target, label_smoothing=smoothing)


def _others_without_target_everywhere(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    """The sum of all but padding, less the right one, which at a padded place is padding."""
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, target[..., None])[..., 0]
    others = log_p.sum(-1) - log_p[..., pad] - right
    return -((1 - smoothing) * right + smoothing / (logits.shape[-1] - 2) * others).mean()


def _emptied_everywhere(average: Average) -> Answer:
    """The class pad is emptied last, also where it is the target."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
        spread[..., pad] = 0
        return average(-(spread * logits.log_softmax(-1)).sum(-1), mask)

    return wrong


def _plain_loss_of(change: Callable[[Tensor, float], Tensor]) -> Answer:
    """The unsmoothed cross-entropy of logits that were changed instead of the target."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        return F.cross_entropy(change(logits, smoothing)[mask], target[mask])

    return wrong


def _towards_the_mean(logits: Tensor, smoothing: float) -> Tensor:
    return (1 - smoothing) * logits + smoothing * logits.mean(-1, keepdim=True)


def _mixed_probabilities(others: int) -> Callable[[Tensor, float], Tensor]:
    def change(logits: Tensor, smoothing: float) -> Tensor:
        share = smoothing / (logits.shape[-1] - others)
        return ((1 - smoothing) * logits.softmax(-1) + share).log()

    return change


def _unnormalised_mixture(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    p = (1 - smoothing) * logits.softmax(-1) + smoothing / (logits.shape[-1] - 2)
    return F.nll_loss(p.log()[mask], target[mask])


def _divergence(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
    spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
    return F.kl_div(logits.log_softmax(-1), spread, reduction="none").sum(-1)[mask].mean()


def _divided_by_classes(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    return losses_of(logits, target, smoothing, pad)[mask].mean() / logits.shape[-1]


PLACES = (
    Mistake(
        "padding-counted",
        averaged(lambda losses, mask: losses.mean()),
        (
            averaged(_over_real),
            _torch_everywhere,
            _others_without_target_everywhere,
            _emptied_everywhere(lambda losses, mask: losses.mean()),
            _emptied_everywhere(_over_real),
        ),
        case=HAND,
    ),
    Mistake("mean-over-all-places", averaged(_masked_mean), case=HAND),
    Mistake(
        "mask-inverted",
        averaged(lambda losses, mask: losses[~mask].mean()),
        (
            averaged(lambda losses, mask: (losses * ~mask).sum() / mask.sum()),
            _emptied_everywhere(lambda losses, mask: losses[~mask].mean()),
        ),
        case=HAND,
    ),
    Mistake(
        "sum",
        averaged(lambda losses, mask: losses[mask].sum()),
        (averaged(lambda losses, mask: losses[mask].sum() / len(mask)),),
    ),
    Mistake("mean-of-sentence-means", averaged(_each_sentence(0)), (averaged(_each_sentence(1)),)),
)

LOSSES = (
    Mistake(
        "logits-smoothed",
        _plain_loss_of(lambda logits, smoothing: (1 - smoothing) * logits),
        (
            _plain_loss_of(_towards_the_mean),
            _plain_loss_of(lambda logits, e: (1 - e) * logits + e / logits.shape[-1]),
            _plain_loss_of(_mixed_probabilities(0)),
            _plain_loss_of(_mixed_probabilities(2)),
            _unnormalised_mixture,
        ),
        case=FOUR,
    ),
    Mistake("divergence", _divergence, case=FOUR),
    Mistake("mean-over-classes", _divided_by_classes, case=FOUR),
    Mistake("no-logarithm", scored(lambda logits: logits.softmax(-1)), case=FOUR),
    Mistake(
        "log-of-softmax",
        scored(log_of_softmax(0.0)),
        (
            picked(log_of_softmax(0.0)),
            picked(log_of_softmax(0.0), subtracting=False),
            *(scored(log_of_softmax(added)) for added in (1e-8, 1e-9, 1e-10, 1e-12)),
        ),
        case=LARGE,
    ),
    Mistake("no-softmax", scored(lambda logits: logits)),
    Mistake("sign", averaged(lambda losses, mask: -losses[mask].mean()), case=FOUR),
    Mistake("bits", averaged(lambda losses, mask: losses[mask].mean() / log(2)), case=FOUR),
)


# ---- Mistakes


def _by_torch(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
    return F.cross_entropy(logits[mask], target[mask], label_smoothing=smoothing)


def _without_class_zero(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    """The others are all but the right one and class 0, which is thus subtracted twice if right."""
    log_p = logits.log_softmax(-1)[mask]
    right = log_p.gather(-1, target[mask][:, None])[:, 0]
    others = log_p.sum(-1) - right - log_p[:, 0]
    return -((1 - smoothing) * right + smoothing / (logits.shape[-1] - 2) * others).mean()


def _pad_masked(score: Callable[..., Answer], below: float, **options: bool) -> Answer:
    """The logit of the class pad is lowered before the softmax."""

    def wrong(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        def without_pad(given: Tensor) -> Tensor:
            lowered = given.clone()
            lowered[..., pad] = below
            return lowered.log_softmax(-1)

        return score(without_pad, **options)(logits, target, mask, smoothing, pad)

    return wrong


def _filled_with_pad(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    """The masses are right, but the softmax has one class less."""
    kept = [c for c in range(logits.shape[-1]) if c != pad]
    log_p = logits[..., kept].log_softmax(-1)
    places = (target - (target > pad).to(target)).clamp(max=len(kept) - 1)
    right = log_p.gather(-1, places[..., None])[..., 0]
    others = log_p.sum(-1) - right
    loss = -((1 - smoothing) * right + smoothing / (len(kept) - 1) * others)
    return loss[mask].mean()


CONVENTIONS = (
    Mistake("shared-among-all-classes", _by_torch, case=FOUR),
    Mistake(
        "shared-among-all-others",
        with_masses(lambda v, e: (1 - e, e / (v - 1), e / (v - 1))),
        case=FOUR,
    ),
    Mistake(
        "shared-with-the-right-token",
        with_masses(lambda v, e: (1 - e + e / (v - 1), e / (v - 1), 0.0)),
        case=FOUR,
    ),
)

MASSES = (
    Mistake(
        "mass-on-padding", with_masses(lambda v, e: (1 - e, e / (v - 2), e / (v - 2))), case=FOUR
    ),
    Mistake(
        "padding-assumed-first",
        lambda logits, target, mask, smoothing, pad: with_masses(masses)(
            logits, target, mask, smoothing, 0
        ),
        (_without_class_zero,),
        case=PAD_IS_FOUR,
    ),
    Mistake(
        "masses-do-not-sum-to-one",
        with_masses(lambda v, e: (1.0, e / (v - 2), 0.0)),
        (
            with_masses(lambda v, e: (1.0, e / (v - 1), 0.0)),
            with_masses(lambda v, e: (1.0, e / v, 0.0)),
            with_masses(lambda v, e: (1.0, e / (v - 2), e / (v - 2))),
            with_masses(lambda v, e: (1.0, e / (v - 1), e / (v - 1))),
            with_masses(lambda v, e: (1.0, e / v, e / v)),
            with_masses(lambda v, e: (1 - e, e, 0.0)),
            with_masses(lambda v, e: (1 - e, e, e)),
            with_masses(lambda v, e: (1 - e, e / (v - 1), 0.0)),
            with_masses(lambda v, e: (1 - e, e / v, 0.0)),
            with_masses(lambda v, e: (1 - e, e / v, e / v)),
            with_masses(lambda v, e: (1 - e + e / v, e / v, 0.0)),
            with_masses(lambda v, e: (1 - e + e / (v - 2), e / (v - 2), 0.0)),
            with_masses(lambda v, e: (1 - e + e / (v - 2), e / (v - 2), e / (v - 2))),
        ),
        case=FOUR,
    ),
    Mistake(
        "right-token-gets-the-rest",
        with_masses(lambda v, e: (e, (1 - e) / (v - 2), 0.0)),
        (with_masses(lambda v, e: (e, 1 - e, 0.0)),),
        case=FOUR,
    ),
    Mistake(
        "not-smoothed",
        with_masses(lambda v, e: (1.0, 0.0, 0.0)),
        (with_masses(lambda v, e: (1 - e, 0.0, 0.0)),),
        case=FOUR,
    ),
)

SOFTMAXES = (
    Mistake(
        "padding-taken-out-of-the-softmax",
        _pad_masked(scored, -inf),
        (
            _pad_masked(picked, -inf),
            _pad_masked(picked, -inf, subtracting=False),
            *(_pad_masked(scored, below) for below in (-1e4, -1e9)),
            _filled_with_pad,
        ),
        case=FOUR,
    ),
    Mistake(
        "softmax-over-the-positions",
        scored(lambda logits: logits.log_softmax(1)),
        (
            picked(lambda logits: logits.log_softmax(1)),
            scored(lambda logits: logits.log_softmax(0)),
        ),
        case=FOUR,
    ),
    Mistake(
        "softmax-twice",
        scored(lambda logits: logits.softmax(-1).log_softmax(-1)),
        (picked(lambda logits: logits.softmax(-1).log_softmax(-1)),),
        case=FOUR,
    ),
)

MISTAKES = (*CONVENTIONS, *MASSES, *PLACES, *LOSSES, *SOFTMAXES)


# ---- Cases

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

ANSWERS = Answers(
    solution=smoothed_cross_entropy,
    alternatives=(
        with_a_distribution,
        with_torch_s_class_probabilities,
        with_two_cross_entropies,
        with_loops,
    ),
    mistakes=MISTAKES,
    cases=CASES,
)
