"""Chapter 10's figure of segments: how far back a prediction can know, lit position by position."""

from typing import Any

from bottomup.checks import check_integer
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table
from bottomup.i18n import _
from bottomup.models import longest_reach

__all__ = ["segments"]

SEGMENTS = (4, 8)
MEMORIES = (0, 2, 4, 6, 8)
LAYERS = (1, 2, 3)
START = {"segment": 4, "memory": 4, "layers": 2}


def segments(*, positions: int = 32) -> Explorable:
    """Build the figure: choose segment, memory and layers; what the position knows of lights up.

    From the chosen position at the top down, every state that is read lights up. A layer reads a
    position's own segment up to that position, and as many positions before the segment as the
    memory holds.

    Args:
        positions: of the text, 8 to 32.

    Source: Dai et al. (2019), figure 2. Used in chapter 10.
    """
    check_integer("positions", positions, at_least=8, below=33)
    return Explorable(
        {
            "labels": _labels(),
            "positions": positions,
            "choices": {"segment": SEGMENTS, "memory": MEMORIES, "layers": LAYERS},
            "start": {**START, "position": positions - 1},
        },
        fallback=_fallback(),
        name="segments",
    )


def _fallback() -> str:
    """Return the reach of each segment and memory with two layers, as a table."""
    layers, rows = START["layers"], []
    for length in SEGMENTS:
        reach = [longest_reach(layers=layers, segment=length, memory=memory) for memory in MEMORIES]
        rows.append((_("segment {length}").format(length=length), map(cell, map(str, reach))))
    caption = [
        _("How many positions back the end of a segment knows of"),
        _("{layers} layers; columns: positions remembered").format(layers=layers),
    ]
    return table(caption, [str(memory) for memory in MEMORIES], rows)


def _labels() -> dict[str, Any]:
    return {
        "title": _("Segments and memory"),
        "segment": _("Segment, L"),
        "memory": _("Memory, M"),
        "layers": _("Layers, N"),
        "position": _("Position that predicts"),
        "tokens": _("tokens"),
        "layer": _("layer {number}"),
        "own": _("read in its own segment"),
        "kept": _("remembered, or read by what is remembered"),
        "reach": _("Position {position} knows of {reach} positions before it."),
        "one": _("Position {position} knows of 1 position before it."),
        "none": _("Position {position} knows of no position before it."),
        "cut": _("There the text begins; more would be in reach."),
        "rule": _("At the end of a segment it is {rule} = {reach}."),
    }
