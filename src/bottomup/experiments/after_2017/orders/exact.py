"""Chapter 10: what follows from the masks of two streams, on a random network."""

import torch
from torch import Tensor

from bottomup.experiments.shared.training import seeded
from bottomup.models import XLNet, XLNetConfig

VOCABULARY, LENGTH, ORDERS = 17, 7, 5


@torch.no_grad()
def measure_exact(seed: int) -> dict[str, float]:
    """Edit each token in turn, under several orders, and see whose prediction changes.

    ``unseen``: the largest change of a logit at a position that comes before the edited one in the
    order, or is it. ``seen``: the smallest among the largest changes at the later ones.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(seed):
        model = XLNet(XLNetConfig(vocabulary=VOCABULARY, max_length=LENGTH)).double()
    tokens = torch.randint(VOCABULARY, (LENGTH,), generator=generator)
    edited = tokens.repeat(LENGTH, 1)  # [edited position, position]
    edited.diagonal().add_(1).remainder_(VOCABULARY)
    unseen, seen = [], []
    for _ in range(ORDERS):
        order = torch.randperm(LENGTH, generator=generator)
        rank = order.argsort()
        orders = order.expand(LENGTH, -1)
        before = model(tokens.expand(LENGTH, -1), orders).logits
        after = model(edited, orders).logits
        change: Tensor = (after - before).abs().amax(dim=-1)  # [edited position, position]
        later = rank[None, :] > rank[:, None]
        unseen.append(change[~later].max())
        seen.append(change[later].min())
    return {"unseen": max(unseen).item(), "seen": min(seen).item()}
