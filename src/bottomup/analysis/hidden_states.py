"""Collect the hidden states of any model's tokens, one tensor for each station."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.checks import check_integer, check_tensor
from bottomup.training.modes import evaluating

Batch = Tensor | tuple[Tensor, Tensor]
Read = Callable[[nn.Module, Tensor], Sequence[Tensor]]
Reader = Callable[[Tensor], Any]


class TokenStates(NamedTuple):
    """The states of some tokens at each station, and what the tokens are.

    `states` holds a tensor [token, d_model] for each station. `tokens` are the types, `sentences`
    the numbers of the sentences they stand in, `positions` their places there, from 0.
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
        return TokenStates(
            tuple(h[keep] for h in self.states),
            self.tokens[keep],
            self.sentences[keep],
            self.positions[keep],
        )


def gather_states(
    model: nn.Module,
    batches: Iterable[Batch],
    *,
    layers: Sequence[str] | None = None,
    read: Read | None = None,
    special: Collection[int] = (),
) -> TokenStates:
    """Run batches of tokens through a model and return the hidden states of each real token.

    The model runs in evaluation mode and without gradients, and is left as it was. Where the
    states come from is said in one of three ways:

    - ``read(model, tokens)`` returns a sequence of tensors [batch, position, d_model]. For a model
      of the library transformers:
      ``lambda m, t: m(t, output_hidden_states=True).hidden_states``.
    - `layers` names submodules as `named_modules` does, ``["embedding", "layers.0"]``. Their
      outputs are taken in this order while ``model(tokens)`` runs; of a tuple, the first part.
    - Otherwise ``model(tokens).states``, which the models of this package give.

    Padding would be averaged in as if it were text, so a batch with padding comes as a pair
    ``(tokens, real)``, real True at real tokens. The model itself is given the tokens alone. It has
    to know which are padding, for its attention to leave them out; where it does not find out by
    itself, `read` can tell it. A causal model that is padded on the right needs nothing.

    Args:
        model: any module; a batch is moved to the device of its first parameter.
        batches: token numbers [batch, position], or pairs of them and a boolean mask. Batches may
            differ in length.
        layers: names of submodules. Each has to run once for a batch.
        read: how to get the states, in place of `layers`.
        special: types to leave out, such as start and end.

    Returns:
        The states, by station, on the model's device; float16 and bfloat16 as float32. Sentences
        are numbered through all batches in order, and positions count from the left end of the row.

    Chapter 08 uses it.
    """
    _check_arguments(model, batches, layers, read, special)
    parts: list[TokenStates] = []
    rows = 0
    with (
        evaluating(model),
        torch.no_grad(),
        _reading(model, layers, read) as reader,
    ):
        for number, batch in enumerate(batches):
            tokens, real = _unpack(f"batches[{number}]", batch)
            device = _device(model, tokens)
            tokens, real = tokens.to(device), real.to(device)
            states = _checked(reader(tokens), tokens)
            keep = real & ~torch.isin(
                tokens, tokens.new_tensor(sorted(special))
            )
            parts.append(_flat(states, tokens, keep, rows))
            rows += len(tokens)
    return _joined(parts)


def _check_arguments(
    model: nn.Module,
    batches: Iterable[Batch],
    layers: Sequence[str] | None,
    read: Read | None,
    special: Collection[int],
) -> None:
    """Check everything that can be checked before the model runs."""
    if not isinstance(model, nn.Module):
        raise TypeError(
            f"model: expected a torch.nn.Module, got {type(model).__name__}"
        )
    if isinstance(batches, Tensor) or not isinstance(batches, Iterable):
        raise TypeError(
            "batches: expected several batches, such as a list of tensors [batch, position], got "
            f"{type(batches).__name__}; put a single batch into a list"
        )
    if layers is not None and read is not None:
        raise ValueError("layers, read: expected one of them, got both")
    if read is not None and not callable(read):
        raise TypeError(
            f"read: expected a function of model and tokens, got {read!r}"
        )
    for token in special:
        check_integer("special", token, at_least=0)
    if layers is not None:
        _check_layers(model, layers)


def _check_boolean(name: str, mask: Tensor, shape: tuple[int, ...]) -> None:
    """Check a boolean tensor of a given shape."""
    check_tensor(name, mask)
    if mask.dtype != torch.bool:
        raise TypeError(
            f"{name}: expected a boolean tensor, got dtype {mask.dtype}"
        )
    if tuple(mask.shape) != shape:
        raise ValueError(
            f"{name}: expected shape {shape}, got {tuple(mask.shape)}"
        )


def _check_layers(model: nn.Module, layers: Sequence[str]) -> None:
    if isinstance(layers, str) or not all(
        isinstance(name, str) for name in layers
    ):
        raise TypeError(f"layers: expected a list of names, got {layers!r}")
    if not len(layers):
        raise ValueError("layers: expected at least one name, got none")
    names = [name for name, _module in model.named_modules()]
    for name in layers:
        if name not in names:
            near = (
                get_close_matches(name, names, n=5, cutoff=0.3)
                or [n for n in names if n][:5]
            )
            listed = ", ".join(repr(other) for other in near) or "none"
            raise ValueError(
                f"layers: expected names of submodules, such as {listed}, got {name!r}; "
                "model.named_modules() lists them all"
            )


@contextmanager
def _reading(
    model: nn.Module, layers: Sequence[str] | None, read: Read | None
) -> Iterator[Reader]:
    """Give a function from tokens to states, for as long as the block lasts."""
    if read is not None:
        yield lambda tokens: read(model, tokens)
    elif layers is None:
        yield lambda tokens: _own_states(model(tokens))
    else:
        with ExitStack() as stack:
            found: dict[str, list[Any]] = {name: [] for name in layers}
            for name, outputs in found.items():
                hook = model.get_submodule(name).register_forward_hook(
                    _keep(outputs)
                )
                stack.callback(hook.remove)
            yield lambda tokens: _hooked(model, tokens, layers, found)


def _own_states(output: Any) -> Any:
    if not hasattr(output, "states"):
        raise ValueError(
            "model: expected an output with the attribute states, got "
            f"{type(output).__name__}; name the submodules to read in `layers`, or say in `read` "
            "how to get the states"
        )
    return output.states


def _keep(outputs: list[Any]) -> Callable[..., None]:
    def hook(_module: nn.Module, _inputs: object, output: Any) -> None:
        first = (
            output[0]
            if isinstance(output, tuple | list) and len(output)
            else output
        )
        # cloned, since a later module may change it in place
        outputs.append(first.clone() if isinstance(first, Tensor) else first)

    return hook


def _hooked(
    model: nn.Module,
    tokens: Tensor,
    layers: Sequence[str],
    found: dict[str, list[Any]],
) -> list[Any]:
    for outputs in found.values():
        outputs.clear()
    model(tokens)
    for name, outputs in found.items():
        if len(outputs) != 1:
            raise ValueError(
                f"layers: expected modules that run once for a batch, got {name!r}, which ran "
                f"{len(outputs)} times"
            )
    return [_dense(found[name][0], tokens) for name in layers]


def _dense(states: Any, tokens: Tensor) -> Any:
    """Put padding back where PyTorch's own encoder has cut it off for speed."""
    if not isinstance(states, Tensor) or not states.is_nested:
        return states
    return states.to_padded_tensor(0.0, (*tokens.shape, states.size(-1)))


def _unpack(name: str, batch: Any) -> tuple[Tensor, Tensor]:
    pair = isinstance(batch, tuple)
    if pair and len(batch) != 2:
        raise TypeError(
            f"{name}: expected tokens or a pair (tokens, real), got {len(batch)} parts"
        )
    tokens = batch[0] if pair else batch
    check_tensor(name, tokens)
    if tokens.dtype != torch.int64:
        raise TypeError(
            f"{name}: expected token numbers of dtype torch.int64, got {tokens.dtype}"
        )
    if tokens.dim() != 2 or 0 in tokens.shape:
        raise ValueError(
            f"{name}: expected non-empty axes [batch, position], got {tuple(tokens.shape)}"
        )
    if tokens.min() < 0:
        raise ValueError(
            f"{name}: expected token numbers of at least 0, got {int(tokens.min())}"
        )
    if not pair:
        return tokens, torch.ones_like(tokens, dtype=torch.bool)
    _check_boolean(f"{name}[1]", batch[1], tuple(tokens.shape))
    return tokens, batch[1]


def _device(model: nn.Module, tokens: Tensor) -> torch.device:
    first = next(model.parameters(), None)
    return tokens.device if first is None else first.device


def _checked(states: Any, tokens: Tensor) -> tuple[Tensor, ...]:
    if not isinstance(states, tuple | list):
        raise TypeError(
            "states: expected a sequence of tensors [batch, position, d_model], got "
            f"{type(states).__name__}"
        )
    if not states:
        raise ValueError("states: expected at least one station, got none")
    for station, h in enumerate(states):
        check_tensor(f"states[{station}]", h, floating=True)
        if h.dim() != 3 or h.shape[:2] != tokens.shape or not h.shape[2]:
            batch, position = tokens.shape
            raise ValueError(
                f"states[{station}]: expected axes [batch={batch}, position={position}, d_model], "
                f"got shape {tuple(h.shape)}"
            )
    return tuple(states)


def _flat(
    states: tuple[Tensor, ...], tokens: Tensor, keep: Tensor, row: int
) -> TokenStates:
    """Take the tokens to keep out of a batch whose first row has number `row`."""
    sentence, position = keep.nonzero(as_tuple=True)
    kept = []
    for station, h in enumerate(states):
        vectors = h.detach().to(keep.device)[keep]
        if vectors.dtype in (torch.float16, torch.bfloat16):
            vectors = vectors.float()
        finite = vectors.isfinite()
        if not finite.all():
            wrong = vectors[~finite][0].item()
            raise ValueError(
                f"states[{station}]: expected finite numbers, got {wrong}"
            )
        kept.append(vectors)
    return TokenStates(tuple(kept), tokens[keep], sentence + row, position)


def _joined(parts: list[TokenStates]) -> TokenStates:
    if not sum(len(part.tokens) for part in parts):
        raise ValueError(
            f"batches: expected at least one token that is real and not special, got none in "
            f"{len(parts)} batches"
        )
    widths = [[h.shape[1] for h in part.states] for part in parts]
    for number, found in enumerate(widths):
        if found != widths[0]:
            raise ValueError(
                f"batches[{number}]: expected states of the widths {widths[0]} of the first batch, "
                f"got {found}"
            )
    stations = zip(*(part.states for part in parts), strict=True)
    return TokenStates(
        tuple(torch.cat(station) for station in stations),
        torch.cat([part.tokens for part in parts]),
        torch.cat([part.sentences for part in parts]),
        torch.cat([part.positions for part in parts]),
    )
