"""Cases of how far a beam's claims are off."""

from math import log

import torch

from bottomup.exercises.engine import Case, Inputs, case, tensor
from bottomup.i18n import _


def beam(name: str, lengths: list[int], words: int, *, seed: int) -> Case:
    """Hypotheses of these lengths; each claim is off by half a nat or more."""

    def make(generator: torch.Generator) -> Inputs:
        shape = (len(lengths), max(lengths), words)
        log_p = torch.randn(shape, generator=generator).log_softmax(dim=-1)
        tokens = torch.randint(words, shape[:2], generator=generator)
        claimed = torch.tensor([0.5, -1.0, 1.5, -0.5])[: len(lengths)]
        for hypothesis, length in enumerate(lengths):
            for place in range(length):
                claimed[hypothesis] += log_p[hypothesis, place, tokens[hypothesis, place]]
        return {
            "claimed": claimed,
            "log_p": log_p,
            "tokens": tokens,
            "lengths": torch.tensor(lengths),
        }

    return Case(name, make, seed)


CASES = (
    case(
        _("two hypotheses, two words"),
        claimed=tensor([3 / 4, 1 / 16]).then(torch.log),
        log_p=tensor([[[1 / 2, 1 / 2], [1 / 4, 3 / 4]], [[7 / 8, 1 / 8], [1 / 2, 1 / 2]]]).then(
            torch.log
        ),
        tokens=tensor([[0, 1], [1, 0]]),
        lengths=tensor([2, 1]),
        gives=tensor([-log(2), log(2)]),  # of 1/2 · 3/4 beside 3/4, and of 1/8 beside 1/16
    ),
    beam(_("two hypotheses of different length"), [5, 2], 3, seed=1),
    beam(_("a beam of four"), [7, 3, 5, 2], 11, seed=2),
    beam(_("equal lengths"), [3, 3, 3], 5, seed=3),
    beam(_("as many words as places"), [2, 5, 3], 5, seed=4),
    case(
        _("words that the network hardly expects, and a claim that is nearly right"),
        claimed=tensor([-200.0009765625, -1.0]),
        log_p=tensor(
            [
                [[-200.0, 0.0], [-150.0, 0.0], [-1e9, -1e9]],  # padding at the end
                [[-200.0, 0.0], [0.0, -150.0], [-1e9, -1e9]],
            ]
        ),
        tokens=tensor([[0, 1, 0], [0, 1, 0]]),
        lengths=tensor([2, 2]),
        gives=tensor([0.0009765625, -349.0]),  # of -200 + 0, and of -200 - 150 beside -1
    ),
)
