"""What the mistakes in finding neighbours are made of."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Numbers = tuple[Any, Any]
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
