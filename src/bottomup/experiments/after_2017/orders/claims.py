"""Chapter 10: what the experiment on orders claims. Rules were set before its record."""

from collections.abc import Iterable
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

XLNET = "Yang et al. (2019)"
PILOT = _(
    "trials with the seeds 0 and 1, of 400 and 1,000 steps, which gave the same to five hundredths "
    "of a nat, and a prototype; this record's seeds are others"
)


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    return [*_streams(record), *_new_york(record)]


def _less(one: Iterable[float], other: Iterable[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _streams(record: Record) -> list[Claim]:
    claim = partial(Claim, record=record.name)
    return [
        claim(
            kind=Kind.IDENTITY,
            id="10.7a",
            section="Two streams",
            sentence=_("No token changes its own prediction, nor one that comes before it."),
            source=_("{paper}, section 2.3").format(paper=XLNET),
            paper_value=_("a definition"),
            measured=_(
                "largest change of a logit, in float64; each token of a random network edited, "
                "under five orders"
            ),
            rule=EverySeedBelow(1e-12),
            values=record.metric("exact.unseen"),
            digits=3,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="10.7b",
            section="Two streams",
            known=_("trials with the seeds 0 and 1; this record's seeds are others"),
            sentence=_("Each token changes every prediction that comes after it."),
            source=_("no paper: a control"),
            paper_value=_("not stated"),
            measured=_(
                "smallest change, over tokens and later positions of a random network, of the most "
                "changed logit, in float64; under five orders"
            ),
            rule=EverySeedAbove(1e-3),
            values=record.metric("exact.seen"),
            digits=3,
        ),
        claim(
            kind=Kind.IDENTITY,
            id="10.8a",
            section="One stream is not enough",
            sentence=_("Behind the same words, one stream predicts the same for two targets."),
            source=_("{paper}, appendix A.1").format(paper=XLNET),
            paper_value=_("a definition"),
            measured=_("largest difference of a probability, first word against second"),
            rule=EverySeedBelow(1e-12),
            values=record.metric("new_york.one_stream.same"),
            digits=3,
        ),
        claim(
            kind=Kind.OWN,
            id="10.8b",
            section="One stream is not enough",
            known=PILOT,
            sentence=_(
                "Trained, it comes within a total variation of 0.15 of the mixture of both targets."
            ),
            source=_("{paper}, appendix A.1, for the reason").format(paper=XLNET),
            paper_value=_("not measured"),
            measured=_(
                "total variation between its prediction and the mean of both words' shares, the "
                "larger of both kinds of sentence; {steps} steps"
            ).format(steps=record.config["steps"]),
            rule=EverySeedBelow(0.15),
            values=record.metric("new_york.one_stream.distance"),
        ),
    ]


def _new_york(record: Record) -> list[Claim]:
    claim = partial(
        Claim,
        record=record.name,
        known=PILOT,
        section="New York",
        source=_("{paper}, section 2.6").format(paper=XLNET),
        paper_value=_("an example without numbers"),
    )
    (joint, *_same), (bound, *_too) = (
        record.metric(f"new_york.{name}.nats") for name in ("joint", "independent")
    )
    product, *_also = record.metric("new_york.independent.impossible")
    below = _(
        "nats for both words, mean over both kinds of sentence, that {who} lies below {what}; "
        "{steps} steps; the joint gives {joint:.2f}, the product of the marginals {bound:.2f}"
    )
    wording = partial(below.format, steps=record.config["steps"], joint=joint, bound=bound)

    def lacks(ceiling: str, name: str) -> tuple[float, ...]:
        return _less(
            record.metric(f"new_york.{ceiling}.nats"), record.metric(f"new_york.{name}.nats")
        )

    return [
        claim(
            kind=Kind.PAPER,
            id="10.9a",
            sentence=_(
                "BERT, asked for both words in one pass, comes within 0.1 nats of the product of "
                "their marginals."
            ),
            measured=wording(who=_("one pass"), what=_("the product of the marginals")),
            rule=EverySeedBelow(0.1),
            values=lacks("independent", "one_pass"),
        ),
        claim(
            kind=Kind.PAPER,
            id="10.9b",
            sentence=_(
                "XLNet, asked for one and then the other, comes within 0.1 nats of the joint."
            ),
            measured=wording(who=_("XLNet"), what=_("the joint")),
            rule=EverySeedBelow(0.1),
            values=lacks("joint", "xlnet"),
        ),
        claim(
            kind=Kind.OWN,
            id="10.9c",
            source=_("no paper: a control"),
            paper_value=_("not asked"),
            sentence=_("So does BERT, asked twice."),
            measured=wording(who=_("BERT, asked twice,"), what=_("the joint")),
            rule=EverySeedBelow(0.1),
            values=lacks("joint", "two_passes"),
        ),
        claim(
            kind=Kind.OWN,
            id="10.9d",
            source=_("no paper: a control"),
            paper_value=_("not asked"),
            sentence=_("In the other order, too, both come within 0.1 nats of the joint."),
            measured=wording(
                who=_("the worse of the two, the second word first,"), what=_("the joint")
            ),
            rule=EverySeedBelow(0.1),
            values=tuple(
                map(
                    max,
                    lacks("joint", "two_passes_back"),
                    lacks("joint", "xlnet_back"),
                )
            ),
        ),
        claim(
            kind=Kind.OWN,
            id="10.9e",
            source=_("no paper: a question of our own"),
            paper_value=_("not asked"),
            sentence=_("More than half of what one pass says are pairs that never come."),
            measured=_(
                "probability of such pairs in one pass, mean over both kinds of sentence; by our "
                "tables the product of the marginals gives them {product:.2f}; {steps} steps"
            ).format(product=product, steps=record.config["steps"]),
            rule=EverySeedAbove(0.5),
            values=record.metric("new_york.one_pass.impossible"),
        ),
    ]
