"""Every experiment by its name, loaded when it is asked for, and what its record decides.

A room has `experiment` (what is measured) and ``claims.yaml`` (what a record decides).
"""

from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING

from bottomup.checks import check_choice
from bottomup.experiments.engine.entries import claims
from bottomup.experiments.engine.rooms import NAMES

__all__ = ["NAMES", "claims", "experiment"]

if TYPE_CHECKING:  # the runner trains: nothing of it is needed to read a record
    from bottomup.experiments.engine.runner import Experiment


def experiment(name: str) -> "Experiment":
    """Return an experiment by its name, such as ``"decoding_search"``.

    Its room's `experiment` has ``PRESETS`` and ``measure``. It says what is compared as
    ``VARIANTS``, or as a function ``variants(config)``; otherwise the configuration does.
    """
    from bottomup.experiments.engine.runner import Experiment

    check_choice("name", name, NAMES)
    room = import_module(f"{NAMES[name]}.experiment")
    if hasattr(room, "VARIANTS"):
        return Experiment(name, room.PRESETS, lambda config: tuple(room.VARIANTS), room.measure)
    variants = getattr(room, "variants", attrgetter("variants"))
    return Experiment(name, room.PRESETS, variants, room.measure)
