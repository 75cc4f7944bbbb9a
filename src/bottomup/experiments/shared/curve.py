"""Points on the way through a training, which a training that was interrupted keeps."""

import json
from pathlib import Path

from bottomup.experiments.engine.units import CURVE
from bottomup.files import write_atomically

Point = dict[str, float]


class Curve:
    """Points by name, in a file beside the checkpoint, so that a resumed training has all of them.

    The file stays until the unit is stored: its evaluation may be interrupted, too.

    Args:
        checkpoint: the training's; points that the file beside it holds already are read.
    """

    def __init__(self, checkpoint: Path) -> None:
        self.path = path = checkpoint.with_suffix(CURVE)
        self.points: dict[str, Point] = (
            json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        )

    def add(self, name: str, **point: float) -> None:
        """Add a point, in place of one of the same name, and write the file."""
        self.points[name] = point
        content = json.dumps(self.points).encode()
        write_atomically(self.path, lambda file: file.write(content))
