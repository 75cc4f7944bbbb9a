"""Cases of same-token neighbours and their ceiling."""

from math import cos, radians, sin

import torch

from bottomup.exercises.engine import Case, Inputs, case, tensor
from bottomup.exercises.representation_analysis.named_numbers import (
    compare_numbers,
    run_for_numbers,
)
from bottomup.i18n import _

run = run_for_numbers
compare = compare_numbers("share", "ceiling")


def drawn(
    name: str, lengths: list[int], d_model: int, k: int, *, seed: int, types: int = 3,
    spread: float = 1.0, long: float = 1.0, mean: float = 0.0, padding: int = 0,
    different: bool = False, dtype: torch.dtype = torch.float32,
    gives: tuple[float, float] | None = None,
) -> Case:  # fmt: skip
    """A vector for each type, and every state near that of its token.

    Args:
        name, seed, gives: of the case.
        lengths: words of each sentence; the longest decides how many positions there are.
        d_model: width of the states.
        k: number of neighbours.
        types: number of different tokens; of more than one the first is twice as frequent.
        spread: how far states lie from the vector of their token.
        long: factor for every third state.
        mean: added to every component.
        padding: the number that stands at padded positions.
        different: whether each position has a number of its own instead.
        dtype: of the states.
    """

    def make(generator: torch.Generator) -> Inputs:
        positions = max(lengths)
        shape = len(lengths), positions
        real = torch.arange(positions) < torch.tensor(lengths)[:, None]
        kind = torch.randint(types + 1, shape, generator=generator).clamp(max=types - 1)
        centres = torch.randn(types, d_model, generator=generator, dtype=dtype)
        noise = torch.randn(*shape, d_model, generator=generator, dtype=dtype)
        number = torch.arange(real.numel()).view(shape)
        size = torch.where(number % 3 == 0, long, 1.0).to(dtype)[..., None]
        pad = torch.randn(d_model, generator=generator, dtype=dtype) + 0.1 * noise
        words = size * (centres[kind] + spread * noise) + mean
        return {
            "states": torch.where(real[..., None], words, pad),
            "tokens": 11 + number if different else torch.where(real, 4 + kind, padding),
            "real": real,
            "k": k,
        }

    return Case(name, make, seed, gives and (lambda: gives))


def at(degrees: float, length: float = 1.0) -> list[float]:
    """A state in two dimensions."""
    return [length * cos(radians(degrees)), length * sin(radians(degrees))]


CASES = (
    case(
        _("five words and a padding, two neighbours each"),
        # seen from the origin the words stand at 31, 11, 39, 0 and 18 degrees, the padding at 56
        states=tensor([[[5.0, 3.0], [5.0, 1.0], [5.0, 4.0]], [[3.0, 0.0], [3.0, 1.0], [2.0, 3.0]]]),
        tokens=tensor([[5, 7, 5], [7, 5, 0]]),
        real=tensor([[True, True, True], [True, True, False]]),
        k=2,
        # at 0, 11, 18, 31, 39 degrees stand 7 7 5 5 5: right are 1 + 1 + 1 + 2 + 2 of 10;
        # the two words with token 7 have one other to find, the three with token 5 two
        gives=(0.7, 0.8),
    ),
    case(
        _("two opposite states"),
        states=tensor([[[1.0, 0.0], [-1.0, 0.0]]]),
        tokens=tensor([[7, 5]]),
        real=tensor([[True, True]]),
        k=1,
        gives=(0.0, 0.0),  # either finds the other
    ),
    case(
        _("padding at both ends, states one degree apart, and a very short one"),
        states=tensor(
            [
                [[0.0, 0.0], at(0), at(1), at(0.5)],
                [at(100), at(115, length=1e-5), at(122), at(240)],
            ]
        ),
        tokens=tensor([[7, 7, 7, 7], [5, 5, 6, 6]]),
        real=tensor([[False, True, True, False], [True, True, True, True]]),
        k=1,
        # 0 and 1 degrees find each other, 100 finds 115, 240 finds 122: right; 115 and 122 find
        # each other: wrong
        gives=(4 / 6, 1.0),
    ),
    drawn(_("a few long vectors"), [3, 2], 2, 2, seed=23, long=7.0, types=2),
    drawn(_("five sentences"), [11, 7, 3, 5, 2], 7, 3, seed=1, types=5),
    drawn(_("as many positions as components"), [5, 5, 5], 5, 2, seed=2),
    drawn(_("all states share a large mean"), [7, 11], 5, 3, seed=27, mean=3.0),
    drawn(_("one neighbour"), [13, 5], 3, 1, seed=4, types=7),
    drawn(_("every other word is a neighbour"), [5, 2], 3, 6, seed=5),
    drawn(_("no token occurs twice"), [5, 3], 3, 2, seed=6, different=True, gives=(0.0, 0.0)),
    drawn(_("a single token"), [3, 7], 5, 2, seed=7, types=1, gives=(1.0, 1.0)),
    drawn(_("padding holds the number of a word"), [11, 2, 3], 5, 5, seed=8, padding=5),
    drawn(
        _("padding holds the number of a rare word"), [11, 2, 3], 5, 5, seed=12, types=7, padding=5
    ),
    drawn(_("rare tokens and many neighbours"), [17, 13], 11, 7, seed=9, types=13),
    drawn(_("tokens that lie far apart"), [13, 11, 7], 7, 5, seed=10, spread=0.3, long=3.0),
    drawn(_("float64"), [7, 5, 3], 3, 3, seed=11, types=5, long=5, dtype=torch.float64),
)
