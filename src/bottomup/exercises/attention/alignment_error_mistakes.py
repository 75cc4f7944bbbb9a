"""Mistakes in the alignment error rate."""

from collections.abc import Callable

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

Links = list[set[tuple[int, int]]]
Wrong = Callable[..., float]
SECTION = _("Alignment error rate")
PERFECT = _("a perfect alignment")
SILENT = _("a sentence for which nothing is predicted")


def _count(left: Links, right: Links) -> int:
    return sum(len(a & b) for a, b in zip(left, right, strict=True))


def _size(links: Links) -> int:
    return sum(map(len, links))


def _one_minus(part: float, whole: float) -> float:
    return 1 - part / whole


def _rate(links: Links, sure: Links, possible: Links) -> float:
    return _from_counts(1, 1)(links, sure, possible)


def _from_counts(of_sure: int, of_possible: int) -> Wrong:
    """The rate with other weights of |A & S| and |A & P| than one each."""

    def wrong(links: Links, sure: Links, possible: Links) -> float:
        hits = of_sure * _count(links, sure) + of_possible * _count(links, possible)
        return _one_minus(hits, _size(links) + _size(sure))

    return wrong


def _where_nothing_is_predicted(wrong: Wrong) -> tuple[Wrong, ...]:
    """The same with a rate of 0 or 1, not a division by zero, where there are no predictions."""

    def guarded(rate: float) -> Wrong:
        return lambda links, *gold: wrong(links, *gold) if any(links) else rate

    return wrong, guarded(0.0), guarded(1.0)


def _precision(links: Links, gold: Links) -> float:
    return _count(links, gold) / _size(links)


def _recall(links: Links, sure: Links) -> float:
    return _count(links, sure) / _size(sure)


def _mean_error(links: Links, sure: Links, possible: Links) -> float:
    return 1 - (_precision(links, possible) + _recall(links, sure)) / 2


def _harmonic_error(links: Links, sure: Links, possible: Links) -> float:
    precision, recall = _precision(links, possible), _recall(links, sure)
    return 1 - 2 * precision * recall / (precision + recall) if precision + recall else 1.0


def _merged(links: Links, sure: Links, possible: Links) -> float:
    return _rate(*([set().union(*sets)] for sets in (links, sure, possible)))


PRECISION = (
    *_where_nothing_is_predicted(lambda a, s, p: 1 - _precision(a, p)),
    *_where_nothing_is_predicted(lambda a, s, p: 1 - _precision(a, s)),
)
MEANS = (
    *_where_nothing_is_predicted(_mean_error),
    *_where_nothing_is_predicted(_harmonic_error),
    lambda a, s, p: _mean_error(a, s, p) if any(a) else 0.5,
)


def _skipping(nothing_left: float | None, both: bool = False) -> Wrong:
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


def _averaged(empty: float | None) -> Wrong:
    """The mean over sentences; `empty` is the rate of one without links (None: a zero division)."""

    def wrong(links: Links, sure: Links, possible: Links) -> float:
        rates = [
            _rate([a], [s], [p]) if a or s or empty is None else empty
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
        lambda links, sure, possible: _rate(links, possible, sure),
        _(
            "Sure and possible links have changed places. The numerator treats both alike, so the "
            "difference is the denominator: |A| + |P| instead of |A| + |S|. The aligner is then "
            "charged for every possible link that it left out, although those are optional."
        ),
        SECTION,
    ),
    Misconception(
        "precision-only",
        PRECISION[0],
        _(
            "This is one minus the precision: of the predicted links, the share that is not even "
            "possible. An aligner that predicts a single safe link for the whole text would "
            "have no error. The sure links that are missed have to count as well."
        ),
        SECTION,
        PRECISION[1:],
        case=SILENT,
    ),
    Misconception(
        "recall-only",
        lambda links, sure, possible: 1 - _recall(links, sure),
        _(
            "This is one minus the recall: of the sure links, the share that was missed. An "
            "aligner that links every word with every word would have no error. The predicted "
            "links that are not possible have to count as well."
        ),
        SECTION,
    ),
    Misconception(
        "accuracy",
        lambda *sets: 1 - _rate(*sets),
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
        "sure-link-counted-once",
        _from_counts(0, 1),
        _(
            "A sure link that is found counts once in your numerator. It has to count twice, once "
            "in |A ∩ S| and once in |A ∩ P|, since P contains S, as it counts twice in |A| + |S|. "
            "Counted once, it gives a perfect alignment an AER of 0.5."
        ),
        SECTION,
        case=PERFECT,
    ),
    Misconception(
        "possible-ignored",
        _from_counts(2, 0),
        _(
            "Only the links in S count as found, so a predicted link that is possible but not sure "
            "counts as an error. Annotators mark a link as possible where they do not insist: the "
            "aligner may predict it. The numerator needs |A ∩ P| as well."
        ),
        SECTION,
        (_from_counts(1, 0),),
    ),
    Misconception(
        "possible-counted-twice",
        _from_counts(0, 2),
        _(
            "A predicted link that is possible but not sure counts twice in your numerator, like a "
            "sure one. It counts once in |A| and not at all in |S|, so the rate can fall below "
            "zero. The numerator is |A ∩ S| + |A ∩ P|."
        ),
        SECTION,
    ),
    Misconception(
        "sure-ignored",
        lambda links, sure, possible: _rate(links, possible, possible),
        _(
            "The sure links are not used: possible ones stand in their place, also in the "
            "denominator. The aligner is then charged for every possible link that it left out, "
            "although those are optional. Use S for what must be found, P for what may be."
        ),
        SECTION,
    ),
    Misconception(
        "mean-of-precision-and-recall",
        MEANS[0],
        _(
            "This is one minus a mean of precision and recall. Both then weigh the same, however "
            "few links are predicted: a single safe link gives half the score. AER adds up before "
            "it divides, so each counts by its number of links. Divide once, by |A| + |S|."
        ),
        SECTION,
        MEANS[1:],
    ),
    Misconception(
        "sentences-merged",
        _merged,
        _(
            "The links of all sentences are in one set before they are compared. The pair (0, 0) "
            "of one sentence and that of another are then the same link: it counts once, and a "
            "link predicted in one sentence is found in another. Intersect sentence by sentence."
        ),
        SECTION,
    ),
    Misconception(
        "percent",
        lambda *sets: 100 * _rate(*sets),
        _(
            "This is the rate in percent, a hundred times the value of the formula. Papers print "
            "it so; a function that returns it invites a comparison of 0.2 with 20. Return the "
            "number between 0 and 1."
        ),
        SECTION,
        (lambda *sets: round(100 * _rate(*sets), 2),),
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
