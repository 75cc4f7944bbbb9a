"""Chapter 10b: what the experiment on distances claims."""

from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides."""
    length, steps = record.config["length"], record.config["steps"]
    *_others, start, end = record.config["stretches"]
    longest, uncapped = length - 1, fmean(record.metric(f"rotary.whole.to_{end:03}"))
    return [
        Claim(
            kind=Kind.OWN,
            id="10b.3d",
            sentence=_(
                "With all keys kept and no distance counted as more than {longest}, the longest "
                "trained, rotary positions get over nine tenths of the predictable symbols right "
                "at four to eight times the trained length."
            ).format(longest=longest),
            source=_("no paper: a question of our own"),
            paper_value=_("not asked"),
            measured=_(
                "share of predictable symbols that get the largest logit, rotary positions with "
                "distances of {longest} at most, positions {start} to {end}; the same networks "
                "uncapped get {uncapped:.2f}; trained on {length} positions for {steps} steps"
            ).format(
                longest=longest,
                start=start + 1,
                end=end,
                uncapped=uncapped,
                length=length,
                steps=steps,
            ),
            rule=EverySeedAbove(0.9),
            values=record.metric(f"rotary.capped.to_{end:03}"),
            record=record.name,
            section="Longer than any trained sequence",
            digits=3,
            known=_("two trials of the same, with other seeds: 0.997"),
        )
    ]
