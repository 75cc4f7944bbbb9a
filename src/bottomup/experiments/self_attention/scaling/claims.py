"""Chapter 02: what the experiment on scaling in training claims."""

from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

NARROW = 16  # the width of the second claim, where it is among those measured


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: wide keys need the scale, narrow ones do not."""
    widths, steps = record.config["widths"], record.config["steps"]
    widest = widths[-1]
    narrow = NARROW if NARROW in widths else widths[0]
    measured = _(
        "share of colours named rightly after {steps} steps, scaled minus unscaled; d_key = "
        "{width}, learning rate {rate:g} for both"
    )
    wording = partial(measured.format, steps=steps, rate=record.config["learning_rate"])
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        source="Vaswani et al. (2017), section 3.2.1",
        record=record.name,
        section="Scaling",
        known=_("trials of the scaled layers alone, under other seeds, chose steps and rate"),
    )
    return [
        claim(
            id="02.3c",
            sentence=_(
                "With keys of width {width}, a layer learns less in {steps} steps from unscaled "
                "scores than from scaled ones, by over a tenth of all answers."
            ).format(width=widest, steps=steps),
            paper_value=_("suspected: gradients too small for large d_k; no number"),
            measured=wording(width=widest),
            rule=EverySeedAbove(0.1),
            values=_lead(record, widest),
            room=tuple(1 - value for value in record.metric(f"unscaled_{widest}.accuracy")),
        ),
        claim(
            id="02.3d",
            sentence=_(
                "With keys of width {width}, scaled scores are no more than a tenth of all answers "
                "ahead."
            ).format(width=narrow),
            paper_value=_("for small d_k unscaled scores do as well as additive ones; no number"),
            measured=wording(width=narrow),
            rule=EverySeedBelow(0.1),
            values=_lead(record, narrow),
        ),
    ]


def _lead(record: Record, width: int) -> tuple[float, ...]:
    one, other = (record.metric(f"{kind}_{width}.accuracy") for kind in ("scaled", "unscaled"))
    return tuple(a - b for a, b in zip(one, other, strict=True))
