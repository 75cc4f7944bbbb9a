"""A second device without a second device: CPU memory that calls itself ``fake:0``.

Its tensors wrap a tensor of the CPU. Each operation on them is counted, done on what they wrap, and
refused where a GPU would refuse it: another tensor lies on the CPU, or the generator does; a dtype
is float64, which Apple's GPUs lack. So code that passes here moves its model, its batches, its
masks and its random numbers. It says nothing about speed, nor about numbers: both are the CPU's.

torch calls this way of making a device experimental, so it is bound to one release.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

RELEASE = "2.13"
NAME = "fake"
NO_FLOAT64 = "Cannot convert a MPS Tensor to float64 dtype"  # as torch says it on a Mac

# Operations that carry a tensor from one device to the other, or ask for one on the CPU.
CARRY = {"copy_", "_to_copy", "_pack_padded_sequence"}
# Operations after which Python or the CPU knows a value: a GPU has to be waited for.
READ = {"_local_scalar_dense", "nonzero", "masked_select", "equal", "is_nonzero", "unique_dim"}
READ |= {"_unique2", "unique_consecutive", "bincount"}
INDEX = {"index", "index_put", "index_put_", "_index_put_impl_"}

operations: Counter[str] = Counter()
reads: Counter[str] = Counter()


class FakeTensor(torch.Tensor):
    """A tensor on the device; `held` is the CPU's tensor behind it."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> "FakeTensor":
        if held.dtype in (torch.float64, torch.complex128):
            raise TypeError(NO_FLOAT64)
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device(NAME, 0),
        )
        made.held = held
        return made

    def __repr__(self, **options: Any) -> str:
        return f"fake({self.held!r})"

    def __format__(self, how: str) -> str:
        return format(self.item(), how) if self.dim() == 0 else object.__format__(self, how)

    def __deepcopy__(self, memo: dict[int, Any]) -> "FakeTensor":
        copied = FakeTensor(self.held.clone()).requires_grad_(self.requires_grad)
        if hasattr(self, "_is_param"):
            copied._is_param = True
        memo[id(self)] = copied
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A file holds the CPU's tensor, as `torch.load` gives it with ``map_location="cpu"``."""
        return self.detach().held.__reduce_ex__(protocol)

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(
        cls, act: Any, kinds: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return _act(act, args, kwargs or {})


class FakeGenerator(torch.Generator):
    """A generator on the device. It draws as the CPU's does."""

    @property
    def device(self) -> torch.device:
        return torch.device(NAME, 0)


def is_fake(device: Any) -> bool:
    return device is not None and torch.device(device).type == NAME


def _act(act: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do on the CPU what was asked of the device, if the device would."""
    name = act._schema.name.removeprefix("aten::")
    operations[name] += 1
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    here = [tensor for tensor in tensors if isinstance(tensor, FakeTensor)]
    _refuse_mixture(name, args, tensors, here)
    to_cpu = name == "_to_copy" and not is_fake(kwargs.get("device") or NAME)
    to_cpu |= name == "copy_" and not isinstance(args[0], FakeTensor)
    if name in READ or to_cpu or (name in INDEX and _has_boolean_index(args)):
        reads[name] += 1
    if kwargs.get("device") is not None:
        kwargs = {**kwargs, "device": torch.device("cpu")}
    done = act(*tree_map(_held, args), **tree_map(_held, kwargs))
    if to_cpu:
        return args[0] if name == "copy_" else done
    if name == "_pack_padded_sequence":  # lengths lie on the CPU on every device
        return FakeTensor(done[0]), done[1]
    known = {id(tensor.held): tensor for tensor in here} if act._schema.is_mutable else {}
    return tree_map(lambda out: _wrapped(out, known), done)


def _refuse_mixture(name: str, args: Any, tensors: list[Any], here: list[Any]) -> None:
    elsewhere = [tensor for tensor in tensors if tensor.device.type == "cpu"]
    if not here or name in CARRY:
        return
    mixed = [tensor for tensor in elsewhere if tensor.dim() > 0]  # a number may come from the CPU
    if name in INDEX and isinstance(args[0], FakeTensor):  # so may an index
        values = args[2] if len(args) > 2 else None
        mixed = [tensor for tensor in mixed if tensor is values]
    elif name in INDEX:
        mixed = [args[0]]
    if mixed:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{NAME}:0 and cpu! (in {name})"
        )


def _refuse_generator(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    generator = kwargs.get("generator")
    on_device = is_fake(kwargs.get("device")) or any(isinstance(a, FakeTensor) for a in args)
    if generator is not None and on_device and not isinstance(generator, FakeGenerator):
        raise RuntimeError(
            f"Expected a '{NAME}' device type for generator but found 'cpu' ({name})"
        )


def _has_boolean_index(args: tuple[Any, ...]) -> bool:
    return any(index is not None and index.dtype == torch.bool for index in args[1])


def _held(leaf: Any) -> Any:
    return leaf.held if isinstance(leaf, FakeTensor) else leaf


def _wrapped(out: Any, known: dict[int, FakeTensor]) -> Any:
    if not isinstance(out, torch.Tensor) or isinstance(out, FakeTensor):
        return out
    return known[id(out)] if id(out) in known else FakeTensor(out)


def _lstm_cell(i: Any, h: Any, cell: Any, b: Any = None, c: Any = None) -> Any:
    """Take the step of an LSTM that torch has in one kernel on every device but the CPU."""
    gates = i + h if b is None else i + h + b + c
    enter, keep, new, give = gates.chunk(4, dim=1)
    cell = keep.sigmoid() * cell + enter.sigmoid() * new.tanh()
    return give.sigmoid() * cell.tanh(), cell, gates


def _gru_cell(i: Any, h: Any, state: Any, b: Any = None, c: Any = None) -> Any:
    """Take the step of a GRU that torch has in one kernel on every device but the CPU."""
    i, h = (i, h) if b is None else (i + b, h + c)
    (i_reset, i_keep, i_new), (h_reset, h_keep, h_new) = i.chunk(3, dim=1), h.chunk(3, dim=1)
    keep = (i_keep + h_keep).sigmoid()
    new = (i_new + (i_reset + h_reset).sigmoid() * h_new).tanh()
    return (state - new) * keep + new, i


class _Backend:
    """What torch asks a device's module for."""

    default_generators: tuple[torch.Generator, ...] = ()

    def is_available(self) -> bool:
        return True

    is_initialized = is_available

    def _is_in_bad_fork(self) -> bool:
        return False

    def current_device(self) -> int:
        return 0

    def device_count(self) -> int:
        return 1

    def manual_seed_all(self, seed: int) -> None:
        for generator in self.default_generators:
            generator.manual_seed(seed)

    def get_rng_state(self, device: Any = 0) -> torch.Tensor:
        return self.default_generators[0].get_state()

    def set_rng_state(self, state: torch.Tensor, device: Any = 0) -> None:
        self.default_generators[0].set_state(state)

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    def synchronize(self, device: Any = None) -> None:
        operations["synchronize"] += 1


class _InFrontOfDispatch(TorchFunctionMode):
    """What torch does in C++ before an operation is looked up by device."""

    def __torch_function__(
        self, act: Any, kinds: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        first = args[0] if args else None
        device = kwargs.get("device")
        _refuse_generator(act.__name__, args, kwargs)
        if act in MADE_OF_NUMBERS and is_fake(device):
            return act(*args, **{**kwargs, "device": "cpu"}).to(device)
        if not isinstance(first, FakeTensor):
            return act(*args, **kwargs)
        if act is torch.Tensor.new_tensor:
            return torch.tensor(args[1], dtype=kwargs.get("dtype", first.dtype)).to(device or NAME)
        if act is torch.Tensor.tolist:
            return first.detach().cpu().tolist()
        if act in (torch.Tensor.numpy, torch.Tensor.__array__):
            raise TypeError("can't convert fake:0 device type tensor to numpy. Use Tensor.cpu()")
        if act is torch.Tensor.__getitem__:
            return act(first, _indices(args[1]))
        batch_first = getattr(act, "__name__", "") in ("lstm", "gru") and args[-1] is True
        if batch_first and isinstance(args[2], list):  # of packed sequences it is the fourth
            # Batch first is a transposition in place, which a wrapper's shape does not follow.
            out, *rest = act(first.transpose(0, 1).contiguous(), *args[1:-1], False, **kwargs)
            return out.transpose(0, 1).contiguous(), *rest
        return act(*args, **kwargs)


MADE_OF_NUMBERS: set[Callable[..., Any]] = {
    torch.tensor,
    torch.as_tensor,
    torch.arange,
    torch.randperm,
    torch.linspace,
    torch.eye,
}


def _indices(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_indices, key))
    return torch.tensor(key) if isinstance(key, list) else key


@cache
def install() -> list[torch.library.Library]:
    """Tell torch of the device, once a process; what is returned must stay alive.

    It has to be done before the first backward pass: with it torch starts a thread for each device
    that it knows, and never again.
    """
    backend = _Backend()
    backend.default_generators = (FakeGenerator(),)
    torch.utils.backend_registration._setup_privateuseone_for_python_backend(NAME, backend)
    everything = torch.library.Library("_", "IMPL")
    everything.fallback(lambda act, *args, **kwargs: _act(act, args, kwargs), "PrivateUse1")
    cells = torch.library.Library("aten", "IMPL")
    cells.impl("_thnn_fused_lstm_cell", _lstm_cell, "AutogradPrivateUse1")
    cells.impl("_thnn_fused_gru_cell", _gru_cell, "AutogradPrivateUse1")
    return [everything, cells]


@contextmanager
def fake_device() -> Iterator[torch.device]:
    """Give the device, with its counts at zero."""
    install()
    swapped = torch.__future__.get_swap_module_params_on_conversion()
    made = torch.Generator
    operations.clear(), reads.clear()
    # A moved module keeps its parameters' identity, as on a GPU.
    torch.__future__.set_swap_module_params_on_conversion(True)
    torch.Generator = _FakeOrNot  # type: ignore[misc,assignment]
    try:
        with _InFrontOfDispatch():
            yield torch.device(NAME, 0)
    finally:
        torch.Generator = made  # type: ignore[misc]
        torch.__future__.set_swap_module_params_on_conversion(swapped)


class _Kind(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _Generator)


_Generator = torch.Generator


class _FakeOrNot(metaclass=_Kind):
    """torch.Generator: of the device where that is asked for."""

    def __new__(cls, device: Any = "cpu") -> torch.Generator:
        return FakeGenerator() if is_fake(device) else _Generator(device)
