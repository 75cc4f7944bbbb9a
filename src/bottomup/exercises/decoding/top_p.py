"""Exercise: the nucleus, what top-p keeps (Holtzman et al., 2020, section 3.1)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


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


# ---- Mistakes: where the nucleus ends, in which order, and what becomes of it

HAND = _("four tokens, p = 0.6: the second token crosses the border")
EXACT = _("four tokens, p = 0.75: two tokens hold exactly p")
Answer = Callable[[Tensor, float], Tensor]

# probabilities from the largest to the smallest, their running sums, p -> True = kept
Keep = Callable[[Tensor, Tensor, float], Tensor]


def _nucleus(ordered: Tensor, sums: Tensor, p: float) -> Tensor:
    return sums - ordered < p


def _share(kept: Tensor) -> Tensor:
    return kept / kept.sum(-1, keepdim=True)


def _sorted(
    keep: Keep = _nucleus, *, descending: bool = True,
    back: Callable[[Tensor, Tensor], Tensor] = lambda kept, places: torch.zeros_like(kept).scatter(
        -1, places, kept
    ),
    finish: Callable[[Tensor], Tensor] = _share, axis: int = -1,
) -> Answer:  # fmt: skip
    """Right but for the order, the sum's axis, what is kept, the way back, or the last step."""

    def wrong(probabilities: Tensor, p: float) -> Tensor:
        ordered, places = probabilities.sort(dim=-1, descending=descending)
        kept = ordered.masked_fill(~keep(ordered, ordered.cumsum(axis), p), 0.0)
        return finish(back(kept, places))

    return wrong


def _chosen(keep: Callable[[Tensor, float], Tensor]) -> Answer:
    """What is kept is told from the probabilities as they stand."""

    def wrong(probabilities: Tensor, p: float) -> Tensor:
        return _share(probabilities.masked_fill(~keep(probabilities, p), 0.0))

    return wrong


def _first_kept(keep: Keep) -> Keep:
    """At least the first of the order is kept."""

    def with_first(ordered: Tensor, sums: Tensor, p: float) -> Tensor:
        return keep(ordered, sums, p) | (torch.arange(ordered.shape[-1]) == 0)

    return with_first


def _two_before(ordered: Tensor, sums: Tensor, p: float) -> Tensor:
    """Also the token after the one that crosses."""
    inside = _nucleus(ordered, sums, p)
    return torch.cat([inside[..., :1], inside[..., :-1]], -1) | inside


def _share_of_tokens(ordered: Tensor, sums: Tensor, p: float) -> Tensor:
    return (torch.arange(ordered.shape[-1]) < p * ordered.shape[-1]).expand_as(ordered)


def _as_many_as_in_the_first_row(ordered: Tensor, sums: Tensor, p: float) -> Tensor:
    return _nucleus(ordered, sums, p)[:1].expand_as(ordered)


def _as_many_as_in_the_longest(ordered: Tensor, sums: Tensor, p: float) -> Tensor:
    kept = _nucleus(ordered, sums, p)
    return kept.any(0, keepdim=True).expand_as(ordered)


def _softmax_of_kept(kept: Tensor) -> Tensor:
    return kept.masked_fill(kept == 0, float("-inf")).softmax(-1)


def _over_rows(probabilities: Tensor, p: float) -> Tensor:
    return _sorted()(probabilities.T, p).T


BORDER = (
    Mistake(
        "crossing-token-dropped",
        _sorted(lambda ordered, sums, p: sums <= p),
        (
            _sorted(_first_kept(lambda ordered, sums, p: sums <= p)),
            _sorted(lambda ordered, sums, p: sums < p),
            _sorted(_first_kept(lambda ordered, sums, p: sums < p)),
        ),
        case=HAND,
    ),
    Mistake(
        "one-too-many",
        _sorted(_two_before),
        (_sorted(lambda ordered, sums, p: sums - ordered <= p),),
        case=EXACT,
    ),
    Mistake(
        "outside-kept", _sorted(lambda ordered, sums, p: ~_nucleus(ordered, sums, p)), case=HAND
    ),
    Mistake(
        "ascending",
        _sorted(descending=False),
        (_sorted(lambda ordered, sums, p: sums <= p, descending=False),),
        case=HAND,
    ),
    Mistake(
        "not-sorted",
        _chosen(lambda probabilities, p: probabilities.cumsum(-1) - probabilities < p),
        (_chosen(lambda probabilities, p: probabilities.cumsum(-1) <= p),),
    ),
)

OTHER_RULES = (
    Mistake(
        "threshold-on-each-token",
        _chosen(lambda probabilities, p: probabilities >= p),
        (
            _chosen(lambda probabilities, p: probabilities > 1 - p),
            _chosen(
                lambda probabilities, p: probabilities >= p * probabilities.amax(-1, keepdim=True)
            ),
            _sorted(_first_kept(lambda ordered, sums, p: ordered >= p)),
        ),
        case=HAND,
    ),
    Mistake("share-of-the-vocabulary", _sorted(_share_of_tokens), case=EXACT),
    Mistake(
        "one-border-for-all-rows",
        _sorted(_as_many_as_in_the_first_row),
        (_over_rows, _sorted(_as_many_as_in_the_longest)),
    ),
    Mistake(
        "summed-over-the-rows",
        _sorted(axis=0),
        (_sorted(lambda ordered, sums, p: sums <= p, axis=0),),
    ),
)

RESULT = (
    Mistake(
        "not-renormalised",
        _sorted(finish=lambda kept: kept),
        (_sorted(finish=lambda kept: kept / kept.sum()),),
        case=HAND,
    ),
    Mistake(
        "sorted-order-returned",
        _sorted(back=lambda kept, places: kept),
        (_sorted(back=lambda kept, places: kept.gather(-1, places)),),
        case=HAND,
    ),
    Mistake(
        "softmax-of-probabilities",
        _sorted(finish=_softmax_of_kept),
        (_sorted(finish=lambda kept: kept.softmax(-1)),),
        case=HAND,
    ),
)

MISTAKES = (*BORDER, *OTHER_RULES, *RESULT)


# ---- Cases

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

ANSWERS = Answers(
    solution=nucleus,
    alternatives=(with_the_tail_removed, with_pairs, with_loops, with_a_border),
    mistakes=MISTAKES,
    cases=CASES,
)
