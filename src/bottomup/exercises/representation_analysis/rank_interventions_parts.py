"""What the mistakes in measuring the use of a token are made of."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Numbers = tuple[Any, Any, Any, Any]
Run = Callable[[Tensor], Tensor]  # states [sentence, d_model] -> answers [sentence]
Answer = Callable[[Run, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Numbers]
Removed = Callable[[Tensor, Tensor], Tensor]  # states, their part -> states
Moved = Callable[[Tensor, Tensor, Tensor], Tensor]  # states, their part, control -> states
Patched = Callable[[Tensor, Tensor, Tensor], Tensor]  # states, their part, donor -> states
Changed = Callable[[Tensor, Tensor], Any]  # answers now and before -> a number
# answers after the swap and before, tokens, donor -> True where the swap counts
Counted = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
Verdict = Callable[[Any, Any, Any], int]


def share(truths: Tensor) -> float:
    return truths.float().mean().item()


def share_changed(now: Tensor, before: Tensor) -> float:
    return share(now != before)


def set_to_zero(h: Tensor, here: Tensor) -> Tensor:
    return h - here


def moved_as_far(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    return h + here.norm(dim=1, keepdim=True) * control


def replaced(h: Tensor, here: Tensor, donor: Tensor) -> Tensor:
    return h - here + here[donor]


def as_the_donor(now: Tensor, before: Tensor, tokens: Tensor, donor: Tensor) -> Tensor:
    return now == before[donor]


def strongest(readable: Any, needed: Any, followed: Any) -> int:
    return ranked(followed, needed, readable)


def ranked(*strongest_first: Any) -> int:
    """Return 3, 2 or 1 for the first share above 1/2, and 0 where there is none."""
    ranks = zip((3, 2, 1), strongest_first, strict=True)
    return next((rank for rank, number in ranks if number > 0.5), 0)


def measuring(
    *, removed: Removed = set_to_zero, moved: Moved | None = moved_as_far,
    changed: Changed = share_changed, patched: Patched = replaced, counted: Counted = as_the_donor,
    verdict: Verdict = strongest,
) -> Answer:  # fmt: skip
    """Right but for one step; without `moved` nothing is taken off what removal does."""

    def wrong(
        network: Run, h: Tensor, tokens: Tensor, read: Tensor,
        part: Tensor, control: Tensor, donor: Tensor,
    ) -> Numbers:  # fmt: skip
        here, answer = h @ part @ part.T, network(h)
        needed = changed(network(removed(h, here)), answer)
        if moved is not None:
            needed = needed - changed(network(moved(h, here, control)), answer)
        readable = share(read == tokens)
        followed = share(counted(network(patched(h, here, donor)), answer, tokens, donor))
        return readable, needed, followed, verdict(readable, needed, followed)

    return wrong


# ---- Other numbers


def along_control_by(length: Callable[[Tensor, Tensor], Any]) -> Moved:
    """Moved along control by another length, of states and their part."""
    return lambda h, here, control: h + length(h, here) * control


def control_removed(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    """What h holds along control becomes zero, which is another length than the part's."""
    return h - (h @ control)[:, None] * control


def on_top_of_the_removal(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    return moved_as_far(h, here, control) - here


def step_alone(h: Tensor, here: Tensor, control: Tensor) -> Tensor:
    return moved_as_far(h, here, control) - h


def distance(now: Tensor, before: Tensor) -> float:
    return (now - before).abs().float().mean().item()


def counted_above_half(readable: Any, needed: Any, followed: Any) -> int:
    return sum(int(number > 0.5) for number in (readable, needed, followed))


def step_by_step(readable: Any, needed: Any, followed: Any) -> int:
    """Each claim asks for those below it."""
    rank = 0
    for number in (readable, needed, followed):
        if number <= 0.5:
            return rank
        rank += 1
    return rank


def followed_if_needed(readable: Any, needed: Any, followed: Any) -> int:
    if needed > 0.5:
        return 3 if followed > 0.5 else 2
    return int(readable > 0.5)


def followed_if_readable(readable: Any, needed: Any, followed: Any) -> int:
    return 0 if readable <= 0.5 else strongest(readable, needed, followed)


def weakest(readable: Any, needed: Any, followed: Any) -> int:
    """The first that holds, asked from the weakest claim on."""
    ranks = enumerate((readable, needed, followed), start=1)
    return next((rank for rank, number in ranks if number > 0.5), 0)


def largest(*, later: bool, gated: bool) -> Verdict:
    """The claim of the largest share, of equal ones the first or a later one."""

    def verdict(*numbers: Any) -> int:
        found = max((float(x), i if later else -i) for i, x in enumerate(numbers, start=1))
        return abs(found[1]) if found[0] > 0.5 or not gated else 0

    return verdict


def removal_first(readable: Any, needed: Any, followed: Any) -> int:
    return 2 if needed > 0.5 else strongest(readable, needed, followed)


def with_a_mean(h: Tensor, here: Tensor) -> Tensor:
    return torch.sub(h, here) + here.mean(0)
