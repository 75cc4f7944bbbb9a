"""From the table upwards: what changes from layer to layer, and which sentence is nearer."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.analysis import TokenStates
from bottomup.experiments.pretrained.config import Config
from bottomup.experiments.pretrained.lists import drawn_prose, rows
from bottomup.experiments.pretrained.opened import Opened, everything, states_of

NEAREST = 5


def measure_layers(
    opened: Opened, config: Config, seed: int
) -> tuple[dict[str, float], dict[str, Tensor]]:
    """Return numbers by layer, and arrays with one row for each triplet or type.

    Args:
        opened: the model.
        config: how many sentences, types and copies.
        seed: draws the sentences.
    """
    margins = paraphrases(opened)
    found = states_of(opened, drawn_prose(config.sentences, seed))
    arrays = {f"paraphrase_{name}": margin for name, margin in margins.items()}
    arrays |= neighbours(found, config.types, config.copies)
    changes = [turned(*both) for both in pairwise(found.states)]
    metrics = {f"change_{layer}": change for layer, change in enumerate(changes, start=1)}
    return {**metrics, "tokens": len(found.tokens)}, arrays


def turned(before: Float[Tensor, "token d"], after: Float[Tensor, "token d"]) -> float:
    """Return 1 less the mean cosine of a token's states, less what all tokens have in common."""
    both = (normalize(states - states.mean(0), dim=-1) for states in (before, after))
    one, other = both
    return 1 - float((one * other).sum(-1).mean())


def paraphrases(opened: Opened) -> dict[str, Float[Tensor, "triplet station"]]:
    """Return by how much a sentence is nearer to its paraphrase than to another sentence.

    The other sentence shares more words with it. ``layers``: by station, mean over all positions;
    ``table``: before any place or layer.
    """
    columns = list(zip(*rows("triplets"), strict=True))
    read = [opened.read(list(texts), everything) for texts in columns]
    table = [opened.table(list(texts))[:, None] for texts in columns]
    return {"layers": _nearer(read), "table": _nearer(table)}


def _nearer(vectors: Sequence[Tensor]) -> Tensor:
    own, same, other = (normalize(each, dim=-1) for each in vectors)
    return (own * same).sum(-1) - (own * other).sum(-1)


def neighbours(found: TokenStates, types: int, copies: int) -> dict[str, Tensor]:
    """Return how often a word's nearest copies have its left or right neighbour, by type.

    Of the `types` most frequent words, at most `copies` places each: the share of the five nearest
    of the same word that stand behind the same word, or before the same one, less that share of
    all copies. [type, station]
    """
    sides = {"left": _beside(found, 1), "right": _beside(found, -1)}
    frequent = found.tokens.bincount().topk(types).indices
    draw = torch.Generator().manual_seed(0)
    gains: dict[str, list[Tensor]] = {side: [] for side in sides}
    for word in frequent:
        at = (found.tokens == word).nonzero().flatten()
        at = at[torch.randperm(len(at), generator=draw)[:copies]]
        alike = {side: beside[at, None] == beside[at] for side, beside in sides.items()}
        for side, same in alike.items():
            chance = (same.float().sum() - len(at)) / (len(at) * (len(at) - 1))
            shares = [same.gather(1, _nearest(h[at])).float().mean() for h in found.states]
            gains[side].append(torch.stack(shares) - chance)
    return {f"neighbours_{side}": torch.stack(each) for side, each in gains.items()}


def _beside(found: TokenStates, step: int) -> Int64[Tensor, " token"]:
    """Return the word before (1) or behind (-1) each token, -1 at the end of a sentence."""
    beside = found.tokens.roll(step)
    return beside.where(found.sentences == found.sentences.roll(step), torch.tensor(-1))


def _nearest(states: Float[Tensor, "copy d"]) -> Int64[Tensor, "copy 5"]:
    cosines = normalize(states, dim=-1) @ normalize(states, dim=-1).T
    return cosines.fill_diagonal_(-torch.inf).topk(NEAREST).indices
