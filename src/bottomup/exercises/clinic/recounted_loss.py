"""Exercise: count the mean loss of real tokens."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def recount(log_p: torch.Tensor, target: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    chosen = log_p.gather(2, target.unsqueeze(2)).squeeze(2)  # [pair, place]
    return -chosen[real].mean()


def with_torch(log_p: Tensor, target: Tensor, real: Tensor) -> Tensor:
    return torch.nn.functional.nll_loss(log_p[real], target[real])


def with_one_hot(log_p: Tensor, target: Tensor, real: Tensor) -> Tensor:
    hot = torch.nn.functional.one_hot(target, log_p.shape[2]).to(log_p) * real[..., None]
    return -torch.einsum("pnw,pnw->", log_p, hot) / real.sum()


def with_loops(log_p: Tensor, target: Tensor, real: Tensor) -> Tensor:
    losses = [
        -log_p[pair, place, target[pair, place]]
        for pair in range(len(target))
        for place in range(target.shape[1])
        if real[pair, place]
    ]
    return torch.stack(losses).mean()


# ---- One step in another way: what the mistakes are made of

Mean = Callable[[Tensor, Tensor], Tensor]  # of losses and real places, both [pair, place]
Answer = Callable[[Tensor, Tensor, Tensor], Tensor]


def losses(log_p: Tensor, target: Tensor) -> Tensor:
    return -log_p.gather(2, target[..., None])[..., 0]


def taken(mean: Mean) -> Answer:
    """Return the answer that takes the mean in another way."""
    return lambda log_p, target, real: mean(losses(log_p, target), real)


def _of_sentences(loss: Tensor, real: Tensor) -> Tensor:
    return ((loss * real).sum(dim=1) / real.sum(dim=1)).mean()


def _likeliest(log_p: Tensor, target: Tensor, real: Tensor) -> Tensor:
    return -log_p.amax(dim=-1)[real].mean()


PADDED = _("two sentences of different length")

MISTAKES = (
    Mistake(
        "padding-in-the-mean",
        taken(lambda loss, real: (loss * real).mean()),
        (taken(lambda loss, real: loss.mean()),),
        case=PADDED,
    ),
    Mistake("mean-of-sentence-means", taken(_of_sentences), case=PADDED),
    Mistake("divided-by-the-sentences", taken(lambda loss, real: (loss * real).sum() / len(loss))),
    Mistake("summed", taken(lambda loss, real: loss[real].sum())),
    Mistake("sign-forgotten", taken(lambda loss, real: -loss[real].mean())),
    Mistake("padding-alone", taken(lambda loss, real: loss[~real].mean()), case=PADDED),
    Mistake("in-bits", taken(lambda loss, real: loss[real].mean() / math.log(2))),
    Mistake(
        "logarithm-of-the-mean", taken(lambda loss, real: -loss[real].neg().exp().mean().log())
    ),
    Mistake("likeliest-for-target", _likeliest),
    Mistake(
        "probabilities-averaged",
        taken(lambda loss, real: -loss[real].neg().exp().mean()),
        (
            taken(lambda loss, real: loss[real].neg().exp().mean()),
            taken(lambda loss, real: 1 - loss[real].neg().exp().mean()),
        ),
    ),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    p = torch.tensor([[[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]], dtype=torch.float64)
    real = torch.ones(1, 2, dtype=torch.bool)
    return {"log_p": p.log(), "target": torch.tensor([[0, 2]]), "real": real}


def _random(lengths: list[int], words: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        places = max(lengths)
        shape = (len(lengths), places, words)
        logits = 2 * torch.randn(shape, generator=generator, dtype=torch.float64)
        target = torch.randint(words, shape[:2], generator=generator)
        real = torch.arange(places) < torch.tensor(lengths)[:, None]
        return {"log_p": logits.log_softmax(dim=-1), "target": target, "real": real}

    return make


CASES = (
    Case(_("one sentence of two tokens"), _hand),
    Case(PADDED, _random([1, 3], 2), seed=1),
    Case(_("five sentences"), _random([7, 2, 3, 5, 1], 11), seed=2),
    Case(_("three of equal length"), _random([3, 3, 3], 5), seed=3),
    Case(_("as many words as places"), _random([2, 5], 5), seed=4),
)

ANSWERS = Answers(
    solution=recount,
    alternatives=(with_torch, with_one_hot, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
