"""Chapter 08: what the experiment on the context of neighbours claims.

The paper prints curves. What it says of them was read in its author's account (`voita2019evolution`
in the bibliography), under the heading "Lexical and syntactic context of past and future". That
the neighbours are copies of one word here is our choice, and so are the classes in place of CCG
tags: 08.11d asks the paper's question with another measure.

Nothing was tried before. A margin of two in a hundred neighbours is twice as much as can be read
from the paper's plots of neighbours.
"""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import CONTROL, NOT_ASKED
from bottomup.experiments.representation_analysis.claims_by_layer import VOITA
from bottomup.i18n import _

MARGIN = 0.02  # of the neighbours
SECOND = 2  # the layer up to which MLM's neighbours count for more in the paper, of six
SAME_WORDS = VOITA.format(plot=_("plot of the neighbours with the same left and right token"))
SAME_TAG = VOITA.format(plot=_("plot of the neighbours with the same CCG tag"))
BOTH_WORDS = ("left_word", "right_word")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides."""
    config = record.config
    top, steps = config["base"]["num_layers"], config["base"]["steps"]
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        source=SAME_WORDS,
        rule=EverySeedAbove(MARGIN),
        record=record.name,
        section="Neighbours and positions",
        digits=3,
        known=_(
            "mutual information with the token and with the target, under other seeds (08.1, 08.2, "
            "08.8); nothing of the context that neighbours share"
        ),
    )
    measured = partial(
        _(
            "share of the {k} nearest copies of a word with the same {what}; {types} types, mini-"
            "language, {top} layers, {steps:,} steps"
        ).format,
        k=config["nearest"],
        types=config["types"],
        top=top,
        steps=steps,
    )
    left_of_lm = _fall(record, "lm", ("left_word",), 1, top)
    left_untrained = _fall(record, "untrained_causal", ("left_word",), 1, top)
    words_of_mlm = zip(
        _fall(record, "mlm", BOTH_WORDS, SECOND, 0),
        _fall(record, "mlm", BOTH_WORDS, SECOND, top),
        strict=True,
    )
    return [
        claim(
            id="08.11a",
            sentence=_(
                "In a language model the nearest copies of a word share the word to the left less "
                "often at the top than after layer 1, by more than {margin:g}."
            ).format(margin=MARGIN),
            paper_value=_("stated: the importance of a previous token decreases"),
            measured=measured(what=_("word to the left, LM, layer 1 less last layer")),
            values=left_of_lm,
        ),
        claim(
            id="08.11b",
            sentence=_(
                "In a language model the nearest copies of a word share the word to the right more "
                "often at the top than after layer 1, by more than {margin:g}."
            ).format(margin=MARGIN),
            paper_value=_("stated: information about the future token is being formed"),
            measured=measured(what=_("word to the right, LM, last layer less layer 1")),
            values=_fall(record, "lm", ("right_word",), top, 1),
        ),
        claim(
            id="08.11c",
            sentence=_(
                "In a masked language model, trained {steps:,} steps, the nearest copies share the "
                "words beside them, left and right on average, more often after layer 2 than at "
                "the embedding and than at the top, by more than {margin:g} each."
            ).format(margin=MARGIN, steps=steps),
            paper_value=_(
                "stated: the importance of neighbours gets higher until the second layer and "
                "decreases after"
            ),
            measured=measured(
                what=_(
                    "word to the left and to the right, mean of both, MLM, layer 2 less the larger "
                    "of embedding and last layer"
                )
            ),
            values=tuple(min(both) for both in words_of_mlm),
        ),
        claim(
            id="08.11d",
            kind=Kind.OWN,
            source=_("{source}, for the question").format(source=SAME_TAG),
            sentence=_(
                "In a masked language model, trained {steps:,} steps, the nearest copies of a word "
                "stand between words of the same two classes less often at the top than after "
                "layer 2, by more than {margin:g}."
            ).format(margin=MARGIN, steps=steps),
            paper_value=_("stated of CCG tags: their importance degrades at higher layers"),
            measured=measured(
                what=_("two classes of word, left and right, MLM, layer 2 less last layer")
            ),
            values=_fall(record, "mlm", ("both_classes",), SECOND, top),
        ),
        claim(
            id="08.11e",
            kind=Kind.OWN,
            source=CONTROL,
            sentence=_(
                "The language model's loss of the word to the left is learned: it exceeds that of "
                "the untrained network by more than {margin:g}."
            ).format(margin=MARGIN),
            paper_value=NOT_ASKED,
            measured=measured(
                what=_(
                    "word to the left, layer 1 less last layer, LM less the same network untrained"
                )
            ),
            values=tuple(a - b for a, b in zip(left_of_lm, left_untrained, strict=True)),
        ),
    ]


def _fall(
    record: Record, network: str, labels: tuple[str, ...], start: int, end: int
) -> tuple[float, ...]:
    """Return the share at one layer less that at another, a mean over labels, of each seed."""
    first, last = (
        [record.metric(f"{network}.share.{label}.layer_{layer}") for label in labels]
        for layer in (start, end)
    )
    return tuple(
        fmean(a) - fmean(b)
        for a, b in zip(zip(*first, strict=True), zip(*last, strict=True), strict=True)
    )
