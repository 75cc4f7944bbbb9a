"""Forward hooks on some parts of a model, gone when the block ends."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import nn

from bottomup.checks import check_integer

Hook = Callable[[nn.Module, Any, Any], Any]


@contextmanager
def hooked(
    modules: Sequence[nn.Module], hooks: Sequence[Hook]
) -> Iterator[None]:
    """Register a forward hook on each module for as long as the block lasts."""
    with ExitStack() as stack:
        for module, hook in zip(modules, hooks, strict=True):
            stack.callback(module.register_forward_hook(hook).remove)
        yield


def first_of(output: Any) -> Any:
    """Return an output without what comes with it, such as weights."""
    return output[0] if isinstance(output, tuple | list) and output else output


def with_first(output: Any, new: Any) -> Any:
    """Return an output with something else at the place of `first_of`."""
    if not isinstance(output, tuple | list) or not output:
        return new
    parts = [new, *output[1:]]
    if hasattr(output, "_make"):  # of named parts
        return output._make(parts)
    return parts if isinstance(output, list) else tuple(parts)


def parts_of(model: nn.Module, layer: int | None, part: str) -> list[nn.Module]:
    """Return a part of one of the model's layers, or, for None, of each."""
    layers = getattr(model, "layers", None)
    if not isinstance(layers, nn.ModuleList) or len(layers) == 0:
        got = type(model).__name__
        raise ValueError(f"model: expected a model with layers, got {got}")
    if layer is not None:
        check_integer("layer", layer, at_least=0)
        if layer >= len(layers):
            wanted = f"a number in [0, {len(layers)})"
            raise ValueError(f"layer: expected {wanted}, got {layer}")
    chosen = list(layers) if layer is None else [layers[layer]]
    for one in chosen:
        if not isinstance(getattr(one, part, None), nn.Module):
            wanted = f"a part of {type(one).__name__}"
            raise ValueError(f"part: expected {wanted}, got {part!r}")
    return [getattr(one, part) for one in chosen]
