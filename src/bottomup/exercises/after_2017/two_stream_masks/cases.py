"""Cases of one step of two-stream attention under an order (Yang et al., 2019, section 2.3)."""

from math import exp

import torch

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def random(length: int, width: int, dtype: torch.dtype | None = None) -> dict[str, Drawn]:
    return {
        "content": normal(length, width, scale=2.0, dtype=dtype),
        "query": normal(length, width, scale=2.0, dtype=dtype),
        "order": Drawn(lambda generator: torch.randperm(length, generator=generator)),
    }


E = exp(1 / 2**0.5)  # of a score one higher, in vectors of width 2
HIGHEST = torch.finfo(torch.float32).max

WITHOUT = {"a batch of one": "the order of one word is no order of the sentence"}

CASES = (
    case(
        _("three tokens, the last one first, then the first"),
        content=tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
        query=tensor([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
        order=tensor([2, 0, 1]),
        gives=(
            tensor(
                [
                    # position 0 scores itself 1 and position 2, which came before, 2
                    [(1 + 2 * E) / (1 + E), 2 * E / (1 + E)],
                    # position 1 scores position 0, itself and position 2 with 0, 1 and 2
                    [(1 + 2 * E**2) / (1 + E + E**2), (E + 2 * E**2) / (1 + E + E**2)],
                    [2.0, 2.0],  # the first reads itself alone
                ]
            ),
            # queries of zeros read what they may evenly
            tensor([[2.0, 2.0], [1.5, 1.0], [0.0, 0.0]]),
        ),
    ),
    case(
        _("one token"),
        content=tensor([[3.0]]),
        query=tensor([[5.0]]),
        order=tensor([0]),
    ),
    case(_("five tokens"), seed=1, **random(5, 3)),
    case(_("eleven tokens of width seven"), seed=2, **random(11, 7)),
    case(_("as many tokens as columns"), seed=3, **random(5, 5)),
    case(
        _("large scores"),
        content=tensor([[1024.0], [-2048.0], [2048.0]]),
        query=tensor([[-1.0], [5.0], [HIGHEST / 2048]]),
        order=tensor([1, 2, 0]),
        gives=(
            # the largest score takes all: position 0 scores 1024 * 2048 at position 2
            tensor([[2048.0], [-2048.0], [2048.0]]),
            # 0 scores 2048 at position 1; 1 reads nothing; 2 may read 1 alone, at -HIGHEST
            tensor([[-2048.0], [0.0], [-2048.0]]),
        ),
    ),
    case(_("float64"), seed=4, **random(7, 2, torch.float64)),
)

compare = compare_named("content", "query")
