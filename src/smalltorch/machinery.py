"""What a library asks torch about itself: nothing here is compiled, traced or transformed."""

from types import SimpleNamespace


class SymInt:
    """A size that is not known yet, as while a program is traced: here there is none."""


compiler = SimpleNamespace(is_compiling=lambda: False)
amp = SimpleNamespace(is_autocast_available=lambda device: device == "cpu")
forward_ad = SimpleNamespace(_current_level=-1)
ops = SimpleNamespace(aten=SimpleNamespace())  # none of torch's own kernels
_C = SimpleNamespace(
    _functorch=SimpleNamespace(maybe_current_level=lambda: None),
    _TorchDispatchModeKey=SimpleNamespace(FAKE=None),
    _get_dispatch_mode=lambda key: None,
)

FUNCTIONS = "SymInt compiler amp ops _C"
