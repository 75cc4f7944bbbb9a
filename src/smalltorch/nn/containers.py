"""Modules that hold modules or parameters."""

from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any

from smalltorch.nn.module import Module
from smalltorch.nn.parameter import Parameter
from smalltorch.tensor import Tensor


class _Numbered(Module):
    """Modules under the names "0", "1", …"""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def append(self, module: Module) -> "_Numbered":
        """Put a module behind the last one."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> "_Numbered":
        """Put modules behind the last one."""
        for module in modules:
            self.append(module)
        return self

    def _name(self, at: Any) -> str:
        place = index(at)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} is out of range")
        name: str = list(self._modules)[place]
        return name

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __contains__(self, module: Module) -> bool:
        return any(module is each for each in self)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return self._of(dict(list(self._modules.items())[at]))
        return self._modules[self._name(at)]

    def __setitem__(self, at: int, module: Module) -> None:
        setattr(self, self._name(at), module)

    @classmethod
    def _of(cls, modules: dict[str, Module]) -> "_Numbered":
        return cls(modules.values())


class ModuleList(_Numbered):
    """A list of modules."""

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList([*self, *other])


class Sequential(_Numbered):
    """Modules of which each gets what the one before returns."""

    def __init__(self, *args: Any) -> None:
        if len(args) == 1 and isinstance(args[0], Mapping):
            super().__init__()
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            super().__init__(args)

    @classmethod
    def _of(cls, modules: dict[str, Module]) -> "Sequential":
        return cls(modules)  # the names stay

    def forward(self, input: Any) -> Any:
        """Return what the last module returns."""
        for module in self:
            input = module(input)
        return input


class ModuleDict(Module):
    """Modules under names."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module]) -> None:
        """Add modules, or put them in place of others."""
        for name, module in modules.items():
            self.add_module(name, module)

    def __getitem__(self, name: str) -> Module:
        return self._modules[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, name: str) -> bool:
        return name in self._modules

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._modules.keys()

    def values(self) -> Iterable[Module]:
        """Return the modules."""
        return self._modules.values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Return names and modules."""
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Tensor] = ()) -> None:
        super().__init__()
        for value in values:
            self.append(value)

    def append(self, value: Tensor) -> "ParameterList":
        """Put a parameter behind the last one."""
        own = value if isinstance(value, Parameter) else Parameter(value)
        self.register_parameter(str(len(self)), own)
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters.values())

    def __getitem__(self, at: int) -> Parameter:
        return list(self)[at]
