"""Chapter 01: what the reversal of digits claims."""

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: beyond the trained lengths, attention falls too."""
    name = next(name for name in record.config["variants"] if name.startswith("bahdanau"))
    inside, beyond = record.config["max_length"], max(record.config["lengths"])
    measured = _(
        "share of digits right at length {inside}, the longest trained, minus that at length "
        "{beyond}; reversal of digits, additive attention after {steps} steps"
    )
    return [
        Claim(
            kind=Kind.OWN,
            id="01.1c",
            known=_("one seed of the chapter, by which the margin was chosen"),
            sentence=_(
                "Beyond the trained lengths a model with attention falls too, by more than a tenth "
                "of all digits."
            ),
            source="Bahdanau et al. (2015), figure 2",
            paper_value=_("not tested: figure 2 ends at 60 words, with a flat curve"),
            measured=measured.format(inside=inside, beyond=beyond, steps=name.rpartition("_")[2]),
            rule=EverySeedAbove(0.1),
            values=record.metric(f"{name}.fall_beyond"),
            record=record.name,
            section="Train it",
        )
    ]
