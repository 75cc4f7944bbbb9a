"""Exercise: same-token neighbours (after Voita et al., 2019) and their ceiling (ours)."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.representation_analysis.named_numbers import (
    compare_numbers,
    run_for_numbers,
)
from bottomup.i18n import _


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


Numbers = tuple[Any, Any]


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


# ---- What the mistakes are made of

Answer = Callable[[Tensor, Tensor, Tensor, int], Numbers]
Similarity = Callable[[Tensor], Tensor]  # states [n, d_model] -> [n, n], large = near
Pick = Callable[[Tensor, int], Tensor]  # similarities, k -> places of the neighbours [n, k]
Averaged = Callable[[Tensor, Tensor], Any]  # a number for each state [n], tokens [n] -> one number
Possible = Callable[[Tensor, Tensor, int], Tensor]  # tokens [n], n_t [n], k -> [n]


def cosines(states: Tensor) -> Tensor:
    unit = states / states.norm(dim=-1, keepdim=True)
    return unit @ unit.mT


def without_itself(similarity: Tensor, k: int) -> Tensor:
    return similarity.clone().fill_diagonal_(-torch.inf).topk(k).indices


def mean(values: Tensor, tokens: Tensor) -> Tensor:
    return values.mean()


def over_types(values: Tensor, tokens: Tensor) -> Tensor:
    return torch.stack([values[tokens == token].mean() for token in tokens.unique()]).mean()


def others(tokens: Tensor, count: Tensor, k: int) -> Tensor:
    return (count - 1).clamp(max=k) / k


def counts(tokens: Tensor) -> Tensor:
    """How many states have the token of each state: n_t, [n]."""
    return (tokens[:, None] == tokens).sum(1)


def shares(same: Tensor) -> Tensor:
    return same.float().mean(1)


def neighbouring(
    similarity: Similarity = cosines, pick: Pick = without_itself, *,
    scored: Callable[[Tensor], Tensor] = shares, averaged: Averaged = mean,
    possible: Possible = others, possible_averaged: Averaged = mean,
    returned: Callable[[Any, Any], Numbers] = lambda share, ceiling: (share, ceiling),
) -> Answer:  # fmt: skip
    """Right but for one step. `scored` makes one number of the k truth values of a state."""

    def wrong(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
        x, t = states[real], tokens[real]
        same = t[pick(similarity(x), k)] == t[:, None]  # [n, k]
        ceiling = possible_averaged(possible(t, counts(t), k), t)
        return returned(averaged(scored(same), t), ceiling)

    return wrong


# ---- Padding


def as_if_real(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    return neighbouring()(states, tokens, torch.ones_like(real), k)


def share_with_padding(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    share, _ceiling = as_if_real(states, tokens, real, k)
    return share, neighbouring()(states, tokens, real, k)[1]


def ceiling_with_padding(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    _share, ceiling = as_if_real(states, tokens, real, k)
    return neighbouring()(states, tokens, real, k)[0], ceiling


def counted_with_padding(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    """The words alone ask, but n_t counts the padding that holds their number."""
    share, _ceiling = neighbouring()(states, tokens, real, k)
    return share, others(tokens[real], counts(tokens.flatten())[real.flatten()], k).mean()


def padding_found(directions: Callable[[Tensor, Tensor], Tensor]) -> Answer:
    """Only real states look for neighbours, but they look among the padding too."""

    def wrong(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
        unit, t, kept = directions(states, real).flatten(0, 1), tokens.flatten(), real.flatten()
        nearest = without_itself(unit @ unit.T, k)[kept]
        same = t[nearest] == t[kept][:, None]
        return same.float().mean(), neighbouring()(states, tokens, real, k)[1]

    return wrong


def as_they_are(states: Tensor, real: Tensor) -> Tensor:
    return F.normalize(states, dim=-1)


def zeroed(states: Tensor, real: Tensor) -> Tensor:
    return F.normalize(states * real[..., None], dim=-1)


def zeroed_and_averaged(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    unit, t = zeroed(states, real).flatten(0, 1), tokens.flatten()
    same = t[without_itself(unit @ unit.T, k)] == t[:, None]
    return same.float().mean(), others(t, counts(t), k).mean()


def divided_by_all_positions(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    share, ceiling = neighbouring()(states, tokens, real, k)
    return share * real.float().mean(), ceiling * real.float().mean()


# ---- Other places to look


def within_sentences(*, as_many_as_there_are: bool) -> Answer:
    """A sentence of k words or fewer has too few neighbours; topk then fails, or takes all."""

    def wrong(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
        same = []
        for x, t, keep in zip(states, tokens, real, strict=True):
            most = min(k, int(keep.sum()) - 1) if as_many_as_there_are else k
            nearest = without_itself(cosines(x[keep]), most)
            same.append((t[keep][nearest] == t[keep][:, None]).flatten())
        return torch.cat(same).float().mean(), neighbouring()(states, tokens, real, k)[1]

    return wrong


def sentence_by_sentence(*, over_k: bool, counted_there: bool, by_sentence: bool = False) -> Answer:
    """The same with as many neighbours as there are, and with the counts of one sentence.

    Args:
        over_k: whether a short sentence's neighbours are counted out of k, or of what there is.
        counted_there: whether the ceiling, too, knows one sentence alone.
        by_sentence: whether each sentence has a mean of its own.
    """

    def wrong(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
        found, possible = [], []
        for x, t, keep in zip(states, tokens, real, strict=True):
            x, t = x[keep], t[keep]
            most = min(k, len(t) - 1)
            out_of = k if over_k else most
            same = t[without_itself(cosines(x), most)] == t[:, None]
            found.append(same.sum(1) / out_of)
            possible.append(others(t, counts(t), out_of))
        if by_sentence:
            found, possible = _means(found), _means(possible)
        ceiling = neighbouring()(states, tokens, real, k)[1]
        return torch.cat(found).mean(), torch.cat(possible).mean() if counted_there else ceiling

    return wrong


def _means(sentences: list[Tensor]) -> list[Tensor]:
    return [numbers.mean(0, keepdim=True) for numbers in sentences]


def one_sentence_at_a_time(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
    """The right answer to each sentence, and the mean over sentences; a short one fails."""
    pairs = [
        neighbouring()(x[None], t[None], keep[None], k)
        for x, t, keep in zip(states, tokens, real, strict=True)
    ]
    share, ceiling = (torch.stack(numbers).mean() for numbers in zip(*pairs, strict=True))
    return share, ceiling


def within_batches(*, hides_padding: bool, counted_there: bool = False) -> Answer:
    """The same by one product of the batch; where a sentence is too short, anything is found."""

    def wrong(states: Tensor, tokens: Tensor, real: Tensor, k: int) -> Numbers:
        similarity = cosines(states)
        if hides_padding:
            similarity = similarity.masked_fill(~real[:, None], -torch.inf)
        similarity.diagonal(dim1=1, dim2=2).fill_(-torch.inf)
        nearest = similarity.topk(k).indices  # [sentence, position, k]
        found = tokens.gather(1, nearest.flatten(1)).view_as(nearest)
        share = (found == tokens[..., None])[real].float().mean()
        if not counted_there:
            return share, neighbouring()(states, tokens, real, k)[1]
        same = (tokens[:, :, None] == tokens[:, None]) & real[:, None]
        return share, others(tokens, same.sum(-1), k)[real].mean()

    return wrong


def with_itself(similarity: Tensor, k: int) -> Tensor:
    return similarity.topk(k).indices


def one_more(similarity: Tensor, k: int) -> Tensor:
    return similarity.topk(k + 1).indices


def at_zero(similarity: Tensor, k: int) -> Tensor:
    return similarity.clone().fill_diagonal_(0).topk(k).indices


def farthest(itself: float) -> Pick:
    def pick(similarity: Tensor, k: int) -> Tensor:
        return similarity.clone().fill_diagonal_(itself).topk(k, largest=False).indices

    return pick


def farthest_with_itself(similarity: Tensor, k: int) -> Tensor:
    return similarity.topk(k, largest=False).indices


# ---- Mistakes: who is near, who asks, what is possible

HAND = _("five words and a padding, two neighbours each")
LENGTHS = _("a few long vectors")
MEAN = _("all states share a large mean")
RARE = _("padding holds the number of a rare word")

NEAR = (
    Mistake(
        "query-among-its-neighbours",
        neighbouring(pick=with_itself),
        (
            neighbouring(pick=with_itself, possible=lambda t, n, k: n.clamp(max=k) / k),
            neighbouring(pick=one_more),
            neighbouring(pick=one_more, possible=lambda t, n, k: n.clamp(max=k + 1) / (k + 1)),
            neighbouring(pick=at_zero),
        ),
        case=HAND,
    ),
    Mistake("dot-product", neighbouring(lambda x: x @ x.T), case=LENGTHS),
    Mistake(
        "euclidean-distance",
        neighbouring(lambda x: -torch.cdist(x, x)),
        (neighbouring(lambda x: -torch.cdist(x, x, p=1.0)),),
        case=LENGTHS,
    ),
    Mistake(
        "farthest-instead-of-nearest",
        neighbouring(pick=farthest(torch.inf)),
        (
            neighbouring(pick=farthest(-torch.inf)),
            neighbouring(pick=farthest_with_itself),
            neighbouring(lambda x: torch.cdist(x, x)),
        ),
        case=HAND,
    ),
    Mistake(
        "mean-taken-off",
        neighbouring(lambda x: cosines(x - x.mean(0))),
        (neighbouring(lambda x: cosines(x - x.mean(1, keepdim=True))),),
        case=MEAN,
    ),
    Mistake(
        "normalised-over-the-states",
        neighbouring(lambda x: F.normalize(x, dim=0) @ F.normalize(x, dim=0).T),
        case=LENGTHS,
    ),
)

ASKED = (
    Mistake(
        "padding-included",
        as_if_real,
        (
            share_with_padding,
            ceiling_with_padding,
            padding_found(as_they_are),
            padding_found(zeroed),
            zeroed_and_averaged,
            divided_by_all_positions,
        ),
        case=HAND,
    ),
    Mistake(
        "within-the-sentence",
        within_sentences(as_many_as_there_are=False),
        (
            within_sentences(as_many_as_there_are=True),
            within_batches(hides_padding=True),
            within_batches(hides_padding=False),
            within_batches(hides_padding=True, counted_there=True),
            one_sentence_at_a_time,
            *(
                sentence_by_sentence(over_k=over_k, counted_there=there, by_sentence=mean)
                for over_k in (True, False)
                for there in (True, False)
                for mean in (True, False)
            ),
        ),
    ),
    Mistake(
        "averaged-over-types",
        neighbouring(averaged=over_types, possible_averaged=over_types),
        (neighbouring(averaged=over_types), neighbouring(possible_averaged=over_types)),
        case=HAND,
    ),
    Mistake(
        "found-or-not",
        neighbouring(scored=lambda same: same.any(1).float()),
        (
            neighbouring(
                scored=lambda same: same.any(1).float(), possible=lambda t, n, k: (n > 1).float()
            ),
            neighbouring(scored=lambda same: same[:, 0].float()),
            neighbouring(scored=lambda same: same.all(1).float()),
            neighbouring(scored=lambda same: (2 * same.sum(1) > same.shape[1]).float()),
        ),
        case=HAND,
    ),
)

POSSIBLE = (
    Mistake(
        "ceiling-ignored",
        neighbouring(possible=lambda t, n, k: torch.ones(len(n))),
        (neighbouring(possible=lambda t, n, k: (n > 1).float()),),
        case=HAND,
    ),
    Mistake(
        "ceiling-counts-the-query",
        neighbouring(possible=lambda t, n, k: n.clamp(max=k) / k),
        case=HAND,
    ),
    Mistake("ceiling-counts-padding", counted_with_padding, case=RARE),
    Mistake(
        "ceiling-not-capped",
        neighbouring(possible=lambda t, n, k: (n - 1) / k),
        (
            neighbouring(possible=lambda t, n, k: (n - 1).clamp(max=k).float()),
            neighbouring(possible=lambda t, n, k: n / k),
        ),
    ),
    Mistake(
        "chance-instead-of-ceiling",
        neighbouring(possible=lambda t, n, k: (n - 1) / (len(n) - 1)),
        (neighbouring(possible=lambda t, n, k: n / len(n)),),
        case=HAND,
    ),
    Mistake(
        "share-divided-by-ceiling",
        neighbouring(returned=lambda share, ceiling: (share / ceiling, ceiling)),
        (
            neighbouring(returned=lambda share, ceiling: (share.item() / ceiling.item(), ceiling)),
            neighbouring(returned=lambda share, ceiling: ((share / ceiling).nan_to_num(), ceiling)),
        ),
        case=HAND,
    ),
    Mistake(
        "share-and-ceiling-exchanged",
        neighbouring(returned=lambda share, ceiling: (ceiling, share)),
        case=HAND,
    ),
)

MISTAKES = (*NEAR, *ASKED, *POSSIBLE)


# ---- Cases

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

ANSWERS = Answers(
    solution=neighbour_identity,
    alternatives=(with_distances, with_the_first_dropped, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_for_numbers,
    compare=compare_numbers("share", "ceiling"),
)
