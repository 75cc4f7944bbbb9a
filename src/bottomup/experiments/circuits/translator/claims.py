"""Chapter 09: what patching the translator claims. Rules were set before it was recorded."""

from collections.abc import Callable, Sequence
from functools import partial

from bottomup.experiments.engine.claim import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    Kind,
)
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

PATCHING = "Heimersheim and Nanda (2024)"
ATTENTION = "Jain and Wallace (2019)"
WORDS = ("subject", "object", "place", "verb", "adjective")
GRAMMAR = ("tense", "verb_tense", "article", "plural")
PILOT = _(
    "the same measures on chapter 05's translator, and those of a prototype on it; the "
    "translators of this record are others"
)
RIGHT = _("pairs of which both answers are right")
OURS = _("no paper: a question of our own")
UNASKED = _("not asked")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [
        *_memory(record),
        *_single_heads(record),
        *_agreement(record),
        *_weights(record),
        _norms(record),
    ]


def _memory(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.OWN,
        record=record.name,
        known=PILOT,
        section="Patch the translator",
        source=_("{paper}, for the technique").format(paper=PATCHING),
        paper_value=UNASKED,
    )
    effect = _(
        "mean patching effect of the clean memory at {where}, in the run of the corrupted "
        "sentence; {pick} over ten kinds of minimal pairs of which both answers are right"
    )
    return [
        claim(
            id="09.8a",
            sentence=_(
                "Of two sentences that differ in a word, the memory at this word alone carries the "
                "difference to the answer, in each of ten kinds."
            ),
            measured=effect.format(where=_("the changed word"), pick=_("the smallest")),
            rule=EverySeedAbove(0.9),
            values=_over_kinds(record, "memory.word", min),
        ),
        claim(
            id="09.8b",
            sentence=_(
                "The memory at all other positions together carries less than a fifth of it, in "
                "each of ten kinds."
            ),
            measured=effect.format(where=_("all positions but that"), pick=_("the largest")),
            rule=EverySeedBelow(0.2),
            values=_over_kinds(record, "memory.rest", max),
        ),
    ]


def _single_heads(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.OWN,
        record=record.name,
        known=PILOT,
        section="Patch the translator",
        source=OURS,
        paper_value=UNASKED,
    )
    strongest = _("largest mean patching effect of a crossing head; {pick}; {right}")
    return [
        claim(
            id="09.9a",
            known=_(
                "the same measures on chapter 05's translator; a prototype on it, with no means in "
                "the heads' place, kept 0 to 0.20 of the answers without the two of largest "
                "effect; the translators of this record are others"
            ),
            sentence=_(
                "No single crossing head decides: without any one of them more than half of the "
                "pairs of each kind keep their answer."
            ),
            measured=_(
                "share of pairs that keep their answer where one crossing head puts out its mean, "
                "the smallest over all heads and ten kinds; {right}"
            ).format(right=RIGHT),
            rule=EverySeedAbove(0.5),
            values=tuple(
                min(min(table.values()) for table in heads.values())
                for heads in record.metric("patching.right")
            ),
        ),
        claim(
            id="09.9b",
            sentence=_(
                "Where a stem is exchanged, of a noun, a verb or an adjective, no crossing head "
                "alone brings 0.6 of the answer back."
            ),
            measured=strongest.format(
                pick=_("the largest over five kinds: subject, object, place, verb, adjective"),
                right=RIGHT,
            ),
            rule=EverySeedBelow(0.6),
            values=_largest_head(record, WORDS, max),
        ),
        claim(
            id="09.9c",
            sentence=_(
                "Where grammar is exchanged, tense, article or number, one crossing head alone "
                "brings more than half of the answer back."
            ),
            measured=strongest.format(
                pick=_(
                    "the smallest over four kinds: tense of be, tense of a verb, article, plural"
                ),
                right=RIGHT,
            ),
            rule=EverySeedAbove(0.5),
            values=_largest_head(record, GRAMMAR, min),
        ),
    ]


def _agreement(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        kind=Kind.OWN,
        record=record.name,
        known=PILOT,
        section="What explains what",
        source=OURS,
        paper_value=UNASKED,
    )
    ranks = record.metric("patching.agreement_mean.rank")
    on_test = record.metric("patching.agreement_test.rank")
    heads = _("the eight crossing heads")
    return [
        claim(
            id="09.10a",
            sentence=_(
                "On average over ten kinds of pairs, the more a crossing head brings back, the "
                "more it is missed: the two orders of the heads correlate above a half."
            ),
            measured=_(
                "rank correlation, over {heads}, of patching effect and damage of putting out the "
                "mean, on the same pairs; mean over ten kinds; chance gives 0 with a spread of "
                "0.38 in each kind"
            ).format(heads=heads),
            rule=EverySeedAbove(0.5),
            values=ranks,
        ),
        claim(
            id="09.10b",
            sentence=_(
                "In more than half of ten kinds, the head that brings most back is the one that is "
                "missed most."
            ),
            measured=_("share of ten kinds in which it is the same head; chance gives 1 in 8"),
            rule=EverySeedAbove(0.5),
            values=record.metric("patching.agreement_mean.top"),
        ),
        claim(
            id="09.10c",
            sentence=_(
                "What a crossing head brings back says less of the loss on other sentences than of "
                "the damage on the same pairs."
            ),
            measured=_(
                "rank correlation, over {heads}, of patching effect and damage on the same pairs, "
                "mean over ten kinds, less the one correlation of the effect's mean over the kinds "
                "and the rise of the loss on test sentences, where a head puts out the same mean"
            ).format(heads=heads),
            rule=EverySeedAbove(0.1),
            values=tuple(same - other for same, other in zip(ranks, on_test, strict=True)),
        ),
    ]


def _weights(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name, known=PILOT, section="What explains what")
    measured = _(
        "share of pairs in which the largest weight {whose} lies on the changed word, while the "
        "answer is written; {pick} ten kinds; a guess gives {chance:.2f}"
    )
    chance = sum(
        sum(each.values()) / len(each) for each in record.metric("patching.weights.chance")
    )
    wording = partial(measured.format, chance=chance / len(record.seeds))
    mean = _("of the mean over the crossing heads")
    return [
        claim(
            kind=Kind.OWN,
            id="09.11a",
            source=OURS,
            paper_value=UNASKED,
            sentence=_("Mostly, the largest attention weight names the word that was changed."),
            measured=wording(whose=mean, pick=_("mean over")),
            rule=EverySeedAbove(0.5),
            values=_over_kinds(record, "weights.mean", _average),
        ),
        claim(
            kind=Kind.OWN,
            id="09.11b",
            source=_("{paper}, abstract").format(paper=ATTENTION),
            paper_value=_(
                "weights are frequently uncorrelated with gradient-based measures of feature "
                "importance"
            ),
            sentence=_(
                "In one of ten kinds of pairs, at least, the largest attention weight names "
                "another word more often than not."
            ),
            measured=wording(whose=mean, pick=_("the smallest over")),
            rule=EverySeedBelow(0.5),
            values=_over_kinds(record, "weights.mean", min),
        ),
        claim(
            kind=Kind.OWN,
            id="09.11c",
            source=OURS,
            paper_value=UNASKED,
            sentence=_(
                "The head that brings most back gives its largest weight to the word that was "
                "changed, in more than half of the pairs of each kind."
            ),
            measured=wording(
                whose=_("of the head with the largest patching effect"), pick=_("the smallest over")
            ),
            rule=EverySeedAbove(0.5),
            values=_over_kinds(record, "weights.best", min),
        ),
    ]


def _norms(record: Record) -> Claim:
    ratios = zip(
        record.metric("patching.attribution.own_norms"),
        record.metric("patching.attribution.truth"),
        strict=True,
    )
    layers, heads = record.config["layers"], record.config["num_heads"]
    parts = 1 + layers * (2 * (heads + 1) + 1)  # embedding; heads, their biases and an MLP
    return Claim(
        kind=Kind.OWN,
        id="09.12",
        record=record.name,
        known=PILOT,
        section="What a logit is made of",
        source=OURS,
        paper_value=UNASKED,
        sentence=_(
            "A LayerNorm for each of {parts} parts in place of one for all gives more than twice "
            "the difference of logits that there is."
        ).format(parts=parts),
        measured=_(
            "sum over the parts, heads and biases of attention apart, each normalised by itself, "
            "divided by the difference of the two answers' logits; means over the pairs of which "
            "both answers are right"
        ),
        rule=EverySeedAbove(2),
        values=tuple(own / truth for own, truth in ratios),
        digits=1,
    )


def _over_kinds(
    record: Record, path: str, pick: Callable[[Sequence[float]], float]
) -> tuple[float, ...]:
    """Return the smallest, largest or mean number among the kinds, one a seed."""
    return tuple(pick(list(table.values())) for table in record.metric(f"patching.{path}"))


def _average(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _largest_head(
    record: Record, kinds: Sequence[str], pick: Callable[[Sequence[float]], float]
) -> tuple[float, ...]:
    """Return the effect of each kind's strongest crossing head, the smallest or largest of all."""
    found = []
    for parts in record.metric("patching.effect"):
        heads = [table for name, table in parts.items() if name.startswith("cross_")]
        found.append(pick([max(table[kind] for table in heads) for kind in kinds]))
    return tuple(found)
