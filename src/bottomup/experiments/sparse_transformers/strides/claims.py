"""Chapter 07: what the strides beside the row claim."""

from statistics import fmean

from bottomup.experiments.engine.claim import Claim, Kind, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides. Rule and margin were set before it was made."""
    row, steps = record.config["digits"]["row"], record.config["digits"]["steps"]
    others = [row + step for step in record.config["away"]]
    bits = {stride: record.metric(f"stride_{stride}.bits") for stride in (row, *others)}
    best = tuple(map(min, zip(*(bits[stride] for stride in others), strict=True)))
    return [
        Claim(
            kind=Kind.OWN,
            id="07.8e",
            sentence=_(
                "After {steps} steps on images, a stride that fits the rows beats those beside it."
            ).format(steps=steps),
            source=_("no paper: a control"),
            paper_value=_(
                "not considered; strided attention is convenient where the data's structure fits "
                "the stride (section 4.3)"
            ),
            measured=_(
                "bits per grey level of the test digits, the least of strides {others} less "
                "stride {row}: {values}, with {scores} scores a head; rows of {row} pixels, "
                "{steps} steps"
            ).format(
                others=", ".join(map(str, others)),
                row=row,
                values=", ".join(f"{fmean(bits[each]):.3f}" for each in (*others, row)),
                scores=", ".join(
                    f"{fmean(record.metric(f'stride_{each}.scores')):,.0f}"
                    for each in (*others, row)
                ),
                steps=steps,
            ),
            known=_("stride {row}: the strided networks of 07.8, same seeds and numbers").format(
                row=row
            ),
            rule=MeanAbove(0),
            values=tuple(high - low for high, low in zip(best, bits[row], strict=True)),
            record=record.name,
            section="Images and text",
            digits=3,
        )
    ]
