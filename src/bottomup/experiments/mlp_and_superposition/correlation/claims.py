"""Chapter 04: what the experiment on correlated features claims."""

from functools import partial
from statistics import fmean

from bottomup.experiments.engine.claim import Claim, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: the angles of features that go together, or never do."""
    measured = _(
        "{what}, 1 where one of them is not kept; two pairs in 2 dimensions, each feature there "
        "with probability {density:g}, equal importance, best of {restarts} starts"
    )
    wording = partial(
        measured.format, density=record.config["density"], restarts=record.config["restarts"]
    )
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        source=(
            'Elhage et al. (2022), section "The Geometry of Superposition", on correlated and '
            "anticorrelated features"
        ),
        record=record.name,
        section="More features than dimensions",
    )
    return [
        claim(
            id="04.5d",
            sentence=_(
                "Features that occur together lie at right angles: within a pair no cosine exceeds "
                "a fifth."
            ),
            paper_value=_("shown as arrows: correlated features orthogonal to each other"),
            measured=wording(
                what=_(
                    "larger absolute cosine within a pair (independent features: {control:.2f}, "
                    "since of three ways to pair them two put a given pair at right angles, and "
                    "in all {seeds} seeds in {chance:.0f} % of records)"
                ).format(
                    control=fmean(record.metric("independent.largest_absolute")),
                    seeds=len(record.seeds),
                    chance=100 * (2 / 3) ** len(record.seeds),
                )
            ),
            rule=EverySeedBelow(0.2),
            values=record.metric("correlated.largest_absolute"),
        ),
        claim(
            id="04.5e",
            sentence=_(
                "Features that never occur together lie opposite each other: within a pair the "
                "cosine is below -0.8."
            ),
            paper_value=_("shown as arrows: anticorrelated features opposite each other"),
            measured=wording(what=_("larger cosine within a pair")),
            rule=EverySeedBelow(-0.8),
            values=record.metric("anticorrelated.largest"),
        ),
    ]
