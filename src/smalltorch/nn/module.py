"""A module: parameters, buffers and other modules under names, and a function that uses them."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from smalltorch import dtypes
from smalltorch.autograd import detach
from smalltorch.dtypes import check_device, class_name, dtype
from smalltorch.history import Handle
from smalltorch.nn.parameter import Parameter
from smalltorch.tensor import Tensor

_STORES = ("_parameters", "_buffers", "_modules")


class Module:
    """What all modules share."""

    training: bool

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        for store in (*_STORES, "_hooks_before", "_hooks_behind"):
            object.__setattr__(self, store, {} if store in _STORES else [])
        self.__dict__["_passing"] = set()  # names of buffers that `state_dict` leaves out
        self.__dict__["training"] = True

    def forward(self, *_args: Any, **_kwargs: Any) -> Any:
        """Return what the module computes."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what `forward` returns, with the hooks before and behind it."""
        for before in list(self._hooks_before):
            changed = before(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for behind in list(self._hooks_behind):
            changed = behind(self, args, result)
            result = result if changed is None else changed
        return result

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, args)` before `forward`; it may return other arguments."""
        self._hooks_before.append(hook)
        return Handle(self._hooks_before, hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, args, result)` after `forward`; it may return another result."""
        self._hooks_behind.append(hook)
        return Handle(self._hooks_behind, hook)

    # ---- What stands under a name

    def __setattr__(self, name: str, value: Any) -> None:
        store, what = None, "parameters"
        if isinstance(value, Parameter):
            store = "_parameters"
        elif isinstance(value, Module):
            store, what = "_modules", "module"
        if store and store not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if store is None:
            store = self._store_of(name, value)
        if store is None:
            object.__setattr__(self, name, value)
            return
        self.__dict__.pop(name, None)
        for each in _STORES:
            if each != store:
                self.__dict__[each].pop(name, None)
        self.__dict__[store][name] = value

    def _store_of(self, name: str, value: Any) -> str | None:
        """Return where a value goes that is neither a parameter nor a module."""
        if name in self.__dict__.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or "
                    "None expected)"
                )
            return "_parameters"
        if name in self.__dict__.get("_modules", ()) and value is not None:
            raise TypeError(
                f"cannot assign '{_type_name(value)}' as child module '{name}' (torch.nn.Module "
                "or None "
                "expected)"
            )
        found = [store for store in _STORES if name in self.__dict__.get(store, ())]
        return found[0] if found else None

    def __getattr__(self, name: str) -> Any:
        for store in _STORES:
            if name in self.__dict__.get(store, ()):
                return self.__dict__[store][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for store in _STORES:
            if name in self.__dict__.get(store, ()):
                del self.__dict__[store][name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted(
            {*object.__dir__(self), *(name for store in _STORES for name in self.__dict__[store])}
        )

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Put a parameter, or None, under a name."""
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Put a tensor that is not learned under a name."""
        self._buffers[name] = tensor
        if not persistent:
            self._passing.add(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Put a module under a name."""
        self._modules[name] = module

    register_module = add_module

    # ---- All of them

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """Yield the names and modules directly inside."""
        met: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in met:
                met.add(id(module))
                yield name, module

    def children(self) -> Iterator["Module"]:
        """Yield the modules directly inside."""
        return (module for _name, module in self.named_children())

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = ""
    ) -> Iterator[tuple[str, "Module"]]:
        """Yield this module and all inside, each once, with its path."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _path(prefix, name))

    def modules(self) -> Iterator["Module"]:
        """Yield this module and all inside."""
        return (module for _path, module in self.named_modules())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield all parameters, each once, with their paths."""
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield all parameters."""
        return (parameter for _path, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yield all buffers, each once, with their paths."""
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield all buffers."""
        return (buffer for _path, buffer in self.named_buffers(recurse=recurse))

    def _named(self, store: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        met: set[int] = set()
        inside = self.named_modules(prefix=prefix) if recurse else [(prefix, self)]
        for path, module in inside:
            for name, value in module.__dict__[store].items():
                if value is not None and id(value) not in met:
                    met.add(id(value))
                    yield _path(path, name), value

    def get_submodule(self, target: str) -> "Module":
        """Return the module at a path."""
        module = self
        for name in target.split(".") if target else ():
            module = getattr(module, name)
        return module

    def apply(self, fn: Callable[["Module"], Any]) -> "Module":
        """Call a function with every module inside, this one last."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> "Module":
        """Have all modules inside behave as in training."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> "Module":
        """Have all modules inside behave as after training."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> "Module":
        """Have all parameters ask for gradients, or none."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self.parameters():
            parameter.grad = None

    # ---- Saving, loading, converting

    def state_dict(self) -> dict[str, Tensor]:
        """Return all parameters and lasting buffers, without their history."""
        state: dict[str, Tensor] = OrderedDict()
        for path, module in self.named_modules():
            for store in ("_parameters", "_buffers"):
                for name, value in module.__dict__[store].items():
                    if value is not None and name not in module._passing:
                        state[_path(path, name)] = detach(value)
        return state

    def load_state_dict(self, state_dict: Mapping[str, Tensor], strict: bool = True) -> "_Loaded":
        """Copy tensors into the parameters and buffers of the same names."""
        own, wrong = self.state_dict(), []
        loaded = _Loaded(
            [name for name in own if name not in state_dict],
            [name for name in state_dict if name not in own],
        )
        for what, names in (
            ("Unexpected", loaded.unexpected_keys),
            ("Missing", loaded.missing_keys),
        ):
            if strict and names:
                quoted = ", ".join(f'"{name}"' for name in names)
                wrong.append(f"{what} key(s) in state_dict: {quoted}. ")
        for name in own.keys() & state_dict.keys():
            if own[name].shape == state_dict[name].shape:
                own[name].copy_(detach(state_dict[name]))
            else:
                wrong.append(
                    f"size mismatch for {name}: copying a param with shape "
                    f"{state_dict[name].shape} "
                    f"from checkpoint, the shape in current model is {own[name].shape}."
                )
        if wrong:
            lines = "\n\t".join(wrong)
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}"
            )
        return loaded

    def to(self, *args: Any, dtype: Any = None, device: Any = None) -> "Module":
        """Convert the floats among parameters and buffers to a dtype."""
        for each in args:
            if isinstance(each, dtypes.dtype):
                dtype = each
            elif isinstance(each, Tensor):
                dtype = each.dtype
            elif not isinstance(each, bool):
                device = each
        check_device(device)
        return self if dtype is None else self._converted(dtype)

    def double(self) -> "Module":
        """Convert to float64."""
        return self._converted(dtypes.float64)

    def float(self) -> "Module":
        """Convert to float32."""
        return self._converted(dtypes.float32)

    def half(self) -> "Module":
        """Convert to float16."""
        return self._converted(dtypes.float16)

    def bfloat16(self) -> "Module":
        """Convert to bfloat16."""
        return self._converted(dtypes.bfloat16)

    def cpu(self) -> "Module":
        """Return the module: it is on the processor."""
        return self

    def _converted(self, kind: dtype) -> "Module":
        for module in self.modules():
            for parameter in module._parameters.values():
                if parameter is not None and parameter.is_floating_point():
                    parameter.data = detach(parameter).to(kind)
                    if parameter.grad is not None:
                        parameter.grad = parameter.grad.to(kind)
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer.is_floating_point():
                    module._buffers[name] = buffer.to(kind)
        return self

    # ---- Printing

    def extra_repr(self) -> str:
        """Return what stands in the parentheses."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        if not lines:
            return f"{type(self).__name__}({extra})"
        above = [extra] if extra else []
        inside = "\n  ".join([*above, *lines])
        return f"{type(self).__name__}(\n  {inside}\n)"


class _Loaded(NamedTuple):
    """Which names `load_state_dict` missed, and which it had no use for."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


def _path(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _type_name(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"torch.{class_name(value.dtype)}Tensor"
    return type(value).__qualname__
