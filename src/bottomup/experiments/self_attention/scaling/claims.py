"""Chapter 02: what the experiment on scaling in training claims."""

import statistics
from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

PAPER = "Vaswani et al. (2017), section 3.2.1"
NARROW = 16  # the width of the second claim, where it is among those measured


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: wide keys need the scale, narrow ones do not."""
    widths, steps = record.config["widths"], record.config["steps"]
    widest = widths[-1]
    narrow = NARROW if NARROW in widths else widths[0]
    measured = _(
        "share of colours named rightly after {steps} steps, scaled {scaled:.2f} minus unscaled "
        "{unscaled:.2f}; d_key = {width}, learning rate {rate:g} for both"
    )

    def wording(width: int) -> str:
        named = {
            kind: statistics.fmean(record.metric(f"{kind}_{width}.accuracy"))
            for kind in ("scaled", "unscaled")
        }
        rate = record.config["learning_rate"]
        return measured.format(steps=steps, width=width, rate=rate, **named)

    claim = partial(
        Claim,
        record=record.name,
        section="Scaling",
        known=_(
            "four trials of the scaled layers alone, under seed 91, in which all learned the task, "
            "chose steps and rate; the unscaled ones had none"
        ),
    )
    return [
        claim(
            id="02.3c",
            kind=Kind.PAPER,
            source=PAPER,
            sentence=_(
                "With keys of width {width}, a layer learns less in {steps} steps from unscaled "
                "scores than from scaled ones, by over a tenth of all answers."
            ).format(width=widest, steps=steps),
            paper_value=_("suspected: gradients too small for large d_k; no number"),
            measured=wording(widest),
            rule=EverySeedAbove(0.1),
            values=_lead(record, widest),
            room=tuple(1 - value for value in record.metric(f"unscaled_{widest}.accuracy")),
        ),
        claim(
            id="02.3d",
            kind=Kind.OWN,
            source=_("{paper}, for the question").format(paper=PAPER),
            sentence=_(
                "With keys of width {width}, scaled scores are no more than a tenth of all answers "
                "ahead after {steps} steps."
            ).format(width=narrow, steps=steps),
            paper_value=_(
                "not compared: for small d_k unscaled scores do as well as additive ones"
            ),
            measured=wording(narrow),
            rule=EverySeedBelow(0.1),
            values=_lead(record, narrow),
        ),
    ]


def _lead(record: Record, width: int) -> tuple[float, ...]:
    one, other = (record.metric(f"{kind}_{width}.accuracy") for kind in ("scaled", "unscaled"))
    return tuple(a - b for a, b in zip(one, other, strict=True))
