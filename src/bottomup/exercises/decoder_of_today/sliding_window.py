"""Exercise: the mask of a sliding window with sinks."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def window_mask(n: int, width: int, sinks: int, first: int) -> torch.Tensor:
    key = torch.arange(n)
    distance = torch.arange(first, n)[:, None] - key  # [query, key]
    return (distance >= 0) & ((distance < width) | (key < sinks))


def with_triangles(n: int, width: int, sinks: int, first: int) -> Tensor:
    past = torch.ones(n, n, dtype=torch.bool).tril()
    near = past & ~past.tril(-width)
    near[:, :sinks] = past[:, :sinks]
    return near[first:]


def with_loops(n: int, width: int, sinks: int, first: int) -> Tensor:
    rows = []
    for query in range(first, n):
        read = {*range(max(0, query - width + 1), query + 1), *range(min(sinks, query + 1))}
        rows.append([key in read for key in range(n)])
    return torch.tensor(rows)


# ---- One step in another way: what the mistakes are made of

Rule = Callable[[Tensor, Tensor, int, int], Tensor]  # of distance, key, width, sinks
Answer = Callable[[int, int, int, int], Tensor]


def by(rule: Rule) -> Answer:
    """Return the mask that a rule makes of distances and keys."""

    def mask(n: int, width: int, sinks: int, first: int) -> Tensor:
        key = torch.arange(n)
        return rule(torch.arange(first, n)[:, None] - key, key, width, sinks)

    return mask


def _transposed(n: int, width: int, sinks: int, first: int) -> Tensor:
    return window_mask(n, width, sinks, 0).T[first:]


def _begun_anew(n: int, width: int, sinks: int, first: int) -> Tensor:
    return window_mask(n, width, sinks, 0)[: n - first]


WINDOW, SUNK = _("a window of two"), _("three sinks")
LATER = _("decoding goes on")

MISTAKES = (
    Mistake(
        "window-one-too-wide",
        by(lambda far, key, width, sinks: (far >= 0) & ((far <= width) | (key < sinks))),
        case=WINDOW,
    ),
    Mistake(
        "window-one-too-narrow",
        by(lambda far, key, width, sinks: (far >= 0) & ((far < width - 1) | (key < sinks))),
        (by(lambda far, key, width, sinks: (far > 0) & ((far < width) | (key < sinks))),),
        case=WINDOW,
    ),
    Mistake(
        "window-on-both-sides",
        by(lambda far, key, width, sinks: (far.abs() < width) | ((key < sinks) & (far >= 0))),
        (
            by(lambda far, key, width, sinks: (far < width) | (key < sinks)),
            by(lambda far, key, width, sinks: (far.abs() < width) | (key < sinks)),
        ),
        case=WINDOW,
    ),
    Mistake(
        "sinks-of-the-future",
        by(lambda far, key, width, sinks: ((far >= 0) & (far < width)) | (key < sinks)),
        case=SUNK,
    ),
    Mistake(
        "sinks-forgotten",
        by(lambda far, key, width, sinks: (far >= 0) & (far < width)),
        case=SUNK,
    ),
    Mistake(
        "sinks-alone",
        by(lambda far, key, width, sinks: (far >= 0) & (far < width) & (key < sinks)),
        (by(lambda far, key, width, sinks: (far >= 0) & (key < sinks)),),
    ),
    Mistake(
        "one-sink-too-many",
        by(lambda far, key, width, sinks: (far >= 0) & ((far < width) | (key <= sinks))),
    ),
    Mistake(
        "first-ignored",
        lambda n, width, sinks, first: window_mask(n, width, sinks, 0),
        (_begun_anew,),
        case=LATER,
    ),
    Mistake("true-hides", lambda n, width, sinks, first: ~window_mask(n, width, sinks, first)),
    Mistake("axes-exchanged", _transposed),
)


# ---- Cases


def _of(n: int, width: int, sinks: int, first: int) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"n": n, "width": width, "sinks": sinks, "first": first}


CASES = (
    Case(_("four positions, one sink"), _of(4, 2, 1, 0)),
    Case(WINDOW, _of(5, 2, 0, 0)),
    Case(SUNK, _of(7, 2, 3, 0)),
    Case(LATER, _of(7, 3, 1, 5)),
    Case(_("one newest position"), _of(11, 3, 2, 10)),
    Case(_("a window wider than the text"), _of(5, 7, 0, 0)),
    Case(_("a window of one, no sinks"), _of(3, 1, 0, 0)),
    Case(_("thirteen positions"), _of(13, 5, 2, 4)),
)

ANSWERS = Answers(
    solution=window_mask,
    alternatives=(with_triangles, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
