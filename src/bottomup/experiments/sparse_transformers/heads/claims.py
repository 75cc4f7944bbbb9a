"""Chapter 07: what heads with the same summaries, or each with its own, claim.

Rules and margins were set before anything was trained. A margin of 0.01 bits is the smallest
difference between two patterns in table 2 of the paper.
"""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _

MARGIN = 0.01  # bits a character
CONTROL = _("no paper: a control")
NOT_ASKED = _("not considered")


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    task = record.config["text"]
    sizes = {
        "own": task["summary"],
        "all": task["summary"] * task["num_heads"],
        "heads": task["num_heads"],
        "block": task["row"],
        "steps": task["steps"],
        "margin": MARGIN,
    }
    setting = _(
        "bits per character of the test text, {what}; {layers} layers of width {d_model}, {heads} "
        "heads, {length} positions, l = {block}, c = {own}, {steps} steps"
    )
    wording = partial(
        setting.format,
        **sizes,
        layers=task["num_layers"],
        d_model=task["d_model"],
        length=task["length"],
    )
    claim = partial(
        Claim,
        kind=Kind.OWN,
        source=CONTROL,
        paper_value=NOT_ASKED,
        record=record.name,
        section="Images and text",
        digits=3,
        known=_(
            "chapter 07's trainings under other seeds, 1,500 steps: fixed attention, whose heads "
            "read the same 4 summaries, 2.217 bits, its blocks alone 2.359; no trial, a few steps "
            "timed"
        ),
    )
    compared = _("{worse} less {better}: {high:.3f} against {low:.3f}")

    def bits(worse: str, better: str) -> str:
        high, low = (fmean(record.metric(f"{name}.bits")) for name in (worse, better))
        return wording(what=compared.format(worse=worse, better=better, high=high, low=low))

    gain_early = _gain(record, "same", "distinct", "first_half")
    gain_late = _gain(record, "same", "distinct", "second_half")
    return [
        claim(
            id="07.10a",
            kind=Kind.PAPER,
            sentence=_(
                "On text, after {steps} steps, fixed attention whose {heads} heads read distinct "
                "sub-blocks of {own} positions predicts better than with the same sub-block for "
                "all heads, by more than {margin:g} bits."
            ).format(**sizes),
            source="Child et al. (2019), section 4.3",
            paper_value=_("distinct sub-blocks of length c found preferable; no number"),
            measured=bits("same", "distinct"),
            rule=EverySeedAbove(MARGIN),
            values=_gain(record, "same", "distinct"),
        ),
        claim(
            id="07.10b",
            sentence=_(
                "More summaries help: heads that all read the last {all} positions of a block of "
                "{block} predict better than heads that all read its last {own}, by more than "
                "{margin:g} bits."
            ).format(**sizes),
            measured=bits("same", "wide"),
            rule=EverySeedAbove(MARGIN),
            values=_gain(record, "same", "wide"),
        ),
        claim(
            id="07.10c",
            sentence=_(
                "Shared out among {heads} heads, {own} to each, the last {all} positions of a "
                "block serve as well as where every head reads them all: less than {margin:g} bits "
                "are lost."
            ).format(**sizes),
            measured=bits("distinct", "wide"),
            rule=EverySeedBelow(MARGIN),
            values=_gain(record, "distinct", "wide"),
        ),
        claim(
            id="07.10d",
            sentence=_(
                "Distinct sub-blocks gain more in the first half of a block, where few of its own "
                "positions can be read, than in the second, by more than {margin:g} bits."
            ).format(**sizes),
            measured=wording(
                what=_(
                    "same less distinct, in first halves of blocks less in second: {early:.3f} "
                    "less {late:.3f}"
                ).format(early=fmean(gain_early), late=fmean(gain_late))
            ),
            rule=EverySeedAbove(MARGIN),
            values=tuple(a - b for a, b in zip(gain_early, gain_late, strict=True)),
        ),
    ]


def _gain(record: Record, worse: str, better: str, metric: str = "bits") -> tuple[float, ...]:
    pairs = zip(
        record.metric(f"{worse}.{metric}"), record.metric(f"{better}.{metric}"), strict=True
    )
    return tuple(high - low for high, low in pairs)
