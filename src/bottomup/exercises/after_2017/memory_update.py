"""Exercise: what the next segment may read (Dai et al., 2019, section 3.2)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def update_memory(
    memory: torch.Tensor, read: torch.Tensor, written: torch.Tensor, length: int
) -> torch.Tensor:
    joined = torch.cat([memory, read], dim=1)  # [layer, m + n, d_model]
    first = max(0, joined.shape[1] - length)
    return joined[:, first:].detach()


def with_lists(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    with torch.no_grad():
        kept = []
        for old, new in zip(memory, read, strict=True):
            rows = [*old, *new]
            newest = rows[max(0, len(rows) - length) :]
            kept.append(torch.stack(newest) if newest else old.new_zeros(0, old.shape[1]))
        return torch.stack(kept)


def with_narrow(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    m, n = memory.shape[1], read.shape[1]
    new = min(n, length)
    old = min(m, length - new)
    parts = memory.narrow(1, m - old, old), read.narrow(1, n - new, new)
    return torch.cat(parts, dim=1).detach()


# ---- Mistakes

HAND = _("a memory of two positions, and a segment of three")
GRADIENT = _("states that have a gradient")
NOTHING = _("a length of 0")
FIRST = _("no memory yet")
LONG = _("a memory longer than a segment")


def _cut(joined: Tensor, length: int) -> Tensor:
    return joined[:, max(0, joined.shape[1] - length) :].detach()


def not_detached(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    joined = torch.cat([memory, read], dim=1)
    return joined[:, max(0, joined.shape[1] - length) :]


def old_alone_detached(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return not_detached(memory.detach(), read, written, length)


def after_the_layer(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return update_memory(memory, written, written, length)


def oldest(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return torch.cat([memory, read], dim=1)[:, :length].detach()


def oldest_of_the_segment(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return torch.cat([read, memory], dim=1)[:, :length].detach()


def in_front(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return _cut(torch.cat([read, memory], dim=1), length)


def backwards(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return update_memory(memory, read, written, length).flip(1)


def segment_alone(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return _cut(read, length)


def never_cut(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return torch.cat([memory, read], dim=1).detach()


def minus_zero(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    return torch.cat([memory, read], dim=1)[:, -length:].detach()


def first_may_be_negative(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    joined = torch.cat([memory, read], dim=1)
    return joined[:, joined.shape[1] - length :].detach()


def cut_by_layers(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    joined = torch.cat([memory, read], dim=1)
    return joined[max(0, len(joined) - length) :].detach()


def joined_by_layers(memory: Tensor, read: Tensor, written: Tensor, length: int) -> Tensor:
    n = min(memory.shape[1], read.shape[1])
    joined = torch.cat([memory[:, :n], read[:, :n]])
    return joined[max(0, len(joined) - length) :].detach()


MISTAKES = (
    Mistake("not-detached", not_detached, (old_alone_detached,), case=GRADIENT),
    Mistake("taken-after-the-layer", after_the_layer, case=HAND),
    Mistake("wrong-end-kept", oldest, (oldest_of_the_segment,), case=HAND),
    Mistake("segment-in-front", in_front, (backwards,), case=HAND),
    Mistake("old-memory-dropped", segment_alone, case=HAND),
    Mistake("never-cut", never_cut, case=HAND),
    Mistake("minus-zero", minus_zero, case=NOTHING),
    Mistake("negative-first-position", first_may_be_negative, case=FIRST),
    Mistake("layers-for-positions", cut_by_layers, (joined_by_layers,), case=HAND),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(
    layers: int, m: int, n: int, d_model: int, length: int, *,
    gradient: bool = False, dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        def states(positions: int) -> Tensor:
            drawn = torch.randn(layers, positions, d_model, generator=generator, dtype=dtype)
            return drawn.requires_grad_(gradient)

        return {
            "memory": states(m), "read": states(n), "written": states(n), "length": length,
        }  # fmt: skip

    return make


def _by_hand(generator: torch.Generator) -> Inputs:
    return {
        "memory": torch.tensor([[[1.0], [2.0]]]),
        "read": torch.tensor([[[3.0], [4.0], [5.0]]]),
        "written": torch.tensor([[[30.0], [40.0], [50.0]]]),
        "length": 4,
    }


CASES = (
    Case(HAND, _by_hand),
    Case(FIRST, _random(2, 0, 3, 2, 5), seed=1),
    Case(_("three layers, a memory as long as a segment"), _random(3, 5, 5, 7, 5), seed=2),
    Case(LONG, _random(2, 11, 3, 5, 7), seed=3),
    Case(_("a memory shorter than a segment"), _random(5, 3, 7, 2, 2), seed=4),
    Case(NOTHING, _random(2, 3, 5, 2, 0), seed=5),
    Case(_("room for more than there is"), _random(3, 2, 5, 2, 11), seed=6),
    Case(_("float64"), _random(2, 5, 3, 3, 7, dtype=torch.float64), seed=7),
    Case(GRADIENT, _random(2, 3, 2, 2, 4, gradient=True), seed=8),
)

ANSWERS = Answers(
    solution=update_memory,
    alternatives=(with_lists, with_narrow),
    mistakes=MISTAKES,
    cases=CASES,
)
