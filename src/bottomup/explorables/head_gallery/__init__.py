"""Chapter 03's interactive figure: the heads of a trained network, each with a switch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_number
from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

__all__ = ["HeadsOfSentence", "head_gallery"]

WORDS = (2, 12)
LONGEST_WORD = 11  # letters that fit beside a map of twelve words on a phone
PLACES = 6  # of an accuracy as it is stored: from four, rounding to the three shown could err


@dataclass(frozen=True, eq=False)
class HeadsOfSentence:
    """A sentence and what every head of a network reads in it, with all heads on.

    Args:
        words: its words, two to twelve of at most 11 letters, end marks included where the network
            reads them [key].
        weights: the weights of every head [layer, head, query, key]. A row sums to at most 1; what
            it lacks went to positions that are not shown.
        queries: the names of what asks, where that is not the words themselves; as many and as
            long as words may be [query].
    """

    words: Sequence[str]
    weights: ArrayLike | Tensor
    queries: Sequence[str] | None = None


def head_gallery(
    sentences: Sequence[HeadsOfSentence],
    *,
    accuracy: Sequence[ArrayLike | Tensor],
    chance: float,
    parts: Mapping[str, Sequence[ArrayLike | Tensor]] | None = None,
) -> Explorable:
    """Build the figure: look at every head of a network, and turn heads off.

    A switch at each head turns it off; the figure then shows the accuracy that was measured with
    exactly these heads off. Heads are off in one layer at a time, since accuracies are known for
    one layer with the others whole. The maps are those of the whole network.

    Args:
        sentences: at least one; all with the same one to four layers of one to eight heads. The
            first is shown first.
        accuracy: for each layer the accuracy with every subset of its heads off, the other layers
            whole [2**heads]. The place of a subset is the sum of ``2**head`` over the heads that
            are off, counted from 0: at 0 all are on, at 5 the first and the third are off. All
            layers have the same first number.
        chance: the accuracy of a guess.
        parts: where an answer has parts, the accuracy of each by its name, in the shape of
            `accuracy`: for each layer [2**heads].

    Source: heads are turned off as in Michel, Levy and Neubig (2019), section 2.3. Used in
    chapter 03.
    """
    inputs.check_count("sentences", sentences, 1)
    shown = {f"sentences[{n}].weights": _sentence(n, one) for n, one in enumerate(sentences)}
    layers, heads = inputs.check_heads({name: one["weights"] for name, one in shown.items()})
    shares = _accuracy("accuracy", accuracy, layers, heads)
    of_parts = {
        name: _accuracy(f"parts[{name!r}]", values, layers, heads)
        for name, values in (parts or {}).items()
    }
    check_number("chance", chance, at_least=0, at_most=1)
    return Explorable(
        {
            "labels": _labels(layers),
            "sentences": [{**one, "weights": one["weights"].tolist()} for one in shown.values()],
            "accuracy": _stored(shares),
            "parts": [{"name": name, "accuracy": _stored(each)} for name, each in of_parts.items()],
            "chance": chance,
        },
        fallback=_fallback(shares, chance),
        name="head_gallery",
    )


def _sentence(number: int, sentence: HeadsOfSentence) -> dict[str, Any]:
    """Return title, words, queries and weights in hundredths [layer, head, query, key]."""
    name, asked = f"sentences[{number}]", sentence.queries
    words = queries = inputs.short_words(f"{name}.words", sentence.words, LONGEST_WORD, WORDS)
    if asked is not None:
        queries = inputs.short_words(f"{name}.queries", asked, LONGEST_WORD, WORDS)
    axes = f"layer head query={len(queries)} key={len(words)}"
    weights = inputs.weights_in_hundredths(f"{name}.weights", sentence.weights, axes=axes)
    title = inputs.sentence_of(words)
    return {"title": title, "words": words, "queries": queries, "weights": weights}


def _stored(shares: NDArray[np.float64]) -> list[list[int]]:
    millionths: list[list[int]] = (shares * 10**PLACES).round().astype(int).tolist()
    return millionths


def _accuracy(
    name: str, accuracy: Sequence[ArrayLike | Tensor], layers: int, heads: int
) -> NDArray[np.float64]:
    """Return the accuracies [layer, subset], rounded as they are stored."""
    if len(accuracy) != layers:
        raise ValueError(f"{name}: expected {layers} lists, one a layer, got {len(accuracy)}")
    axes = f"subset={2**heads}"
    shares = np.stack([
        finite_array(f"{name}[{layer}]", values, axes=axes, low=0, high=1).round(PLACES)
        for layer, values in enumerate(accuracy)
    ])  # fmt: skip
    whole = shares[:, 0].tolist()
    if len(set(whole)) > 1:
        raise ValueError(f"{name}: expected one accuracy with all heads on, got {whole}")
    return shares


def _fallback(accuracy: NDArray[np.float64], chance: float) -> str:
    """Return the accuracies with one head off as a table of layers and heads."""
    heads = accuracy.shape[1].bit_length() - 1
    name = _labels(len(accuracy))["layer"]
    rows = [
        (name.format(layer=layer), [cell(_digits(shares[1 << head])) for head in range(heads)])
        for layer, shares in enumerate(accuracy, start=1)
    ]
    whole = _("All heads on: {whole}. Chance: {chance}.").format(
        whole=_digits(accuracy[0, 0]), chance=_digits(chance)
    )
    caption = [_("Accuracy with one head off"), whole]
    return table(caption, [_("head {head}").format(head=head + 1) for head in range(heads)], rows)


def _digits(share: float) -> str:
    return f"{share + 1e-9:.3f}"  # a tie goes up, as in the script


def _labels(layers: int) -> dict[str, str]:
    one_layer = _("Heads are off in one layer at a time: only that was measured.")
    return {
        "title": _("Gallery of heads"),
        "sentence": _("Sentence"),
        "heads": _("Head to look at"),
        "layer": _("Layer {layer}") if layers > 1 else _("Heads"),
        "head": _("Head {head}"),
        "switch": _("Head {head}, accuracy once switched: {accuracy}"),
        "how": _("Choose a map to enlarge it. A switch turns its head off; the arrow points to the "
                 "accuracy once it is used."),
        "one_layer": one_layer if layers > 1 else "",
        "all_on": _("Turn all on"),
        "accuracy": _("accuracy"),
        "whole": _("all heads on {value}"),
        "chance": _("chance {value}"),
        "none_off": _("All heads are on."),
        "off": _("Off: {heads}. Change against all heads on: {change}."),
        "apart": _("Turned off one at a time, their changes add up to {sum}."),
        "again": _("Layer {layer} is whole again."),
        "map": _("Head {head} in hundredths: query rows, key columns"),
        "reading": _("What every head reads for “{query}”"),
        "query": _("Query, arrow keys move"),
        "name": _("head"),
        "keys": _("keys"),
        "most": _("reads most"),
        "is_off": _("off"),
        "reads": _("In head {head}, “{query}” reads {words}."),
        "nothing": _("nothing shown"),
        "quoted": _("“{word}” {weight}"),
        "agree": _("{count} of {all} heads read “{word}” most."),
        "maps": _("Maps and weights are those with all heads on."),
    }  # fmt: skip
