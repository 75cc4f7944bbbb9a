"""Chapter 02: what the experiment claims. 02.8d was asked when a first record was there."""

import statistics
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

ATTENTION = "Vaswani et al. (2017), section 3.2.1"
SOFTMAX = "Hinton et al. (2015), section 2, equation 1"
SEED = _("no paper: a sentence often read")
DEFINED = _("a definition")
EXACT = EverySeedAbove(12)  # decimal places
ONE_SEED = _("its outcome in one seed of the same settings, seen first")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [
        *_formula(record),
        *_saturation(record),
        *_causality(record),
        *_temperature(record),
        *_embeddings(record),
        *_pronouns(record),
    ]


def _agreement(what: str) -> str:
    text = _("decimal places on which {what} agree; 17 stands for equality bit for bit")
    return text.format(what=what)


def _formula(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name)
    positions = record.config["positions"]
    return [
        claim(
            kind=Kind.IDENTITY,
            id="02.1",
            sentence=_("The formula gives what torch's scaled_dot_product_attention gives."),
            source=ATTENTION + ", equation 1",
            paper_value=DEFINED,
            measured=_agreement(_("the two outputs, in float64,")),
            rule=EXACT,
            values=record.metric("exact.parity_digits"),
            section="The library's version",
            digits=1,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="02.2a",
            sentence=_(
                "Without positions and without a mask, shuffling the words before the layer is "
                "the same as shuffling its output: self-attention does not know the order."
            ),
            source="Vaswani et al. (2017), section 3.5",
            paper_value=_("stated: order must be put in by position encodings"),
            measured=_agreement(_("the two, in float64,")),
            rule=EXACT,
            values=record.metric("exact.shuffled_digits"),
            section="Order",
            digits=1,
        ),
        claim(
            kind=Kind.PAPER,
            id="02.2b",
            known=ONE_SEED,
            sentence=_(
                "Under a causal mask the order leaks: two layers without positions learn to tell "
                "the positions of random symbols, at more than twice the rate of chance."
            ),
            source="Haviv et al. (2022), abstract and section 5",
            paper_value=_("probes of causal language models without positions find them"),
            measured=_(
                "share of {n} positions told rightly after {steps} steps, no beginning token; "
                "chance {chance:.3f}; the same layers without the mask: at most {full:.3f}"
            ).format(
                n=positions,
                steps=record.config["order_steps"],
                chance=1 / positions,
                full=max(record.metric("order.full.accuracy")),
            ),
            rule=EverySeedAbove(2 / positions),
            values=record.metric("order.causal.accuracy"),
            section="Order",
        ),
    ]  # fmt: skip


def _saturation(record: Record) -> list[Claim]:
    measured = _(
        "median norm of the softmax's Jacobian, unscaled divided by scaled; unit normals, "
        "{keys} keys, d_key = {width}; nothing is trained"
    )
    keys, widest = record.config["keys"], max(record.config["widths"])
    claim = partial(
        Claim, kind=Kind.IDENTITY, source=ATTENTION, record=record.name, section="Scaling"
    )
    return [
        claim(
            id="02.3a",
            sentence=_(
                "Between random vectors of width {width}, unscaled dot products leave the softmax "
                "less than a tenth of the gradient that scaled ones leave, at the median."
            ).format(width=widest),
            paper_value=_("suspected: extremely small gradients for large d_k"),
            measured=measured.format(keys=keys, width=widest),
            rule=EverySeedBelow(0.1),
            values=record.metric(f"saturation.ratio.gradient.{widest}"),
            digits=4,
        ),
        claim(
            id="02.3b",
            sentence=_("At d_k = 64, the paper's own width, they leave more than half of it."),
            paper_value=_("no number"),
            measured=measured.format(keys=keys, width=64),
            rule=EverySeedAbove(0.5),
            values=record.metric("saturation.ratio.gradient.64"),
        ),
    ]


def _causality(record: Record) -> list[Claim]:
    return [
        Claim(
            kind=Kind.IDENTITY,
            id="02.4",
            sentence=_("Under the causal mask, an edit of the future changes nothing in the past."),
            source="Vaswani et al. (2017), section 3.2.3",
            paper_value=DEFINED,
            measured=_("share of past output numbers that differ in a bit after an edit"),
            rule=EverySeedBelow(1e-6),
            values=record.metric("exact.past_changed"),
            record=record.name,
            section="Masks",
        )
    ]


def _temperature(record: Record) -> list[Claim]:
    limits = {
        "a": (
            "cold",
            _("At T = 0.001 the softmax is the argmax, where the largest logit leads by 0.02."),
            _("softmax and argmax"),
        ),
        "b": ("one", _("At T = 1 it is the plain softmax."), _("the two")),
        "c": ("hot", _("At T = 10^12 it is uniform."), _("softmax and 1/n")),
    }
    return [
        Claim(
            kind=Kind.IDENTITY,
            id=f"02.5{letter}",
            sentence=sentence,
            source=SOFTMAX,
            paper_value=DEFINED,
            measured=_agreement(what) + _("; seven random logits in float64"),
            rule=EverySeedAbove(6),
            values=record.metric(f"exact.{name}_digits"),
            record=record.name,
            section="Temperature",
            digits=1,
        )
        for letter, (name, sentence, what) in limits.items()
    ]


def _embeddings(record: Record) -> list[Claim]:
    claim = partial(
        Claim, kind=Kind.OWN, source=SEED, record=record.name, section="What a dot product says"
    )
    text = _(
        "share of {what}; English word vectors of chapter 01's encoder after {steps} steps, mostly "
        "their random start: before training {before:.2f}"
    )

    def share(what: str, name: str) -> str:
        before = statistics.fmean(record.metric(f"embeddings.before.{name}"))
        return text.format(what=what, steps=record.config["embedding_steps"], before=before)

    return [
        claim(
            id="02.6",
            sentence=_("Words of opposite meaning have a negative dot product."),
            paper_value=_("below 0: opposite; 0: unrelated; above 0: similar"),
            measured=share(_("16 antonym pairs with a negative dot product"), "antonyms_negative"),
            rule=EverySeedAbove(0.5),
            values=record.metric("embeddings.after.antonyms_negative"),
        ),
        claim(
            id="02.7",
            sentence=_(
                "Norms matter: the dot product and the cosine disagree on the nearest word of more "
                "than one word in ten."
            ),
            paper_value=_("the dot product works like the cosine"),
            measured=share(_("words whose nearest word differs"), "neighbours_differ"),
            rule=EverySeedAbove(0.1),
            values=record.metric("embeddings.after.neighbours_differ"),
        ),
    ]


def _pronouns(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name, section="What does a trained layer read?")
    steps = {"": record.config["reader_steps"], "_long": record.config["long_steps"]}
    reader = {
        name: statistics.fmean(record.metric(f"reader_1.{name}"))
        for name in ("chance", "noun_share", "noun_share_even")
    }
    return [
        claim(
            kind=Kind.OWN,
            id="02.8a",
            known=ONE_SEED,
            sentence=_(
                "A layer of self-attention trained to name the noun of a pronoun reads that noun: "
                "the weight on it exceeds that of an even reading."
            ),
            source=_("{paper}, appendix, figure 4, for the question").format(
                paper="Vaswani et al. (2017)"
            ),
            paper_value=_(
                "two heads of one layer of a translator shown on one sentence, no number"
            ),
            measured=_(
                "weight from the pronoun to its antecedent minus 1/n = {chance:.2f}, held-out "
                "sentences of the mini-language; one layer, {steps} steps. Where there are several "
                "nouns, it gets {noun_share:.2f} of the weight on nouns; evenly, it would get "
                "{noun_share_even:.2f}"
            ).format(steps=steps[""], **reader),
            rule=EverySeedAbove(0.1),
            values=record.metric("reader_1.excess"),
        ),
        claim(
            kind=Kind.IDENTITY,
            id="02.8b",
            sentence=_(
                "In one layer the reason cannot turn the pronoun from one noun to another: "
                '"because it was hungry" and "because it was fresh" leave their ratio as it was.'
            ),
            source=_("no paper: it follows from equation (1)"),
            paper_value=_("no number"),
            measured=_("mean change of log(weight of one noun / weight of the other), in nats"),
            rule=EverySeedBelow(1e-4),
            values=record.metric("reader_1.swing"),
        ),
        *(_two_layers_help(record, letter, suffix, steps[suffix]) for letter, suffix in LENGTHS),
    ]


LENGTHS = (("c", ""), ("d", "_long"))
KNOWN = {
    "c": ONE_SEED,
    "d": _("roughly its outcome: a reader of a first record had trained for longer"),
}


def _two_layers_help(record: Record, letter: str, suffix: str, steps: int) -> Claim:
    one, two = (record.metric(f"reader_{layers}{suffix}.accuracy") for layers in (1, 2))
    sentence = _(
        "After {steps} steps, two layers name more antecedents than one, by over one in twenty."
    )
    return Claim(
        kind=Kind.OWN,
        known=KNOWN.get(letter, ""),
        id=f"02.8{letter}",
        sentence=sentence.format(steps=steps),
        source=_("no paper: expected from 02.8b"),
        paper_value=_("no number"),
        measured=_("share of held-out pronouns named rightly, two layers minus one"),
        rule=MeanAbove(0.05),
        values=tuple(b - a for a, b in zip(one, two, strict=True)),
        record=record.name,
        section="What does a trained layer read?",
    )
