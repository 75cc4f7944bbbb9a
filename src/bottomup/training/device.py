"""Where to compute: CUDA where there is a GPU, else the CPU."""

import os

import torch


def pick() -> torch.device:
    """Return the device to compute on.

    The environment variable ``BOTTOMUP_DEVICE`` ("cpu", "cuda", "cuda:1")
    decides where it is set; else CUDA where it is available, else the CPU.
    """
    wanted = os.environ.get("BOTTOMUP_DEVICE", "")
    if not wanted:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise ValueError(
            'BOTTOMUP_DEVICE: expected "cpu", "cuda" or "cuda:N", '
            f"got {wanted!r}"
        )
    count = torch.cuda.device_count()
    if device.type == "cuda" and (device.index or 0) >= count:
        raise ValueError(
            f"BOTTOMUP_DEVICE: got {wanted!r}, but this machine has {count} "
            "CUDA devices"
        )
    return device
