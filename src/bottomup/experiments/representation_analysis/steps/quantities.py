"""Chapter 08: the shortest training and the longest, and claims of the main record on them."""

from typing import Any

from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.again import again, networks_of

__all__ = ["again", "names"]


def names(record: Record) -> dict[str, Any]:
    """Return the fewest steps and the most, their trainings, and the last layer."""
    least, most = min(record.config["steps"]), max(record.config["steps"])
    trainings = {"short": f"steps_{least}", "long": f"steps_{most}"}
    top = networks_of(record, trainings["long"]).names["top"]
    return {"least": least, "most": most, "top": top, **trainings}
