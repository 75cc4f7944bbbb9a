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
            known=_(
                "its outcome in one seed of the chapter, 1.00 and 0.46 right, by which the margin "
                "was chosen"
            ),
            sentence=_(
                "Beyond the trained lengths a model with attention falls too, by more than a tenth "
                "of all digits."
            ),
            source="Bahdanau et al. (2015), section 5.1 and figure 2",
            paper_value=_(
                "the contrary: trained on up to 50 words, no deterioration is seen at 50 or more; "
                "figure 2 ends at 60"
            ),
            measured=measured.format(inside=inside, beyond=beyond, steps=name.rpartition("_")[2]),
            rule=EverySeedAbove(0.1),
            values=record.metric(f"{name}.fall_beyond"),
            record=record.name,
            section="Train it",
        )
    ]
