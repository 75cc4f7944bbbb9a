"""Exercise: the alignment error rate of Och and Ney (2003)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _

Links = list[set[tuple[int, int]]]
SECTION = _("Alignment error rate")
STUB = '''\
def alignment_error_rate(links, sure, possible):
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), counts over all sentences.

    links, sure, possible: lists with one set of pairs (target, source) for each
    sentence, some of them empty, not all: the predicted links A, the sure gold
    links S, and the possible ones P, which contain S. Returns a number.
    """
    ...
'''


def alignment_error_rate(
    links: list[set[tuple[int, int]]],
    sure: list[set[tuple[int, int]]],
    possible: list[set[tuple[int, int]]],
) -> float:
    hits, size = 0, 0
    for a, s, p in zip(links, sure, possible, strict=True):
        hits += len(a & s) + len(a & p)
        size += len(a) + len(s)
    return 1 - hits / size


def with_one_set(links: Links, sure: Links, possible: Links) -> float:
    a, s, p = (
        {(number, *pair) for number, pairs in enumerate(sets) for pair in pairs}
        for sets in (links, sure, possible)
    )
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s))


def with_errors(links: Links, sure: Links, possible: Links) -> float:
    missed = sum(len(s - a) for a, s in zip(links, sure, strict=True))
    invented = sum(len(a - p) for a, p in zip(links, possible, strict=True))
    return (missed + invented) / (sum(map(len, links)) + sum(map(len, sure)))


def with_loops(links: Links, sure: Links, possible: Links) -> float:
    hits = size = 0
    for number, predicted in enumerate(links):
        size += len(predicted) + len(sure[number])
        for pair in predicted:
            hits += (pair in sure[number]) + (pair in possible[number])
    return (size - hits) / size


def _count(left: Links, right: Links) -> int:
    return sum(len(a & b) for a, b in zip(left, right, strict=True))


def _size(links: Links) -> int:
    return sum(map(len, links))


def _one_minus(part: float, whole: float) -> float:
    return 1 - part / whole if whole else 0.0


def _swapped(links: Links, sure: Links, possible: Links) -> float:
    return alignment_error_rate(links, possible, sure)


def _precision(links: Links, sure: Links, possible: Links) -> float:
    return _one_minus(_count(links, possible), _size(links))


def _sure_precision(links: Links, sure: Links, possible: Links) -> float:
    return _one_minus(_count(links, sure), _size(links))


def _recall(links: Links, sure: Links, possible: Links) -> float:
    return _one_minus(_count(links, sure), _size(sure))


def _accuracy(links: Links, sure: Links, possible: Links) -> float:
    hits = _count(links, sure) + _count(links, possible)
    return hits / (_size(links) + _size(sure))


def _possible_without_sure(links: Links, sure: Links, possible: Links) -> float:
    only = [p - s for p, s in zip(possible, sure, strict=True)]
    return _one_minus(_count(links, sure) + _count(links, only), _size(links) + _size(sure))


def _skipping(nothing_left: float | None, both: bool = False) -> Callable[..., float]:
    """Sentences without predicted (or, if `both`, without sure) links are left out.

    Where all are left out, the rate is `nothing_left`, or a division by zero.
    """

    def wrong(links: Links, sure: Links, possible: Links) -> float:
        sentences = zip(links, sure, possible, strict=True)
        kept = [(a, s, p) for a, s, p in sentences if a and (s or not both)]
        if not kept and nothing_left is not None:
            return nothing_left
        hits = sum(len(a & s) + len(a & p) for a, s, p in kept)
        return 1 - hits / sum(len(a) + len(s) for a, s, _p in kept)

    return wrong


def _averaged(empty: float | None) -> Callable[..., float]:
    """The mean over sentences; `empty` is the rate of one without links (None: a zero division)."""

    def wrong(links: Links, sure: Links, possible: Links) -> float:
        rates = [
            alignment_error_rate([a], [s], [p]) if a or s or empty is None else empty
            for a, s, p in zip(links, sure, possible, strict=True)
        ]
        return sum(rates) / len(rates)

    return wrong


def _averaged_without_empty(*gold: Links) -> float:
    sentences = [(a, s, p) for a, s, p in zip(*gold, strict=True) if a or s]
    return _averaged(None)(*map(list, zip(*sentences, strict=True)))


MISCONCEPTIONS = (
    Misconception(
        "sure-possible-swapped",
        _swapped,
        _(
            "Sure and possible links have changed places. The numerator treats both alike, so the "
            "difference is the denominator: |A| + |P| instead of |A| + |S|. The aligner is then "
            "charged for every possible link that it left out, although those are optional."
        ),
        SECTION,
    ),
    Misconception(
        "precision-only",
        _precision,
        _(
            "This is one minus the precision: of the predicted links, the share that is not even "
            "possible. An aligner that predicts a single safe link for the whole text would "
            "have no error. The sure links that are missed have to count as well."
        ),
        SECTION,
        (_sure_precision,),
    ),
    Misconception(
        "recall-only",
        _recall,
        _(
            "This is one minus the recall: of the sure links, the share that was missed. An "
            "aligner that links every word with every word would have no error. The predicted "
            "links that are not possible have to count as well."
        ),
        SECTION,
    ),
    Misconception(
        "accuracy",
        _accuracy,
        _(
            "This is the share of agreement, and the rate of error is one minus it. Reported as an "
            "AER it would rank the best aligner last: 0 is perfect, 1 is no link in common."
        ),
        SECTION,
    ),
    Misconception(
        "averaged-over-sentences",
        _averaged(0.0),
        _(
            "The rate is computed for each sentence and then averaged, so a wrong link in a "
            "sentence with two links weighs fifteen times as much as in one with thirty. Sum the "
            "counts over all sentences, then divide once."
        ),
        SECTION,
        (_averaged(1.0), _averaged(None), _averaged_without_empty),
    ),
    Misconception(
        "possible-without-sure",
        _possible_without_sure,
        _(
            "The sure links are taken out of the possible ones before counting. P contains S: a "
            "sure link that is found counts twice in the numerator, as it does in |A| + |S|. "
            "Without it, a perfect alignment gets an AER of 0.5."
        ),
        SECTION,
    ),
    Misconception(
        "empty-sentence-skipped",
        _skipping(None),
        _(
            "A sentence for which nothing is predicted is left out. Its sure links were missed, "
            "and they belong into |S|. An aligner that stays silent on every hard sentence would "
            "be scored on the easy ones only."
        ),
        SECTION,
        (
            _skipping(0.0),
            _skipping(1.0),
            _skipping(None, both=True),
            _skipping(0.0, both=True),
            _skipping(1.0, both=True),
        ),
    ),
)


def _hand(links: Links, sure: Links, possible: Links) -> Callable[..., Inputs]:
    return lambda generator: {
        "links": [set(pairs) for pairs in links],
        "sure": [set(pairs) for pairs in sure],
        "possible": [set(pairs) for pairs in possible],
    }


def _random(*sizes: tuple[int, int]) -> Callable[[torch.Generator], Inputs]:
    """One sentence for each (target length, source length); the possible links contain the sure."""

    def make(generator: torch.Generator) -> Inputs:
        levels = [torch.rand(2, *size, generator=generator) for size in sizes]
        return {
            "links": [_pairs(predicted < 0.3) for predicted, _gold in levels],
            "sure": [_pairs(gold < 0.2) for _predicted, gold in levels],
            "possible": [_pairs(gold < 0.5) for _predicted, gold in levels],
        }

    return make


def _pairs(grid: Tensor) -> set[tuple[int, int]]:
    return {(int(target), int(source)) for target, source in grid.nonzero().tolist()}


_SURE = {(0, 0), (1, 2)}
CASES = (
    Case(
        _("one sentence: two links predicted, one of them right"),
        _hand([{(0, 0), (1, 1)}], [_SURE], [_SURE | {(2, 1)}]),
    ),
    Case(_("a possible link is predicted"), _hand([_SURE | {(2, 1)}], [_SURE], [_SURE | {(2, 1)}])),
    Case(_("a perfect alignment"), _hand([_SURE], [_SURE], [_SURE])),
    Case(_("no link in common"), _hand([{(0, 1)}], [_SURE], [_SURE])),
    Case(
        _("a short sentence and a long one"),
        _hand(
            [{(0, 0)}, {(0, 1), (1, 0), (2, 2), (3, 4)}],
            [{(0, 0)}, {(0, 1), (1, 2), (2, 0), (4, 3)}],
            [{(0, 0)}, {(0, 1), (1, 2), (2, 0), (4, 3), (1, 0)}],
        ),
    ),
    Case(_("three sentences"), _random((3, 5), (7, 11), (2, 13)), seed=1),
    Case(_("five sentences"), _random((5, 3), (2, 7), (11, 5), (3, 3), (7, 2)), seed=2),
    Case(
        _("a sentence without predicted or sure links among others"),
        _hand([{(0, 0), (2, 1)}, set()], [_SURE, set()], [_SURE, {(0, 1)}]),
    ),
    Case(
        _("a sentence for which nothing is predicted"),
        _hand([{(0, 0)}, set()], [_SURE, {(0, 0)}], [_SURE, {(0, 0)}]),
    ),
    Case(
        _("a sentence without sure links"),
        _hand([{(0, 0)}, {(1, 0)}], [_SURE, set()], [_SURE, {(0, 0)}]),
    ),
    Case(_("nothing predicted at all"), _hand([set()], [_SURE], [_SURE])),
)

ALIGNMENT_ERROR = Exercise(
    slug="aer",
    title=_("Alignment error rate"),
    chapter="01",
    difficulty=2,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Take one sentence first. In Python, `a & s` is the intersection of two sets, `len` "
            "counts it."
        ),
        _(
            "Two numbers are enough for the corpus: the sum of |A ∩ S| + |A ∩ P|, and that of |A| "
            "+ |S|."
        ),
        _(
            "Loop over `zip(links, sure, possible)`, add up both, divide once after the loop, and "
            "take one minus."
        ),
    ),
    solution=alignment_error_rate,
    alternatives=(with_one_set, with_errors, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
