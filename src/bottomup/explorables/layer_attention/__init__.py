"""Chapter 05's interactive figure: what every layer and head of a translator reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from bottomup.data import SPECIAL_TOKENS
from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import table, weight_cell
from bottomup.i18n import _

__all__ = ["LayersOfSentence", "layer_attention"]

WORDS = (2, 12)
LONGEST_WORD = 12  # letters that fit beside a map of twelve words on a phone
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

    A large map shows the weights of the chosen head, and bars what one chosen query reads.

    Args:
        sentences: at least one; all with the same one to four layers, as many on each side, of one
            to eight heads. The first is shown first.

    Source: the three attentions of Vaswani et al. (2017), section 3.2.3. Used in chapter 05.
    """
    inputs.check_count("sentences", sentences, 1)
    shown = [_sentence(f"sentences[{number}]", one) for number, one in enumerate(sentences)]
    maps = {f"sentences[{n}].{kind}": one[kind] for n, one in enumerate(shown) for kind in SIDES}
    inputs.check_heads(maps)
    plain = [{**one, **{kind: one[kind].tolist() for kind in SIDES}} for one in shown]
    return Explorable(
        {"labels": _labels(), "end": END, "sentences": plain},
        fallback=_fallback(shown[0]),
        name="layer_attention",
    )


def _sentence(name: str, sentence: LayersOfSentence) -> dict[str, Any]:
    """Return title, words and the weights of each attention in hundredths."""
    words = {
        side: inputs.short_words(f"{name}.{side}", getattr(sentence, side), LONGEST_WORD, WORDS)
        for side in SIDES["cross"]
    }
    weights = {}
    for kind, (query, key) in SIDES.items():
        axes = f"layer head {query}={len(words[query])} {key}={len(words[key])}"
        given = getattr(sentence, kind)
        weights[kind] = inputs.weights_in_hundredths(f"{name}.{kind}", given, axes=axes)
    later = np.triu(weights["decoder"], k=1).max() / inputs.HUNDREDTHS
    if later > 0:
        raise ValueError(f"{name}.decoder: expected no weight on a later position, got {later:.4g}")
    title = inputs.sentence_of(word for word in words["source"] if word not in SPECIAL_TOKENS)
    return {"title": title, **words, **weights}


def _fallback(sentence: dict[str, Any]) -> str:
    """Return the last layer's cross-attention, its mean over the heads, as a table."""
    cross = sentence["cross"]
    layers, heads = cross.shape[:2]
    mean = cross[-1].mean(axis=0) / inputs.HUNDREDTHS  # [target, source]
    rows = [
        (word, map(weight_cell, row))
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
