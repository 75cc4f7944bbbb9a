"""Chapter 08: what longer training of a masked language model claims.

Rules and margins are those of the main record, whose first seed was known when a and b were set: it
had neither recovered nor crossed. Claims d and e, which try longer training as an
explanation of what did not hold there (08.5a and 08.4d), came after a first record of the longer
trainings.
"""

from dataclasses import dataclass

from bottomup.experiments.engine.claim import Claim, EverySeedAbove, MeanAbove
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.claims import (
    CONTROL,
    NOT_ASKED,
    Section,
    as_claims,
)
from bottomup.experiments.representation_analysis.claims_by_layer import (
    BETWEEN_LAYERS,
    NATS,
    NATS_OF_MLM,
    OF_LAYERS,
    POSITIVE,
    WITH_BOTH,
    WITH_INPUT,
    Row,
    read_off,
)
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

KNOWN = {
    "a": _(
        "that in the first seed of the main record, of 1,800 steps, it did not; then a first "
        "record of 600 to 7,200 steps, in which it did in all seeds from 3,600 on"
    ),
    "b": _(
        "that in the first seed of the main record, of 1,800 steps, they did not; then a first "
        "record of 600 to 7,200 steps, in which they did in two seeds of three at 1,800 and in all "
        "three from 3,600 on"
    ),
    "c": _(
        "a first record of 600 to 7,200 steps, in which the rise above the lowest layer grew in "
        "every seed"
    ),
}
REPEATS = {"a": "08.1d", "b": "08.2e", "e": "08.4d"}


@dataclass(frozen=True)
class Trainings:
    """What one seed's networks hold after the fewest steps and after the most."""

    short: Findings
    long: Findings


def claims(record: Record) -> list[Claim]:
    """Return what the record decides, in the order of the claims' numbers."""
    counts = record.config["steps"]
    runs = [
        Trainings(
            *(Findings(run["metrics"][f"steps_{steps}"]) for steps in (min(counts), max(counts)))
        )
        for run in record.runs
    ]
    rows = _rows(min(counts), max(counts))
    section = Section("08.8", "How far the findings carry", rows, repeats=REPEATS, known=KNOWN)
    return as_claims(record, section, runs)


def _rows(least: int, most: int) -> list[Row]:
    steps = {"least": f"{least:,}", "most": f"{most:,}"}
    return [
        (
            "a",
            _(
                "Trained {most} steps, MLM tells more of the token at the top than in the middle."
            ).format(**steps),
            WITH_INPUT,
            read_off(_("4.93 to 5.10, layer 4 to layer 6"), NATS),
            _("last layer less the middle layer, plug-in nats"),
            MeanAbove(0.05),
            lambda run: run.long.recovery(),
        ),
        (
            "b",
            _(
                "Trained {most} steps, at MLM's top the clusters tell more of an exchanged token's "
                "original than of the token read."
            ).format(**steps),
            WITH_BOTH,
            read_off(_("0.95 against 2.4 at the top, tokens hidden or exchanged"), NATS_OF_MLM),
            _("original less token read, exchanged tokens, last layer, plug-in nats"),
            POSITIVE,
            lambda run: run.long.crossed(),
        ),
        (
            "c",
            _(
                "Longer training raises how much more MLM tells of the token at the top than in "
                "the middle."
            ),
            CONTROL,
            NOT_ASKED,
            _(
                "last layer less the middle layer, after {most} steps less the same after {least}, "
                "plug-in nats"
            ).format(**steps),
            EverySeedAbove(0),
            lambda run: run.long.recovery() - run.short.recovery(),
        ),
        (
            "d",
            _("Longer training makes MLM's neighbours more often the same token."),
            CONTROL,
            NOT_ASKED,
            _(
                "share of the 10 nearest tokens with the same type, last layer, after {most} steps "
                "less that after {least}"
            ).format(**steps),
            POSITIVE,
            lambda run: run.long.same("mlm") - run.short.same("mlm"),
        ),
        (
            "e",
            _("Trained {most} steps, MLM changes states least in the middle.").format(**steps),
            BETWEEN_LAYERS,
            read_off(_("0.09, 0.063, 0.11"), OF_LAYERS),
            _(
                "PWCCA distance between neighbouring layers, the smaller of first and last layer "
                "less the mean between"
            ),
            POSITIVE,
            lambda run: run.long.ends("mlm"),
        ),
    ]
