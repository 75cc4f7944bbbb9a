"""Sources from a text, run as a reader's cell would be."""

import linecache
import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

NAMES = {"torch": torch, "nn": nn, "F": F, "math": math}  # what a reader has imported


def run(source: str, name: str, label: str) -> Any:
    """Return what a source defines under a name.

    Args:
        source: definitions; it may import more.
        name: of the function or class.
        label: unique; an error in the answer shows the source's lines under it.
    """
    file = f"<{label}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    namespace: dict[str, Any] = {**NAMES, "__name__": label}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]
