"""Run an attention by itself, outside its model, and leave no trace of it."""

import inspect
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.analysis.hooks import first_of
from bottomup.precision import widened
from bottomup.training.generators import Generators

# What tells which positions are hidden, what is remembered, what is returned:
# left out, it changes no score. So may whatever is named "… mask" be.
_NEUTRAL = set(
    "attend average_attn_weights cache cache_position causal dropout is_causal "
    "layer_past need_weights output_attentions past_key_value past_key_values "
    "return_weights use_cache".split()
)
# What keys and values are made of.
_KEYS = set(
    "context encoder_hidden_states k key key_states key_value_states keys "
    "memory v value value_states values".split()
)


class Alone(NamedTuple):
    """What an attention did with the vectors that it was given.

    Keys and values were made of `y`. `read` is what the heads read, side by
    side, and `mixed` what the map behind them made of it; `output` is the
    attention's.
    """

    y: Float[Tensor, "batch key d_model"]
    read: Float[Tensor, "batch query width"]
    mixed: Float[Tensor, "batch query d_model"]
    output: Float[Tensor, "batch query d_model"]


def unknown_inputs(attention: nn.Module) -> list[str]:
    """Return the inputs, such as positions, without which no run is complete.

    Those that an attention's `forward` takes beside x, keys, masks and a cache,
    and those that are optional for one of its parts.

    Chapter 09 uses it.
    """
    unknown: list[str] = []
    for part in attention.modules():
        if type(part).__module__.startswith("torch."):
            continue  # a plain map, a norm
        first, *others = _inputs(part)
        if first.kind is first.VAR_POSITIONAL:
            unknown.append(f"*{first.name}")
        if part is not attention:  # the attention gives a part what it needs
            others = [each for each in others if each.default is not each.empty]
        unknown += [each.name for each in others if not _known(each)]
    return list(dict.fromkeys(unknown))


def run_alone(
    attention: nn.Module,
    mix: str,
    x: Float[Tensor, "batch query d_model"],
    y: Float[Tensor, "batch key d_model"],
) -> Alone:
    """Run an attention on vectors alone: no mask, no positions, no memory.

    It is given x, and y where it takes keys of its own or does not run without
    them. A copy runs that shares its numbers, in evaluation mode and in float32
    where they have 16 bits: no hook is called, and mode, generators and what
    the attention keeps are left as they were. What it raises is raised.

    Args:
        attention: a module of this package or of another library.
        mix: the name of its part that mixes the heads.
        x, y: float32 or float64.

    Chapter 09 uses it.
    """
    bare = bare_copy(attention)
    seen: list[tuple[Tensor, Tensor]] = []

    def keep(_module: nn.Module, inputs: Any, output: Any) -> None:
        seen.append((inputs[0], output))

    bare.get_submodule(mix).register_forward_hook(keep)
    needed, asked = {}, {}
    for each in _inputs(bare)[1:]:
        if each.name in _KEYS:
            asked[each.name] = y
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD:
            needed[each.name] = y if each.name in _KEYS else None
    with torch.no_grad(), Generators(bare).forked():
        try:
            output = bare(x, **needed)
        except Exception:
            if asked.keys() <= needed.keys():
                raise
            needed |= asked
            seen.clear()
            output = bare(x, **needed)
    if len(seen) != 1:
        raise RuntimeError(f"{mix} ran {len(seen)} times")
    crossing = asked.keys() & needed.keys()
    return Alone(y if crossing else x, *seen[0], first_of(output))


@contextmanager
def exactly(device: torch.device) -> Iterator[None]:
    """Round products of float32 as float32 inside the block.

    No autocast, no TF32, no bfloat16 within a product.

    Chapter 09 uses it.
    """
    with ExitStack() as stack:
        stack.enter_context(torch.autocast(device.type, enabled=False))
        with suppress(RuntimeError):  # set for each backend: left as it is
            before = torch.get_float32_matmul_precision()
            stack.callback(torch.set_float32_matmul_precision, before)
            torch.set_float32_matmul_precision("highest")
        yield


def _inputs(module: nn.Module) -> list[inspect.Parameter]:
    return list(inspect.signature(module.forward).parameters.values())


def _known(given: inspect.Parameter) -> bool:
    if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD):
        return True
    name = given.name
    return name in _NEUTRAL or name in _KEYS or name.endswith("mask")


def bare_copy(module: nn.Module) -> nn.Module:
    """Return a copy that shares the numbers and has no hooks.

    It is in evaluation mode, and numbers of 16 bits are float32.

    Chapter 09 uses it.
    """
    bare = object.__new__(type(module))  # copy.copy refuses parametrised maps
    state = vars(bare)
    state |= vars(module) | {"training": False, "_compiled_call_impl": None}
    state |= {name: OrderedDict() for name in state if name.endswith("_hooks")}
    for name in ("_parameters", "_buffers"):
        state[name] = {
            key: x if x is None else widened(x.detach())
            for key, x in state[name].items()
        }
    state["_modules"] = {
        name: None if part is None else bare_copy(uncompiled(part))
        for name, part in state["_modules"].items()
    }
    return bare


def uncompiled(module: nn.Module) -> nn.Module:
    """Return the module that `torch.compile` wraps, any other as it is.

    Chapter 09 uses it.
    """
    inner = getattr(module, "_orig_mod", module)
    return inner if isinstance(inner, nn.Module) else module
