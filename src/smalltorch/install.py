"""Making `import torch` and `import numpy` find the small ones, where the real ones are missing."""

import sys
from importlib import import_module
from importlib.util import find_spec

# Modules of torch that have one of their own here.
SUBMODULES = (
    "nn nn.functional nn.parameter nn.utils nn.utils.rnn linalg special autograd "
    "autograd_function autograd_functional autograd_graph func overrides random testing cuda "
    "distributions utils utils.checkpoint"
).split()
_PLACES = {f"autograd_{name}": f"autograd.{name}" for name in ("function", "functional", "graph")}


def install() -> None:
    """Have `torch`, `numpy` and their modules mean the small ones, from the next import on.

    Where a torch can be imported it is left alone; so is a numpy.
    """
    if _is_missing("torch"):
        package = __name__.partition(".")[0]
        sys.modules["torch"] = import_module(package)
        for name in SUBMODULES:
            place = _PLACES.get(name, name)
            sys.modules[f"torch.{place}"] = import_module(f"{package}.{name}")
    if _is_missing("numpy"):
        for name in ("", ".linalg", ".random"):
            sys.modules[f"numpy{name}"] = import_module(f"smallnumpy{name}")


def _is_missing(name: str) -> bool:
    return name not in sys.modules and find_spec(name) is None


FUNCTIONS = "install"
