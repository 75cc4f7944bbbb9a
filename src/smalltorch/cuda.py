"""Graphics processors: there are none."""

from smalltorch.names import lacking


def is_available() -> bool:
    """Say whether there is one."""
    return False


def is_initialized() -> bool:
    """Say whether one is in use."""
    return False


def device_count() -> int:
    """Return how many there are."""
    return 0


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.cuda")
