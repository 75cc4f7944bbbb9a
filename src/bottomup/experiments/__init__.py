"""Experiments: configurations, runs over seeds, records, and claims with computed verdicts.

``python -m bottomup.experiments --help`` runs them.
"""

from bottomup.experiments.claim import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    MeanAbove,
    Rule,
    Verdict,
)
from bottomup.experiments.record import Record, load_record
from bottomup.experiments.registry import EXPERIMENTS
from bottomup.experiments.runner import Experiment
from bottomup.experiments.units import Outcome

__all__ = [
    "EXPERIMENTS",
    "Claim",
    "EverySeedAbove",
    "EverySeedBelow",
    "Experiment",
    "MeanAbove",
    "Outcome",
    "Record",
    "Rule",
    "Verdict",
    "load_record",
]
