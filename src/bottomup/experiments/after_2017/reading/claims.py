"""Chapter 10: what the experiment on BERT claims. Rules were set before its record."""

from collections.abc import Iterable
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

BERT, XLNET = "Devlin et al. (2019)", "Yang et al. (2019)"
PILOT = _("trials with the seeds 0 and 1 and a prototype; this record's seeds are others")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [
        *_visible(record),
        *_pairs(record),
        *_few_labels(record),
    ]


def _less(one: Iterable[float], other: Iterable[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _visible(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name, known=PILOT, section="Why a chosen word may stay")
    words = _("held-out words of the mini-language, in nats each; {steps} steps").format(
        steps=record.config["encoder"]["steps"]
    )
    visible, hidden = (
        _less(record.metric(f"all_masked.{what}"), record.metric(f"mixed.{what}"))
        for what in ("visible", "hidden")
    )
    return [
        claim(
            kind=Kind.OWN,
            id="10.1a",
            sentence=_(
                "A network that was asked behind masks alone does not say a word that it can see; "
                "BERT's mixture does so better."
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
            sentence=_("Behind a mask both say about the same."),
            source=_("no paper: a control"),
            paper_value=_("not stated"),
            measured=_("difference of the losses behind masks, its size; {words}").format(
                words=words
            ),
            rule=EverySeedBelow(0.15),
            values=tuple(abs(value) for value in hidden),
        ),
    ]


def _pairs(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name, known=PILOT, section="Does the second follow?")
    share = _(
        "share of held-out pairs of Python's documentation that are judged rightly, of half of "
        "which the second follows; {what}"
    )
    trained = _("trained against {negatives} for {steps} steps, tested against {tested}")
    steps = record.config["pair_steps"]
    other, swapped = _("sentences of other documents"), _("swapped pairs")
    return [
        claim(
            kind=Kind.OWN,
            id="10.2a",
            sentence=_(
                "Words in common are enough to tell a successor from a sentence of another "
                "document better than a coin."
            ),
            source=_("{paper}, table 6, for the doubt").format(paper=XLNET),
            paper_value=_("next-sentence prediction helped no task but one"),
            measured=share.format(what=_("by a bound on the share of words in common")),
            rule=EverySeedAbove(0.6),
            values=record.metric("words.other"),
        ),
        claim(
            kind=Kind.OWN,
            id="10.2b",
            sentence=_(
                "A network trained to tell a successor from a sentence of another document learns "
                "little of the order: it hardly tells two sentences from the same two swapped."
            ),
            source=_("Lan et al. (2020), for the question"),
            paper_value=_("not compared: another corpus and size"),
            measured=share.format(
                what=trained.format(negatives=other, steps=steps, tested=swapped)
            ),
            rule=EverySeedBelow(0.55),
            values=record.metric("trained_other.swapped"),
        ),
        claim(
            kind=Kind.OWN,
            id="10.2c",
            sentence=_("That network tells other documents better than words in common do."),
            source=_("no paper: a question of our own"),
            paper_value=_("not asked"),
            measured=_("its share, less that by words in common; the same pairs"),
            rule=EverySeedAbove(0.0),
            values=_less(record.metric("trained_other.other"), record.metric("words.other")),
        ),
        claim(
            kind=Kind.OWN,
            id="10.2d",
            sentence=_("A network of this size that is trained on the order tells it."),
            source=_("Lan et al. (2020), for the question"),
            paper_value=_("not compared: another corpus and size"),
            measured=share.format(
                what=trained.format(negatives=swapped, steps=steps, tested=swapped)
            ),
            rule=EverySeedAbove(0.55),
            values=record.metric("trained_swapped.swapped"),
        ),
    ]


def _few_labels(record: Record) -> list[Claim]:
    config = record.config
    few, some = config["labelled"][0], config["labelled"][1]
    claim = partial(
        Claim,
        record=record.name,
        kind=Kind.OWN,
        known=PILOT,
        section="What one does with it",
        source=_("{paper}, section 5.3, for the question").format(paper=BERT),
        paper_value=_("not compared: another task and size"),
    )
    told = _("share of sentences whose topic of ten is told; {what}")
    probe, tuned = f"topics.labels_{few}.probe", f"topics.labels_{some}.tuned"
    return [
        claim(
            id="10.3a",
            sentence=_(
                "Frozen, with few labels, the masked language model tells more than before its "
                "training."
            ),
            measured=told.format(
                what=_("a linear probe with {n} labels a topic, trained less untrained")
            ).format(n=few),
            rule=EverySeedAbove(0.2),
            values=_less(record.metric(f"{probe}.mixed"), record.metric(f"{probe}.untrained")),
        ),
        claim(
            id="10.3b",
            sentence=_("It tells more than a count of the words does."),
            measured=told.format(
                what=_("a linear probe with {n} labels a topic, network less counts")
            ).format(n=few),
            rule=EverySeedAbove(0.05),
            values=_less(record.metric(f"{probe}.mixed"), record.metric(f"{probe}.words")),
        ),
        claim(
            id="10.3c",
            sentence=_(
                "A network that goes on training from there tells more than one that starts anew."
            ),
            measured=told.format(
                what=_("{n} labels a topic, {steps} steps of training; the first less the second")
            ).format(n=some, steps=config["fine_steps"]),
            rule=EverySeedAbove(0.1),
            values=_less(record.metric(f"{tuned}.mixed"), record.metric(f"{tuned}.untrained")),
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
            values=record.metric("preferred.mixed"),
        ),
    ]
