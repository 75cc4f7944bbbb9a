"""Cases of the log-probability of several tokens, asked one after the other."""

from math import log

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, integers, normal, tensor
from bottomup.i18n import _


class Network:
    """What stands for a network: logits from who sees what, in which every seen token counts."""

    def __init__(self, table: Tensor) -> None:
        self._table = table  # [position, seen position, token, token said]

    def __call__(self, tokens: Tensor, seen: Tensor) -> Tensor:
        """Return log-probabilities [position, token]."""
        places = torch.arange(len(tokens))
        each = self._table[:, places, tokens]  # [position, seen position, token said]
        return each.masked_fill(~seen[None, :, None], 0).sum(dim=1).log_softmax(dim=-1)


def asking(length: int, vocabulary: int, asked: int) -> dict[str, Drawn]:
    """Return a network, a sentence, and an order of so many of its positions."""
    table = normal(length, length, vocabulary, vocabulary, dtype=torch.float64)
    return {
        "predict": table.then(Network),
        "tokens": integers(length, high=vocabulary),
        "order": Drawn(lambda generator: torch.randperm(length, generator=generator)[:asked]),
    }


def new_york(tokens: Tensor, seen: Tensor) -> Tensor:
    """Two tokens: 0 0 or 1 1, one half each; from one the other is known nine times in ten."""
    said = torch.full((3, 2), 0.5, dtype=torch.float64)
    for position, other in ((0, 1), (1, 0)):
        if seen[other]:
            said[position] = 0.1
            said[position, tokens[other]] = 0.9
        if not seen[2]:
            said[position] = torch.tensor([0.75, 0.25], dtype=torch.float64)
        if seen[position]:
            said[position] = 0.01
            said[position, tokens[position]] = 0.99
    return said.log()


def surprised(tokens: Tensor, seen: Tensor) -> Tensor:
    """Two words; the network hardly expects a 0, and less so where it has seen the other one."""
    against = 400.0 + 100.0 * seen.flip(0).double()
    return torch.stack([-against, torch.zeros(2, dtype=torch.float64)], dim=1)


CASES = (
    case(
        _("two words that go together, the second asked first"),
        predict=new_york,
        tokens=tensor([1, 1, 0]),
        order=tensor([1, 0]),
        # the second word has 0.5, and the first then 0.9
        gives=tensor(log(0.5) + log(0.9), dtype=torch.float64),
    ),
    case(_("one token asked for, of three"), seed=1, **asking(3, 2, 1)),
    case(_("three asked for, of five"), seed=2, **asking(5, 3, 3)),
    case(_("all of seven, none given"), seed=3, **asking(7, 5, 7)),
    case(_("five of eleven"), seed=4, **asking(11, 3, 5)),
    case(
        _("words that the network hardly expects"),
        predict=surprised,
        tokens=tensor([0, 0]),
        order=tensor([0, 1]),
        gives=tensor(-900.0, dtype=torch.float64),  # -400 - 500: e^-900 is zero
    ),
)
