"""What torch is doing: tracing a program, transforming it, mixing dtypes."""

import torch
from torch.autograd import forward_ad

SINGLE_OR_HALF = {torch.float32, torch.float16, torch.bfloat16}


def is_traced() -> bool:
    """Say whether torch follows the program, not its numbers.

    Under ``torch.compile``, ``torch.export`` and ``FakeTensorMode``, and where
    it `is_transformed`: no number can be read to decide what comes next, no
    tensor be overwritten or kept.
    """
    if torch.compiler.is_compiling() or is_transformed():
        return True
    fake = torch._C._TorchDispatchModeKey.FAKE
    return torch._C._get_dispatch_mode(fake) is not None


def is_transformed() -> bool:
    """Say whether a transform of ``torch.func`` is at work, or forward mode.

    ``vmap``, ``grad`` and ``jvp`` know torch's operations one by one, and few
    of its kernels that join several.
    """
    level: int | None = torch._C._functorch.maybe_current_level()
    return level is not None or forward_ad._current_level >= 0


def is_autocast_on(device: torch.device) -> bool:
    """Say whether ``torch.autocast`` is at work on such a device."""
    known = torch.amp.is_autocast_available(device.type)
    return known and torch.is_autocast_enabled(device.type)


def may_meet(
    one: torch.dtype, other: torch.dtype, device: torch.device
) -> bool:
    """Say whether tensors of two dtypes may meet in an operation.

    One and the same may; float32, float16 and bfloat16 under
    ``torch.autocast``, which turns them into each other.
    """
    if one == other:
        return True
    return {one, other} <= SINGLE_OR_HALF and is_autocast_on(device)
