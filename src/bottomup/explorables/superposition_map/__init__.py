"""Chapter 04's first interactive figure: five features in two dimensions, over many solutions."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Bool
from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.analysis.feature_geometry import feature_dimensions, represented
from bottomup.checks import check_choice
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count, stops
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

__all__ = ["superposition_map"]

DIMENSIONS = 2  # those of a plane
FEWEST_FEATURES, MOST_FEATURES = 2, 5  # as many as there are colours and kinds of line
STOPS = (2, 12)  # of a slider: the map of all settings has one column or row for each
REPRESENTED = 0.5  # the length above which a feature counts as represented


def superposition_map(
    W: ArrayLike | Tensor,
    *,
    loss: ArrayLike | Tensor,
    sparsities: Sequence[float],
    decays: Sequence[float],
    decay: float | None = None,
) -> Explorable:
    """Build the figure: move sparsity and importance, and see how features share a plane.

    A solution is the matrix W of a trained toy model with the output ``ReLU(W^T W x + b)``. Its
    columns, one a feature, are drawn as arrows beside the matrix ``W^T W``. Feature ``i`` has the
    importance ``decay**i``, counted from 0. For each feature stands its share of a dimension,
    `bottomup.analysis.feature_dimensions`::

        D_i = |W_i|^2 / sum_j (W^_i · W_j)^2        W^_i = W_i / |W_i|

    A plane may be turned and mirrored: ``W^T W``, the loss and every D_i stay the same.

    Args:
        W: the solutions [sparsity, decay, dimension=2, feature], two to five features.
        loss: the loss of each, importance included [sparsity, decay].
        sparsities: the probabilities that a feature is zero, in [0, 1), ascending, 2 to 12.
        decays: the decays of the importance, in (0, 1], descending, 2 to 12.
        decay: the one shown first, the first by default.

    Source: model and loss of Elhage et al. (2022), "Demonstrating superposition", D_i from "The
    geometry of superposition" there. Used in chapter 04.
    """
    check_count("sparsities", sparsities, *STOPS)
    check_count("decays", decays, *STOPS)
    rising = stops("sparsities", sparsities, at_least=0, below=1)
    falling = stops("decays", decays, falling=True, above=0, at_most=1)
    axes = f"sparsity={len(rising)} decay={len(falling)}"
    columns = finite_array("W", W, axes=f"{axes} dimension={DIMENSIONS} feature")
    features = columns.shape[3]
    if not FEWEST_FEATURES <= features <= MOST_FEATURES:
        raise ValueError(
            f"W: expected {FEWEST_FEATURES} to {MOST_FEATURES} features, got {features}"
        )
    solutions = torch.from_numpy(columns)
    losses = finite_array("loss", loss, axes=axes, low=0)
    if decay is not None:
        check_choice("decay", decay, falling)
    kept = represented(solutions, least=REPRESENTED)
    return Explorable(
        {
            "labels": _labels(),
            "sparsities": rising,
            "decays": falling,
            "start": [0, 0 if decay is None else falling.index(decay)],
            "columns": solutions.mT.tolist(),  # [sparsity, decay, feature, dimension]
            "represented": kept.int().tolist(),
            "shares": feature_dimensions(solutions).tolist(),
            "losses": losses.tolist(),
        },
        fallback=_fallback(kept, rising, falling),
        name="superposition_map",
    )


def _fallback(
    kept: Bool[Tensor, "sparsity decay feature"], sparsities: list[float], decays: list[float]
) -> str:
    """Return how many features each setting represents, as a table of decays and sparsities."""
    counts, features = kept.sum(dim=-1), kept.shape[-1]
    rows = [
        (
            _("decay {decay}").format(decay=f"{decay:g}"),
            [cell(str(count), weight=count / features) for count in counts[:, place].tolist()],
        )
        for place, decay in enumerate(decays)
    ]
    title = _("How many of {features} features are represented in 2 dimensions")
    caption = [
        title.format(features=features),
        _("Columns: sparsity. Rows: decay of the importance."),
    ]
    return table(caption, [f"{sparsity:g}" for sparsity in sparsities], rows)


def _labels() -> dict[str, Any]:
    return {
        "title": _("Superposition map"),
        "sparsity": _("Sparsity"),
        "dense": _("always on"),
        "sparse": _("rarely on"),
        "decay": _("Importance decay"),
        "even": _("all count alike"),
        "steep": _("first counts most"),
        "plane": _("Features as arrows: the columns of W"),
        "aloud": _("Arrows of the features in a plane. {lengths}."),
        "length": _("Feature {feature}: length {length}"),
        "circle": _("length 1"),
        "zero": _("no interference with {feature}"),
        "lost": _("no arrow"),
        "matrix": _("Interference: WᵀW"),
        "feature": _("Feature"),
        "choose": _("Feature {feature}"),
        "importance": _("I"),
        "importance_aloud": _("importance, I"),
        "share": _("D"),
        "share_aloud": _("share of a dimension, D"),
        "how": _("A row holds what one feature receives from each, before bias and ReLU. Solid is "
                 "positive, striped negative: that the ReLU can cut. The diagonal is the squared "
                 "length. I is the importance, D the share of a dimension. Choose an arrow or a "
                 "row."),
        "map": _("Features represented at every setting: sparsity across, decay down"),
        "map_axes": _("Choose a cell to go there."),
        "rule": _("A feature counts as represented where its arrow is longer than {least}.").format(
            least=REPRESENTED
        ),
        "state": _("{count} of {all} features in 2 dimensions, loss {loss}."),
        "gone": _("Feature {feature} is not represented: its length is {length}."),
        "alone": _("Feature {feature} has {share} of a dimension and interferes with no other."),
        "meets": _("Feature {feature} has {share} of a dimension. It interferes with {others}."),
        "other": _("{feature} ({value})"),
    }  # fmt: skip
