"""Chapter 07: what the strides beside the row claim."""

from statistics import fmean

from bottomup.experiments.engine.claim import Claim, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides. Rule and margin were set before it was made."""
    row = record.config["digits"]["row"]
    others = [row + step for step in record.config["away"]]
    bits = {stride: record.metric(f"stride_{stride}.bits") for stride in (row, *others)}
    best = tuple(map(min, zip(*(bits[stride] for stride in others), strict=True)))
    return [
        Claim(
            kind=Kind.OWN,
            id="07.8e",
            sentence=_("On images, a stride that fits the rows beats those beside it."),
            source=_("no paper: a control"),
            paper_value=_("stated: strided attention suits data whose structure fits the stride"),
            measured=_(
                "bits per grey level of the test digits, the least of strides {others} less "
                "stride {row}: {values}; rows of {row} pixels, {steps} steps"
            ).format(
                others=", ".join(map(str, others)),
                row=row,
                values=", ".join(f"{fmean(bits[each]):.3f}" for each in (*others, row)),
                steps=record.config["digits"]["steps"],
            ),
            rule=MeanAbove(0),
            values=tuple(high - low for high, low in zip(best, bits[row], strict=True)),
            record=record.name,
            section="Images and text",
            digits=3,
        )
    ]
