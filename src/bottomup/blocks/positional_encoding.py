"""Positional encodings: sinusoidal, learned, rotary."""

import functools
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import (
    check_device,
    check_integer,
    check_number,
    checked,
    may_meet,
)
from bottomup.precision import in_float32

BASE = 10_000.0


def sinusoidal_positions(
    length: int,
    d_model: int,
    *,
    base: int | float = BASE,
    first: int = 0,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "position d_model"]:
    """Encode positions by sines and cosines of d_model / 2 frequencies.

    ``PE[pos, 2i] = sin(pos w_i)``, ``PE[pos, 2i+1] = cos(pos w_i)``,
    ``w_i = base^(-2i / d_model)``

    pos runs from `first` to ``first + length - 1`` and i from 0 to
    ``d_model / 2 - 1``. The wavelengths, in positions, grow geometrically from
    2 pi towards ``2 pi base``. Every row has the norm ``sqrt(d_model / 2)``,
    and a step of k positions is the same rotation for every row.

    Sine and cosine alternate here, as in the paper. Other code puts all sines
    before all cosines. That orders the columns differently and is equally
    right: a model learns its weights for whichever order it gets.

    Args:
        length: number of positions.
        d_model: width of a row, even.
        base: ratio of the longest wavelength, which is not quite reached, to
            the shortest.
        first: the first position; for decoding that goes on.
        device: where the result lies; the angles are computed in float64 on the
            CPU.
        dtype: a floating-point dtype; by default torch's own.

    Source: Vaswani et al. (2017), section 3.5. Chapter 02 derives it.

    Example:
        >>> sinusoidal_positions(length=2, d_model=2)  # sine, cosine
        tensor([[0.0000, 1.0000],
                [0.8415, 0.5403]])
    """
    check_integer("length", length, at_least=1)
    if dtype is None:
        dtype = torch.get_default_dtype()
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(
            f"dtype: expected a floating-point dtype, got {dtype!r}"
        )
    angles = _angles(length, "d_model", d_model, base, first)  # [position, i]
    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)
    table = waves.flatten(-2)  # [position, d_model]
    check_device("device", device)
    return table.to(device=device or torch.get_default_device(), dtype=dtype)


@checked
@in_float32
def rotate_positions(
    x: Float[Tensor, "*leading position d_head"],
    *,
    base: int | float = BASE,
    first: int = 0,
) -> Float[Tensor, "*leading position d_head"]:
    """Turn each pair of coordinates by an angle that grows with the position.

    ``y[pos, 2i] = x[pos, 2i] cos(pos w_i) - x[pos, 2i+1] sin(pos w_i)``,
    ``y[pos, 2i+1] = x[pos, 2i] sin(pos w_i) + x[pos, 2i+1] cos(pos w_i)``,
    where ``w_i = base^(-2i / d_head)`` and i runs from 0 to ``d_head / 2 - 1``.

    In this rotary encoding queries and keys are turned before their dot
    product. Since turning both by the same angle leaves a dot product alone,
    the score of positions i and j depends on where they stand through i - j
    alone. Nothing is added to the embeddings, and the values stay as they are.

    Pairs are neighbouring coordinates, as in the paper. Other code pairs
    coordinate i with i + d_head / 2. That is equally right for a model trained
    with it, but weights trained with one pairing need their columns reordered
    for the other.

    Args:
        x: queries or keys; d_head is even.
        base: as in `sinusoidal_positions`.
        first: position of the first row; for decoding that goes on.

    Source: Su et al. (2021), RoFormer, section 3.2.2, equations 14 and 15.
    Chapter 10b derives it.

    Example:
        >>> rotate_positions(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
        tensor([[1.0000, 0.0000],
                [0.5403, 0.8415]])
    """
    length, d_head = x.shape[-2:]
    angles = _angles(length, "d_head", d_head, base, first)  # [position, i]
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    even, odd = x[..., 0::2], x[..., 1::2]  # [..., position, i]
    turned = [even * cos - odd * sin, even * sin + odd * cos]
    return torch.stack(turned, dim=-1).flatten(-2)  # [..., position, d_head]


class SinusoidalPositions(nn.Module):
    """Adds `sinusoidal_positions` to a sequence; without parameters and state.

    No checkpoint holds the table, since it is a formula: it is computed for
    each dtype and device that the module gets, and for a sequence of another
    one as it comes.

    Args:
        max_length: number of positions in the table.
        d_model: width of the sequence's vectors, even.
        base: as in `sinusoidal_positions`.

    Attributes:
        table: the encodings, [position, d_model].

    Source: Vaswani et al. (2017), section 3.5. Chapter 02 derives it.
    """

    table: Tensor

    def __init__(
        self, *, max_length: int, d_model: int, base: int | float = BASE
    ) -> None:
        super().__init__()
        check_integer("max_length", max_length, at_least=1)
        self.max_length, self.d_model, self.base = max_length, d_model, base
        table = sinusoidal_positions(max_length, d_model, base=base)
        self.register_buffer("table", table, persistent=False)

    def forward(
        self, x: Float[Tensor, "*leading position d_model"], *, first: int = 0
    ) -> Float[Tensor, "*leading position d_model"]:
        """Return ``x + PE``; the vectors stand at `first` and behind it."""
        table = self.table
        if isinstance(x, Tensor) and x.is_floating_point():
            alike = may_meet(table.dtype, x.dtype, x.device)
            if not alike or table.device != x.device:
                table = self._computed(x)
        return _add_rows(table, x, first)

    def _computed(self, like: Tensor) -> Tensor:
        return sinusoidal_positions(
            self.max_length,
            self.d_model,
            base=self.base,
            device=like.device,
            dtype=like.dtype,
        )

    def _apply(
        self, fn: Callable[[Tensor], Tensor], recurse: bool = True
    ) -> "SinusoidalPositions":
        """Compute the table anew after `to`, `half` or `to_empty`.

        A cast would round what is rounded, and an empty table holds what
        memory held.
        """
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.table = self._computed(self.table)
        return self


class LearnedPositions(nn.Module):
    """Adds one learned vector for each position to a sequence.

    The vectors start standard normal, like those of `torch.nn.Embedding`, so
    that at first position and token count alike. A position that training never
    reached keeps its random vector.

    Args:
        max_length: number of positions in the table.
        d_model: width of the sequence's vectors.

    Source: Vaswani et al. (2017), section 3.5, "learned positional embeddings",
    and table 3, row (E). Chapter 02 names it.
    """

    def __init__(self, *, max_length: int, d_model: int) -> None:
        super().__init__()
        check_integer("max_length", max_length, at_least=1)
        check_integer("d_model", d_model, at_least=1)
        self.table = nn.Parameter(torch.randn(max_length, d_model))

    def forward(
        self, x: Float[Tensor, "*leading position d_model"], *, first: int = 0
    ) -> Float[Tensor, "*leading position d_model"]:
        """Return ``x + table``; the vectors stand at `first` and behind it."""
        return _add_rows(self.table, x, first)


# What a model may add to its embeddings, by name.
POSITIONS: dict[str, type[SinusoidalPositions] | type[LearnedPositions]] = {
    "sinusoidal": SinusoidalPositions,
    "learned": LearnedPositions,
}


def _angles(
    length: int, name: str, width: int, base: int | float, first: int
) -> Tensor:
    """Return ``pos w_i``, in float64: float32 loses far positions."""
    check_integer(name, width, at_least=2)
    if width % 2:
        raise ValueError(
            f"{name}: expected an even width, a sine and a cosine for each "
            f"frequency, got {width}"
        )
    check_number("base", base, above=1, below=torch.inf)
    check_integer("first", first, at_least=0)
    count = functools.partial(torch.arange, dtype=torch.float64, device="cpu")
    positions = count(first, first + length)
    exponents = count(0, width, 2) / width
    return positions[:, None] * base**-exponents


@checked
def _add_rows(
    table: Float[Tensor, "max_length d_model"],
    x: Float[Tensor, "*leading position d_model"],
    first: int,
) -> Float[Tensor, "*leading position d_model"]:
    check_integer("first", first, at_least=0)
    max_length, end = len(table), first + x.shape[-2]
    if end > max_length:
        raise ValueError(
            f"x: expected positions below max_length={max_length}, "
            f"got positions {first} to {end - 1}"
        )
    return x + table[first:end]
