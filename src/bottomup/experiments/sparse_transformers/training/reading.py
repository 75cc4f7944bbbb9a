"""Chapter 07: what the heads of a dense network read when they predict a pixel."""

import torch
from torch import Tensor

from bottomup.models import SparseTransformer

Shares = dict[str, float]


def geometry(n: int, row: int) -> dict[str, Tensor]:
    """Return the relations between query and key in an image, as masks [query, key].

    Position i predicts pixel i, and position j holds pixel j - 1, the start for j = 0.

    - ``left``: the pixel stands in the same row as the one that is predicted, before it;
    - ``above``: in the same column, in an earlier row;
    - ``window``: it is one of the last `row` pixels.
    """
    query, pixel = torch.arange(n)[:, None], torch.arange(n) - 1
    earlier = (pixel >= 0) & (pixel < query)
    return {
        "left": earlier & (pixel // row == query // row),
        "above": earlier & ((query - pixel) % row == 0),
        "window": earlier & (query - pixel <= row),
    }


def reading(weights: Tensor, row: int, first: int) -> list[Shares]:
    """Say of each head where its weight lies, on average over images and over queries from `first`.

    ``left``, ``above``, ``window``: the weight on these keys, each divided by what uniform reading
    of all earlier positions would put there. ``keys``: the exponential of the entropy of a query's
    weights, as a share of the keys it may read; 1 for uniform reading.

    Args:
        weights: of one layer, [image, head, query, key].
        row: pixels in a row.
        first: the first query that counts.
    """
    n = weights.shape[-1]
    uniform = torch.ones(n, n).tril() / torch.arange(1, n + 1)[:, None]
    mean, counted = weights.mean(dim=0), slice(first, n)  # [head, query, key]
    entropy = -torch.special.xlogy(weights, weights).sum(dim=-1)  # [image, head, query]
    share = (entropy.exp() / torch.arange(1, n + 1))[..., counted].mean(dim=(0, 2))
    heads = [{"keys": each.item()} for each in share]
    for name, mask in geometry(n, row).items():
        expected = (uniform * mask)[counted].sum()
        found = (mean * mask)[:, counted].sum(dim=(1, 2)) / expected
        for head, value in zip(heads, found, strict=True):
            head[name] = value.item()
    return heads


def read_by_layer(
    model: SparseTransformer, images: Tensor, row: int, first: int
) -> tuple[dict[str, dict[str, Shares]], Tensor]:
    """Return `reading` by layer and head, and the mean weights [layer, head, query, key]."""
    model.eval()
    with torch.no_grad():
        weights = [each.cpu() for each in model(images, need_weights=True).weights or ()]
    layers = {
        f"layer_{number}": {
            f"head_{head}": shares for head, shares in enumerate(reading(each, row, first), 1)
        }
        for number, each in enumerate(weights, start=1)
    }
    return layers, torch.stack([each.mean(dim=0) for each in weights])
