"""What stands behind `interact` still works when the notebook has run to its end.

A reader moves a slider after "Run all". A function that looks up a name which a later cell binds
again fails then, although every cell ran; and `interact` shows an error without raising it.
"""

import gc
import inspect
import sys
from itertools import product
from typing import Any


def choices(widget: Any) -> list[Any]:
    """Return the values that a reader is most likely to try: both ends, or each option."""
    if hasattr(widget, "options"):
        pairs = [each if isinstance(each, tuple) else (each, each) for each in widget.options]
        return [value for _label, value in pairs]
    if hasattr(widget, "min") and hasattr(widget, "max"):
        ends = [widget.min, widget.max]
        return [widget.base**end for end in ends] if hasattr(widget, "base") else ends
    return [False, True] if isinstance(widget.value, bool) else [widget.value]


def drive() -> None:
    """Call every function given to `interact` with all combinations of its widgets' choices.

    Raises:
        RuntimeError: a function fails; the message names it and its arguments.
    """
    if "ipywidgets" not in sys.modules:
        return
    from ipywidgets import interactive

    for box in [each for each in gc.get_objects() if issubclass(type(each), interactive)]:
        names = [widget._kwarg for widget in box.kwargs_widgets]
        for values in product(*map(choices, box.kwargs_widgets)):
            arguments = dict(zip(names, values, strict=True))
            try:
                box.f(**arguments)
            except Exception as error:
                message = f"{box.f.__name__} fails after the last cell, at {arguments}"
                raise RuntimeError(message) from error


def source() -> str:
    """Return a cell that drives all sliders: a kernel runs in its own folder, without `tools`."""
    imports = "import gc, sys\nfrom itertools import product\nfrom typing import Any"
    return "\n\n".join([imports, inspect.getsource(choices), inspect.getsource(drive), "drive()"])
