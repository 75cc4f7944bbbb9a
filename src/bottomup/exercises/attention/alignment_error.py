"""Exercise: the alignment error rate of Och and Ney (2003)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.attention.alignment_error_mistakes import MISCONCEPTIONS, PERFECT, SILENT
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.scalars import compare_scalar
from bottomup.i18n import _

Links = list[set[tuple[int, int]]]
STUB = '''\
def alignment_error_rate(links, sure, possible):
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), over all sentences.

    links, sure, possible: lists with one set of pairs (target, source) for
    each sentence, some of them empty, not all: the predicted links A, the
    sure gold links S and the possible ones P, which contain S.
    Returns a number, 0 for a perfect alignment.
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
    alternatives=(with_one_set, with_errors, with_tensors, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_scalar,
)
