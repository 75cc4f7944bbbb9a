"""Chapter 07: what recomputation keeps, what it costs, and that it changes no number."""

import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks

from bottomup.blocks import EncoderLayer, recompute
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.sparse_transformers.config import Config
from bottomup.masks import causal_mask
from bottomup.training.generators import Generators

Wrap = Callable[[nn.Module], Callable[..., Any]]

WAYS: dict[str, Wrap] = {
    "plain": lambda layer: layer,
    "recomputed": recompute,
}
STREAM_SEEDS, DROPOUT_SEEDS = 1_000_000, 2_000_000  # the parameters have the plain seed


class Task(NamedTuple):
    """A stack of layers, what it reads, and what its output is weighed with for the gradient."""

    layers: nn.ModuleList
    x: Tensor
    weigh: Tensor
    seed: int


def measure_recompute(config: Config, seed: int, device: torch.device) -> dict[str, Any]:
    """Pass forward and back through stacks of pre-norm layers, each way, with dropout and without.

    ``dropout``, ``no_dropout``: as `measure_stacks`. With dropout a layer keeps the attention
    weights, n^2 for each head, to drop the same on the way back; without it torch's fused kernel
    keeps none. ``unequal``: numbers among outputs and gradients that differ in a bit, over all
    stacks; ``compared``: how many there were. ``runs``: as `count_runs`.

    ``seconds``: by number of positions, processor time of a forward and a backward pass through the
    deepest stack, without dropout, the median of `repeats`, and ``ratio`` of the two. Wrapping a
    call takes the same time at every length. A second measurement gives another number, and with a
    GPU this one says nothing.
    """
    unequal = compared = 0
    for depth, dropout in itertools.product(config.depths, (config.dropout, 0.0)):
        stack = task(config, depth, dropout, seed, device)
        results = [forward_and_back(stack, wrap) for wrap in WAYS.values()]
        for one, other in zip(*results, strict=True):
            unequal += int((one != other).sum())
            compared += one.numel()
    return {
        "dropout": measure_stacks(config, config.dropout, seed, device),
        "no_dropout": measure_stacks(config, 0.0, seed, device),
        "unequal": unequal,
        "compared": compared,
        "runs": count_runs(task(config, config.depths[0], config.dropout, seed, device)),
        "seconds": {
            n: _seconds(replace(config, length=n), seed, device) for n in config.timed_lengths
        },
    }


def measure_stacks(
    config: Config, dropout: float, seed: int, device: torch.device
) -> dict[str, Any]:
    """Measure what is kept, by number of layers.

    ``bytes.plain``, ``bytes.recomputed``: what the forward pass leaves for the backward pass,
    without parameters; ``bytes.one_layer``: of a stack of one layer; ``bytes.stream``: of
    ``batch n d_model`` numbers. ``ratio``: recomputed over plain; ``with_one_layer``: the same with
    the activations of the one layer that is computed again at a time. ``streams_per_layer``: by how
    many streams each grows with a layer.
    """
    kept: dict[str, dict[int, int]] = {way: {} for way in WAYS}
    for depth in config.depths:
        stack = task(config, depth, dropout, seed, device)
        for way, wrap in WAYS.items():
            kept[way][depth] = kept_bytes(stack, wrap)
    one_layer = kept_bytes(task(config, 1, dropout, seed, device), WAYS["plain"])
    stream = config.batch_size * config.length * config.d_model * torch.float32.itemsize
    plain, again = kept["plain"], kept["recomputed"]
    return {
        "bytes": {**kept, "one_layer": one_layer, "stream": stream},
        "ratio": {n: again[n] / plain[n] for n in config.depths},
        "with_one_layer": {n: (again[n] + one_layer) / plain[n] for n in config.depths},
        "streams_per_layer": {way: slope(table) / stream for way, table in kept.items()},
    }


def task(config: Config, depth: int, dropout: float, seed: int, device: torch.device) -> Task:
    """Return a stack of layers with what it reads."""
    generator = torch.Generator().manual_seed(STREAM_SEEDS + seed)
    shape = config.batch_size, config.length, config.d_model
    x, weigh = (torch.randn(shape, generator=generator).to(device) for _ in range(2))
    sizes = config.d_model, config.num_heads, config.d_ff
    with seeded(seed):
        layers = nn.ModuleList(EncoderLayer(*sizes, dropout=dropout) for _ in range(depth))
    return Task(layers.to(device), x.requires_grad_(), weigh, seed)


def _forward(stack: Task, wrap: Wrap) -> Tensor:
    x, mask = stack.x, causal_mask(stack.x.shape[1], device=stack.x.device)
    for layer in stack.layers:
        x, _ = wrap(layer)(x, mask)
    return x


def forward_and_back(stack: Task, wrap: Wrap) -> tuple[Tensor, ...]:
    """Return output, gradient of the input, and gradients of the parameters.

    Dropout draws from torch's own generators, seeded alike each time.
    """
    generators, wanted = Generators(stack.layers), (stack.x, *stack.layers.parameters())
    with generators.forked():
        generators.seed(DROPOUT_SEEDS + stack.seed)
        output = _forward(stack, wrap)
        return output.detach(), *torch.autograd.grad((output * stack.weigh).sum(), wanted)


def kept_bytes(stack: Task, wrap: Wrap) -> int:
    """Return the bytes of what the forward pass leaves for the backward pass.

    Each memory is counted once, those of parameters are not.
    """
    kept: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    generators = Generators(stack.layers)
    with generators.forked(), saved_tensors_hooks(note, lambda tensor: tensor):
        _forward(stack, wrap)
    own = {parameter.untyped_storage().data_ptr() for parameter in stack.layers.parameters()}
    return sum(size for place, size in kept.items() if place not in own)


def count_runs(stack: Task) -> dict[str, float]:
    """Return how often a layer's forward runs in a forward and a backward pass, on average."""
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    hooks = [layer.register_forward_pre_hook(count) for layer in stack.layers]
    found = {}
    for way, wrap in WAYS.items():
        calls = 0
        forward_and_back(stack, wrap)
        found[way] = calls / len(stack.layers)
    calls = 0
    with torch.no_grad(), Generators(stack.layers).forked():
        _forward(stack, recompute)
    for hook in hooks:
        hook.remove()
    return {**found, "without_gradients": calls / len(stack.layers)}


def slope(table: dict[int, int]) -> float:
    """Return by how much a count grows with a layer, from the fewest layers to the most."""
    (few, least), *_, (many, most) = sorted(table.items())
    return (most - least) / (many - few)


def _seconds(config: Config, seed: int, device: torch.device) -> dict[str, float]:
    stack = task(config, config.depths[-1], 0.0, seed, device)
    spent: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(config.repeats + 1):
        for way, wrap in WAYS.items():
            start = time.process_time()
            forward_and_back(stack, wrap)
            if number:  # the first warms up
                spent[way].append(time.process_time() - start)
    median = {way: statistics.median(values) for way, values in spent.items()}
    return {**median, "ratio": median["recomputed"] / median["plain"]}
