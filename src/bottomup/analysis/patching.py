"""Patching: what a part puts out is kept in one run and put into another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.analysis.heads import has_heads, head_maps
from bottomup.analysis.hooks import first_of, with_first
from bottomup.checks import (
    check_mask,
    check_tensor,
    checked,
    is_traced,
    may_meet,
)

Change = Callable[[Tensor], Tensor]


@contextmanager
def kept(model: nn.Module, parts: Sequence[str]) -> Iterator[dict[str, Tensor]]:
    """Keep what parts of a model put out while the block runs it.

    ::

        with kept(model, ["layers.0:1", "layers.1.W_K"]) as outputs:
            model(tokens)
        outputs["layers.0:1"]  # [batch, position, d_value]

    A part is named in one of two ways:

    - as a submodule, as `named_modules` does: a sublayer
      ``decoder_layers.0.cross_attention``, a map ``layers.1.W_K``, a station of
      the stream ``encoder_layers.0`` or ``encoder_norm``, which is the memory.
      Of an output with weights it is the output.
    - as a head, the name of an attention with the head's number from 0 behind a
      colon: what the head has read before W_O mixes it with the others.

    Args:
        model: a model of this package, or any module that calls its submodules
            once in a run. Decoding token by token calls them once a token. Of
            another library's model, heads are found where `head_maps` can read
            the attention.
        parts: their names.

    Chapter 09 uses it.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> model = LanguageModel(config)
        >>> with kept(model, ["layers.0.attention:1"]) as outputs:
        ...     output = model(torch.tensor([[5, 6, 7]]))
        >>> outputs["layers.0.attention:1"].shape  # what head 1 has read
        torch.Size([1, 3, 2])
    """
    found = _find(model, _names(parts))
    outputs: dict[str, Tensor] = {}

    def keeping(name: str) -> Change:
        def keep(output: Tensor) -> Tensor:
            if name in outputs:
                wanted = "parts that run once while the block lasts"
                raise ValueError(
                    f"parts: expected {wanted}, got {name!r} again"
                )
            outputs[name] = output.detach().clone()
            return output

        return keep

    with _changing([(found[name], keeping(name)) for name in found]):
        yield outputs


@contextmanager
def patched(
    model: nn.Module,
    patches: Mapping[str, Tensor | Change],
    *,
    where: Bool[Tensor, "batch position"] | None = None,
) -> Iterator[None]:
    """Put something else in the place of what parts put out.

    ::

        with kept(model, ["encoder_norm"]) as clean:
            model(batch)
        with patched(model, clean, where=places):
            logits = model(corrupted).logits

    With ``where`` the part puts out ``where v + (1 - where) output``, v being
    what is put in its place. What stands behind the part, such as W_O or the
    addition to the stream, works on with it. No module is changed, and
    gradients pass.

    A path from one part to another is cut so that it alone is patched: what
    the keys of layer 1 would be without layer 0 is
    ``layers.1.W_K`` of the stream at its start, and put in the place of
    ``layers.1.W_K`` it leaves queries and values as they are.

    Args:
        model: as in `kept`.
        patches: names of parts as in `kept`, each with a tensor of the shape
            of its output, [batch, position, width], or with a function from
            its output to such a tensor, such as `torch.zeros_like`.
        where: True = replaced; broadcasts to [batch, position]. None: all.

    Source: Heimersheim and Nanda (2024), section 2, for the technique and its
    directions; Wang et al. (2023), section 3.1, for paths. Chapter 09 uses it.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> model, tokens = LanguageModel(config), torch.tensor([[5, 6, 7]])
        >>> with kept(model, ["layers.0"]) as clean:
        ...     wanted = model(tokens).logits
        >>> with patched(model, clean):  # the stream of another sentence
        ...     found = model(torch.tensor([[8, 9, 4]])).logits
        >>> torch.allclose(found, wanted)
        True
    """
    changes = []
    for name, part in _find(model, list(patches)).items():
        value = patches[name]
        if not callable(value):
            check_tensor(f"patches[{name!r}]", value, floating=True)
        changes.append((part, _putting(name, value, where)))
    with _changing(changes):
        yield


@checked
def patching_effect(
    clean: Float[Tensor, "*leading"],
    corrupted: Float[Tensor, "*leading"],
    patched: Float[Tensor, "*leading"],
) -> Float[Tensor, "*leading"]:
    """Return what share of the way from corrupted to clean a patch goes.

    ``(patched - corrupted) / (clean - corrupted)``

    With clean states in the corrupted run (denoising) 1 means that the patch
    brings the clean answer back and 0 that it does nothing. With corrupted
    states in the clean run (noising) 1 means that it does nothing, and
    ``1 - effect`` is the share that is lost. Values below 0 and above 1 occur.

    Args:
        clean, corrupted, patched: the same measure in three runs, best a
            difference of two logits, which adds up over the parts.

    Source: Wang et al. (2023), section 2, and Heimersheim and Nanda (2024),
    sections 2 and 4, for directions and measures. Chapter 09 uses it.

    Example:
        >>> clean, corrupted = torch.tensor(4.0), torch.tensor(0.0)
        >>> patching_effect(clean, corrupted, torch.tensor(3.0))
        tensor(0.7500)
    """
    between = clean - corrupted
    if not is_traced() and (between == 0).any():
        raise ValueError(
            "clean, corrupted: expected runs that differ in the measure, got "
            f"{int((between == 0).sum())} of {between.numel()} that do not"
        )
    return (patched - corrupted) / between


class _Part(NamedTuple):
    """A module whose output is meant, or some columns of what it reads."""

    module: nn.Module
    columns: slice | None


def _names(parts: Sequence[str]) -> Sequence[str]:
    if isinstance(parts, str) or not all(isinstance(p, str) for p in parts):
        raise TypeError(f"parts: expected a list of names, got {parts!r}")
    return parts


def _find(model: nn.Module, names: Sequence[str]) -> dict[str, _Part]:
    """Return parts by their names; an error lists what the model has."""
    modules = dict(model.named_modules(remove_duplicate=False))
    maps_of = cache(head_maps)  # once for all heads of an attention
    found = {}
    for name in names:
        module_name, colon, number = name.partition(":")
        if not module_name or module_name not in modules:
            attentions = [each for each in modules if has_heads(modules[each])]
            wanted = "a submodule's name, a head's as in 'layers.0:1'"
            raise ValueError(
                f"part: expected {wanted}, got {name!r}; the attentions are "
                f"{', '.join(map(repr, attentions)) or 'none'}"
            )
        module = modules[module_name]
        if not colon:
            found[name] = _Part(module, None)
            continue
        try:
            maps = maps_of(module)
        except TypeError as error:
            wanted = "a head of an attention whose heads are known"
            got = type(module).__name__
            raise ValueError(
                f"part: expected {wanted}, got {name!r} of a {got}"
            ) from error
        num_heads, width, _d_model = maps.output.shape
        if not number.isdecimal() or int(number) >= num_heads:
            wanted = f"a head's number below {num_heads}"
            raise ValueError(f"part: expected {wanted}, got {name!r}")
        start = int(number) * width
        found[name] = _Part(maps.mix, slice(start, start + width))
    return found


@contextmanager
def _changing(changes: Sequence[tuple[_Part, Change]]) -> Iterator[None]:
    """Register a hook for each change for as long as the block lasts."""
    with ExitStack() as stack:
        for (module, columns), change in changes:
            if columns is None:
                handle = module.register_forward_hook(_output(change))
            else:
                before = _input(columns, change)
                handle = module.register_forward_pre_hook(before)
            stack.callback(handle.remove)
        yield


def _output(change: Change) -> Callable[..., Any]:
    def hook(_module: nn.Module, _inputs: object, output: Any) -> Any:
        return with_first(output, change(first_of(output)))

    return hook


def _input(columns: slice, change: Change) -> Callable[..., Any]:
    """Return a hook that changes a head's columns of what W_O reads."""

    def hook(_module: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        merged = inputs[0].clone()  # [batch, position, heads * d_value]
        merged[..., columns] = change(inputs[0][..., columns])
        return (merged,)

    return hook


def _putting(name: str, value: Tensor | Change, where: Tensor | None) -> Change:
    def put(output: Tensor) -> Tensor:
        new = value(output) if callable(value) else value
        if new.shape != output.shape:
            wanted, got = tuple(output.shape), tuple(new.shape)
            raise ValueError(
                f"patches[{name!r}]: expected shape {wanted}, got {got}"
            )
        if not may_meet(new.dtype, output.dtype, output.device):
            raise TypeError(
                f"patches[{name!r}]: expected dtype {output.dtype}, "
                f"got {new.dtype}"
            )
        if where is None:
            return new
        check_mask("where", where, tuple(output.shape[:2]))
        return torch.where(where[..., None], new, output)

    return put
