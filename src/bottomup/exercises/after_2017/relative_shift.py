"""Exercise: the relative shift (Dai et al., 2019, appendix B)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def shift(by_distance: torch.Tensor) -> torch.Tensor:
    n, m = by_distance.shape
    longer = torch.cat([by_distance.new_zeros(n, 1), by_distance], dim=1)  # [n, m + 1]
    moved = longer.view(m + 1, n)[1:].view(n, m)  # the same numbers, read in other rows
    return moved.tril(m - n)


def with_loops(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    shifted = torch.zeros_like(by_distance)
    for i in range(n):
        for j in range(m - n + i + 1):
            shifted[i, j] = by_distance[i, m - 1 - (m - n + i - j)]
    return shifted


def with_gather(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    columns = torch.arange(m) + torch.arange(n).flip(0)[:, None]  # [n, m]
    return by_distance.gather(1, columns.clamp(max=m - 1)).tril(m - n)


def with_slices(by_distance: Tensor) -> Tensor:
    n = len(by_distance)
    rows = [
        torch.nn.functional.pad(row[n - 1 - i :], (0, n - 1 - i))
        for i, row in enumerate(by_distance)
    ]
    return torch.stack(rows)


# ---- Mistakes

HAND = _("two queries, three keys")
MEMORY = _("a memory before the segment")


def _columns(n: int, m: int, column: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    return column(torch.arange(n)[:, None], torch.arange(m)).expand(n, m)


def taken(
    column: Callable[[int, int], Callable[[Tensor, Tensor], Tensor]], behind: int = 0
) -> Callable[[Tensor], Tensor]:
    """Take each entry from a column of its row, 0 where there is none or behind the query."""

    def answer(by_distance: Tensor) -> Tensor:
        n, m = by_distance.shape
        columns = _columns(n, m, column(n, m))
        found = by_distance.gather(1, columns.clamp(0, m - 1))
        inside = (columns >= 0) & (columns < m)
        return (found * inside).tril(m - n + behind)

    return answer


def last_row_dropped(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    longer = torch.nn.functional.pad(by_distance, (1, 0))
    return longer.view(m + 1, n)[:-1].view(n, m).tril(m - n)


def last_row_dropped_unmasked(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    return torch.nn.functional.pad(by_distance, (1, 0)).view(m + 1, n)[:-1].view(n, m)


def transposed(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    longer = torch.nn.functional.pad(by_distance, (1, 0))
    return longer.T[1:].reshape(n, m).tril(m - n)


def transposed_back(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    longer = torch.nn.functional.pad(by_distance, (1, 0))
    return longer.view(m + 1, n)[1:].T.reshape(n, m).tril(m - n)


def transposed_unmasked(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    return torch.nn.functional.pad(by_distance, (1, 0)).T[1:].reshape(n, m)


def unmasked(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    return torch.nn.functional.pad(by_distance, (1, 0)).view(m + 1, n)[1:].view(n, m)


def rolled_by(by_distance: Tensor, sign: int) -> Tensor:
    n = len(by_distance)
    return torch.stack([row.roll(sign * (n - 1 - i)) for i, row in enumerate(by_distance)])


def moved_by_its_number(by_distance: Tensor) -> Tensor:
    rows = [torch.nn.functional.pad(row[i:], (0, i)) for i, row in enumerate(by_distance)]
    return torch.stack(rows)


def minus_infinity_behind(by_distance: Tensor) -> Tensor:
    behind = torch.ones_like(by_distance).triu(by_distance.shape[1] - len(by_distance) + 1)
    return shift(by_distance).masked_fill(behind.bool(), -torch.inf)


def forgotten(by_distance: Tensor) -> Tensor:
    n, m = by_distance.shape
    distance = _columns(n, m, lambda i, j: i - j)
    found = by_distance.gather(1, (m - 1 - distance).clamp(0, m - 1))
    return found.tril()


def forgotten_in_the_mask(by_distance: Tensor) -> Tensor:
    return unmasked(by_distance).tril()


MISTAKES = (
    Mistake("last-row-dropped", last_row_dropped, (last_row_dropped_unmasked,), case=HAND),
    Mistake(
        "transposed-before-it-is-read",
        transposed,
        (transposed_back, transposed_unmasked),
        case=HAND,
    ),
    Mistake("memory-forgotten", forgotten, (forgotten_in_the_mask,), case=MEMORY),
    Mistake(
        "nothing-moved",
        lambda by_distance: by_distance.clone(),
        (taken(lambda n, m: lambda i, j: j + 0 * i),),
        case=HAND,
    ),
    Mistake(
        "moved-to-the-right",
        taken(lambda n, m: lambda i, j: j - (n - 1 - i)),
        (lambda x: rolled_by(x, 1), lambda x: rolled_by(x, 1).tril(x.shape[1] - len(x))),
        case=HAND,
    ),
    Mistake(
        "last-row-moved-most",
        moved_by_its_number,
        (taken(lambda n, m: lambda i, j: j + i), lambda x: rolled_by(x.flip(0), -1).flip(0)),
        case=HAND,
    ),
    Mistake("minus-infinity-behind", minus_infinity_behind, case=HAND),
    Mistake("near-distances-first", taken(lambda n, m: lambda i, j: m - n + i - j), case=HAND),
    Mistake("rest-of-the-next-row-left", unmasked, (lambda x: rolled_by(x, -1),), case=MEMORY),
    Mistake("own-key-left-out", taken(lambda n, m: lambda i, j: j + n - 1 - i, -1), case=HAND),
    Mistake(
        "one-row-too-few",
        taken(lambda n, m: lambda i, j: j + n - 2 - i),
        (taken(lambda n, m: lambda i, j: j + n - i),),
        case=HAND,
    ),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(n: int, m: int, *, gradient: bool = False, dtype: torch.dtype = torch.float32) -> Make:
    def make(generator: torch.Generator) -> Inputs:
        drawn = torch.randn(n, m, generator=generator, dtype=dtype)
        return {"by_distance": drawn.requires_grad_(gradient)}

    return make


CASES = (
    Case(HAND, lambda generator: {"by_distance": torch.tensor([[3.0, 2, 1], [6, 5, 4]])}),
    Case(_("as many queries as keys"), _random(5, 5), seed=1),
    Case(MEMORY, _random(3, 7), seed=2),
    Case(_("a long memory"), _random(5, 13), seed=3),
    Case(_("one query"), _random(1, 7), seed=4),
    Case(_("one position"), _random(1, 1), seed=5),
    Case(_("float64"), _random(7, 11, dtype=torch.float64), seed=6),
    Case(_("a gradient"), _random(3, 5, gradient=True), seed=7),
)

ANSWERS = Answers(
    solution=shift,
    alternatives=(with_loops, with_gather, with_slices),
    mistakes=MISTAKES,
    cases=CASES,
)
