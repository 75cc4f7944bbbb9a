"""Chapter 05: plain, residual and highway stacks that read digits."""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import Tensor, nn

from bottomup.experiments.encoder_decoder.depth.config import Config
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.shared.training import seeded
from bottomup.models import DeepStack
from bottomup.training import fit

LAST_STEPS = 20  # over which the loss is averaged
SPLIT_SEED = 0  # the same images are tested under every seed
LEVELS = 16.0  # grey levels of the images
CLASSES = 10
# Kind and initialisation of each stack, by the name of its variant.
STACKS = {
    "plain": ("plain", "default"),
    "residual": ("residual", "default"),
    "highway": ("highway", "default"),
    "orthogonal": ("plain", "orthogonal"),
}


@dataclass(frozen=True, eq=False)
class DigitBatch:
    """Images of digits with what they show.

    Attributes:
        pixels: floating point, [image, 64].
        labels: integers from 0 to 9, [image].
    """

    pixels: Tensor
    labels: Tensor

    @property
    def tokens(self) -> int:
        """Number of images."""
        return len(self.labels)

    def to(self, device: torch.device | str) -> "DigitBatch":
        """Return the batch on another device."""
        return DigitBatch(self.pixels.to(device), self.labels.to(device))


class Digits(NamedTuple):
    """Images to train on and images to test."""

    training: DigitBatch
    test: DigitBatch


@cache
def digits(test_digits: int) -> Digits:
    """Return scikit-learn's digits, divided; the mean training image is subtracted from all."""
    pixels, labels = load_digits(return_X_y=True)
    images = torch.tensor(pixels / LEVELS, dtype=torch.float32)
    classes = torch.tensor(labels, dtype=torch.int64)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(SPLIT_SEED))
    test, training = order[:test_digits], order[test_digits:]
    images = images - images[training].mean(dim=0)
    return Digits(
        DigitBatch(images[training], classes[training]), DigitBatch(images[test], classes[test])
    )


def measure_stack(config: Config, name: str, trial: Trial) -> dict[str, float]:
    """Train one stack, such as ``highway_50``, on all training images at once.

    ``loss``: mean over the last 20 steps, in nats; ``accuracy``: share of test images named;
    ``reach``: at the start, how much of the input is left at the top, see `reach`.
    """
    stack, depth = name.split("_")
    images = digits(config.test_digits)
    model = build_reader(config, stack, int(depth), trial.seed).to(trial.device)
    test = images.test.to(trial.device)
    before = reach(model, test.pixels)
    history = fit(
        model,
        lambda step: images.training,
        steps=config.stack_steps,
        loss=digit_loss,
        optimizer=torch.optim.Adam(model.parameters(), lr=config.stack_rate),
        max_norm=None,
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    last = history.loss[-LAST_STEPS:]
    with torch.no_grad():
        named = model(test.pixels).argmax(dim=-1)
    return {
        "loss": sum(last) / len(last),
        "accuracy": (named == test.labels).cpu().double().mean().item(),
        "reach": before,
    }


def build_reader(config: Config, stack: str, depth: int, seed: int) -> nn.Sequential:
    """Return an untrained network: 64 pixels to the width, the stack, the width to ten classes."""
    kind, initialisation = STACKS[stack]
    with seeded(seed):
        return nn.Sequential(
            nn.Linear(64, config.width),
            DeepStack(
                config.width,
                depth,
                kind=kind,
                initialisation=initialisation,
                gate_bias=config.gate_bias,
            ),
            nn.Linear(config.width, CLASSES),
        )


def digit_loss(model: nn.Module, batch: DigitBatch) -> Tensor:
    """Return the mean negative log-probability of the right digit, in nats."""
    return F.cross_entropy(model(batch.pixels), batch.labels)


def reach(model: nn.Sequential, pixels: Tensor) -> float:
    """Return by how much images differ at the top of the stack, relative to its bottom.

    ``sqrt(sum of variances over images at the top / the same at the bottom)``: at 0, every image
    looks the same to the last layer.
    """
    with torch.no_grad():
        bottom = model[0](pixels)
        top = model[1](bottom)
        spread: Any = top.cpu().double().var(0).sum() / bottom.cpu().double().var(0).sum()
    return spread.sqrt().item()
