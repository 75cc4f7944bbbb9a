"""numpy's generator, which no exercise draws from: seeding it and putting it back does nothing."""

from typing import Any

from smalltorch.refusal import not_here


def seed(seed: Any = None) -> None:
    """Do nothing."""


def get_state() -> None:
    """Return nothing to put back."""


def set_state(state: Any) -> None:
    """Do nothing."""


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.random' has no attribute '{name}'")
    raise not_here(f"numpy.random.{name}")
