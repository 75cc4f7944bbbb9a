"""Exercise: by how much the company in a batch moves log-probabilities."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def moved_by_neighbours(alone: list[torch.Tensor], batch: torch.Tensor) -> torch.Tensor:
    found = []
    for pair, one in enumerate(alone):
        change = one - batch[pair, : len(one)]  # [place, word]
        found.append(change.abs().max())
    return torch.stack(found)


def with_a_mask(alone: list[Tensor], batch: Tensor) -> Tensor:
    real = torch.arange(batch.shape[1]) < torch.tensor([len(one) for one in alone])[:, None]
    change = (pad_sequence(alone, batch_first=True) - batch).abs()
    return change.masked_fill(~real[..., None], 0).amax(dim=(1, 2))


def with_loops(alone: list[Tensor], batch: Tensor) -> Tensor:
    found = torch.zeros(len(alone), dtype=batch.dtype)
    for pair, one in enumerate(alone):
        for place, said in enumerate(one):
            for word, log_p in enumerate(said):
                found[pair] = max(found[pair], abs(log_p - batch[pair, place, word]))
    return found


# ---- One step in another way: what the mistakes are made of

Change = Callable[[Tensor, Tensor], Tensor]  # of what was said alone, and of the batch's row


def by(change: Change) -> Callable[[list[Tensor], Tensor], Tensor]:
    """Return the answer that compares each pair in another way."""
    return lambda alone, batch: torch.stack(
        [change(one, row) for one, row in zip(alone, batch, strict=True)]
    )


def own(one: Tensor, row: Tensor) -> Tensor:
    return one - row[: len(one)]


def _with_padding(alone: list[Tensor], batch: Tensor) -> Tensor:
    return (pad_sequence(alone, batch_first=True) - batch).abs().amax(dim=(1, 2))


def _overall(alone: list[Tensor], batch: Tensor) -> Tensor:
    return moved_by_neighbours(alone, batch).max()


def _of_the_likeliest(one: Tensor, row: Tensor) -> Tensor:
    best = one.argmax(dim=-1, keepdim=True)
    return own(one, row).gather(1, best).abs().max()


def _cut_to_the_shortest(alone: list[Tensor], batch: Tensor) -> Tensor:
    least = min(map(len, alone))
    return moved_by_neighbours([one[:least] for one in alone], batch)


PADDED = _("a short pair beside a long one")

MISTAKES = (
    Mistake("padding-compared", _with_padding, case=PADDED),
    Mistake(
        "padded-on-the-left", by(lambda one, row: (one - row[-len(one) :]).abs().max()), case=PADDED
    ),
    Mistake(
        "mean-for-largest",
        by(lambda one, row: own(one, row).abs().mean()),
        (
            by(lambda one, row: own(one, row).abs().mean(dim=-1).max()),
            by(lambda one, row: own(one, row).abs().amax(dim=-1).mean()),
        ),
    ),
    Mistake(
        "sign-kept",
        by(lambda one, row: own(one, row).max()),
        (by(lambda one, row: own(one, row).neg().max()),),
    ),
    Mistake(
        "one-number-for-all",
        _overall,
        (lambda alone, batch: _overall(alone, batch).expand(len(alone)).clone(),),
    ),
    Mistake(
        "one-place-alone",
        by(lambda one, row: own(one, row)[0].abs().max()),
        (by(lambda one, row: own(one, row)[-1].abs().max()),),
    ),
    Mistake("cut-to-the-shortest", _cut_to_the_shortest, case=PADDED),
    Mistake("likeliest-word-alone", by(_of_the_likeliest)),
    Mistake("squares-summed", by(lambda one, row: own(one, row).norm())),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    batch = torch.tensor([[[-1.0, -2.0], [-4.0, -1.0]], [[-3.0, -1.0], [-2.0, -2.0]]])
    alone = [torch.tensor([[-1.5, -2.0]]), torch.tensor([[-3.0, -1.25], [-2.0, -1.0]])]
    return {"alone": [one.double() for one in alone], "batch": batch.double()}


def _random(
    lengths: list[int], words: int, size: float = 1.0
) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=torch.float64)

        batch = (2 * draw(len(lengths), max(lengths), words)).log_softmax(dim=-1)
        alone = [
            row[:length] + size * draw(length, words)
            for row, length in zip(batch, lengths, strict=True)
        ]
        return {"alone": alone, "batch": batch}

    return make


CASES = (
    Case(_("two pairs, two words"), _hand),
    Case(PADDED, _random([1, 5], 3), seed=1),
    Case(_("four pairs"), _random([2, 7, 3, 5], 5), seed=2),
    Case(_("a healthy pipeline"), _random([3, 2], 5, size=0.0), seed=3),
    Case(_("changes of a thousandth"), _random([5, 2, 3], 7, size=1e-3), seed=4),
    Case(_("one pair"), _random([3], 3), seed=5),
)

ANSWERS = Answers(
    solution=moved_by_neighbours,
    alternatives=(with_a_mask, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
