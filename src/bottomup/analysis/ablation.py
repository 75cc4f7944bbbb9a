"""Ablation: replace what a part of the model adds to the stream, and see what is missing then."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.checks import (
    check_choice,
    check_generator,
    check_integer,
    check_tensor,
)
from bottomup.training.modes import evaluating

PARTS = ("attention", "feed_forward")
KINDS = ("zero", "mean", "resample")

Replacement = Callable[[Tensor], Tensor]


@contextmanager
def ablated(
    model: nn.Module,
    *,
    layer: int | None,
    part: str,
    kind: str,
    reference: Int64[Tensor, "sequence position"] | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[None]:
    """Replace the output of a part of the model for as long as the block lasts.

    ::

        with ablated(model, layer=1, part="feed_forward", kind="mean", reference=tokens):
            without = model(tokens).logits

    - "zero": the part adds nothing. The stream then is one that the later layers may never have
      met, so a loss can also mean that they are confused.
    - "mean": the part adds, at each position, the mean of its outputs over the sequences of
      `reference`: what it adds whatever the sequence is. They run through the model once, when the
      block is entered, in evaluation mode.
    - "resample": the part adds what it computed for another sequence of the batch. The sequences
      stand in a circle, drawn at random, and each takes from its neighbour: no sequence keeps its
      own. The circle is drawn once for each size of batch and then holds for every layer and every
      call inside the block.

    The update is replaced before it is written to the stream, so what stands around the part,
    LayerNorm, dropout and addition, stays. The weights that a layer returns are those it computed.

    Args:
        model: a model with `layers`, each with the part as an attribute.
        layer: number of the layer from 0, or None for all layers.
        part: "attention" or "feed_forward".
        kind: "zero", "mean" or "resample".
        reference: token numbers, without padding; needed for "mean", and at least as long as the
            sequences that run inside the block.
        generator: draws the circle; needed for "resample".

    Chapter 04 tells with it which part joins two names and which one knows the answer.
    """
    parts = _find_parts(model, layer, part)
    replacements = _replacements(kind, model, parts, reference, generator)
    with ExitStack() as stack:
        for module, replace in zip(parts, replacements, strict=True):
            handle = module.register_forward_hook(_hook(replace))
            stack.callback(handle.remove)
        yield


def _find_parts(
    model: nn.Module, layer: int | None, part: str
) -> list[nn.Module]:
    check_choice("part", part, PARTS)
    layers = getattr(model, "layers", None)
    if not isinstance(layers, nn.ModuleList) or len(layers) == 0:
        raise ValueError(
            f"model: expected a model with layers, got {type(model).__name__}"
        )
    if layer is not None:
        check_integer("layer", layer, at_least=0)
        if layer >= len(layers):
            raise ValueError(
                f"layer: expected None or a number in [0, {len(layers)}), got {layer}"
            )
    chosen = list(layers) if layer is None else [layers[layer]]
    for one in chosen:
        if not isinstance(getattr(one, part, None), nn.Module):
            raise ValueError(
                f"part: expected a part of {type(one).__name__}, got {part!r}"
            )
    return [getattr(one, part) for one in chosen]


def _replacements(
    kind: str,
    model: nn.Module,
    parts: list[nn.Module],
    reference: Tensor | None,
    generator: torch.Generator | None,
) -> list[Replacement]:
    """Return what each part's output becomes, as a function of that output."""
    check_choice("kind", kind, KINDS)
    if kind == "zero":
        return [torch.zeros_like] * len(parts)
    if kind == "mean":
        if reference is None:
            raise ValueError(
                "reference: expected token numbers for kind='mean', got None"
            )
        check_tensor("reference", reference)
        return [
            _Mean(output.mean(dim=0))
            for output in _outputs(model, parts, reference)
        ]
    if generator is None:
        raise ValueError(
            "generator: expected a torch.Generator for kind='resample', got None"
        )
    check_generator("generator", generator)
    return [_Neighbour(generator)] * len(parts)


class _Mean:
    """Replaces every sequence's output by one [position, d_model]."""

    def __init__(self, mean: Float[Tensor, "position d_model"]) -> None:
        self.mean = mean

    def __call__(self, output: Tensor) -> Tensor:
        n, longest = output.shape[1], len(self.mean)
        if n > longest:
            raise ValueError(
                f"reference: expected sequences of at least {n} positions, got {longest}"
            )
        return self.mean[:n].expand_as(output)


class _Neighbour:
    """Replaces every sequence's output by that of its neighbour on a random circle."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self.drawn: dict[
            int, Tensor
        ] = {}  # size of the batch -> whose output each one takes

    def __call__(self, output: Tensor) -> Tensor:
        batch = len(output)
        if batch not in self.drawn:
            self.drawn[batch] = _circle(batch, self.generator)
        return output[self.drawn[batch].to(output.device)]


def _circle(batch: int, generator: torch.Generator) -> Int64[Tensor, " batch"]:
    """Draw a permutation that is one cycle, each of them as likely: it leaves nobody in place."""
    if batch < 2:
        raise ValueError(
            f"batch: expected at least 2 sequences to resample from, got {batch}"
        )
    order = torch.randperm(batch, generator=generator, device=generator.device)
    neighbour = torch.empty_like(order)
    neighbour[order] = order.roll(1)
    return neighbour


def _outputs(
    model: nn.Module, parts: list[nn.Module], tokens: Tensor
) -> list[Tensor]:
    """Run the tokens through the model and return what each part computed."""
    found: list[Tensor] = []
    with ExitStack() as stack:
        stack.enter_context(evaluating(model))
        stack.enter_context(torch.no_grad())
        for module in parts:
            handle = module.register_forward_hook(
                lambda *call: found.append(_update(call[-1]))
            )
            stack.callback(handle.remove)
        model(tokens)
    return found


def _hook(
    replace: Replacement,
) -> Callable[[nn.Module, object, object], object]:
    """Return a forward hook that replaces the update and keeps what comes with it."""

    def hook(_module: nn.Module, _inputs: object, output: object) -> object:
        update = replace(_update(output))
        return (update, *output[1:]) if isinstance(output, tuple) else update

    return hook


def _update(output: object) -> Tensor:
    """Attention returns a pair (update, weights), a feed-forward network the update alone."""
    update = output[0] if isinstance(output, tuple) else output
    check_tensor("output", update)
    return update  # type: ignore[return-value]
