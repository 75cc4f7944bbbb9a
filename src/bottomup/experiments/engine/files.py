"""Files that are whole or not there."""

import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np


def write_atomically(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file beside `path`, then move it there in one act; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("wb") as file:
            write(file)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an npz file; the same arrays give the same bytes."""
    named: dict[str, Any] = dict(arrays)
    write_atomically(path, lambda file: np.savez_compressed(file, **named))


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read an npz file. No code in it is executed."""
    content = io.BytesIO(path.read_bytes())  # numpy would leave a damaged file open
    with np.load(content, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
