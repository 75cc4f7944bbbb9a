"""Chapter 05: what the experiment on longer sequences claims."""

from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: sinusoids and learned positions beyond trained lengths."""
    inside, halfway = record.config["judged"]
    sinusoids, learned = (
        record.metric(f"{kind}.accuracy.{halfway}") for kind in ("sinusoidal", "learned")
    )
    trained = record.metric(f"sinusoidal.accuracy.{inside}")
    measured = _(
        "share of symbols copied rightly, the true ones before each given, {what}; trained on "
        "lengths up to {inside}, {steps} steps"
    )
    wording = partial(measured.format, inside=inside, steps=record.config["steps"])
    claim = partial(
        Claim,
        record=record.name,
        section="Table 3 in small",
        known=_(
            "one trial of each kind under another seed, of 400 steps and scored at length 12 "
            "alone, after which 800 steps were taken"
        ),
    )
    return [
        claim(
            kind=Kind.OWN,
            id="05.7o",
            sentence=_(
                "Half as long again as any trained sequence, sinusoids copy more than learned "
                "positions do, by over a twentieth of all symbols."
            ),
            source=_("{paper}, section 3.5, for the question").format(
                paper="Vaswani et al. (2017)"
            ),
            paper_value=_("hoped for: sinusoids may serve for lengths beyond the trained ones"),
            measured=wording(
                what=_(
                    "at length {length}, sinusoids minus learned, whose rows beyond the trained "
                    "lengths are as drawn"
                ).format(length=halfway)
            ),
            rule=MeanAbove(0.05),
            values=tuple(a - b for a, b in zip(sinusoids, learned, strict=True)),
            room=tuple(1 - value for value in learned),
        ),
        claim(
            kind=Kind.OWN,
            id="05.7p",
            sentence=_(
                "With sinusoids, half as long again as any trained sequence costs over three "
                "tenths of all symbols."
            ),
            source=_("no paper: section 3.5 has no such measurement"),
            paper_value=_("no number"),
            measured=wording(
                what=_("sinusoids, at length {inside} minus at {length}").format(
                    inside=inside, length=halfway
                )
            ),
            rule=EverySeedAbove(0.3),
            values=tuple(a - b for a, b in zip(trained, sinusoids, strict=True)),
        ),
    ]
