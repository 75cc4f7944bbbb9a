"""Experiments: configurations, runs over seeds, records, and claims with computed verdicts.

``python -m bottomup.experiments --help`` runs them. A chapter's experiments lie in the folder that
bears its name; what is offered here reads records and loads nothing that trains.
"""

from bottomup.experiments.engine.claim import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    Kind,
    MeanAbove,
    Rule,
    Verdict,
)
from bottomup.experiments.engine.record import Record, load_record
from bottomup.experiments.engine.registry import NAMES, claims, experiment

__all__ = [
    "NAMES",
    "Claim",
    "EverySeedAbove",
    "EverySeedBelow",
    "Kind",
    "MeanAbove",
    "Record",
    "Rule",
    "Verdict",
    "claims",
    "experiment",
    "load_record",
]
