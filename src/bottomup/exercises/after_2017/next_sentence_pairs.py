"""Exercise: pairs for next-sentence prediction (Devlin et al., 2019, section 3.1, task 2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import torch

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _

Triples = list[tuple[str, str, bool]]
Documents = Sequence[Sequence[str]]
Numbers = Sequence[float]


def next_sentences(
    documents: list[list[str]], coin: list[float], other: list[float], place: list[float]
) -> list[tuple[str, str, bool]]:
    triples: list[tuple[str, str, bool]] = []
    for number, document in enumerate(documents):
        others = documents[:number] + documents[number + 1 :]
        for s in range(len(document) - 1):
            first, successor, n = document[s], document[s + 1], len(triples)
            if coin[n] < 0.5:
                triples.append((first, successor, True))
            else:
                drawn = others[int(other[n] * len(others))]
                triples.append((first, drawn[int(place[n] * len(drawn))], False))
    return triples


def by_index(documents: Documents, coin: Numbers, other: Numbers, place: Numbers) -> Triples:
    triples: Triples = []
    for d in range(len(documents)):
        for s in range(1, len(documents[d])):
            k = len(triples)
            if coin[k] >= 0.5:
                e = int(other[k] * (len(documents) - 1))
                e += e >= d
                second = documents[e][int(place[k] * len(documents[e]))]
            else:
                second = documents[d][s]
            triples.append((documents[d][s - 1], second, coin[k] < 0.5))
    return triples


def from_a_list(documents: Documents, coin: Numbers, other: Numbers, place: Numbers) -> Triples:
    near = [
        (number, document[s], document[s + 1])
        for number, document in enumerate(documents)
        for s in range(len(document) - 1)
    ]
    triples: Triples = []
    for (number, first, second), c, o, p in zip(near, coin, other, place, strict=False):
        others = [document for n, document in enumerate(documents) if n != number]
        drawn = others[int(o * len(others))]
        triples.append((first, second if c < 0.5 else drawn[int(p * len(drawn))], c < 0.5))
    return triples


# ---- One step in another way: what the mistakes are made of


def others_of(documents: Documents, number: int) -> list[Sequence[str]]:
    return [document for n, document in enumerate(documents) if n != number]


def at(items: Sequence[Any], drawn: float) -> Any:
    return items[int(drawn * len(items))]


def sentence_of(documents: Documents, number: int, s: int, other: float, place: float) -> str:
    sentence: str = at(at(others_of(documents, number), other), place)
    return sentence


def neighbours(documents: Documents) -> list[tuple[int, int]]:
    return [(d, s) for d, document in enumerate(documents) for s in range(len(document) - 1)]


def triple(first: str, second: str, follows: bool) -> tuple[str, str, bool]:
    return first, second, follows


@dataclass(frozen=True)
class Steps:
    """The steps of making pairs; a mistake replaces some of them.

    Args:
        places: document and place of each sentence that gets a second one.
        negative: the sentence that does not follow, from the documents, the document's number,
            the place, and two drawn numbers.
        follows: from the coin to whether the successor is taken.
        triple: from both sentences and the truth to what is kept.
    """

    places: Callable[[Documents], list[tuple[int, int]]] = neighbours
    negative: Callable[[Documents, int, int, float, float], str] = sentence_of
    follows: Callable[[float], bool] = lambda coin: coin < 0.5
    triple: Callable[[str, str, bool], tuple[str, str, bool]] = triple

    def __call__(
        self, documents: Documents, coin: Numbers, other: Numbers, place: Numbers
    ) -> Triples:
        """Return the triples."""
        triples = []
        for n, (d, s) in enumerate(self.places(documents)):
            follows = self.follows(coin[n])
            second = (
                documents[d][s + 1]
                if follows
                else self.negative(documents, d, s, other[n], place[n])
            )
            triples.append(self.triple(documents[d][s], second, follows))
        return triples


RIGHT = Steps()


def with_step(**changed: Any) -> Callable[..., Triples]:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)


# ---- Mistakes


def _same_document(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at(documents[d], place)
    return sentence


def _same_but_successor(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    left = [sentence for n, sentence in enumerate(documents[d]) if n not in (s, s + 1)]
    sentence: str = at(left or documents[d], place)
    return sentence


def _whole_corpus(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at(at(documents, other), place)
    return sentence


def _all_sentences(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at([each for document in documents for each in document], place)
    return sentence


def _pooled(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at([each for one in others_of(documents, d) for each in one], place)
    return sentence


def _pooled_by_other(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    return _pooled(documents, d, s, place, other)


def _by_value(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at(at([each for each in documents if each != documents[d]], other), place)
    return sentence


def _short(of_documents: int, of_sentences: int) -> Callable[..., str]:
    """One too few to draw from, of the other documents or of the sentences."""

    def sentence(documents: Documents, d: int, s: int, other: float, place: float) -> str:
        others = others_of(documents, d)
        drawn = others[int(other * (len(others) - of_documents))]
        return drawn[int(place * (len(drawn) - of_sentences))]

    return sentence


def _first_of(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at(others_of(documents, d), other)[0]
    return sentence


def _next_document(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    sentence: str = at(documents[(d + 1) % len(documents)], place)
    return sentence


def _swapped_numbers(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    return sentence_of(documents, d, s, place, other)


def _round(documents: Documents, d: int, s: int, other: float, place: float) -> str:
    chosen = others_of(documents, d)
    drawn = chosen[round(other * (len(chosen) - 1))]
    return drawn[round(place * (len(drawn) - 1))]


def _round_at_most_the_last(
    documents: Documents, d: int, s: int, other: float, place: float
) -> str:
    def nearest(items: Sequence[Any], drawn: float) -> Any:
        return items[min(round(drawn * len(items)), len(items) - 1)]

    sentence: str = nearest(nearest(others_of(documents, d), other), place)
    return sentence


def _beside_the_own(by: int) -> Callable[..., str]:
    def sentence(documents: Documents, d: int, s: int, other: float, place: float) -> str:
        drawn = int(other * len(documents))
        found: str = at(documents[(drawn + by * (drawn == d)) % len(documents)], place)
        return found

    return sentence


def _across(documents: Documents, coin: Numbers, other: Numbers, place: Numbers) -> Triples:
    row = [(d, sentence) for d, document in enumerate(documents) for sentence in document]
    triples: Triples = []
    for n, ((d, first), (_d, second)) in enumerate(pairwise(row)):
        if coin[n] < 0.5:
            triples.append((first, second, True))
        else:
            triples.append((first, sentence_of(documents, d, 0, other[n], place[n]), False))
    return triples


def _counted_anew(documents: Documents, coin: Numbers, other: Numbers, place: Numbers) -> Triples:
    numbers = [s for _d, s in neighbours(documents)]
    return RIGHT(documents, *([each[n] for n in numbers] for each in (coin, other, place)))


def _saved(documents: Documents, coin: Numbers, other: Numbers, place: Numbers) -> Triples:
    numbers = [sum(each >= 0.5 for each in coin[:n]) for n in range(len(coin))]
    return RIGHT(documents, coin, *([each[n] for n in numbers] for each in (other, place)))


def _replaced_first(documents: Documents, coin: Numbers, other: Numbers, place: Numbers) -> Triples:
    triples: Triples = []
    for n, (d, s) in enumerate(neighbours(documents)):
        if coin[n] < 0.5:
            triples.append((documents[d][s], documents[d][s + 1], True))
        else:
            drawn = sentence_of(documents, d, s, other[n], place[n])
            triples.append((drawn, documents[d][s + 1], False))
    return triples


HAND = _("two documents, one pair that follows and one that does not")
EQUAL = _("two documents that say the same")

MISTAKES = (
    Mistake(
        "negatives-from-the-same-document",
        with_step(negative=_same_document),
        (with_step(negative=_same_but_successor),),
    ),
    Mistake(
        "own-document-among-the-others",
        with_step(negative=_whole_corpus),
        (with_step(negative=_all_sentences),),
    ),
    Mistake(
        "long-documents-preferred",
        with_step(negative=_pooled),
        (with_step(negative=_pooled_by_other),),
    ),
    Mistake("equal-documents-left-out", with_step(negative=_by_value), case=EQUAL),
    Mistake(
        "last-one-never-drawn",
        with_step(negative=_short(1, 1)),
        (with_step(negative=_short(1, 0)), with_step(negative=_short(0, 1))),
    ),
    Mistake("across-documents", _across),
    Mistake("labels-inverted", with_step(triple=lambda a, b, follows: (a, b, not follows))),
    Mistake(
        "coin-inverted",
        with_step(follows=lambda coin: coin >= 0.5),
        (with_step(follows=lambda coin: coin > 0.5),),
    ),
    Mistake("border-follows", with_step(follows=lambda coin: coin <= 0.5), case=HAND),
    Mistake("first-replaced", _replaced_first),
    Mistake("always-the-first-sentence", with_step(negative=_first_of)),
    Mistake("always-the-next-document", with_step(negative=_next_document)),
    Mistake("counted-anew", _counted_anew),
    Mistake("numbers-saved", _saved),
    Mistake("numbers-exchanged", with_step(negative=_swapped_numbers)),
    Mistake(
        "rounded-instead-of-floored",
        with_step(negative=_round),
        (with_step(negative=_round_at_most_the_last),),
    ),
    Mistake(
        "next-for-the-own-document",
        with_step(negative=_beside_the_own(1)),
        (with_step(negative=_beside_the_own(-1)),),
    ),
    Mistake("never-a-negative", with_step(follows=lambda coin: True)),
)


# ---- Cases


def _drawn(*lengths: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        documents = [
            [f"{chr(97 + d)}{s + 1}" for s in range(length)] for d, length in enumerate(lengths)
        ]
        numbers = torch.rand(3, sum(lengths), generator=generator).tolist()  # some are left over
        return {
            "documents": documents,
            "coin": numbers[0],
            "other": numbers[1],
            "place": numbers[2],
        }

    return make


CASES = (
    Case(
        HAND,
        lambda generator: {
            "documents": [["a1", "a2", "a3"], ["b1", "b2", "b3", "b4"]],
            "coin": [0.25, 0.75, 0.1, 0.5, 0.9, 0.2],
            "other": [0.5, 0.5, 0.0, 0.25, 0.75, 0.0],
            "place": [0.0, 0.6, 0.5, 0.9, 0.0, 0.0],
        },
    ),
    Case(_("three documents, one of a single sentence"), _drawn(3, 1, 4), seed=1),
    Case(_("five documents"), _drawn(2, 5, 3, 7, 2), seed=2),
    Case(_("seven documents"), _drawn(5, 2, 11, 3, 2, 7, 3), seed=3),
    Case(_("two documents of two sentences"), _drawn(2, 2), seed=4),
    Case(
        EQUAL,
        lambda generator: {
            "documents": [["a1", "a2"], ["b1"], ["a1", "a2"]],
            "coin": [0.75, 0.75],
            "other": [0.75, 0.25],
            "place": [0.75, 0.25],
        },
    ),
)

ANSWERS = Answers(
    solution=next_sentences,
    alternatives=(by_index, from_a_list),
    mistakes=MISTAKES,
    cases=CASES,
)
