"""Chapter 02's second interactive figure: paint a mask, and see what can be read through it."""

from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import short_words
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.masks import causal_mask, masked_softmax, padding_mask, window_mask
from bottomup.plotting.arrays import finite_array

__all__ = ["mask_painter"]

WORDS = (4, 6)
LONGEST_WORD = 7  # letters that fit above a column on a phone
PADDING = 2  # last positions that the padding mask leaves out
WINDOW = 1  # neighbours to each side
LAYERS = 4
START = "causal"


def mask_painter(words: Sequence[str], scores: ArrayLike | Tensor) -> Explorable:
    """Build the figure: paint which positions a query may attend to.

    A grid of query rows and key columns holds the weights, ``masked_softmax(scores, mask)``. Rows
    without any key are marked: their weights and their output are zero. A second grid shows what
    each position can be influenced by after k layers with this mask: the k-th boolean power of the
    mask. Residual connections, which would add that each position reaches itself, are left out.

    Five masks are ready: "none", "causal", which is shown first, "padding" (the last two keys are
    padding), "window" (a neighbour to each side) and "block" (two halves that do not see each
    other).

    Args:
        words: four to six different words, at most 7 letters each.
        scores: any real numbers [query, key].

    Source: the causal mask is that of Vaswani et al. (2017), section 3.2.3. Used in chapter 02.
    """
    names = short_words("words", words, LONGEST_WORD, WORDS, distinct=True)
    n = len(names)
    values = finite_array("scores", scores, axes=f"query={n} key={n}")
    masks = _masks(n)
    return Explorable(
        {
            "labels": _labels(),
            "words": names,
            "scores": values.tolist(),
            "masks": [
                {"label": label, "mask": mask.int().tolist()} for label, mask in masks.values()
            ],
            "start": list(masks).index(START),
            "layers": LAYERS,
        },
        fallback=_fallback(names, torch.from_numpy(values), *masks[START]),
        name="mask_painter",
    )


def _masks(n: int) -> dict[str, tuple[str, Tensor]]:
    """Return how each ready mask is called, and the mask [query, key], True = may attend."""
    block = torch.arange(n) // ((n + 1) // 2)
    padding = padding_mask(torch.tensor([n - PADDING]), n)[0].expand(n, n)
    return {
        "none": (_("none"), torch.ones(n, n, dtype=torch.bool)),
        "causal": (_("causal"), causal_mask(n)),
        "padding": (_("padding (last two)"), padding),
        "window": (_("window"), window_mask(n, WINDOW)),
        "block": (_("block"), block[:, None] == block),
    }


def _fallback(words: list[str], scores: Tensor, name: str, mask: Tensor) -> str:
    """Return the weights under the first mask as a table."""
    rows = []
    weights = masked_softmax(scores, mask).tolist()
    for word, row, allowed in zip(words, weights, mask.tolist(), strict=True):
        shown = zip(row, allowed, strict=True)
        rows.append((word, [cell(f"{one:.2f}" if may else "", weight=one) for one, may in shown]))
    caption = [
        _("Weights under the mask “{mask}”").format(mask=name),
        _("Rows: queries. Columns: keys. Empty: masked."),
    ]
    return table(caption, words, rows)


def _labels() -> dict[str, Any]:
    return {
        "title": _("Mask painter"),
        "masks": _("Mask"),
        "grid": _("Mask and weights"),
        "axes": _("Weights: query rows, key columns"),
        "how": _("Click, tap or drag over cells. Keys: arrows move, the space bar paints."),
        "cell": _("“{query}” reads “{key}”"),
        "allowed": _("allowed, weight {weight}"),
        "masked": _("masked"),
        "future": _("in the future"),
        "weight": _("may read; more colour, more weight"),
        "closed": _("masked"),
        "ahead": _("in the future of its query"),
        "layers": _("Layers"),
        "reach_axes": _("Reach: what can influence each row"),
        "count": _("{reached} of {all} pairs reached"),
        "row": _("{query}: {keys}."),
        "nothing": _("nothing"),
        "no_residual": _(
            "Attention alone, this mask in every layer. Residual connections, left out here, would "
            "add that each position reaches itself."
        ),
        "reads_nothing": _("reads nothing"),
        "quoted": _("“{word}”"),
        "no_leak": _("No position sees the future."),
        "leak": _("Positions that see the future: {words}."),
        "indirect": _("Only through others, after {layers} layers: {words}."),
        "empty": _("Nothing to read, so zero weights and zero output: {words}."),
    }
