"""Chapter 09: what the removal of edges claims. Rules were set before it was recorded."""

from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

THRESHOLD = "1e-1"


def claims(record: Record) -> list[Claim]:
    """Return what the record decides."""
    claim = partial(
        Claim,
        kind=Kind.OWN,
        record=record.name,
        section="What this does not show",
        source=_("Conmy et al. (2023), algorithm 1, for the technique"),
        paper_value=_(
            "of 32,000 edges of GPT-2 keeps 68, all of them in a circuit that was known, with all "
            "five types of its parts"
        ),
        known=_(
            "trials with the seeds 0, 1 and 2 and all four thresholds, after which 0.1 was taken; "
            "these seeds are others"
        ),
    )
    at = _("threshold {nats} nats").format(nats=float(THRESHOLD))
    found = f"removal.at_{THRESHOLD}"
    (chance, *_others) = record.metric("removal.chance")
    return [
        claim(
            id="09.13a",
            sentence=_(
                "Greedy removal of edges leaves a whole chain of the circuit in a network that "
                "learned to repeat."
            ),
            measured=_(
                "1 where one head of each layer keeps all edges that the circuit by hand has, else "
                "0; {at}; as many edges at random have a whole chain about three times in a hundred"
            ).format(at=at),
            rule=EverySeedAbove(0.5),
            values=record.metric(f"{found}.whole"),
        ),
        claim(
            id="09.13b",
            sentence=_("More than half of the edges that it leaves are in the circuit by hand."),
            measured=_(
                "share of the kept edges that the circuit by hand has; {at}; edges at random give "
                "{chance:.2f}"
            ).format(at=at, chance=chance),
            rule=EverySeedAbove(0.5),
            values=record.metric(f"{found}.precision"),
        ),
        claim(
            id="09.13c",
            sentence=_(
                "At a threshold of {nats} nats it leaves out over a tenth of the edges of the "
                "circuit by hand."
            ).format(nats=float(THRESHOLD)),
            measured=_("share of the edges of the circuit by hand that are kept; {at}").format(
                at=at
            ),
            rule=EverySeedBelow(0.9),
            values=record.metric(f"{found}.recall"),
        ),
    ]
