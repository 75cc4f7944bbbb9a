"""A module: parameters, buffers and other modules under names, and a function that uses them."""

from collections.abc import Iterator
from typing import Any

from smalltorch.dtypes import class_name
from smalltorch.names import known_names
from smalltorch.nn.parameter import Parameter
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor

_STORES = ("_parameters", "_buffers", "_modules")


class Module:
    """What all modules share."""

    training: bool

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        for store in _STORES:
            self.__dict__[store] = {}
        self.__dict__["training"] = True

    def forward(self, *_args: Any, **_kwargs: Any) -> Any:
        """Return what the module computes."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what `forward` returns."""
        return self.forward(*args, **kwargs)

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
        if name in known_names()["Module"]:
            raise not_here(f"nn.Module.{name}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Put a parameter, or None, under a name."""
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Put a tensor that is not learned under a name."""
        self._buffers[name] = tensor

    def add_module(self, name: str, module: "Module | None") -> None:
        """Put a module under a name."""
        self._modules[name] = module

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

    def _named(self, store: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        met: set[int] = set()
        inside = self.named_modules(prefix=prefix) if recurse else [(prefix, self)]
        for path, module in inside:
            for name, value in module.__dict__[store].items():
                if value is not None and id(value) not in met:
                    met.add(id(value))
                    yield _path(path, name), value

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


def _path(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _type_name(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"torch.{class_name(value.dtype)}Tensor"
    return type(value).__qualname__
