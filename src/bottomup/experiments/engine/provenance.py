"""Where numbers come from: versions, device, commit."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

# scikit-learn gives the digits, tokenizers the pieces, scipy and numpy a part of the arithmetic.
PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "tokenizers", "sacrebleu", "bottomup")
SOURCE = Path(__file__).parents[1]


def versions() -> dict[str, str]:
    """Return the versions that decide the numbers, of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def describe_device(device: torch.device) -> str:
    """Return ``cpu`` with processor and instruction set, or ``cuda`` and so on with the GPU's name.

    The same training under the same seed differs between instruction sets, and so does what
    follows from it in its last digits.
    """
    if device.type == "cpu":
        return f"cpu ({processor()}, {torch.backends.cpu.get_cpu_capability()})"
    if device.type == "mps":  # a part of the processor
        return f"mps ({processor()})"
    module = torch.get_device_module(device)
    named = getattr(module, "get_device_name", None)
    return f"{device.type} ({named(device)})" if named else device.type


def processor() -> str:
    """Return the processor's name as the operating system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


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
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
