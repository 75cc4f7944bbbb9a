"""Exercise: the nucleus, what top-p keeps (Holtzman et al., 2020, section 3.1)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.decoding.top_p_mistakes import EXACT, HAND, MISCONCEPTIONS
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.i18n import _

STUB = '''\
def nucleus(probabilities, p):
    """The probabilities that top-p sampling draws from.

    probabilities [row, V]: each row sums to one. Of each row keep the
    fewest tokens, the most probable ones, that together hold p or more;
    p lies above 0 and is at most 1. The others get zero, and the kept ones
    are scaled so that the row sums to one. At the border no two numbers
    of a row are equal.
    Returns [row, V]; every token stays at its place.
    """
    ...
'''


def nucleus(probabilities: torch.Tensor, p: float) -> torch.Tensor:
    ordered, places = probabilities.sort(descending=True)
    before = ordered.cumsum(dim=1) - ordered  # what the better tokens hold
    kept = ordered.masked_fill(before >= p, 0)
    result = kept.scatter(1, places, kept)  # each back at its own place
    return result / result.sum(dim=1, keepdim=True)


def with_the_tail_removed(probabilities: Tensor, p: float) -> Tensor:
    ordered, places = torch.sort(probabilities)  # from the rarest
    tail = ordered.cumsum(-1) <= 1 - p
    tail[..., -1] = False
    logits = probabilities.log().masked_fill(tail.gather(-1, places.argsort(-1)), float("-inf"))
    return logits.softmax(-1)


def with_pairs(probabilities: Tensor, p: float) -> Tensor:
    larger = probabilities[:, None, :] > probabilities[:, :, None]  # [row, token, other]
    before = (larger * probabilities[:, None, :]).sum(-1)
    kept = torch.where(before < p, probabilities, 0)
    return torch.nn.functional.normalize(kept, p=1, dim=-1)


def with_loops(probabilities: Tensor, p: float) -> Tensor:
    result = torch.zeros_like(probabilities)
    for row, numbers in zip(result, probabilities, strict=True):
        held = 0.0
        for token in numbers.argsort(descending=True).tolist():
            if held >= p:
                break
            row[token] = numbers[token]
            held += numbers[token].item()
        row /= row.sum().item()
    return result


def with_a_border(probabilities: Tensor, p: float) -> Tensor:
    ordered = probabilities.sort(descending=True).values
    count = (ordered.cumsum(-1) < p).sum(-1, keepdim=True).clamp(max=ordered.shape[-1] - 1)
    kept = probabilities * (probabilities >= ordered.gather(-1, count))
    return kept / kept.sum(-1, keepdim=True)


Make = Callable[[torch.Generator], Inputs]


def _given(rows: list[list[float]], p: float) -> Make:
    return lambda generator: {"probabilities": torch.tensor(rows), "p": p}


def _random(
    rows: int, tokens: int, p: float, *, sharpness: float = 1.0, impossible: int = 0,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """The last `impossible` tokens have no probability."""

    def make(generator: torch.Generator) -> Inputs:
        logits = sharpness * torch.randn(rows, tokens, generator=generator, dtype=dtype)
        logits[:, tokens - impossible :] = float("-inf")
        return {"probabilities": logits.softmax(-1), "p": p}

    return make


CASES = (
    Case(HAND, _given([[0.25, 0.5, 0.0625, 0.1875]], 0.6)),
    Case(EXACT, _given([[0.0625, 0.5, 0.1875, 0.25]], 0.75)),
    Case(_("one certain and one uncertain row"), _given([[0.9, 0.04, 0.06], [0.3, 0.2, 0.5]], 0.7)),
    Case(_("five rows"), _random(5, 11, 0.8), seed=1),
    Case(_("p below the best token"), _random(3, 7, 0.05), seed=2),
    Case(_("everything is kept"), _random(2, 5, 1.0), seed=3),
    Case(_("tokens without probability"), _random(3, 13, 0.9, impossible=5), seed=4),
    Case(_("as many rows as tokens"), _random(5, 5, 0.6, sharpness=2.0), seed=5),
    Case(_("a certain model"), _random(7, 17, 0.95, sharpness=3.0), seed=6),
    Case(_("float64"), _random(2, 7, 0.5, dtype=torch.float64), seed=7),
)

TOP_P = Exercise(
    slug="top-p",
    title=_("The nucleus of top-p"),
    chapter="06",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Sort 0.25, 0.5, 0.0625, 0.1875 from the largest. For p = 0.6 the first is too little. "
            "How much do the tokens before the second hold, and those before the third?"
        ),
        _(
            "`ordered, places = probabilities.sort(descending=True)`. The running sum less the "
            "token itself is what stands before it. Which tokens go?"
        ),
        _(
            "`kept.scatter(1, places, kept)` puts each number back at its token. Then divide each "
            "row by its sum."
        ),
    ),
    solution=nucleus,
    alternatives=(with_the_tail_removed, with_pairs, with_loops, with_a_border),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
