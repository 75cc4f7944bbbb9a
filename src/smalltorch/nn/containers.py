"""Modules that hold modules or parameters."""

from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any

from smalltorch.nn.module import Module


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
