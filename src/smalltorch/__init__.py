"""A small torch in plain Python: what the exercises of the course need of torch, and no more.

A page of the course checks answers in a browser, where torch cannot be installed. `install` makes
`import torch` find this package there. It is not a replacement: it computes one number at a time.
What it does it does as torch does, down to the errors, the rounding and the random numbers; what
it lacks it refuses by name (`NotHere`).

To read it, begin with `geometry` and `tensor` (strides and views), then `autograd` (the way back).
"""

from importlib import import_module

from smalltorch import methods
from smalltorch.autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from smalltorch.dtypes import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    device,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from smalltorch.geometry import Size
from smalltorch.install import SUBMODULES, install
from smalltorch.names import lacking
from smalltorch.pointwise import result_type
from smalltorch.refusal import LACKED, NotHere
from smalltorch.tensor import Tensor

__version__ = "2.13.0"  # the torch that it is like

# Each offers functions of torch: those that it lists in `FUNCTIONS`.
PARTS = (
    "arithmetic division powers comparison elementary choice complex_numbers views parts "
    "joining patterns filling indexing scattering reductions norms extremes quantiles "
    "sorting scans softmax products einsum distances older_linalg creation conversion "
    "random_fills random printing history func machinery"
).split()

_parts = [import_module(f"{__name__}.{part}") for part in PARTS]
methods.give(_parts)
for _part in _parts:
    globals().update({name: getattr(_part, name) for name in _part.FUNCTIONS.split()})

for _name in SUBMODULES:  # torch.nn, torch.linalg, …
    import_module(f"{__name__}.{_name}")

globals().update(bool=bool_, float=float32, double=float64, half=float16, int=int32, long=int64,
                 short=int16, cfloat=complex64, cdouble=complex128)  # fmt: skip


def __getattr__(name: str) -> object:
    raise lacking(name, "torch")
