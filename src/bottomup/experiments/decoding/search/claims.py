"""Chapter 06: what the experiment on decoding claims. Rules and margins came first.

Two pilots came first, under seeds that are not recorded. After 100 steps (seed 1000, 200
sentences) greedy search had BLEU 22.3, beams of 2, 3, 5, 10, 20 and 50 without a length penalty
26.1, 26.5, 24.5, 22.5, 19.4 and 16.1; the widest wrote 0.51 tokens for each of the reference, and
had 22.9 with alpha 1. Sampling had 15.1, at T = 0.5 23.4, above greedy search; top-k 18.5, top-p
16.8. After 200 steps (seed 1001, 100 sentences) greedy search had 72.1, a beam of 5 70.8, one of 50
69.4, sampling 54.3, top-p 60.9: there a beam does not raise BLEU, and 06.2c therefore speaks of 100
steps. The mean of the sentences' BLEU was 0.2 too low after 100 steps and 1.4 too high after 200;
06.3b takes the larger, as its sign is not fixed. The arithmetic mean was 4.2 and 0.8 too high. The
margins of the plan (0.5 BLEU for 06.2c and 06.2d, 1 BLEU for 06.3) were kept; those of 06.2e to
06.2i were set after the pilots, far from what they showed. The pilots' code also computed what
06.2b, 06.3a, 06.3c and 06.3e ask; what they gave there is not noted.

Two margins follow from formulas: that of 06.1b (`by_formula` says 67 at 128 tokens), and that of
06.3a: with one reference, precisions that become recalls and a brevity penalty that changes sides
make up for each other (`swapped_bleu`), so that the plan's "differs by more than 1 BLEU" was turned
round before anything was trained.

The record has 150 steps in place of 200. A translator of 150 steps under seed 0 was then looked at
for sentences that the chapter shows, by eye and without a score; it is the kept one of the record.
"""

import statistics
from functools import partial

from bottomup.experiments.decoding.search.config import PREFIX, usual_width
from bottomup.experiments.decoding.search.findings import (
    COMPUTED,
    PILOTS,
    found_by_searching,
    gained,
    later,
    mean,
    translator,
)
from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind, Rule
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

CACHE = "Shazeer (2019), section 2.4"
BLEU = "Papineni et al. (2002), section {section}"
OWN = _("no paper: our question")
NO_NUMBER = _("no number")
AT = 128  # tokens at which the cost is compared


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [
        *_cache(record),
        *_prefixes(record),
        *_exhaustive(record),
        *found_by_searching(record),
        *_bleus(record),
    ]


def _cache(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name, section="The cache")
    lengths = record.config["lengths"]
    at = AT if AT in lengths else lengths[-1]
    growth = {
        name: statistics.fmean(record.metric(f"cost.growth.{name}"))
        for name in ("cached", "redecoded")
    }
    return [
        claim(
            kind=Kind.IDENTITY,
            id="06.1a",
            sentence=_("From cached keys and values the logits are those of the whole prefix."),
            source=CACHE,
            paper_value=_("by construction"),
            measured=_(
                "decimals on which they agree in float64, in a batch of sources of different "
                "lengths; the least of pre-norm, post-norm and learned positions"
            ),
            rule=EverySeedAbove(10),
            values=record.metric("exact.cache_digits"),
            digits=1,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="06.1b",
            sentence=_("Without them, writing takes a multiple of the multiplications."),
            source=CACHE,
            paper_value=_("not counted: writing without a cache is not considered"),
            measured=_(
                "the decoder's multiplications for {at} tokens, a pass over the whole prefix for "
                "each token, over those with caches; they grow as n^{redecoded:.2f} and "
                "n^{cached:.2f}"
            ).format(at=at, **growth),
            rule=EverySeedAbove(30),
            values=record.metric(f"cost.ratio.{at}"),
            digits=1,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="06.1c",
            sentence=_(
                "The caches hold 2 * layers * batch * d_model * (max_length + source) numbers."
            ),
            source=OWN,
            paper_value=_("not stated"),
            measured=_(
                "largest difference between the numbers held and the formula, in {models} random "
                "models a seed"
            ).format(models=record.config["small_models"]),
            rule=EverySeedBelow(0.5),
            values=tuple(float(value) for value in record.metric("exact.memory_off")),
            digits=0,
        ),
    ]


def _prefixes(record: Record) -> list[Claim]:
    return [
        Claim(
            kind=Kind.IDENTITY,
            id="06.1d",
            sentence=_("Prefixes of different lengths can be written on in one batch."),
            source=OWN,
            paper_value=_("not described"),
            measured=_(
                "decimals on which the logits agree in float64 with those of each prefix alone; "
                "the least of pre-norm, post-norm and learned positions"
            ),
            rule=EverySeedAbove(10),
            values=record.metric("exact.prefix_digits"),
            record=record.name,
            section="A batch of prefixes",
            digits=1,
        )
    ]


def _exhaustive(record: Record) -> list[Claim]:
    shape = {
        name: int(record.metric(f"exact.exhaustive.{name}")[0])
        for name in ("searches", "sequences")
    }
    return [
        Claim(
            kind=Kind.IDENTITY,
            id="06.2a",
            sentence=_("A beam as wide as the search space finds the best of all sequences."),
            source=OWN,
            paper_value=_("by construction"),
            measured=_(
                "share of {searches} searches a seed that return the best of {sequences} "
                "enumerated sequences, with length penalties 0, 0.6 and 1; a beam of 1 does "
                "in {greedy:.2f} of them"
            ).format(
                **shape, greedy=statistics.fmean(record.metric("exact.exhaustive.narrower.1"))
            ),
            rule=EverySeedAbove(0.999),
            values=record.metric("exact.exhaustive.share"),
            record=record.name,
            section="Beam search",
        )
    ]


def _bleus(record: Record) -> list[Claim]:
    name = translator(record)
    steps = name.removeprefix(PREFIX)
    claim = partial(Claim, record=record.name, section="BLEU")
    scores = {
        kind: mean(record, f"{name}.bleus.greedy.{kind}")
        for kind in ("sacrebleu", "swapped", "unclipped", "arithmetic")
    }

    def off(kind: str, name: str = name) -> tuple[float, ...]:
        return gained(record, *(f"{name}.bleus.greedy.{each}" for each in (kind, "sacrebleu")))

    def size(kind: str, name: str = name) -> tuple[float, ...]:
        return tuple(map(abs, off(kind, name)))

    def measured(kind: str) -> str:
        return _(
            "that score ({wrong:.1f}) less sacrebleu's ({right:.1f}) on the greedy translations of "
            "the translator after {steps} steps"
        ).format(wrong=scores[kind], right=scores["sacrebleu"], steps=steps)

    rows: tuple[tuple[str, str, str, str, str, Rule, str], ...] = (
        ("06.3a", "swapped", "2.3", _("After {steps} steps of training, with one reference for "
         "each, swapping greedy translations and references changes BLEU by less than a point."),
         _("not stated"), EverySeedBelow(1),
         _("a formula by which it should hold, where the plan had claimed the opposite; "
           "{pilots}").format(pilots=COMPUTED)),
        ("06.3c", "unclipped", "2.1", _("After {steps} steps of training, BLEU without clipping is "
         "more than a point too high."),
         _("seven times 'the': 7/7 in place of 2/7"), EverySeedAbove(1), COMPUTED),
        ("06.3d", "arithmetic", "2.3", _("After {steps} steps of training, BLEU with an arithmetic "
         "mean of the precisions is more than a point too high."),
         NO_NUMBER, EverySeedAbove(1), PILOTS.format(first="4.2", second="0.8")),
    )  # fmt: skip
    swapped, unclipped, arithmetic = (
        claim(
            kind=Kind.PAPER if kind == "unclipped" else Kind.OWN,
            id=id,
            known=known,
            sentence=sentence.format(steps=steps),
            source=BLEU.format(section=section),
            paper_value=paper_value,
            measured=measured(kind)
            + (_("; without its sign") if kind == "swapped" else "")
            + later(record, partial(size if kind == "swapped" else off, kind), digits=2),
            rule=rule,
            values=size(kind) if kind == "swapped" else off(kind),
        )
        for id, kind, section, sentence, paper_value, rule, known in rows
    )
    return [
        swapped,
        _sentence_mean(record),
        unclipped,
        arithmetic,
        _no_brevity(record, name),
        claim(
            kind=Kind.IDENTITY,
            id="06.3f",
            sentence=_("Counted in the open, corpus BLEU is sacrebleu's."),
            source=BLEU.format(section="2.3"),
            paper_value=_("a definition"),
            measured=_(
                "sacrebleu's score less ours on the greedy translations of the translator after "
                "{steps} steps, without its sign"
            ).format(steps=steps),
            rule=EverySeedBelow(1e-5),  # a record keeps six decimals
            values=size("right"),
            digits=6,
        ),
    ]


def _sentence_mean(record: Record) -> Claim:
    names = [f"{PREFIX}{steps}" for steps in record.config["steps"]]
    kinds = ("sentence_mean", "sacrebleu")
    off = [gained(record, *(f"{name}.bleus.greedy.{kind}" for kind in kinds)) for name in names]
    means = ", ".join(f"{statistics.fmean(values):+.1f}" for values in off)
    return Claim(
        kind=Kind.OWN,
        id="06.3b",
        known=_(
            "{pilots}; as the sign was not fixed, the largest of all lengths is asked; 150 steps "
            "then took the place of 200"
        ).format(pilots=PILOTS.format(first="−0.2", second="1.4")),
        sentence=_(
            "At some length of training the mean of the sentences' BLEU is more than a point off."
        ),
        source=BLEU.format(section="2.1.1"),
        paper_value=_("stated: counts are added up over the corpus"),
        measured=_(
            "that score less sacrebleu's on the greedy translations of the translators after "
            "{steps} steps ({means}); the largest without its sign"
        ).format(steps=", ".join(map(str, record.config["steps"])), means=means),
        rule=EverySeedAbove(1),
        values=tuple(max(map(abs, of_seed)) for of_seed in zip(*off, strict=True)),
        record=record.name,
        section="BLEU",
    )


def _no_brevity(record: Record, name: str) -> Claim:
    def paths(name: str) -> list[str]:
        return [f"{name}.bleus.beam.{kind}" for kind in ("no_brevity", "sacrebleu")]

    def off(name: str) -> tuple[float, ...]:
        return gained(record, *paths(name))

    wrong, right = (mean(record, path) for path in paths(name))
    steps = name.removeprefix(PREFIX)

    return Claim(
        kind=Kind.PAPER,
        id="06.3e",
        known=COMPUTED,
        sentence=_(
            "After {steps} steps of training, too short translations score more than a point too "
            "high without the brevity penalty."
        ).format(steps=steps),
        source=BLEU.format(section="2.2.2"),
        paper_value=NO_NUMBER,
        measured=_(
            "that score ({wrong:.1f}) less sacrebleu's ({right:.1f}) on what a beam of {usual} "
            "finds without a length penalty after {steps} steps"
        ).format(wrong=wrong, right=right, steps=steps, usual=usual_width(record.config["beams"]))
        + later(record, off),
        rule=EverySeedAbove(1),
        values=off(name),
        record=record.name,
        section="BLEU",
    )
