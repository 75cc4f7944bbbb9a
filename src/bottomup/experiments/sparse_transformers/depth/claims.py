"""Chapter 07: what the training of deep stacks claims.

One trial came before, under seed 90: 64 layers from the scaled start alone, to see that they learn
at all at this learning rate. The two starts were not compared.
"""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: the scaled start in the deepest stack, and by depth."""
    task, (few, *_between, many) = record.config["task"], record.config["depths"]
    gaps = {depth: _gap(record, depth) for depth in (few, many)}
    setting = _(
        "bits per grey level of the test digits, unscaled less scaled start, {what}; dense "
        "networks of width {d_model}, {steps} steps at rate {rate:g}"
    )
    wording = partial(
        setting.format, d_model=task["d_model"], steps=task["steps"], rate=task["learning_rate"]
    )
    claim = partial(
        Claim,
        kind=Kind.OWN,
        source="Child et al. (2019), section 5.2",
        paper_value=_("the factor is used, and said to keep a ratio of sizes; not compared"),
        rule=EverySeedAbove(0),
        record=record.name,
        section="A deeper stack",
        digits=3,
        known=_(
            "one trial under another seed, 64 layers from the scaled start alone, which learned at "
            "this rate; the two starts were not compared"
        ),
    )
    return [
        claim(
            id="07.6d",
            sentence=_(
                "Trained for {steps} steps, a stack of {many} layers predicts better where the "
                "maps that write to the stream start smaller by 1/sqrt(2N)."
            ).format(steps=task["steps"], many=many),
            measured=wording(
                what=_("{many} layers: {unscaled:.3f} against {scaled:.3f}").format(
                    many=many,
                    unscaled=fmean(record.metric(f"{many}_unscaled.bits")),
                    scaled=fmean(record.metric(f"{many}_scaled.bits")),
                )
            ),
            values=gaps[many],
        ),
        claim(
            id="07.6e",
            sentence=_(
                "After {steps} steps, the scaled start gains more in {many} layers than in {few}."
            ).format(steps=task["steps"], many=many, few=few),
            measured=wording(what=_("{many} layers less {few} layers").format(many=many, few=few)),
            values=tuple(a - b for a, b in zip(gaps[many], gaps[few], strict=True)),
        ),
    ]


def _gap(record: Record, depth: int) -> tuple[float, ...]:
    pairs = zip(
        record.metric(f"{depth}_unscaled.bits"), record.metric(f"{depth}_scaled.bits"), strict=True
    )
    return tuple(unscaled - scaled for unscaled, scaled in pairs)
