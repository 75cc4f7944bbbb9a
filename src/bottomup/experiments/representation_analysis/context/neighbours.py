"""Chapter 08: which context do the nearest copies of a word share?

Copies are occurrences of one type, so that nothing counts here but what stands around it. Of the k
copies m nearest to a copy n (by the cosine of their states), how many have the same label c, such
as the same word to the left?

    share  = mean over types of the mean over n of #{m near n : c_m = c_n} / k
    chance = mean over types of #{n != m : c_m = c_n} / #{n != m}

Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer", the
neighbours with the same left and right token and with the same CCG tag. To seek them among copies,
the cosine, k, and classes of words in place of parts of a CCG tag are our choice.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.data import BOS, SPECIAL_TOKENS, Vocabulary
from bottomup.data.minilang import word_class
from bottomup.experiments.representation_analysis.readings import next_tokens
from bottomup.training.device import in_float64

TIE = 1e-9  # between cosines; float32 moves those of one vector by less than a thousandth of it
Rows = Int64[Tensor, " copy"]  # of copies of one type, among all tokens
Labels = Int64[Tensor, " token"]


def surroundings(batches: Sequence[Tensor], words: Vocabulary) -> Mapping[str, Labels]:
    """Return what stands beside each token that `gather` keeps, by the name of the label.

    ``left_word``, ``right_word``: the words beside it, BOS and EOS at the sentence's ends.
    ``left_class``, ``right_class``: their classes. A CCG tag says what a word takes to its left and
    to its right; these stand for its two parts, and the pair, ``both_classes``, for the whole.
    """
    classes = classes_of(words)
    left = torch.cat([_before(tokens)[tokens >= len(SPECIAL_TOKENS)] for tokens in batches])
    right = next_tokens(batches)
    left_class, right_class = (classes.to(word.device)[word] for word in (left, right))
    return {
        "left_word": left,
        "right_word": right,
        "left_class": left_class,
        "right_class": right_class,
        "both_classes": left_class * len(words) + right_class,
    }


def classes_of(words: Vocabulary) -> Int64[Tensor, " word"]:
    """Return the class of each word as a number; each special token has one of its own."""
    ordinary = words.tokens[len(SPECIAL_TOKENS) :]
    names = [*SPECIAL_TOKENS, *map(word_class, ordinary)]
    return torch.tensor([names.index(name) for name in names])


def _before(tokens: Int64[Tensor, "sentence position"]) -> Int64[Tensor, "sentence position"]:
    start = torch.full_like(tokens[:, :1], BOS)
    return torch.cat([start, tokens[:, :-1]], dim=1)


def copies(
    tokens: Labels, *, types: int, per_type: int, k: int, generator: torch.Generator
) -> list[Rows]:
    """Draw copies of each of the most frequent types, those that occur more than k times."""
    own = tokens.cpu()
    counts = torch.bincount(own)
    frequent = counts.argsort(descending=True, stable=True)[:types]
    order = torch.randperm(len(own), generator=generator)
    return [
        order[own[order] == name][:per_type].to(tokens.device)
        for name in frequent[counts[frequent] > k]
    ]


def places(
    states: Float[Tensor, "token d_model"], drawn: Sequence[Rows], k: int
) -> list[Float[Tensor, "copy copy"]]:
    """Return for each type which copies are nearest to each: 1 for each of the k, else 0.

    Copies that are equally near share the places that are left. They are many: at the embedding all
    copies at one position are one vector, and in LM those behind the same words.
    """
    found = []
    for rows in drawn:
        directions = F.normalize(in_float64(states[rows]), dim=1)
        similarity = (directions @ directions.T).fill_diagonal_(-torch.inf)  # [copy, copy]
        last = similarity.topk(k, dim=1).values[:, -1:]  # of the k nearest [copy, 1]
        nearer = in_float64(similarity > last + TIE)
        tied = in_float64((similarity - last).abs() <= TIE)
        left = k - nearer.sum(dim=1, keepdim=True)
        found.append(nearer + tied * left / tied.sum(dim=1, keepdim=True))
    return found


def share(
    label: Labels, drawn: Sequence[Rows], near: Sequence[Float[Tensor, "copy copy"]]
) -> float:
    """Return how many of the nearest copies have the same label; each type counts alike.

    Args:
        near: what `places` says of the copies drawn.
    """
    found = []
    for number in _told(label, drawn):
        weights = near[number]
        own = label[drawn[number]].to(weights.device)
        same = own == own[:, None]  # [copy, copy]
        found.append(float(weights[same].sum() / weights.sum()))
    return fmean(found)


def chance(label: Labels, drawn: Sequence[Rows]) -> float:
    """Return how many of all copies have the same label, as states that say nothing share it."""
    found = []
    for number in _told(label, drawn):
        counts = torch.unique(label[drawn[number]], return_counts=True)[1].tolist()
        total = sum(counts)
        found.append(sum(n * (n - 1) for n in counts) / (total * (total - 1)))
    return fmean(found)


def _told(label: Labels, drawn: Sequence[Rows]) -> list[int]:
    """Return the numbers of the types whose copies differ in the label."""
    told = [number for number, rows in enumerate(drawn) if len(label[rows].unique()) > 1]
    if not told:
        raise ValueError("label: expected one in which copies of a type differ, got none")
    return told
