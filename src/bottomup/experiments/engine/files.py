"""Arrays in a file that is whole or not there."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bottomup.files import write_atomically


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an npz file; the same arrays give the same bytes."""
    named: dict[str, Any] = dict(arrays)
    write_atomically(path, lambda file: np.savez_compressed(file, **named))


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read an npz file. No code in it is executed."""
    content = io.BytesIO(path.read_bytes())  # numpy would leave a damaged file open
    with np.load(content, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
