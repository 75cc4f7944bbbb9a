"""What a live figure asks for when a reader is near: the scripts that compute, and a model."""

from functools import cache

from bottomup.explorables.engine import model_script
from bottomup.explorables.shared import bundle
from bottomup.explorables.translator_live import NAME


@cache
def live_script(name: str) -> str:
    """Return engine, figures and a trained model as one classic script.

    A page holds little more than the box of a figure; what computes comes with the model.

    Args:
        name: of the model, one of `bottomup.explorables.engine.MODELS`.
    """
    figures = bundle.library(f"{NAME}/whole.js", "bottomupFigures", beside=NAME)
    return figures + model_script(name)
