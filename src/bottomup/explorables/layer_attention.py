"""Chapter 05's interactive figure: what every layer and head of a translator reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.data import SPECIAL_TOKENS
from bottomup.explorables.explorable import Explorable
from bottomup.explorables.tables import cell, table
from bottomup.explorables.words import sentence_of, short_words
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

FEWEST_WORDS, MOST_WORDS = 2, 12
LONGEST_WORD = 12  # letters that fit beside a map of twelve words on a phone
MOST_LAYERS, MOST_HEADS = 4, 8
HUNDREDTHS = 100  # weights are stored as whole hundredths, which keeps the page light
ROUNDING = 2e-3  # by which a row of weights may exceed 1
SIDES = {"encoder": ("source", "source"), "decoder": ("target", "target"),
         "cross": ("target", "source")}  # fmt: skip
END = SPECIAL_TOKENS[2]


@dataclass(frozen=True, eq=False)
class LayersOfSentence:
    """A sentence, its translation, and what every head of an encoder–decoder reads in them.

    Args:
        source: the words that the encoder reads, two to twelve of at most 12 letters, the end mark
            among them [source].
        target: the tokens that the decoder reads, as many; the first is the begin mark, so that
            each stands where the next one is written [target].
        encoder: weights [layer, head, source, source]. A row sums to at most 1.
        decoder: weights [layer, head, target, target], zero for a later key.
        cross: weights [layer, head, target, source].
    """

    source: Sequence[str]
    target: Sequence[str]
    encoder: ArrayLike | Tensor
    decoder: ArrayLike | Tensor
    cross: ArrayLike | Tensor


def layer_attention(sentences: Sequence[LayersOfSentence]) -> Explorable:
    """Build the figure: the three attentions of a translator, for every layer and head.

    The reader chooses a sentence, one of the three attentions and a head; a large map shows the
    head's weights with the words on both sides, and bars show what one chosen query reads.
    Positions that the decoder's mask hides are hatched.

    Args:
        sentences: at least one; all with the same one to four layers, as many on each side, of one
            to eight heads. The first is shown first.

    Source: the three attentions of Vaswani et al. (2017), section 3.2.3. Used in chapter 05.
    """
    if len(sentences) == 0:
        raise ValueError("sentences: expected at least one sentence, got none")
    shown = [_sentence(f"sentences[{number}]", one) for number, one in enumerate(sentences)]
    _check_network(shown)
    labels = _labels()
    plain = [
        {name: part.tolist() if name in SIDES else part for name, part in one.items()}
        for one in shown
    ]
    return Explorable(
        "layer-attention",
        {"labels": labels, "end": END, "sentences": plain},
        label=labels["title"],
        fallback=_fallback(shown[0]),
        script="layer_attention.js",
        style="layer_attention.css",
    )


def _sentence(name: str, sentence: LayersOfSentence) -> dict[str, Any]:
    """Return title, words and the weights of each attention in hundredths."""
    words = {side: _words(f"{name}.{side}", getattr(sentence, side)) for side in SIDES["cross"]}
    weights = {
        kind: _weights(f"{name}.{kind}", getattr(sentence, kind), query, key, words)
        for kind, (query, key) in SIDES.items()
    }
    later = np.triu(weights["decoder"], k=1).max()
    if later > 0:
        raise ValueError(f"{name}.decoder: expected no weight on a later position, got {later:.4g}")
    title = sentence_of(word for word in words["source"] if word not in SPECIAL_TOKENS)
    shares = {kind: (part * HUNDREDTHS).round().astype(int) for kind, part in weights.items()}
    return {"title": title, **words, **shares}


def _words(name: str, words: Sequence[str]) -> list[str]:
    checked = short_words(name, words, LONGEST_WORD)
    if not FEWEST_WORDS <= len(checked) <= MOST_WORDS:
        raise ValueError(
            f"{name}: expected {FEWEST_WORDS} to {MOST_WORDS} words, got {len(checked)}"
        )
    return checked


def _weights(
    name: str, values: ArrayLike | Tensor, query: str, key: str, words: dict[str, list[str]]
) -> NDArray[np.float64]:
    """Return checked weights [layer, head, query, key]."""
    weights = finite_array(name, values, axes="layer head query key")
    queries, keys = len(words[query]), len(words[key])
    if weights.shape[2:] != (queries, keys):
        raise ValueError(
            f"{name}: expected axes [layer, head, {query}={queries}, {key}={keys}], "
            f"got shape {weights.shape}"
        )
    if weights.min() < 0:
        raise ValueError(f"{name}: expected weights of at least 0, got {weights.min():.4g}")
    most = weights.sum(axis=-1).max()
    if most > 1 + ROUNDING:
        raise ValueError(f"{name}: expected rows that sum to at most 1, got {most:.4g}")
    return weights


def _check_network(sentences: Sequence[dict[str, Any]]) -> None:
    """Check that every attention of every sentence has the same layers and heads."""
    layers, heads = sentences[0]["encoder"].shape[:2]
    if layers > MOST_LAYERS or heads > MOST_HEADS:
        raise ValueError(
            f"sentences[0].encoder: expected at most {MOST_LAYERS} layers of at most {MOST_HEADS} "
            f"heads, got {layers} layers of {heads} heads"
        )
    for number, sentence in enumerate(sentences):
        for kind in SIDES:
            found = sentence[kind].shape[:2]
            if found != (layers, heads):
                raise ValueError(
                    f"sentences[{number}].{kind}: expected {layers} layers of {heads} heads as in "
                    f"sentences[0].encoder, got {found[0]} layers of {found[1]} heads"
                )


def _fallback(sentence: dict[str, Any]) -> str:
    """Return the last layer's cross-attention, its mean over the heads, as a table."""
    cross = sentence["cross"]
    layers, heads = cross.shape[:2]
    mean = cross[-1].mean(axis=0) / HUNDREDTHS  # [target, source]
    rows = [
        (word, "".join(cell(f"{weight:.2f}", weight=weight) for weight in row))
        for word, row in zip(sentence["target"], mean.tolist(), strict=True)
    ]
    caption = [
        _("Cross-attention of layer {layer}, mean over {heads} heads, for “{sentence}”").format(
            layer=layers, heads=heads, sentence=sentence["title"]
        ),
        _("Rows: target tokens that the decoder reads. Columns: source words."),
    ]
    return table(caption, sentence["source"], rows)


def _labels() -> dict[str, Any]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("Attention of every layer and head"),
        "sentence": _("Sentence"),
        "kind": _("Attention"),
        "kinds": {
            "encoder": _("encoder, self"),
            "decoder": _("decoder, self"),
            "cross": _("cross"),
        },
        "notes": {
            "encoder": _("Every source word reads every source word."),
            "decoder": _("A target token reads itself and those before it. Hatched: later tokens, "
                         "which the mask hides."),
            "cross": _("Every target token reads every source word."),
        },
        "heads": _("Head to look at"),
        "layer": _("Layer {layer}"),
        "head": _("Head {head}"),
        "map": _("Head {head} in hundredths: query rows, key columns"),
        "query": _("Query, arrow keys move"),
        "bars": _("What “{query}” reads in head {head}"),
        "key": _("key"),
        "weight": _("weight"),
        "hidden": _("hidden"),
        "reads": _("In head {head}, “{query}” reads {words}."),
        "nothing": _("nothing shown"),
        "quoted": _("“{word}” {weight}"),
        "agree": _("{count} of {all} heads read “{word}” most."),
        "next": _("The next token is “{word}”."),
    }  # fmt: skip
