"""Mistakes in nucleus sampling: where the nucleus ends, in which order, and what becomes of it."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Sampling")
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
    Misconception(
        "crossing-token-dropped",
        _sorted(lambda ordered, sums, p: sums <= p),
        _(
            "The token with which the sum crosses p is dropped. What is kept then holds less than "
            "p, and where the best token alone is above p nothing is left to draw. A token stays "
            "if those before it hold less than p."
        ),
        SECTION,
        (
            _sorted(_first_kept(lambda ordered, sums, p: sums <= p)),
            _sorted(lambda ordered, sums, p: sums < p),
            _sorted(_first_kept(lambda ordered, sums, p: sums < p)),
        ),
        HAND,
    ),
    Misconception(
        "one-too-many",
        _sorted(_two_before),
        _(
            "One token too many is kept: the sum of the tokens before it has reached p already. "
            "With p small it is the second-best token where one was enough. A token goes if those "
            "before it hold p or more."
        ),
        SECTION,
        (_sorted(lambda ordered, sums, p: sums - ordered <= p),),
        EXACT,
    ),
    Misconception(
        "outside-kept",
        _sorted(lambda ordered, sums, p: ~_nucleus(ordered, sums, p)),
        _(
            "The nucleus is thrown away and the tail is kept. The text is then made of words that "
            "the model finds unlikely. Set to zero what lies behind the border."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "ascending",
        _sorted(descending=False),
        _(
            "The tokens are added up from the least probable one. It takes many of them to reach "
            "p, so the tail is kept, and often the best token is lost. Sort with descending=True."
        ),
        SECTION,
        (_sorted(lambda ordered, sums, p: sums <= p, descending=False),),
        HAND,
    ),
    Misconception(
        "not-sorted",
        _chosen(lambda probabilities, p: probabilities.cumsum(-1) - probabilities < p),
        _(
            "The sum runs over the vocabulary in its own order, which means nothing. Which tokens "
            "are kept then depends on their numbers. Sort from the most probable to the least "
            "before you add up."
        ),
        SECTION,
        (_chosen(lambda probabilities, p: probabilities.cumsum(-1) <= p),),
    ),
)

OTHER_RULES = (
    Misconception(
        "threshold-on-each-token",
        _chosen(lambda probabilities, p: probabilities >= p),
        _(
            "Each token is compared with a threshold of its own. That is another rule (min-p is "
            "one of its kind): top-p asks how much the kept tokens hold together. Where no token "
            "reaches p, nothing is left."
        ),
        SECTION,
        (
            _chosen(lambda probabilities, p: probabilities > 1 - p),
            _chosen(
                lambda probabilities, p: probabilities >= p * probabilities.amax(-1, keepdim=True)
            ),
            _sorted(_first_kept(lambda ordered, sums, p: ordered >= p)),
        ),
        HAND,
    ),
    Misconception(
        "share-of-the-vocabulary",
        _sorted(_share_of_tokens),
        _(
            "A share p of the vocabulary is kept, so every row keeps equally many tokens. That is "
            "top-k. Top-p keeps a share of the probability: few tokens where the model is certain, "
            "many where it is not."
        ),
        SECTION,
        case=EXACT,
    ),
    Misconception(
        "one-border-for-all-rows",
        _sorted(_as_many_as_in_the_first_row),
        _(
            "Every row keeps equally many tokens, such as the first row needs, or the one that "
            "needs most. The border was found once for the whole batch, so a sentence's next word "
            "depends on its neighbours. Each row has a border of its own."
        ),
        SECTION,
        (_over_rows, _sorted(_as_many_as_in_the_longest)),
    ),
    Misconception(
        "summed-over-the-rows",
        _sorted(axis=0),
        _(
            "The running sum goes over the rows. What a row keeps then depends on the rows above "
            "it, and in a batch of one nothing is added up. Take it along the tokens, the last "
            "axis: cumsum(-1)."
        ),
        SECTION,
        (_sorted(lambda ordered, sums, p: sums <= p, axis=0),),
    ),
)

RESULT = (
    Misconception(
        "not-renormalised",
        _sorted(finish=lambda kept: kept),
        _(
            "What is kept does not sum to one. `torch.multinomial` forgives it, but a "
            "log-probability taken from it is wrong, and so is a draw by a running sum. Divide by "
            "the sum of what is kept, in each row."
        ),
        SECTION,
        (_sorted(finish=lambda kept: kept / kept.sum()),),
        HAND,
    ),
    Misconception(
        "sorted-order-returned",
        _sorted(back=lambda kept, places: kept),
        _(
            "The result is in the sorted order, or was put back the wrong way round, so a token's "
            "probability stands at another token's number. The model then writes token 0 most of "
            "the time, whatever it is. `kept.scatter(1, places, kept)` puts each back."
        ),
        SECTION,
        (_sorted(back=lambda kept, places: kept.gather(-1, places)),),
        HAND,
    ),
    Misconception(
        "softmax-of-probabilities",
        _sorted(finish=_softmax_of_kept),
        _(
            "A softmax was taken of probabilities. They lie between 0 and 1, so what comes out is "
            "nearly uniform over the kept tokens. A softmax belongs to logits; probabilities are "
            "divided by their sum."
        ),
        SECTION,
        (_sorted(finish=lambda kept: kept.softmax(-1)),),
        HAND,
    ),
)

MISCONCEPTIONS = (*BORDER, *OTHER_RULES, *RESULT)
