"""The tested package behind the course *Transformers from the Bottom Up*.

``import bottomup`` loads nothing else; ``bottomup.attention`` loads that part.
"""

from importlib import import_module
from typing import Any

__all__ = [
    "analysis",
    "attention",
    "blocks",
    "checks",
    "data",
    "decoding",
    "drawings",
    "exercises",
    "experiments",
    "explorables",
    "masks",
    "metrics",
    "models",
    "plotting",
    "precision",
    "results",
    "source",
    "training",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    if name == "__version__":
        from importlib.metadata import version  # it takes 0.05 s to import

        return version("bottomup")
    raise AttributeError(
        f"module {__name__!r} has no part {name!r}, it has {', '.join(__all__)}"
    )


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
