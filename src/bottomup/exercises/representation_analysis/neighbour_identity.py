"""Exercise: same-token neighbours (after Voita et al., 2019) and their ceiling (ours)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.representation_analysis.named_numbers import (
    compare_numbers,
    run_for_numbers,
)
from bottomup.exercises.representation_analysis.neighbour_identity_mistakes import (
    HAND,
    LENGTHS,
    MEAN,
    MISCONCEPTIONS,
    RARE,
)
from bottomup.exercises.representation_analysis.neighbour_identity_parts import Numbers
from bottomup.i18n import _

STUB = '''\
def neighbour_identity(states, tokens, real, k):
    """The share of nearest neighbours with the same token, and its ceiling.

    states [sentence, position, d_model], tokens [sentence, position];
    real [sentence, position]: True at words, False at padding, which takes
    no part. The words of all sentences look for neighbours among each
    other. Near is a large cosine of the two states as they are; a word is
    no neighbour of its own. No two states have the same direction.
    share: of the k nearest neighbours of a word, the part that has the
    same token, as a mean over the words.
    ceiling: the largest share that is possible with these tokens. n_t
    words have the token t, and one of them is the word that asks.
    There are more than k words. Returns (share, ceiling), two numbers.
    """
    ...
'''


def neighbour_identity(
    states: torch.Tensor, tokens: torch.Tensor, real: torch.Tensor, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    states, tokens = states[real], tokens[real]  # [n, d_model], [n]
    unit = states / states.norm(dim=1, keepdim=True)
    similarity = (unit @ unit.T).fill_diagonal_(-torch.inf)
    nearest = similarity.topk(k).indices  # [n, k]
    same = tokens[:, None] == tokens  # [n, n]
    possible = (same.sum(1) - 1).clamp(max=k)
    return same.gather(1, nearest).float().mean(), (possible / k).mean()


def with_distances(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    """Between vectors of length 1 the Euclidean distance orders as the cosine does."""
    unit = torch.nn.functional.normalize(states[real].double(), dim=-1)
    words = tokens[real]
    distance = torch.cdist(unit, unit, compute_mode="donot_use_mm_for_euclid_dist")
    nearest = (distance + 9 * torch.eye(len(words))).argsort(dim=1)[:, :k]
    share = (words[nearest] == words[:, None]).double().mean()
    _types, which, count = words.unique(return_inverse=True, return_counts=True)
    return share, torch.minimum(torch.tensor(k), count[which] - 1).double().mean() / k


def with_the_first_dropped(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    """The nearest of all is the word itself."""
    words, labels = states[real], tokens[real]
    cosine = torch.cosine_similarity(words[:, None], words, dim=-1)
    nearest = cosine.topk(k + 1, dim=-1).indices[:, 1:]
    share = torch.eq(labels[nearest], labels.unsqueeze(1)).float().mean().item()
    others = torch.bincount(labels)[labels] - 1
    return share, others.clamp(0, k).float().mean().item() / k


def with_loops(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    words = list(zip(states[real], tokens[real].tolist(), strict=True))
    found = possible = 0
    for i, (state, token) in enumerate(words):
        others = [other for j, other in enumerate(words) if j != i]
        others.sort(key=lambda other: -float(torch.cosine_similarity(state, other[0], dim=0)))
        found += sum(name == token for _state, name in others[:k])
        possible += min(k, sum(name == token for _state, name in others))
    return found / (k * len(words)), possible / (k * len(words))


Make = Callable[[torch.Generator], Inputs]


def _hand(generator: torch.Generator) -> Inputs:
    # seen from the origin the words stand at 31, 11, 39, 0 and 18 degrees, the padding at 56
    return {
        "states": torch.tensor(
            [[[5.0, 3.0], [5.0, 1.0], [5.0, 4.0]], [[3.0, 0.0], [3.0, 1.0], [2.0, 3.0]]]
        ),
        "tokens": torch.tensor([[5, 7, 5], [7, 5, 0]]),
        "real": torch.tensor([[True, True, True], [True, True, False]]),
        "k": 2,
    }


def _random(
    lengths: list[int], d_model: int, k: int, *, types: int = 3, spread: float = 1.0,
    long: float = 1.0, mean: float = 0.0, padding: int = 0, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """A vector for each type, and every state near that of its token.

    Args:
        lengths: words of each sentence; the longest decides how many positions there are.
        d_model: width of the states.
        k: number of neighbours.
        types: number of different tokens; of more than one the first is twice as frequent.
        spread: how far states lie from the vector of their token.
        long: factor for every third state.
        mean: added to every component.
        padding: the number that stands at padded positions.
        dtype: of the states.
    """

    def make(generator: torch.Generator) -> Inputs:
        positions = max(lengths)
        shape = len(lengths), positions
        real = torch.arange(positions) < torch.tensor(lengths)[:, None]
        kind = torch.randint(types + 1, shape, generator=generator).clamp(max=types - 1)
        centres = torch.randn(types, d_model, generator=generator, dtype=dtype)
        noise = torch.randn(*shape, d_model, generator=generator, dtype=dtype)
        far = torch.arange(len(lengths) * positions).view(shape) % 3 == 0
        size = torch.where(far, long, 1.0).to(dtype)[..., None]
        pad = torch.randn(d_model, generator=generator, dtype=dtype) + 0.1 * noise
        return {
            "states": torch.where(
                real[..., None], size * (centres[kind] + spread * noise) + mean, pad
            ),
            "tokens": torch.where(real, 4 + kind, padding),
            "real": real,
            "k": k,
        }

    return make


def _all_different(generator: torch.Generator) -> Inputs:
    made = dict(_random([5, 3], 3, 2)(generator))
    return {**made, "tokens": torch.arange(11, 21).view(2, 5)}


CASES = (
    Case(HAND, _hand),
    Case(LENGTHS, _random([3, 2], 2, 2, long=7.0, types=2), seed=23),
    Case(_("five sentences"), _random([11, 7, 3, 5, 2], 7, 3, types=5), seed=1),
    Case(_("as many positions as components"), _random([5, 5, 5], 5, 2), seed=2),
    Case(MEAN, _random([7, 11], 5, 3, mean=3.0), seed=27),
    Case(_("one neighbour"), _random([13, 5], 3, 1, types=7), seed=4),
    Case(_("every other word is a neighbour"), _random([5, 2], 3, 6), seed=5),
    Case(_("no token occurs twice"), _all_different, seed=6),
    Case(_("a single token"), _random([3, 7], 5, 2, types=1), seed=7),
    Case(_("padding holds the number of a word"), _random([11, 2, 3], 5, 5, padding=5), seed=8),
    Case(RARE, _random([11, 2, 3], 5, 5, types=7, padding=5), seed=12),
    Case(_("rare tokens and many neighbours"), _random([17, 13], 11, 7, types=13), seed=9),
    Case(_("tokens that lie far apart"), _random([13, 11, 7], 7, 5, spread=0.3, long=3.0), seed=10),
    Case(_("float64"), _random([7, 5, 3], 3, 3, types=5, long=5, dtype=torch.float64), seed=11),
)

NEIGHBOUR_IDENTITY = Exercise(
    slug="neighbour-identity",
    title=_("Same-token neighbours and their ceiling"),
    chapter="08",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Draw five arrows at 0, 11, 18, 31 and 39 degrees, of words with the tokens 7, 7, 5, 5 "
            "and 5: only angles count. Which two are nearest to the word at 0 degrees, and which "
            "of them has its token?"
        ),
        _(
            "`states[real]` makes one list of all words, [n, d_model], and leaves out padding. "
            "With rows of length 1, one product gives all cosines, [n, n]. What stands on its "
            "diagonal?"
        ),
        _(
            "`similarity.fill_diagonal_(-torch.inf)` and then `topk(k).indices`, [n, k]. "
            "`tokens[nearest]` are the neighbours' tokens; compare them with `tokens[:, None]`."
        ),
        _(
            "A word whose token occurs n_t times has n_t - 1 others to find and k places for them: "
            "it can have min(k, n_t - 1) / k. The ceiling is the mean over the words."
        ),
    ),
    solution=neighbour_identity,
    alternatives=(with_distances, with_the_first_dropped, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run_for_numbers,
    compare=compare_numbers("share", "ceiling"),
)
