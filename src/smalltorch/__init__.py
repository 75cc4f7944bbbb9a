"""A small torch in plain Python: what the exercises of the course need of torch, and no more.

A page of the course checks answers in a browser, where torch cannot be installed. `install` makes
`import torch` find this package there. It is not a replacement: it computes one number at a time.
What it does it does as torch does, down to the errors, the rounding and the random numbers; what
it lacks it refuses by name (`NotHere`).

To read it, begin with `geometry` and `tensor` (strides and views), then `autograd` (the way back).
"""

from importlib import import_module

from smalltorch import dtypes, methods
from smalltorch.install import SUBMODULES
from smalltorch.names import lacking

__version__ = "2.13.0"  # the torch that it is like

# Each offers names of torch: those that it lists in `FUNCTIONS`.
PARTS = (
    "refusal dtypes geometry tensor grad_mode pointwise arithmetic division powers comparison "
    "elementary choice complex_numbers views stretching parts joining patterns filling indexing "
    "scattering reductions norms extremes quantiles sorting scans softmax products einsum "
    "distances older_linalg creation conversion random_fills random printing history func "
    "machinery install"
).split()

_parts = [import_module(f"{__name__}.{part}") for part in PARTS]
methods.give(_parts)
for _part in _parts:
    globals().update({name: getattr(_part, name) for name in _part.FUNCTIONS.split()})

# Where Python has another thing of that name.
globals().update(bool=dtypes.bool_, float=dtypes.float32, double=dtypes.float64,
                 half=dtypes.float16, int=dtypes.int32, long=dtypes.int64, short=dtypes.int16,
                 cfloat=dtypes.complex64, cdouble=dtypes.complex128)  # fmt: skip

for _name in SUBMODULES:  # torch.nn, torch.linalg, …
    import_module(f"{__name__}.{_name}")


def __getattr__(name: str) -> object:
    raise lacking(name, "torch")
