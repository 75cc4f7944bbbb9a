"""Every experiment by its name, loaded when it is asked for, and what its record decides.

A room has `experiment` (what is measured) and ``claims.yaml`` (what a record decides).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bottomup.checks import check_choice
from bottomup.experiments.engine.entries import claims
from bottomup.experiments.engine.rooms import NAMES

__all__ = ["NAMES", "claims", "experiment"]

if TYPE_CHECKING:  # the runner trains: nothing of it is needed to read a record
    from bottomup.experiments.engine.runner import Experiment


def experiment(name: str) -> "Experiment":
    """Return an experiment by its name, such as ``"decoding_search"``."""
    check_choice("name", name, NAMES)
    return import_module(f"{NAMES[name]}.experiment").EXPERIMENT
