"""Chapter 10: what the experiment on BERT claims. Rules were set before its record."""

from collections.abc import Iterable
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

BERT, XLNET = "Devlin et al. (2019)", "Yang et al. (2019)"
PILOT = _("trials with the seed 0 and a prototype; this record's seeds are others")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [*_visible(record), *_pairs(record), *_few_labels(record)]


def _less(one: Iterable[float], other: Iterable[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _visible(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name, known=PILOT, section="Why a chosen word may stay")
    words = _("held-out words of the mini-language, in nats each; {steps} steps").format(
        steps=record.config["encoder"]["steps"]
    )
    visible, hidden = (
        _less(
            record.metric(f"both_sides.all_masked.{what}"),
            record.metric(f"both_sides.mixed.{what}"),
        )
        for what in ("visible", "hidden")
    )
    return [
        claim(
            kind=Kind.OWN,
            id="10.1a",
            sentence=_(
                "A network that was asked behind masks alone says a word that it can see worse "
                "than one trained with BERT's mixture, by over a nat."
            ),
            source=_("{paper}, appendix C.2, for the question").format(paper=BERT),
            paper_value=_("frozen features tell names less well: F1 94.0 against 94.9, table 8"),
            measured=_(
                "loss at visible words of a network whose chosen words were all hidden, less that "
                "of one trained with 80/10/10; {words}"
            ).format(words=words),
            rule=EverySeedAbove(1.0),
            values=visible,
        ),
        claim(
            kind=Kind.OWN,
            id="10.1b",
            known=_("{pilot}; the margin was 0.15 at first").format(pilot=PILOT),
            sentence=_("Behind a mask the losses of both differ by less than a fifth of a nat."),
            source=_("no paper: a control"),
            paper_value=_("not stated"),
            measured=_("difference of the losses behind masks, its size; {words}").format(
                words=words
            ),
            rule=EverySeedBelow(0.2),
            values=tuple(abs(value) for value in hidden),
        ),
    ]


def _pairs(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        record=record.name,
        kind=Kind.OWN,
        known=PILOT,
        section="Does the second follow?",
    )
    share = _(
        "share of held-out pairs of Python's documentation that a bound on the share of common "
        "words tells; of half of them the second follows, {negatives}"
    )
    return [
        claim(
            id="10.2a",
            sentence=_(
                "Words in common are enough to tell a successor from a sentence of another "
                "document better than a coin."
            ),
            source=_("{paper}, section 3.4 and table 6, for the doubt").format(paper=XLNET),
            paper_value=_("not compared: next-sentence prediction helps in one task of four"),
            measured=share.format(negatives=_("else it is of another document")),
            rule=EverySeedAbove(0.6),
            values=record.metric("pairs.words.other"),
        ),
        claim(
            kind=Kind.IDENTITY,
            id="10.2b",
            sentence=_("They do not tell two sentences from the same two swapped."),
            source=_("no paper: a control"),
            paper_value=_("not stated"),
            measured=share.format(negatives=_("else the two come in the other order")),
            rule=EverySeedBelow(0.55),
            values=record.metric("pairs.words.swapped"),
        ),
    ]


def _few_labels(record: Record) -> list[Claim]:
    config = record.config
    few, some = config["labelled"]
    claim = partial(
        Claim,
        record=record.name,
        kind=Kind.OWN,
        known=PILOT,
        section="What one does with it",
        source=_("{paper}, section 5.3, for the question").format(paper=BERT),
        paper_value=_("not compared: another task and size"),
    )
    told = _(
        "share of words whose class is told, of those that no labelled sentence has; {n} labelled "
        "sentences, {what}"
    )
    first, second = f"both_sides.classes.labels_{few}", f"both_sides.classes.labels_{some}"
    frozen = [
        _less(record.metric(f"{which}.probe.mixed"), record.metric(f"{which}.probe.all_masked"))
        for which in (first, second)
    ]
    return [
        claim(
            id="10.3a",
            sentence=_(
                "Frozen, with a few labelled sentences, the masked language model tells more than "
                "before its training."
            ),
            measured=told.format(n=few, what=_("a linear probe, trained less untrained")),
            rule=EverySeedAbove(0.1),
            values=_less(
                record.metric(f"{first}.probe.mixed"), record.metric(f"{first}.probe.untrained")
            ),
        ),
        claim(
            kind=Kind.PAPER,
            id="10.3b",
            sentence=_("Frozen, 80/10/10 tells more than 100/0/0."),
            source=_("{paper}, table 8").format(paper=BERT),
            paper_value=_("names, frozen features: F1 94.9 against 94.0"),
            measured=told.format(
                n=_("{few} and {some}").format(few=few, some=some),
                what=_("mean of both; a linear probe, 80/10/10 less 100/0/0"),
            ),
            rule=EverySeedAbove(0.0),
            values=tuple((one + other) / 2 for one, other in zip(*frozen, strict=True)),
            digits=3,
        ),
        claim(
            id="10.3c",
            sentence=_(
                "A network that goes on training from there tells more than one that starts anew."
            ),
            source=_("{paper}, section 3.2, for the question").format(paper=BERT),
            measured=told.format(
                n=some,
                what=_("{steps} steps of training; the first less the second").format(
                    steps=config["fine_steps"]
                ),
            ),
            rule=EverySeedAbove(0.1),
            values=_less(
                record.metric(f"{second}.tuned.mixed"), record.metric(f"{second}.tuned.untrained")
            ),
        ),
        claim(
            id="10.3d",
            sentence=_(
                "The network finds a sentence likelier than the same with two words swapped, word "
                "by word."
            ),
            source=_("no paper: a question of our own"),
            paper_value=_("not asked"),
            measured=_(
                "share of held-out sentences whose sum of log-probabilities, each word hidden "
                "alone, is the larger; counts of words give one half"
            ),
            rule=EverySeedAbove(0.8),
            values=record.metric("both_sides.preferred.mixed"),
        ),
    ]
