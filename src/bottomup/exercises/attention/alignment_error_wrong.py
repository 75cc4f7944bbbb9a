"""Wrong ways to count an alignment error rate."""

from collections.abc import Callable

Links = list[set[tuple[int, int]]]
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


def skipping(nothing_left: float | None, both: bool = False) -> Wrong:
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
