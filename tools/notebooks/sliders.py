"""What stands behind `knobs` still gives the same when the notebook has run to its end.

A reader moves a slider after "Run all". A function that looks up a name which a later cell binds
again then gives something else than what the figure has recorded for the page, or fails.
"""

import gc
import inspect
import sys


def drive() -> None:
    """Call every function given to `knobs` with all settings once more.

    Raises:
        RuntimeError: one fails, or gives other numbers than before; the message names it.
    """
    part = sys.modules.get("bottomup.explorables.knobs")
    if part is None:
        return
    for figure in [each for each in gc.get_objects() if type(each) is part.Knobs]:
        name = figure.function.__name__
        try:
            again = figure.record()
        except Exception as error:
            raise RuntimeError(f"{name} fails after the last cell: {error}") from error
        if again.data != figure.recorded.data:
            raise RuntimeError(f"{name} gives other numbers after the last cell")


def source() -> str:
    """Return a cell that drives all sliders: a kernel runs in its own folder, without `tools`."""
    return "\n\n".join(["import gc, sys", inspect.getsource(drive), "drive()"])
