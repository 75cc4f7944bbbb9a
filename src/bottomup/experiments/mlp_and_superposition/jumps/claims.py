"""Chapter 04: what the experiment on jumps claims."""

from functools import partial

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, EverySeedBelow, Kind
from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def claims(record: Record) -> list[Claim]:
    """Return what the record decides: that features move late, how fast, and what the loss does."""
    config = record.config
    after, steps = config["after"], config["steps"]
    setting = _(
        "{n} features in {m} dimensions, equal importance, S = {sparsity:g}; features whose D_i "
        "changes by over {least:g} from step {after} to {steps}"
    ).format(n=config["features"], m=config["dimensions"], **config)
    claim = partial(
        Claim,
        kind=Kind.PAPER,
        source=(
            'Elhage et al. (2022), section "Superposition and Learning Dynamics", phenomenon 1, on '
            "jumps between energy levels"
        ),
        record=record.name,
        section="How much of a dimension",
        known=_(
            "a pilot under another seed: 0.5 moves between 0 and 1/2 per model; in one model 4 "
            "moves between any fractions, around step 350, where the loss fell"
        ),
    )
    return [
        claim(
            id="04.9g",
            sentence=_(
                "After a tenth of the training features still move to other fractions of a "
                "dimension, on average more than one in a model."
            ),
            paper_value=_("a plot of one model, in which some features swap places"),
            measured=_("number per model; {setting}").format(setting=setting),
            rule=EverySeedAbove(1.0),
            values=record.metric("pairs.moves"),
        ),
        claim(
            id="04.9h",
            sentence=_(
                "A feature that moves late to another fraction of a dimension jumps: the middle "
                "half of the move takes less than a twentieth of the training that is left."
            ),
            paper_value=_("a plot of one model, in which they jump"),
            measured=_("median number of steps; {setting}").format(setting=setting),
            rule=EverySeedBelow((steps - after) / 20),
            values=record.metric("pairs.duration"),
        ),
        claim(
            id="04.9i",
            sentence=_(
                "In most late moves of a feature the loss drops: it falls faster than as long "
                "before, and after."
            ),
            paper_value=_("a plot of one model: a small drop and a larger one"),
            measured=_(
                "share of the moves with as much noted on both sides, 1/3 if the loss fell evenly "
                "but for noise; {setting}"
            ).format(setting=setting),
            rule=EverySeedAbove(0.5),
            values=record.metric("pairs.faster"),
        ),
    ]
