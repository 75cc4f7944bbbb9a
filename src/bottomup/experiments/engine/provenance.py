"""Where numbers come from: versions, device, commit."""

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import torch

PACKAGES = ("torch", "numpy", "sacrebleu", "bottomup")
SOURCE = Path(__file__).parents[1]


def versions() -> dict[str, str]:
    """Return the versions that decide the numbers."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def describe_device(device: torch.device) -> str:
    """Return ``cpu``, or ``cuda`` with the GPU's name."""
    if device.type != "cuda":
        return device.type
    return f"cuda ({torch.cuda.get_device_name(device)})"


def base_commit(folder: Path = SOURCE) -> str:
    """Return the commit that is checked out, ``unknown`` where the folder is in no repository."""
    return _git(folder, "rev-parse", "HEAD") or "unknown"


def is_dirty(folder: Path = SOURCE) -> bool:
    """Say whether a Python file of the folder differs from the commit, or nobody can tell."""
    status = _git(folder, "status", "--porcelain", "--untracked-files=all", "--", ":(glob)**/*.py")
    return status is None or status != ""


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
