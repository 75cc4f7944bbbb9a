"""Train toy models of superposition, many at once, and keep the best."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import check_device, check_integer, check_number
from bottomup.models import (
    ToySuperposition,
    sample_features,
    superposition_loss,
)
from bottomup.models.toy_superposition import check_importance, check_sparsity
from bottomup.training.autoencoder import VectorBatch
from bottomup.training.loop import fit
from bottomup.training.run import History, OnStep
from bottomup.training.schedules import warmup_then_decay

START, STEPS, FRESH = 0, 1, 2  # separate random streams for the same seed
FRESH_AT_ONCE = 1_000


@dataclass(frozen=True)
class Solutions:
    """The best of several trained toy models, for each case.

    Attributes:
        W, b: weights and biases.
        loss: on fresh samples, the same ones that chose it, so a little too low
            with many restarts.
        tried: the same for every restart.
        W_tried, b_tried: weights and biases of every restart.
    """

    W: Float[Tensor, "case dimensions features"]
    b: Float[Tensor, "case features"]
    loss: Float[Tensor, " case"]
    tried: Float[Tensor, "restart case"]
    W_tried: Float[Tensor, "restart case dimensions features"]
    b_tried: Float[Tensor, "restart case features"]


def solve_superposition(
    sparsity: Float[Tensor, " case"],
    importance: Float[Tensor, "*case features"],
    *,
    dimensions: int,
    steps: int,
    restarts: int = 1,
    linear: bool = False,
    samples: int = 256,
    learning_rate: float = 0.01,
    fresh: int = 20_000,
    seed: int = 0,
    device: torch.device | str = "cpu",
    checkpoint: str | Path | None = None,
) -> Solutions:
    """Train toy models from several starts; keep for each case the best one.

    A case is a sparsity with its importances. All cases and restarts are
    instances of one `ToySuperposition`, trained together by
    `fit_superposition`. Which start has the lowest loss is decided on fresh
    samples, the same ones for all restarts of a case.

    Args:
        sparsity: S of each case, in [0, 1).
        importance: I, positive; one row for all cases or one for each.
        dimensions: m.
        steps, samples, learning_rate, checkpoint: as for `fit_superposition`.
        restarts: number of starts for each case.
        linear: leave the ReLU out.
        fresh: number of samples for the final loss.
        seed: fixes starts and samples.
        device: where to train.

    Raises:
        FloatingPointError: loss or gradient is infinite or NaN; names the step.

    Source: the search for a good solution is Elhage et al. (2022), section
    "Geometry of Superposition", who also train many instances at once. Used in
    chapter 04.

    Example:
        >>> sparsity, importance = torch.tensor([0.0]), torch.ones(1, 3)
        >>> found = solve_superposition(
        ...     sparsity, importance, dimensions=2, steps=5, fresh=10
        ... )
        >>> found.W.shape  # of each case
        torch.Size([1, 2, 3])
    """
    check_integer("restarts", restarts, at_least=1)
    check_integer("fresh", fresh, at_least=1)
    check_device("device", device)
    check_integer("seed", seed, at_least=0, below=2**63)
    _check_cases(sparsity, importance)
    cases, features = len(sparsity), importance.shape[-1]
    sparsity = sparsity.repeat(restarts)  # the restart is the outer axis
    importance = importance.expand(cases, features).repeat(restarts, 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_number(seed, START))
        model = ToySuperposition(
            features, dimensions, instances=len(sparsity), linear=linear
        )
    model = model.to(device)
    fit_superposition(
        model,
        sparsity=sparsity,
        importance=importance,
        steps=steps,
        samples=samples,
        learning_rate=learning_rate,
        seed=seed,
        checkpoint=checkpoint,
    )
    losses = fresh_loss(
        model,
        sparsity=sparsity,
        importance=importance,
        samples=fresh,
        seed=seed,
    )
    tried = losses.view(restarts, cases)
    best = tried.argmin(dim=0) * cases + torch.arange(cases)  # [case]
    W, b = model.W.detach().cpu(), model.b.detach().cpu()
    return Solutions(
        W=W[best],
        b=b[best],
        loss=losses[best],
        tried=tried,
        W_tried=W.unflatten(0, (restarts, cases)),
        b_tried=b.unflatten(0, (restarts, cases)),
    )


def fit_superposition(
    model: ToySuperposition,
    *,
    sparsity: Float[Tensor, " instance"],
    importance: Float[Tensor, "*instance features"],
    steps: int,
    samples: int = 256,
    learning_rate: float = 0.01,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    on_step: OnStep | None = None,
) -> History:
    """Train all instances of `model` with Adam; return what happened.

    What is minimised is the sum of the instances' losses. No weight is shared,
    so each instance learns as if it were alone. The learning rate falls
    linearly to 0, gradients are not clipped, and every step draws new samples.

    Args:
        model: the toy models, trained in place.
        sparsity: S of each instance.
        importance: I, one row for all instances or one for each.
        steps: number of steps.
        samples: number drawn for each instance at each step.
        learning_rate: the largest.
        seed: fixes the samples.
        checkpoint: file to write and to go on from, as for `fit`.
        on_step: called after each step, as by `fit`.

    Raises:
        FloatingPointError: loss or gradient is infinite or NaN; names the step.

    Source: Elhage et al. (2022) for model and loss; number of steps, samples
    and learning rate are ours. Chapter 04 trains with it.
    """
    if not isinstance(model, ToySuperposition):
        raise TypeError(
            f"model: expected a ToySuperposition, got {type(model).__name__}"
        )
    check_integer("samples", samples, at_least=1)
    check_number("learning_rate", learning_rate, above=0, at_most=1e30)
    _check_instances(model, sparsity, importance)
    here = importance.to(model.W)

    def draw(step: int) -> VectorBatch:
        generator = torch.Generator().manual_seed(_number(seed, STEPS, step))
        return VectorBatch(
            sample_features(samples, model.features, sparsity.cpu(), generator)
        )

    def loss(model: nn.Module, batch: VectorBatch) -> Tensor:
        x = batch.x.to(here)  # [instance, sample, features]
        return superposition_loss(x, model(x), here).sum()

    return fit(
        model,
        draw,
        steps=steps,
        loss=loss,
        optimizer=torch.optim.Adam(model.parameters(), lr=learning_rate),
        schedule=warmup_then_decay(warmup=0, steps=steps),
        max_norm=None,
        seed=seed,
        checkpoint=checkpoint,
        on_step=on_step,
    )


@torch.no_grad()
def fresh_loss(
    model: ToySuperposition,
    *,
    sparsity: Float[Tensor, " instance"],
    importance: Float[Tensor, "*instance features"],
    samples: int = 20_000,
    seed: int = 0,
) -> Float[Tensor, " instance"]:
    """Return each instance's loss on samples that no training saw.

    Instances of equal sparsity get the same samples, so that their losses can
    be compared.

    Used in chapter 04.
    """
    check_integer("samples", samples, at_least=1)
    check_integer("seed", seed, at_least=0, below=2**63)
    _check_instances(model, sparsity, importance)
    generator = torch.Generator().manual_seed(_number(seed, FRESH))
    here = importance.to(model.W)
    total = torch.zeros(model.instances, dtype=torch.float64)
    for start in range(0, samples, FRESH_AT_ONCE):
        count = min(FRESH_AT_ONCE, samples - start)
        x = sample_features(
            count, model.features, sparsity.cpu(), generator, shared=True
        )
        x = x.to(model.W)
        total += count * superposition_loss(x, model(x), here).cpu()
    return (total / samples).to(model.W.dtype)


def _check_instances(
    model: ToySuperposition, sparsity: Tensor, importance: Tensor
) -> None:
    _check_cases(sparsity, importance)
    if len(sparsity) != model.instances:
        wanted = f"one for each of {model.instances} instances"
        raise ValueError(f"sparsity: expected {wanted}, got {len(sparsity)}")
    if importance.shape[-1] != model.features:
        wanted, got = f"features={model.features}", tuple(importance.shape)
        raise ValueError(
            f"importance: expected axes [..., {wanted}], got shape {got}"
        )


def _check_cases(sparsity: Tensor, importance: Tensor) -> None:
    check_sparsity(sparsity)
    check_importance(importance)
    if importance.shape[:-1] not in ((), sparsity.shape):
        raise ValueError(
            f"importance: expected one row, or one for each of {len(sparsity)} "
            f"sparsities, got shape {tuple(importance.shape)}"
        )


def _number(seed: int, *stream: int) -> int:
    """Return the seed of a stream's generator."""
    sequence = np.random.SeedSequence((int(seed), *map(int, stream)))
    return int(sequence.generate_state(1, np.uint64)[0])
