"""torch's generator of random numbers, bit for bit: the Mersenne Twister, and how it is drawn from.

Python's own random numbers come from the same Mersenne Twister, written in C: here its state is set
to torch's. A draw is kept with the place in the sequence at which it was made, so that cases which
seed a generator and draw the same again cost nothing the second time.
"""

import math
import random
import struct
from _random import Random
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import and_, mul
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import kind_name
from smalltorch.dtypes import CPU, check_device, dtype, packed
from smalltorch.tensor import Tensor, holding

WORDS = 624  # of 32 bits, that make up the state
LAYOUT = struct.Struct("<Qii Q 624Q ddd i4x f?3x")  # of the tensor that holds torch's state
FIRST_SEED = 67280421310721  # of a generator that nobody seeded


class Place:
    """A place in the sequence of random numbers.

    Args:
        words: the state of the twister, and behind it how many words of it are used up.
        spare: the second of two normal numbers, where the first alone was used.
    """

    __slots__ = ("drawn", "spare", "words")
    count = 0  # of those made since the draws were last forgotten

    def __init__(self, words: Sequence[int], spare: float | None = None) -> None:
        self.words, self.spare = array("I", words), spare
        self.drawn: dict[tuple[Any, ...], tuple[Any, Place]] = {}  # what was drawn from here
        Place.count += 1
        if Place.count > 4096:
            seeded.cache_clear()
            Place.count = 0


@lru_cache(256)
def seeded(seed: int) -> Place:
    """Return the place at which a seed begins."""
    words = [seed & 0xFFFFFFFF]
    for number in range(1, WORDS):
        before = words[-1]
        words.append((1812433253 * (before ^ (before >> 30)) + number) & 0xFFFFFFFF)
    return Place([*words, WORDS])


class Twister:
    """The twister, set to a place; the functions below draw from it."""

    def __init__(self, place: Place) -> None:
        self._random, self.spare = Random(), place.spare
        self._random.setstate(tuple(place.words))

    def words(self, count: int) -> "array[int]":
        """Return the next numbers of 32 bits."""
        found = array("I")
        if count:
            found.frombytes(self._random.getrandbits(32 * count).to_bytes(4 * count, "little"))
        return found

    def place(self) -> Place:
        """Return the place reached."""
        return Place(self._random.getstate(), self.spare)


class Generator:
    """A source of random numbers."""

    device = CPU

    def __init__(self, device: Any = "cpu") -> None:
        check_device(device)
        self.manual_seed(FIRST_SEED)

    def manual_seed(self, seed: Any) -> "Generator":
        """Begin anew with a seed."""
        if not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {kind_name(seed)}")
        self._seed = _unsigned(int(seed))
        self._place = seeded(self._seed & 0xFFFFFFFF)
        return self

    def seed(self) -> int:
        """Begin anew with a seed that nobody foresees, and return it."""
        self.manual_seed(random.SystemRandom().getrandbits(53))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed."""
        return self._seed

    def draw(self, how: Callable[..., Any], *args: Any) -> Any:
        """Return what `how(twister, *args)` draws, or drew from here before: only read it."""
        known = self._place.drawn.get((how, args))
        if known is None:
            twister = Twister(self._place)
            known = how(twister, *args), twister.place()
            self._place.drawn[how, args] = known
        numbers, self._place = known
        return numbers

    def get_state(self) -> Tensor:
        """Return the state as torch lays it out, in bytes."""
        place = self._place
        *words, used = place.words
        left, spare = WORDS + 1 - used, place.spare
        normal = (0.0, spare or 0.0, 0.0, spare is not None, 0.0, False)
        data = LAYOUT.pack(self._seed, left, 1, used % WORDS, *words, *normal)
        return holding(array("B", data), (len(data),), dtypes.uint8)

    def set_state(self, new_state: Any) -> "Generator":
        """Go on from a state that `get_state` returned."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {kind_name(new_state)}")
        if new_state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state.numel() != LAYOUT.size:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {LAYOUT.size} but found the input RNG "
                f"state size to be {new_state.numel()}"
            )
        seed, left, _seeded, _next, *rest = LAYOUT.unpack(bytes(new_state.tolist()))
        spare = rest[WORDS + 1] if rest[WORDS + 3] else None
        self._seed, words = seed, [*rest[:WORDS], WORDS + 1 - left]
        self._place = self._known(words, spare) or Place(words, spare)
        return self

    def _known(self, words: list[int], spare: float | None) -> Place | None:
        """Return the place where the generator is, or began, if that is the one: draws are kept."""
        for place in (self._place, seeded(self._seed & 0xFFFFFFFF)):
            if place.spare == spare and place.words == array("I", words):
                return place
        return None

    def clone_state(self) -> "Generator":
        """Return another generator at the same place."""
        return Generator().follow(self)

    def follow(self, other: "Generator") -> "Generator":
        """Go on from where another generator is."""
        self._seed, self._place = other._seed, other._place
        return self

    def __deepcopy__(self, memo: Any) -> "Generator":
        return self.clone_state()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._seed, self.get_state())


def _restored(seed: int, state: Tensor) -> Generator:
    return Generator().manual_seed(seed).set_state(state)


def _unsigned(seed: int) -> int:
    if not -(2**63) <= seed < 2**64:
        raise ValueError("Overflow when unpacking long long")
    return seed % 2**64


default_generator = Generator()


# ---- Ways of drawing: each gets a twister, and what it returns is kept


def uniforms(twister: Twister, count: int, kind: dtype) -> "array[float]":
    """Return numbers from 0 to 1, without 1."""
    if kind is dtypes.float64:
        words = twister.words(2 * count)
        high = map(and_, words[::2], repeat((1 << 21) - 1))  # 53 bits of the two
        pairs = zip(high, words[1::2], strict=True)
        return array("d", [(first * 2.0**32 + second) * 2.0**-53 for first, second in pairs])
    kept = map(and_, twister.words(count), repeat((1 << 24) - 1))  # 24 bits of a word
    return packed(kind, map(mul, kept, repeat(2.0**-24)))


def integers(twister: Twister, count: int, low: int, high: int) -> list[int]:
    """Return integers from `low` to `high`, without `high`."""
    span = high - low
    if span < 1 << 28:
        return [word % span + low for word in twister.words(count)]
    words = twister.words(2 * count)
    pairs = zip(words[::2], words[1::2], strict=True)
    return [(first << 32 | second) % span + low for first, second in pairs]


def permutation(twister: Twister, count: int) -> list[int]:
    """Return the numbers below `count` in another order."""
    order = list(range(count))
    for place, word in enumerate(twister.words(max(count - 1, 0))):
        other = place + word % (count - place)
        order[place], order[other] = order[other], order[place]
    return order


def exponentials(twister: Twister, count: int) -> list[float]:
    """Return numbers whose density falls as exp(-x)."""
    return [-math.log1p(-number) for number in uniforms(twister, count, dtypes.float64)]


def normals(twister: Twister, count: int, kind: dtype) -> Sequence[float]:
    """Return normal numbers into a tensor whose numbers lie row by row: sixteen at a time.

    The last sixteen are drawn once more where sixteen does not divide the count. On processors that
    compute several numbers at once torch approximates logarithm, sine and cosine: its last bit of
    a float32 may be another one there.
    """
    if count < 16:
        return single_normals(twister, count)
    half = kind.itemsize == 2
    own, whole = dtypes.float32 if half else kind, count - count % 16
    numbers = uniforms(twister, whole if half else count, own)
    _make_normal(numbers, range(0, whole, 16), own)
    if count % 16:
        last = uniforms(twister, 16, own)
        _make_normal(last, range(0, 16, 16), own)
        numbers[count - 16 :] = last
    return numbers


def single_normals(twister: Twister, count: int) -> list[float]:
    """Return normal numbers one by one: of two that come together the second is kept."""
    numbers = [] if twister.spare is None or not count else [twister.spare]
    pairs = (count - len(numbers) + 1) // 2
    if numbers:
        twister.spare = None
    uniform = uniforms(twister, 2 * pairs, dtypes.float64)
    for angle, length in zip(uniform[::2], uniform[1::2], strict=True):
        radius, theta = math.sqrt(-2.0 * math.log1p(-length)), 2.0 * math.pi * angle
        numbers += [radius * math.cos(theta), radius * math.sin(theta)]
    if len(numbers) > count:
        twister.spare = numbers.pop()
    return numbers


def _make_normal(numbers: "array[float]", starts: range, kind: dtype) -> None:
    """Turn each sixteen uniform numbers into normal ones: eight lengths, eight angles."""

    def each(function: Callable[..., float], *args: Iterable[float]) -> Any:
        return packed(kind, map(function, *args))  # every step is rounded, as in torch

    lengths = [1 - number for at in starts for number in numbers[at : at + 8]]
    angles = [number for at in starts for number in numbers[at + 8 : at + 16]]
    (turn,) = packed(kind, (2.0 * packed(kind, (math.pi,))[0],))
    logs = each(math.log, packed(kind, lengths))
    radii = each(math.sqrt, each(mul, repeat(-2.0), logs))
    thetas = each(mul, repeat(turn), angles)
    first = each(mul, radii, each(math.cos, thetas))
    second = each(mul, radii, each(math.sin, thetas))
    for block, at in enumerate(starts):
        numbers[at : at + 8] = first[8 * block : 8 * block + 8]
        numbers[at + 8 : at + 16] = second[8 * block : 8 * block + 8]
