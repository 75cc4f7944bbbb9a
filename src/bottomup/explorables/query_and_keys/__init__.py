"""Chapter 02's first interactive figure: a query and keys in a plane, to be dragged."""

from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.attention.scored import attend
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count, short_word
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

__all__ = ["query_and_keys"]

SCORES = ("dot", "cosine")
TEMPERATURES = (0.1, 0.14, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)  # the slider's stops
START = 1.0  # the temperature at the start
EXTENT = 3.0  # the plane reaches from -EXTENT to EXTENT both ways
KEYS = (2, 6)
LONGEST_WORD = 10  # letters that fit beside an arrow's tip


def query_and_keys(
    word: str, query: ArrayLike | Tensor, keys: Mapping[str, ArrayLike | Tensor]
) -> Explorable:
    """Build the figure: drag a query and keys, and see what the query reads.

    Beside the plane stand each key's angle to the query, its score and its weight, and in the plane
    a further arrow, the output. The keys are their own values::

        score[j]  = q · k[j]                      or  q · k[j] / (|q| |k[j]|)
        weight[j] = softmax(score / T)[j]
        output    = sum_j weight[j] k[j]

    With the dot product direction and length count, with the cosine the direction alone. A vector
    of length zero has the cosine 0, as in `torch.nn.functional.cosine_similarity`.

    Args:
        word: what the query belongs to, at most 10 letters.
        query: its coordinates [2], each between -3 and 3.
        keys: two to six words, at most 10 letters each, and their coordinates [2].

    Source: the softmax with temperature is that of Hinton, Vinyals and Dean (2015), section 2,
    equation 1. Used in chapter 02.
    """
    check_count("keys", keys, *KEYS)
    vectors = [{"word": short_word("word", word, LONGEST_WORD), "at": _vector("query", query)}]
    for name, key in keys.items():
        at = _vector(f"keys[{name!r}]", key)
        vectors.append({"word": short_word("keys", name, LONGEST_WORD), "at": at})
    return Explorable(
        {
            "labels": _labels(),
            "vectors": vectors,
            "extent": EXTENT,
            "temperatures": TEMPERATURES,
            "temperature": TEMPERATURES.index(START),
            "scores": SCORES,
        },
        fallback=_fallback(vectors),
        name="query_and_keys",
    )


def _vector(name: str, values: ArrayLike | Tensor) -> list[float]:
    vector = finite_array(name, values, axes="coordinate=2", low=-EXTENT, high=EXTENT)
    return [float(coordinate) for coordinate in vector]


def _fallback(vectors: list[dict[str, Any]]) -> str:
    """Return the scores and weights at the start as a table."""
    points = torch.tensor([vector["at"] for vector in vectors], dtype=torch.float64)
    query, keys = points[:1], points[1:]
    scores = query @ keys.T
    output, weights = attend(scores / START, keys)
    rows = [
        (vector["word"], [cell(f"{s:.2f}"), cell(f"{w:.3f}", weight=w)])
        for vector, s, w in zip(vectors[1:], scores[0].tolist(), weights[0].tolist(), strict=True)
    ]
    title = _("What the query of “{word}” reads at temperature {temperature}")
    labels = _labels()
    caption = [
        title.format(word=vectors[0]["word"], temperature=f"{START:g}"),
        labels["output_at"].format(x=f"{output[0, 0]:.2f}", y=f"{output[0, 1]:.2f}"),
    ]
    return table(caption, [labels[SCORES[0]], labels["weight"]], rows)


def _labels() -> dict[str, str]:
    return {
        "title": _("Query and keys"),
        "how": _("Drag the tips. Or focus one and press arrow keys, with Shift for large steps."),
        "plane": _("Arrows of query and keys"),
        "score_choice": _("Score"),
        "score": _("score"),
        "dot": _("dot product"),
        "cosine": _("cosine"),
        "temperature": _("Temperature"),
        "sharper": _("sharper"),
        "flatter": _("flatter"),
        "reset": _("Reset"),
        "query": _("query of {word}"),
        "key": _("key of {word}"),
        "place": _("x {x}, y {y}"),
        "key_column": _("key"),
        "angle": _("angle"),
        "weight": _("weight"),
        "table": _("Angle, score and weight of each key"),
        "a_query": _("query"),
        "a_key": _("key; the wider, the more weight"),
        "an_output": _("output: the mean of the keys by their weights"),
        "zero": _("score 0"),
        "output_at": _("Output: ({x}, {y})"),
        "most": _("“{query}” reads “{word}” most, with weight {weight}."),
        "even": _("“{query}” reads all keys alike, with weight {weight} each."),
        "shorter": _("“{word}” points closer ({angle}° against {other}°) but is shorter."),
        "no_length": _("Lengths do not count."),
        "none": _("“{word}” scores zero at {angle}°."),
        "negative": _("“{word}” scores below zero at {angle}°; opposite would be 180°."),
    }
