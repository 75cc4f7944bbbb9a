"""A TopK autoencoder with one step in another way: what the named mistakes are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

Parts = tuple[Tensor, Tensor, Tensor]
Answer = Callable[..., Parts]


def unit_columns(W_dec: Tensor) -> Tensor:
    return W_dec / W_dec.norm(dim=0)


def products(x: Tensor, W_enc: Tensor, W_dec: Tensor) -> Tensor:
    return x @ W_enc.T


def chosen(scores: Tensor, k: int) -> Tensor:
    """Where the k largest numbers of each sample stand."""
    places = torch.zeros_like(scores, dtype=torch.bool)
    return places.scatter(-1, scores.topk(k).indices, value=True)


def kept(scores: Tensor, places: Tensor) -> Tensor:
    return scores.masked_fill(~places, 0)


def code(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    scores = found + b_enc
    return kept(scores, chosen(scores, k)).relu()


@dataclass(frozen=True)
class Steps:
    """The steps of the autoencoder; a mistake replaces some of them.

    Args:
        project: from W_dec to the matrix that is returned.
        used: from W_dec and what is returned to the matrix that rebuilds.
        centre: from x and b_dec to what is encoded.
        products: from that, W_enc and W_dec to one number for each unit.
        code: from those numbers, b_enc and k to the codes.
        rebuild: from codes and decoder to vectors without b_dec.
        shift: adds b_dec.
        returned: what of the codes is returned, from the codes, W_dec and k.
    """

    project: Callable[[Tensor], Tensor] = unit_columns
    used: Callable[[Tensor, Tensor], Tensor] = lambda W_dec, projected: projected
    centre: Callable[[Tensor, Tensor], Tensor] = lambda x, b_dec: x - b_dec
    products: Callable[[Tensor, Tensor, Tensor], Tensor] = products
    code: Callable[[Tensor, Tensor, int], Tensor] = code
    rebuild: Callable[[Tensor, Tensor], Tensor] = lambda codes, decoder: codes @ decoder.T
    shift: Callable[[Tensor, Tensor], Tensor] = lambda vectors, b_dec: vectors + b_dec
    returned: Callable[[Tensor, Tensor, int], Tensor] = lambda codes, W_dec, k: codes

    def __call__(
        self, x: Tensor, W_enc: Tensor, b_enc: Tensor, W_dec: Tensor, b_dec: Tensor, k: int
    ) -> Parts:
        """Return codes, reconstruction and decoder."""
        projected = self.project(W_dec)
        decoder = self.used(W_dec, projected)
        codes = self.code(self.products(self.centre(x, b_dec), W_enc, decoder), b_enc, k)
        reconstruction = self.shift(self.rebuild(codes, decoder), b_dec)
        return self.returned(codes, W_dec, k), reconstruction, projected


def with_step(**changed: Callable[..., object]) -> Answer:
    """Return the right steps with some replaced."""
    return replace(Steps(), **changed)  # type: ignore[arg-type]
