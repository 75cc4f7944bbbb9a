"""The least sizes that are taken: they make something, and one less is refused by its name."""

from collections.abc import Callable

import pytest


def holds(make: Callable[..., object], **least: int) -> None:
    make(**least)
    for name, size in least.items():
        message = f"^{name}: expected an integer of at least {size}, got {size - 1}"
        with pytest.raises(ValueError, match=message):
            make(**{**least, name: size - 1})
