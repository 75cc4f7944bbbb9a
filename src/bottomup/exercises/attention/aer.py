"""Exercise: the alignment error rate of Och and Ney (2003)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


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


Pairs = set[tuple[int, int]]
Links = list[Pairs]


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


def with_tensors(links: Links, sure: Links, possible: Links) -> Tensor:
    both = zip(links, sure, possible, strict=True)
    counts = torch.tensor([[len(a & s), len(a & p), len(a), len(s)] for a, s, p in both]).sum(0)
    return 1 - counts[:2].sum() / counts[2:].sum()


def with_loops(links: Links, sure: Links, possible: Links) -> float:
    hits = size = 0
    for number, predicted in enumerate(links):
        size += len(predicted) + len(sure[number])
        for pair in predicted:
            hits += (pair in sure[number]) + (pair in possible[number])
    return (size - hits) / size


# ---- Wrong ways to count an alignment error rate

Wrong = Callable[..., float]


def _count(left: Links, right: Links) -> int:
    return sum(len(a & b) for a, b in zip(left, right, strict=True))


def _size(links: Links) -> int:
    return sum(map(len, links))


def _one_minus(part: float, whole: float) -> float:
    return 1 - part / whole


def rate(links: Links, sure: Links, possible: Links) -> float:
    return from_counts(1, 1)(links, sure, possible)


def from_counts(of_sure: int, of_possible: int) -> Wrong:
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


def recall(links: Links, sure: Links) -> float:
    return _count(links, sure) / _size(sure)


def _mean_error(links: Links, sure: Links, possible: Links) -> float:
    return 1 - (_precision(links, possible) + recall(links, sure)) / 2


def _harmonic_error(links: Links, sure: Links, possible: Links) -> float:
    precise, found = _precision(links, possible), recall(links, sure)
    return 1 - 2 * precise * found / (precise + found) if precise + found else 1.0


def merged(links: Links, sure: Links, possible: Links) -> float:
    return rate(*([set().union(*sets)] for sets in (links, sure, possible)))


PRECISION = (
    *_where_nothing_is_predicted(lambda a, s, p: 1 - _precision(a, p)),
    *_where_nothing_is_predicted(lambda a, s, p: 1 - _precision(a, s)),
)

MEANS = (
    *_where_nothing_is_predicted(_mean_error),
    *_where_nothing_is_predicted(_harmonic_error),
    lambda a, s, p: _mean_error(a, s, p) if any(a) else 0.5,
)


def _has_predicted(predicted: Pairs, sure: Pairs) -> bool:
    return bool(predicted)


def _has_both(predicted: Pairs, sure: Pairs) -> bool:
    return bool(predicted and sure)


def _has_sure(predicted: Pairs, sure: Pairs) -> bool:
    return bool(sure)


def skipping(
    nothing_left: float | None, keep: Callable[[Pairs, Pairs], bool] = _has_predicted
) -> Wrong:
    """Sentences without predicted links, or without sure ones, are left out.

    Where all are left out, the rate is `nothing_left`, or a division by zero.
    """

    def wrong(links: Links, sure: Links, possible: Links) -> float:
        sentences = zip(links, sure, possible, strict=True)
        kept = [(a, s, p) for a, s, p in sentences if keep(a, s)]
        if not kept and nothing_left is not None:
            return nothing_left
        hits = sum(len(a & s) + len(a & p) for a, s, p in kept)
        return 1 - hits / sum(len(a) + len(s) for a, s, _p in kept)

    return wrong


def averaged(empty: float | None) -> Wrong:
    """The mean over sentences; `empty` is the rate of one without links (None: a zero division)."""

    def wrong(links: Links, sure: Links, possible: Links) -> float:
        rates = [
            rate([a], [s], [p]) if a or s or empty is None else empty
            for a, s, p in zip(links, sure, possible, strict=True)
        ]
        return sum(rates) / len(rates)

    return wrong


def averaged_without_empty(*gold: Links) -> float:
    sentences = [(a, s, p) for a, s, p in zip(*gold, strict=True) if a or s]
    return averaged(None)(*map(list, zip(*sentences, strict=True)))


def f_measure(links: Links, precise_in: Links, sure: Links) -> float:
    """The harmonic mean of precision and recall, which is agreement and no error."""
    if not any(links):
        return 0.0
    return 1 - _harmonic_error(links, sure, precise_in)


def over_union(links: Links, sure: Links, possible: Links) -> float:
    hits = _count(links, sure) + _count(links, possible)
    return _one_minus(hits, sum(len(a | s) for a, s in zip(links, sure, strict=True)))


def of_unions(links: Links, sure: Links, possible: Links) -> float:
    either = [len(a | s) + len(a | p) for a, s, p in zip(links, sure, possible, strict=True)]
    return _one_minus(sum(either), _size(links) + _size(sure))


def _without_brackets_above(links: Links, sure: Links, possible: Links) -> float:
    return 1 - _count(links, sure) + _count(links, possible) / (_size(links) + _size(sure))


def _without_brackets_below(links: Links, sure: Links, possible: Links) -> float:
    return 1 - (_count(links, sure) + _count(links, possible)) / _size(links) + _size(sure)


def _without_any_brackets(links: Links, sure: Links, possible: Links) -> float:
    return 1 - _count(links, sure) + _count(links, possible) / _size(links) + _size(sure)


def _around_the_whole_numerator(links: Links, sure: Links, possible: Links) -> float:
    hits = _count(links, sure) + _count(links, possible)
    return (1 - hits) / (_size(links) + _size(sure))


def _around_too_much(links: Links, sure: Links, possible: Links) -> float:
    agreeing = 1 - _count(links, sure) + _count(links, possible)
    return agreeing / (_size(links) + _size(sure))


BRACKETS: tuple[Wrong, ...] = (
    _without_brackets_above,
    _without_brackets_below,
    _without_any_brackets,
    _around_the_whole_numerator,
    _around_too_much,
)


# ---- Mistakes

PERFECT = _("a perfect alignment")
SILENT = _("a sentence for which nothing is predicted")

MISTAKES = (
    Mistake("sure-possible-swapped", lambda links, sure, possible: rate(links, possible, sure)),
    Mistake("precision-only", PRECISION[0], PRECISION[1:], case=SILENT),
    Mistake("recall-only", lambda links, sure, possible: 1 - recall(links, sure)),
    Mistake("accuracy", lambda *sets: 1 - rate(*sets)),
    Mistake(
        "averaged-over-sentences",
        averaged(0.0),
        (averaged(1.0), averaged(None), averaged_without_empty),
    ),
    Mistake(
        "one-sentence-only",
        lambda *sets: rate(*(each[:1] for each in sets)),
        (lambda *sets: rate(*(each[-1:] for each in sets)),),
    ),
    Mistake("union-for-intersection", of_unions),
    Mistake("sure-link-counted-once", from_counts(0, 1), case=PERFECT),
    Mistake("possible-ignored", from_counts(2, 0), (from_counts(1, 0),)),
    Mistake("possible-counted-twice", from_counts(0, 2)),
    Mistake("sure-ignored", lambda links, sure, possible: rate(links, possible, possible)),
    Mistake("mean-of-precision-and-recall", MEANS[0], MEANS[1:]),
    Mistake(
        "f-measure",
        lambda links, sure, possible: f_measure(links, possible, sure),
        (lambda links, sure, possible: f_measure(links, sure, sure),),
    ),
    Mistake("divided-by-the-union", over_union, case=PERFECT),
    Mistake("brackets-missing", BRACKETS[0], BRACKETS[1:]),
    Mistake("sentences-merged", merged),
    Mistake(
        "percent", lambda *sets: 100 * rate(*sets), (lambda *sets: round(100 * rate(*sets), 2),)
    ),
    Mistake(
        "empty-sentence-skipped",
        skipping(None),
        (
            skipping(0.0),
            skipping(1.0),
            *(skipping(rate, keep) for keep in (_has_both, _has_sure) for rate in (None, 0.0, 1.0)),
        ),
    ),
)


# ---- Cases


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
    Case(PERFECT, _hand([_SURE], [_SURE], [_SURE])),
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
        SILENT,
        _hand([{(0, 0)}, set()], [_SURE, {(0, 0)}], [_SURE, {(0, 0)}]),
    ),
    Case(
        _("a sentence without sure links"),
        _hand([{(0, 0)}, {(1, 0)}], [_SURE, set()], [_SURE, {(0, 0)}]),
    ),
    Case(_("nothing predicted at all"), _hand([set()], [_SURE], [_SURE])),
)

ANSWERS = Answers(
    solution=alignment_error_rate,
    alternatives=(with_one_set, with_errors, with_tensors, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_scalar,
)
