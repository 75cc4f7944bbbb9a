"""Cases of a decoding step with rotary positions."""

from functools import partial
from math import cos, exp, sin, sqrt

from bottomup.blocks import rotate_positions
from bottomup.exercises.engine import Case, case, normal, tensor
from bottomup.i18n import _

FIRST = exp(3 * cos(1) / sqrt(2))  # of the hand-sized case: the first key's weight, the own one's 1


def step(
    name: str, *, seed: int, n: int, d_head: int, d_value: int, base: float = 10_000.0
) -> Case:
    """Position n, behind a cache of n turned keys."""
    keys = normal(n, d_head)
    return case(
        name,
        seed=seed,
        query=normal(d_head),
        key=normal(d_head),
        value=normal(d_value),
        keys=keys.then(partial(rotate_positions, base=base)) if n else keys,
        values=normal(n, d_value),
        base=base,
    )


CASES = (
    case(
        _("one pair, one position in the cache"),
        query=tensor([1.0, 0.0]),
        key=tensor([0.0, 2.0]),
        value=tensor([10.0, 0.0]),
        keys=tensor([[3.0, 0.0]]),
        values=tensor([[0.0, 20.0]]),
        base=100.0,
        # position 1 turns by one radian: the query (cos, sin) scores 3 cos, and 0 with its own key
        gives=(
            tensor([10 / (FIRST + 1), 20 * FIRST / (FIRST + 1)]),
            tensor([[3.0, 0.0], [-2 * sin(1), 2 * cos(1)]]),
            tensor([[0.0, 20.0], [10.0, 0.0]]),
        ),
    ),
    step(
        _("two pairs, three positions in the cache"), seed=1, n=3, d_head=4, d_value=2, base=100.0
    ),
    step(_("nine positions in the cache, three pairs"), seed=2, n=9, d_head=6, d_value=8),
    step(_("a wide head"), seed=3, n=7, d_head=16, d_value=10),
    step(_("the first token: the cache is empty"), seed=4, n=0, d_head=6, d_value=4),
    step(_("the second token"), seed=5, n=1, d_head=10, d_value=2, base=7.0),
    step(_("seventy positions in the cache"), seed=6, n=70, d_head=6, d_value=3, base=12.5),
    case(
        _("the first token, whose score is large"),
        seed=7,
        query=tensor([300.0, 0.0]),
        key=tensor([300.0, 0.0]),
        value=tensor([5.0]),
        keys=normal(0, 2),
        values=normal(0, 1),
        base=100.0,
        # it reads itself alone, at a score of 90000 over the root of 2
        gives=(tensor([5.0]), tensor([[300.0, 0.0]]), tensor([[5.0]])),
    ),
)
