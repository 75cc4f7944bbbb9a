"""Where to compute: CUDA where there is a GPU, else the CPU; others by name."""

import os
import time

import torch
from torch import Tensor

GPUS = ("cuda", "mps", "xpu")  # NVIDIA's and AMD's, Apple's, Intel's
WITH_FLOAT64 = ("cpu", "cuda")  # Apple's have none, and not all of Intel's do


def pick() -> torch.device:
    """Return the device to compute on.

    The environment variable ``BOTTOMUP_DEVICE`` ("cpu", "cuda", "cuda:1",
    "mps", "xpu") decides where it is set; else CUDA where it is available, else
    the CPU. "mps" and "xpu" are not taken unasked, since nobody has measured
    whether they are faster here than the CPU.

    Example:
        >>> pick().type in ("cpu", "cuda", "mps", "xpu")
        True
    """
    wanted = os.environ.get("BOTTOMUP_DEVICE", "")
    if not wanted:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", *GPUS):
        raise ValueError(
            'BOTTOMUP_DEVICE: expected "cpu", "cuda", "cuda:N", "mps" or '
            f'"xpu", got {wanted!r}'
        )
    count = 1 if device.type == "cpu" else len(alike(device.type))
    if (device.index or 0) >= count:
        raise ValueError(
            f"BOTTOMUP_DEVICE: got {wanted!r}, but this machine has {count} "
            f"{device.type.upper()} devices"
        )
    return device


def alike(device: torch.device | str) -> list[torch.device]:
    """Return the devices that a name stands for: "cuda" for all GPUs, in turn.

    The CPU is one device, and so is one with a number.
    """
    named = torch.device(device)
    if named.type == "cpu" or str(named) != named.type:
        return [named]
    count = torch.get_device_module(named).device_count()
    return [torch.device(named.type, index) for index in range(count)]


def for_float64(device: torch.device | str) -> torch.device:
    """Return the device if it is sure to have float64, else the CPU."""
    named = torch.device(device)
    return named if named.type in WITH_FLOAT64 else torch.device("cpu")


def widest(device: torch.device | str) -> torch.dtype:
    """Return float64, or float32 on a device that is not sure to have it."""
    has = torch.device(device).type in WITH_FLOAT64
    return torch.float64 if has else torch.float32


def seconds(device: torch.device | str) -> float:
    """Read a clock: processor time on a CPU, else time when all is computed.

    A GPU goes on computing while Python does; it is waited for.
    """
    named = torch.device(device)
    if named.type == "cpu":
        return time.process_time()
    which = () if named.type == "mps" else (named,)
    torch.get_device_module(named).synchronize(*which)
    return time.perf_counter()


def in_float64(x: Tensor) -> Tensor:
    """Return a tensor in float64: where it lies, or on the CPU."""
    return x.to(for_float64(x.device), torch.float64)
