"""Collect the hidden states of any model's tokens, a tensor a station."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.analysis.hooks import Hook, first_of, hooked
from bottomup.analysis.samples import (
    check_finite,
    check_numbers,
    check_vectors,
)
from bottomup.checks import check_integer
from bottomup.training.modes import evaluating

Batch = Tensor | tuple[Tensor, Tensor]
Read = Callable[[nn.Module, Tensor], Sequence[Tensor]]


class TokenStates(NamedTuple):
    """The states of some tokens at each station, and what the tokens are.

    `tokens` are the types, `sentences` the numbers of the sentences they stand
    in, `positions` their places there, from 0.
    """

    states: tuple[Float[Tensor, "token d_model"], ...]
    tokens: Int64[Tensor, " token"]
    sentences: Int64[Tensor, " token"]
    positions: Int64[Tensor, " token"]

    def select(self, keep: Bool[Tensor, " token"]) -> "TokenStates":
        """Return the tokens for which `keep` is True, at every station."""
        _check_boolean("keep", keep, tuple(self.tokens.shape))
        keep = keep.to(self.tokens.device)
        if not keep.any():
            raise ValueError(
                f"keep: expected at least one True, got none of {len(keep)}"
            )
        numbers = (self.tokens, self.sentences, self.positions)
        states = tuple(h[keep] for h in self.states)
        return TokenStates(states, *(each[keep] for each in numbers))


def gather_states(
    model: nn.Module,
    batches: Iterable[Batch],
    *,
    layers: Sequence[str] | None = None,
    read: Read | None = None,
    special: Collection[int] = (),
) -> TokenStates:
    """Run batches of tokens through a model and return the hidden states.

    The model runs in evaluation mode and without gradients, and is left as it
    was. Where the states come from is said in one of three ways:

    - ``read(model, tokens)`` returns a sequence of tensors
      [batch, position, d_model]. For a model of the library transformers:
      ``lambda m, t: m(t, output_hidden_states=True).hidden_states``.
    - `layers` names submodules as `named_modules` does,
      ``["embedding", "layers.0"]``. Their outputs are taken in this order while
      ``model(tokens)`` runs; of a tuple, the first part.
    - Otherwise ``model(tokens).states``, which our own models give.

    A batch with padding comes as a pair ``(tokens, real)``, real True at real
    tokens. The model itself is given the tokens alone; where it does not find
    out by itself which are padding, `read` can tell it. A causal model that is
    padded on the right needs nothing.

    Args:
        model: any module; a batch is moved to the device of its first
            parameter.
        batches: token numbers [batch, position], or pairs of them and a boolean
            mask. Batches may differ in length.
        layers: names of submodules. Each has to run once for a batch.
        read: how to get the states, in place of `layers`.
        special: types to leave out, such as start and end.

    Returns:
        The states, by station, on the model's device; float16 and bfloat16 as
        float32. Sentences are numbered through all batches in order, and
        positions count from the left end of the row.

    Chapter 08 uses it.
    """
    _check_arguments(model, batches, layers, read)
    for token in special:
        check_integer("special", token, at_least=0)
    parts: list[TokenStates] = []
    rows = 0
    reading = _reading(model, layers, read)
    with evaluating(model), torch.no_grad(), reading as states_of:
        for number, batch in enumerate(batches):
            tokens, real = _unpacked(f"batches[{number}]", batch)
            first = next(model.parameters(), tokens)
            tokens, real = tokens.to(first.device), real.to(first.device)
            states = _checked(states_of(tokens), tokens)
            left_out = torch.isin(tokens, tokens.new_tensor(sorted(special)))
            keep = real & ~left_out  # [batch, position]
            kept = tuple(_taken(h, keep, i) for i, h in enumerate(states))
            sentence, position = keep.nonzero(as_tuple=True)
            parts.append(
                TokenStates(kept, tokens[keep], sentence + rows, position)
            )
            rows += len(tokens)
    return _joined(parts)


@contextmanager
def _reading(
    model: nn.Module, layers: Sequence[str] | None, read: Read | None
) -> Iterator[Callable[[Tensor], Any]]:
    """Give a function from tokens to states, for as long as the block lasts."""
    if read is not None:
        yield lambda tokens: read(model, tokens)
    elif layers is None:
        yield lambda tokens: _own_states(model(tokens))
    else:
        outputs: dict[str, list[Any]] = {name: [] for name in layers}
        modules = [model.get_submodule(name) for name in outputs]
        with hooked(modules, [_keeping(each) for each in outputs.values()]):
            yield lambda tokens: _outputs(model, tokens, layers, outputs)


def _own_states(output: Any) -> Any:
    if not hasattr(output, "states"):
        raise ValueError(
            "model: expected an output with the attribute states, got "
            f"{type(output).__name__}; name the submodules to read in "
            "`layers`, or say in `read` how to get the states"
        )
    return output.states


def _keeping(outputs: list[Any]) -> Hook:
    def hook(_module: nn.Module, _inputs: object, output: Any) -> None:
        first = first_of(output)
        # Cloned, since a later module may change it in place.
        outputs.append(first.clone() if isinstance(first, Tensor) else first)

    return hook


def _outputs(
    model: nn.Module,
    tokens: Tensor,
    layers: Sequence[str],
    outputs: dict[str, list[Any]],
) -> list[Any]:
    for each in outputs.values():
        each.clear()
    model(tokens)
    for name, each in outputs.items():
        if len(each) != 1:
            raise ValueError(
                "layers: expected modules that run once for a batch, got "
                f"{name!r}, which ran {len(each)} times"
            )
    return [_dense(outputs[name][0], tokens) for name in layers]


def _dense(states: Any, tokens: Tensor) -> Any:
    """Put padding back where PyTorch's own encoder cut it off for speed."""
    if not isinstance(states, Tensor) or not states.is_nested:
        return states
    return states.to_padded_tensor(0.0, (*tokens.shape, states.size(-1)))


def _taken(h: Tensor, keep: Tensor, station: int) -> Tensor:
    """Return the states to keep, [token, d_model]."""
    vectors = h.detach().to(keep.device)[keep]
    if vectors.dtype in (torch.float16, torch.bfloat16):
        vectors = vectors.float()
    check_finite(f"states[{station}]", vectors)
    return vectors


def _joined(parts: list[TokenStates]) -> TokenStates:
    if not sum(len(part.tokens) for part in parts):
        raise ValueError(
            "batches: expected at least one token that is real and not "
            f"special, got none in {len(parts)} batches"
        )
    widths = [[h.shape[1] for h in part.states] for part in parts]
    for number, found in enumerate(widths):
        if found != widths[0]:
            raise ValueError(
                f"batches[{number}]: expected states of the widths {widths[0]} "
                f"of the first batch, got {found}"
            )
    states, *numbers = zip(*parts, strict=True)
    stations = zip(*states, strict=True)
    return TokenStates(
        tuple(torch.cat(station) for station in stations),
        *(torch.cat(each) for each in numbers),
    )


def _check_arguments(
    model: Any, batches: Any, layers: Any, read: Read | None
) -> None:
    if not isinstance(model, nn.Module):
        got = type(model).__name__
        raise TypeError(f"model: expected a torch.nn.Module, got {got}")
    if isinstance(batches, Tensor) or not isinstance(batches, Iterable):
        raise TypeError(
            "batches: expected several batches, such as a list of tensors "
            f"[batch, position], got {type(batches).__name__}; put a single "
            "batch into a list"
        )
    if layers is not None and read is not None:
        raise ValueError("layers, read: expected one of them, got both")
    if read is not None and not callable(read):
        raise TypeError(
            f"read: expected a function of model and tokens, got {read!r}"
        )
    if layers is None:
        return
    strings = [isinstance(name, str) for name in layers]
    if isinstance(layers, str) or not all(strings):
        raise TypeError(f"layers: expected a list of names, got {layers!r}")
    if not strings:
        raise ValueError("layers: expected at least one name, got none")
    names = [name for name, _module in model.named_modules()]
    for name in layers:
        if name not in names:
            near = get_close_matches(name, names, n=5, cutoff=0.3)
            listed = ", ".join(map(repr, near or names[1:6])) or "none"
            raise ValueError(
                f"layers: expected names of submodules, such as {listed}, got "
                f"{name!r}; model.named_modules() lists them all"
            )


def _unpacked(name: str, batch: Any) -> tuple[Tensor, Tensor]:
    """Return tokens and which are real, both [batch, position]."""
    pair = isinstance(batch, tuple)
    if pair and len(batch) != 2:
        raise TypeError(
            f"{name}: expected tokens or a pair (tokens, real), got "
            f"{len(batch)} parts"
        )
    tokens = batch[0] if pair else batch
    check_numbers(name, tokens, "batch position")
    if not pair:
        return tokens, torch.ones_like(tokens, dtype=torch.bool)
    _check_boolean(f"{name}[1]", batch[1], tuple(tokens.shape))
    return tokens, batch[1]


def _check_boolean(name: str, mask: Tensor, shape: tuple[int, ...]) -> None:
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        got = getattr(mask, "dtype", type(mask).__name__)
        raise TypeError(f"{name}: expected a boolean tensor, got {got}")
    if tuple(mask.shape) != shape:
        got = tuple(mask.shape)
        raise ValueError(f"{name}: expected shape {shape}, got {got}")


def _checked(states: Any, tokens: Tensor) -> Sequence[Tensor]:
    if not isinstance(states, tuple | list):
        raise TypeError(
            "states: expected a sequence of tensors [batch, position, "
            f"d_model], got {type(states).__name__}"
        )
    if not states:
        raise ValueError("states: expected at least one station, got none")
    batch, position = tokens.shape
    sizes = {"batch": batch, "position": position}
    for station, h in enumerate(states):
        axes = "batch position d_model"
        check_vectors(f"states[{station}]", h, axes, **sizes)
    return states
