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
    "classroom",
    "data",
    "decoding",
    "doctor",
    "drawings",
    "exercises",
    "experiments",
    "explorables",
    "files",
    "i18n",
    "masks",
    "metrics",
    "models",
    "particles",
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
        f"module {__name__!r} has no part {name!r}, it has "
        f"{', '.join(__all__)}; what is in a part is imported from it, as in "
        "`from bottomup.attention import MultiHeadAttention`"
    )


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
