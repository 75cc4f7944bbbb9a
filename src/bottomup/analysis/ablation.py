"""Ablation: replace what a part adds to the stream, and see what is missing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.analysis.hooks import (
    Hook,
    first_of,
    hooked,
    parts_of,
    with_first,
)
from bottomup.analysis.samples import (
    check_numbers,
    permutation,
)
from bottomup.checks import check_choice, check_generator
from bottomup.training.modes import evaluating

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

        with ablated(model, layer=1, part="feed_forward", kind="zero"):
            without = model(tokens).logits

    - "zero": the part adds nothing. The stream then is one that the later
      layers may never have met, so a loss can also mean that they are confused.
    - "mean": the part adds, at each position, the mean of its outputs over the
      sequences of `reference`: what it adds whatever the sequence is. They run
      through the model once, when the block is entered, in evaluation mode.
    - "resample": the part adds what it computed for another sequence of the
      batch. The sequences stand in a circle, drawn at random, and each takes
      from its neighbour: no sequence keeps its own. The circle is drawn once
      for each size of batch and then holds for every layer and every call.

    The update is replaced before it is written to the stream, so what stands
    around the part, LayerNorm, dropout and addition, stays. The weights that a
    layer returns are those it computed.

    Args:
        model: a model with `layers`, each with the part as an attribute.
        layer: number of the layer from 0, or None for all layers.
        part: "attention" or "feed_forward".
        kind: "zero", "mean" or "resample".
        reference: token numbers, without padding; needed for "mean", and at
            least as long as the sequences that run inside the block.
        generator: draws the circle; needed for "resample".

    Chapter 04 tells with it which part joins two names and which one knows the
    answer.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> model, tokens = LanguageModel(config), torch.tensor([[5, 6, 7]])
        >>> whole = model(tokens).logits
        >>> with ablated(model, layer=1, part="feed_forward", kind="zero"):
        ...     without = model(tokens).logits
        >>> torch.equal(whole, without)
        False
    """
    check_choice("part", part, ("attention", "feed_forward"))
    check_choice("kind", kind, ("zero", "mean", "resample"))
    parts = parts_of(model, layer, part)
    replacements: list[Replacement] = [torch.zeros_like] * len(parts)
    if kind == "mean":
        updates = _updates(model, parts, reference)
        replacements = [_mean(update.mean(dim=0)) for update in updates]
    elif kind == "resample":
        replacements = [_neighbours(generator)] * len(parts)
    with hooked(parts, [_replacing(replace) for replace in replacements]):
        yield


def _mean(mean: Float[Tensor, "position d_model"]) -> Replacement:
    """Replace every sequence's update by one."""

    def replace(update: Tensor) -> Tensor:
        n, longest = update.shape[1], len(mean)
        if n > longest:
            wanted = f"sequences of at least {n} positions"
            raise ValueError(f"reference: expected {wanted}, got {longest}")
        return mean[:n].expand_as(update)  # [batch, position, d_model]

    return replace


def _neighbours(generator: torch.Generator | None) -> Replacement:
    """Replace every sequence's update by its neighbour's on a random circle."""
    source = check_generator("generator", generator)
    circles: dict[int, Tensor] = {}  # by size of batch

    def replace(update: Tensor) -> Tensor:
        batch = len(update)
        if batch not in circles:
            circles[batch] = _circle(batch, source)
        return update[circles[batch].to(update.device)]

    return replace


def _circle(batch: int, generator: torch.Generator) -> Int64[Tensor, " batch"]:
    """Draw a permutation that is one cycle: it leaves nobody in place."""
    if batch < 2:
        wanted = "at least 2 sequences to resample from"
        raise ValueError(f"batch: expected {wanted}, got {batch}")
    order = permutation(batch, generator)
    neighbour = torch.empty_like(order)
    neighbour[order] = order.roll(1)
    return neighbour


def _updates(
    model: nn.Module, parts: list[nn.Module], tokens: Tensor | None
) -> list[Tensor]:
    """Return what each part computes for tokens [sequence, position]."""
    check_numbers("reference", tokens, "sequence position")
    updates: list[Tensor] = []

    def keep(_module: nn.Module, _inputs: object, output: object) -> None:
        updates.append(first_of(output))

    with evaluating(model), torch.no_grad(), hooked(parts, [keep] * len(parts)):
        model(tokens)
    return updates


def _replacing(replace: Replacement) -> Hook:
    """Return a hook that replaces the update and keeps what comes with it."""

    def hook(_module: nn.Module, _inputs: object, output: object) -> object:
        return with_first(output, replace(first_of(output)))

    return hook
