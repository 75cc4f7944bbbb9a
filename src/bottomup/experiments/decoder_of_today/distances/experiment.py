"""Chapter 10b: is it new distances that rotary positions fail at, or more keys?

A network with rotary positions is trained as in the main experiment, and read twice: ``whole``, as
it is, and ``capped``, with all keys kept and every distance beyond the longest trained one counted
as that one.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bottomup.blocks import rotate_halves
from bottomup.experiments.decoder_of_today.config import PRESETS as ALL_POSITIONS
from bottomup.experiments.decoder_of_today.config import Config
from bottomup.experiments.decoder_of_today.length import build, by_stretch, evaluated, train
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.masks import masked_softmax
from bottomup.models import DecoderOnly

ROTARY = {name: replace(config, positions=("rotary",)) for name, config in ALL_POSITIONS.items()}
PRESETS = {**ROTARY, "laptop": replace(ROTARY["laptop"], sequences=50)}


class Capped(DecoderOnly):
    """The network of a `DecoderOnly` that counts no distance as longer than `longest`.

    ``score = (R_d q) k / sqrt(d_head)`` with ``d = min(distance, longest)`` and R_d the turn by d
    positions
    """

    def __init__(self, model: DecoderOnly, longest: int) -> None:
        super().__init__(model.config)
        self.longest = longest
        self.load_state_dict(model.state_dict())
        self.to(model.embedding.weight.device)

    def _told(self, x: Tensor, first: int, end: int) -> dict[str, Any]:
        waves = self.cos.to(x), self.sin.to(x)
        attend = partial(capped_attention, waves=waves, longest=self.longest)
        return {"mask": super()._told(x, first, end)["mask"], "attend": attend}


def capped_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    waves: tuple[Tensor, Tensor],
    longest: int,
) -> tuple[Tensor, Tensor]:
    """Return what each position reads and the weights; no distance counts as more than `longest`.

    Args:
        query, key, value: ``[batch, head, position, d_head]``, not turned.
        mask: True = may attend.
        waves: cosines and sines, a row for each position.
        longest: the distance that all longer ones count as.
    """
    n = query.shape[-2]
    cos, sin = (wave[:n] for wave in waves)
    near = rotate_halves(query, cos, sin) @ rotate_halves(key, cos, sin).mT
    last = [wave[longest].expand(n, -1) for wave in waves]
    far = rotate_halves(query, *last) @ key.mT  # [batch, head, query, key]
    places = torch.arange(n, device=query.device)
    distance = places[:, None] - places
    scores = torch.where(distance > longest, far, near) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


def variants(config: Config) -> Sequence[str]:
    """Return the one way to tell positions."""
    return config.positions


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network; return its accuracy by stretch of positions, read in both ways."""
    model = build(config, variant, trial.seed).to(trial.device)
    train(config, model, trial.seed, trial.checkpoint)
    batch = evaluated(config).to(trial.device)
    capped = Capped(model, config.length - 1)
    return Outcome(
        {"whole": by_stretch(config, model, batch), "capped": by_stretch(config, capped, batch)}
    )
