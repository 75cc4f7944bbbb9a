"""Chapter 09's first interactive figure: the induction circuit, at work on a text of your own."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from bottomup.checks import check_choice
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count, short_words
from bottomup.explorables.shared.tables import table, weight_cell
from bottomup.i18n import _
from bottomup.models import InductionByHand

__all__ = ["induction_builder"]

SYMBOLS, PLACES = (2, 6), (4, 8)  # as few and as many
LONGEST_SYMBOL = 3  # letters that fit above a column on a phone
BETAS = (1, 2, 4, 8, 16, 40)  # what the slider offers; it starts with the last


def induction_builder(symbols: Sequence[str], sentences: Sequence[Sequence[str]]) -> Explorable:
    """Build the figure: two heads whose weights are set by hand continue a text from its own past.

    The reader sets the text, the sharpness beta of the scores and a begin token, and cuts what
    layer 0 has written out of the queries, the keys or the values of layer 1. Everything is
    computed in the page as `bottomup.models.InductionByHand` computes it.

    Args:
        symbols: two to six different words, at most 3 letters each.
        sentences: texts to begin with, equally long, of four to eight symbols. The first is shown.

    Source: Elhage et al. (2021), section "Induction Heads". Used in chapter 09.
    """
    names = short_words("symbols", symbols, LONGEST_SYMBOL, SYMBOLS, distinct=True)
    check_count("sentences", sentences, 1)
    texts = [_text(f"sentences[{index}]", one, names) for index, one in enumerate(sentences)]
    for index, text in enumerate(texts):
        if len(text) != len(texts[0]):
            wanted = f"{len(texts[0])} symbols as in the first"
            raise ValueError(f"sentences[{index}]: expected {wanted}, got {len(text)}")
    return Explorable(
        {
            "labels": _labels(),
            "symbols": names,
            "sentences": texts,
            "betas": BETAS,
            "start": len(BETAS) - 1,
        },
        fallback=_fallback(names, texts[0], BETAS[-1]),
        name="induction_builder",
    )


def _text(name: str, sentence: Sequence[str], symbols: list[str]) -> list[int]:
    """Return a text as numbers of symbols."""
    words = short_words(name, sentence, LONGEST_SYMBOL, PLACES)
    for word in words:
        check_choice(name, word, symbols)
    return [symbols.index(word) for word in words]


def _fallback(symbols: list[str], text: list[int], beta: float) -> str:
    """Return what the circuit predicts at each place of a text as a table."""
    begin = len(symbols)
    shares = _predicted(torch.tensor([[begin, *text]]), begin, beta)[1:].tolist()
    rows = [
        (symbols[token], map(weight_cell, row)) for token, row in zip(text, shares, strict=True)
    ]
    caption = [
        _("What the circuit predicts behind each place, beta {beta}").format(beta=f"{beta:g}"),
        _("Rows: the text, read down. Columns: the next symbol."),
    ]
    return table(caption, symbols, rows)


def _predicted(tokens: Tensor, begin: int, beta: float) -> Tensor:
    """Return the shares of the next symbol at each place, [position, symbols]."""
    model = InductionByHand(vocabulary=begin + 1, length=tokens.shape[1], beta=beta, begin=begin)
    shares: Tensor = model.double()(tokens).logits[0, :, :begin]
    return shares


def _labels() -> dict[str, Any]:
    return {
        "title": _("The induction circuit, by hand"),
        "examples": _("Text to begin with"),
        "slots": _("Your text"),
        "slot": _("Symbol at place {place}"),
        "beta": _("Sharpness beta"),
        "begin": _("begin token in front"),
        "word": _("begin"),
        "cuts": _("Take layer 0 out of layer 1’s"),
        "parts": {"queries": _("queries"), "keys": _("keys"), "values": _("values")},
        "first": _("Layer 0, in hundredths: query rows, key columns"),
        "second": _("Layer 1, in hundredths: query rows, key columns"),
        "query": _("Query of layer 1, arrow keys move"),
        "row": _("{query} reads {words}."),
        "bars": _("Behind place {place}, “{query}”"),
        "symbol": _("next"),
        "predicted": _("predicted"),
        "counted": _("counted so far"),
        "reads": _("Place {place}, “{query}”: layer 0 reads {first}; layer 1 reads {second}."),
        "at": _("“{word}” at place {place} ({weight})"),
        "front": _("the begin token ({weight})"),
        "all_alike": _("all {count} places alike"),
        "share": _("“{word}” {weight}"),
        "nothing": _("nothing"),
        "result": _("Predicted: {predicted}. Counted so far: {counted}."),
        "agree": _("At {right} of {all} places the prediction is the count."),
    }
