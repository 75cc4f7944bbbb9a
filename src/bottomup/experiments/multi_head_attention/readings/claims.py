"""Chapter 03: what the experiment on the number of hops claims."""

from functools import partial

from bottomup.experiments.engine.claim import Claim, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

SEEN = _("its numbers under the seeds 0 to 2, recorded in the chapter's experiment; these are new")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: more hops name more, the penalty costs some of it."""
    measured = _(
        "share of sentences with all three content words named, {what}; {steps} steps, held-out "
        "sentences"
    )
    wording = partial(measured.format, steps=record.config["hop_steps"])
    claim = partial(Claim, record=record.name, section="Hops: several readings at once", known=SEEN)
    return [
        claim(
            kind=Kind.PAPER,
            id="03.4c",
            sentence=_(
                "Six hops name all three content words of a sentence more often than one hop does, "
                "by over three tenths of all sentences."
            ),
            source="Lin et al. (2017), section 4.4.2 and figure 5",
            paper_value=_("one hop worse than many on two tasks; curves without numbers"),
            measured=wording(
                what=_("six hops minus one, whose readout has a sixth of the weights")
            ),
            rule=MeanAbove(0.3),
            values=_differences(record, "hops_6", "hops_1"),
        ),
        claim(
            kind=Kind.OWN,
            id="03.4d",
            sentence=_(
                "Here the penalty hurts: at coefficient {penalty:g} six hops name all three words "
                "less often than without it, by over one sentence in twenty."
            ).format(penalty=record.config["penalty"]),
            source="Lin et al. (2017), section 4.4.1",
            paper_value=_("the opposite: better with the penalty, on two tasks"),
            measured=wording(what=_("six hops without the penalty minus with it")),
            rule=MeanAbove(0.05),
            values=_differences(record, "hops_6", "hops_6_penalty"),
        ),
        claim(
            kind=Kind.OWN,
            id="03.4e",
            known=_("six hops under the seeds 0 to 2, 0.92; three had not been run"),
            sentence=_(
                "Three hops, one for each word, do not do as well as six: they name all three "
                "words less often, by over one sentence in twenty."
            ),
            source=_("no paper: as many hops as there is to be named"),
            paper_value=_("no number"),
            measured=wording(what=_("six hops minus three, whose readout has half of the weights")),
            rule=MeanAbove(0.05),
            values=_differences(record, "hops_6", "hops_3"),
        ),
    ]


def _differences(record: Record, one: str, other: str) -> tuple[float, ...]:
    return tuple(
        a - b
        for a, b in zip(record.metric(f"{one}.all"), record.metric(f"{other}.all"), strict=True)
    )
