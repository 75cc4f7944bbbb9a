"""What a run will cost: each variant once, with trainings of a few steps."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import one_thread
from bottomup.training.device import seconds
from bottomup.training.rehearsal import Rehearsal, rehearsed

# Peaks in float32 without tensor cores, from the vendor's data sheets, in operations a second.
GPUS = {"T4": 8.1e12, "A100": 19.5e12}
# No card reaches its peak on small matrices, and each kernel has to be started: assumed, not
# measured, are a share of the peak and the seconds of a start, the best and the worst.
SHARE, START = (1.0, 0.2), (5e-6, 20e-6)


@dataclass(frozen=True)
class Cost:
    """What one variant costs under one seed.

    Attributes:
        variant: its name.
        trainings: each training in it, rehearsed.
        rest: seconds of all that is not training, as measured here.
        stopped: why the rest could not go on after so short a training, or nothing.
    """

    variant: str
    trainings: Sequence[Rehearsal]
    rest: float
    stopped: str = ""

    @property
    def seconds(self) -> float:
        """Seconds on this machine: steps times the seconds of a step, and the rest."""
        return self.rest + sum(training.whole for training in self.trainings)

    @property
    def memory(self) -> int:
        """Bytes of the largest training: weights, gradients, Adam, what a backward pass needs."""
        return max((each.state + each.kept for each in self.trainings), default=0)

    def on_gpu(self, peak: float) -> tuple[float, float]:
        """Return the seconds of all training steps on a card, from and to; not measured."""
        found = [
            sum(
                each.steps * max(each.flops / (peak * share), each.operations * start)
                for each in self.trainings
            )
            for share, start in zip(SHARE, START, strict=True)
        ]
        return found[0], found[1]


def plan(experiment: Experiment, config: Any, device: torch.device | str) -> Iterator[Cost]:
    """Rehearse each variant under one seed; takes as long as all but the trainings.

    A variant trained for a few steps writes long and wrong translations, so what is decoded after
    a training counts for more than it will take.
    """
    for variant in experiment.variants(config):
        yield cost(experiment, config, variant, device)


def cost(
    experiment: Experiment, config: Any, variant: str, device: torch.device | str
) -> Cost:  # fmt: skip
    """Rehearse one variant under one seed."""
    place = torch.device(device)
    with tempfile.TemporaryDirectory() as folder, one_thread(quiet=True), rehearsed() as heard:
        start, stopped = seconds(place), ""
        try:
            experiment.measure(config, variant, 0, place, Path(folder) / "unit.pt")
        except Exception as error:  # what follows may need a network that learned something
            if not heard:
                raise
            stopped = f"{type(error).__name__}: {error}"
        spent = seconds(place) - start
    rest = max(0.0, spent - sum(each.overhead for each in heard))
    return Cost(variant, tuple(heard), rest, stopped)


def table(costs: Sequence[Cost], seeds: int) -> Iterator[str]:
    """Yield the lines of a Markdown table, and a last line with the sum over `seeds`."""
    cards = "".join(f" {name}, hours (not measured) |" for name in GPUS)
    yield f"| variant | trainings | parameters | GFLOP a step | MB | steps | hours here |{cards}"
    yield "|---|---|---|---|---|---|---|" + "---|" * len(GPUS)
    for cost in costs:
        largest = max((t.parameters for t in cost.trainings), default=0)
        steps = sum(t.steps for t in cost.trainings)
        work = sum(t.steps * t.flops for t in cost.trainings) / max(1, steps) / 1e9
        numbers = (
            cost.variant, f"{len(cost.trainings)}", f"{largest:,}", f"{work:.3g}",
            f"{cost.memory / 1e6:,.0f}", f"{steps:,}", f"{cost.seconds / 3600:.2g}",
            *(_range(cost.on_gpu(peak)) for peak in GPUS.values()),
        )  # fmt: skip
        yield f"| {' | '.join(numbers)} |"
    for cost in (each for each in costs if each.stopped):
        yield f"\n{cost.variant}: what follows its trainings stopped here ({cost.stopped})"
    whole = seeds * sum(cost.seconds for cost in costs) / 3600
    yield f"\n{seeds} seeds: {whole:.2g} hours of one core here"


def _range(seconds: tuple[float, float]) -> str:
    low, high = (each / 3600 for each in seconds)
    return f"{low:.2g} to {high:.2g}"
