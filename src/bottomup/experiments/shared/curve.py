"""Points on the way through a training, which a training that was interrupted keeps."""

import json
from pathlib import Path

from bottomup.experiments.engine.files import write_atomically

Point = dict[str, float]


class Curve:
    """Points by name, in a file beside the checkpoint, so that a resumed training has all of them.

    Args:
        path: the file; points that it holds already are read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.points: dict[str, Point] = json.loads(path.read_text()) if path.exists() else {}

    def add(self, name: str, **point: float) -> None:
        """Add a point, in place of one of the same name, and write the file."""
        self.points[name] = point
        content = json.dumps(self.points).encode()
        write_atomically(self.path, lambda file: file.write(content))

    def forget(self) -> None:
        """Delete the file: the training is over."""
        self.path.unlink(missing_ok=True)
