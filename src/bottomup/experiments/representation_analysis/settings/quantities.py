"""Chapter 08: in which settings a claim of the main record holds.

A setting counts for a claim whose numbers it can change. Other clusters change what clusters tell
and nothing else: their networks are those of the base, and so are all other numbers. The first
version counted them for every claim, which gave the base two votes.
"""

from statistics import fmean
from typing import Any

from bottomup.experiments.engine.claim import rule
from bottomup.experiments.engine.entries import Values, entries
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.again import again, main_claims, networks_of
from bottomup.i18n import _

CLUSTERS = "clusters_"  # settings that change the number of clusters
FROM_CLUSTERS = (
    *(f"08.1{letter}" for letter in "abcdefh"),
    *(f"08.2{letter}" for letter in "abcdefghi"),
)


def names(record: Record) -> dict[str, Any]:
    """Return the base's choices, and by main claim what is asked of it, with the counts."""
    base = record.config["base"]
    carried = [entry["repeats"] for entry in entries(__package__)]
    return {**base, "asked": {claim: _asked(record, claim) for claim in carried}}


def share_of_settings(record: Record, claim: str) -> Values:
    """Return the share of settings in which a seed's number met the margin of a main claim."""
    return tuple(map(fmean, zip(*met(record, claim).values(), strict=True)))


def by_setting(record: Record) -> dict[str, dict[str, float]]:
    """Return for each main claim the share of seeds in which it held, by setting."""
    found = {claim: met(record, claim) for claim in main_claims()}
    return {
        claim: {setting: fmean(seeds) for setting, seeds in settings.items()}
        for claim, settings in found.items()
        if settings
    }


def met(record: Record, claim: str) -> dict[str, list[bool]]:
    """Say for each setting that counts for a main claim which seeds met its margin."""
    decide = rule(main_claims()[claim]["rule"])
    return {
        setting: [decide.is_met_by(value) for value in again(record, setting, claim)]
        for setting in record.runs[0]["metrics"]
        if _counts(record, setting, claim)
    }


def _counts(record: Record, setting: str, claim: str) -> bool:
    if setting.startswith(CLUSTERS):
        return claim in FROM_CLUSTERS
    return networks_of(record, setting).has(main_claims()[claim].get("needs", ()))


def _asked(record: Record, claim: str) -> str:
    base, settings = record.config["base"], met(record, claim)
    text = _(
        "share of {count} settings in which a seed's number met the margin of {main}; the base "
        "has {layers} layers and {steps:,} steps; seeds that met it: {counts}"
    )
    return text.format(
        count=len(settings),
        main=claim,
        layers=base["num_layers"],
        steps=base["steps"],
        counts=", ".join(
            f"{setting.replace('_', ' ')} {sum(seeds)}/{len(seeds)}"
            for setting, seeds in settings.items()
        ),
    )
