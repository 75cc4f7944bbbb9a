"""Pairs of words: what belongs together for a head, and opposites in the table."""

import torch
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.experiments.pretrained.heads import Dictionary, read_with
from bottomup.experiments.pretrained.lists import mixed, pairs
from bottomup.experiments.pretrained.opened import Opened
from bottomup.experiments.pretrained.quantities import HEAD


def measure_words(opened: Opened) -> tuple[dict[str, float], dict[str, Tensor]]:
    """Return numbers, and arrays with one row for each pair."""
    arrays: dict[str, Tensor] = {}
    kept: dict[str, list[str]] = {}
    for seed, kind in enumerate(("compounds", "related")):
        kept[kind] = _two_pieces(opened, pairs(kind))
        others = _two_pieces(opened, mixed(kept[kind], seed))
        arrays[f"{kind}_weight"] = read_with(opened, kept[kind])
        arrays[f"{kind}_mixed_weight"] = read_with(opened, others)
    dictionary = Dictionary(opened, HEAD)
    arrays["compounds_rank"] = dictionary.ranks(kept["compounds"])
    arrays["compounds_cosine_rank"] = dictionary.cosine_ranks(kept["compounds"])
    kept["opposites"] = _two_pieces(opened, pairs("opposites"))
    arrays |= _opposites(opened, kept["opposites"])
    return {name: len(found) for name, found in kept.items()}, arrays


def _two_pieces(opened: Opened, listed: list[str]) -> list[str]:
    return [pair for pair in listed if len(opened.pieces.cut(pair)) == 2]


def _opposites(opened: Opened, listed: list[str]) -> dict[str, Tensor]:
    """Return products and cosines of opposites' rows, and ranks among all words."""
    table = opened.encoder.words.weight
    rows = torch.tensor([opened.pieces.encode(pair)[1:-1] for pair in listed])
    a, b = table[rows[:, 0]], table[rows[:, 1]]
    cosines = normalize(a, dim=-1) @ normalize(table, dim=-1).T  # [pair, word]
    own = cosines.gather(1, rows[:, 1:])
    return {
        "opposites_product": (a * b).sum(-1),
        "opposites_cosine": own[:, 0],
        # The word itself is the nearest: a rank of 1 is the nearest other word.
        "opposites_rank": (cosines > own).sum(1).float(),
    }
