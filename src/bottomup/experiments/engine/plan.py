"""What a run will cost: each variant once, with trainings of a few steps."""

import math
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from bottomup.experiments.engine.limit import interrupted_after
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Trial, one_thread
from bottomup.training.device import seconds
from bottomup.training.rehearsal import Rehearsal, rehearsed

# Peaks in float32 without tensor cores, from the vendor's data sheets, in operations a second.
GPUS = {"T4": 8.1e12, "A100": 19.5e12}
# No card reaches its peak on small matrices, and each kernel has to be started: assumed, not
# measured, are a share of the peak and the seconds of a start, the best and the worst.
SHARE, START = (1.0, 0.2), (5e-6, 20e-6)
AGAIN = 2.0  # seconds that a step may go on after the time
LIMIT = 40.0  # seconds: with what Python takes to start, an answer within a minute


@dataclass(frozen=True)
class Cost:
    """What one variant costs under one seed.

    Attributes:
        variant: its name.
        trainings: each training in it, rehearsed.
        rest: seconds of all that is not training, as measured here.
        stopped: why the rest could not go on after so short a training, or nothing.
        is_cut: whether the time was over before all was counted.
    """

    variant: str
    trainings: Sequence[Rehearsal]
    rest: float
    stopped: str = ""
    is_cut: bool = False

    @property
    def bound(self) -> str:
        """The sign before each number that is a lower bound."""
        return "≥ " if self.is_cut or self.stopped else ""

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


def plan(
    experiment: Experiment, config: Any, device: torch.device | str, *, limit: float = math.inf
) -> Iterator[Cost]:  # fmt: skip
    """Rehearse each variant under one seed, the last first; takes as long as all but trainings.

    A variant trained for a few steps writes long and wrong translations, so what is decoded after
    a training counts for more than it will take.

    With a limit, each variant has an even share of what those before it left, and longer until
    its first training is heard: what comes before that is often prepared once for all. The last
    come first: what trains longest mostly stands there, and in front what trains nothing.

    Args:
        experiment: what is planned.
        config: one of its presets.
        device: where the few steps run.
        limit: seconds for all variants.
    """
    variants, end = experiment.variants(config), time.monotonic() + limit
    for number, variant in reversed(list(enumerate(variants, start=1))):
        left = end - time.monotonic()
        share = left / number
        if left > 0:
            yield cost(experiment, config, variant, device, share=share, latest=left)
        else:
            yield Cost(variant, (), 0.0, is_cut=True)


def cost(
    experiment: Experiment, config: Any, variant: str, device: torch.device | str,
    *, share: float = math.inf, latest: float = math.inf,
) -> Cost:  # fmt: skip
    """Rehearse one variant under one seed.

    Where it is cut after a training, its trainings alone count: what follows them is shorter
    after a whole one.

    Args:
        experiment: whose variant it is.
        config: one of its presets.
        variant: its name.
        device: where the few steps run.
        share: seconds after which it is cut, if a training was heard.
        latest: seconds after which it is cut.
    """
    place = torch.device(device)
    with tempfile.TemporaryDirectory() as folder, one_thread(quiet=True), rehearsed() as heard:
        start, stopped, is_cut = seconds(place), "", False
        limited = interrupted_after(share, ready=lambda: heard, latest=latest, again=AGAIN)
        unlimited = nullcontext(threading.Event())
        try:
            with limited if math.isfinite(share) else unlimited as over:
                experiment.measure(config, variant, Trial(0, place, Path(folder) / "unit.pt"))
        except KeyboardInterrupt:
            if not over.is_set():
                raise
            is_cut = True
        except Exception as error:  # what follows may need a network that learned something
            if not heard:
                raise
            stopped = f"{type(error).__name__}: {error}"
        spent = seconds(place) - start
    rest = max(0.0, spent - sum(each.overhead for each in heard))
    return Cost(variant, tuple(heard), 0.0 if is_cut and heard else rest, stopped, is_cut)


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
            cost.variant, f"{cost.bound}{len(cost.trainings)}", f"{cost.bound}{largest:,}",
            f"{work:.3g}", f"{cost.bound}{cost.memory / 1e6:,.0f}", f"{cost.bound}{steps:,}",
            f"{cost.bound}{cost.seconds / 3600:.2g}",
            *(f"{cost.bound}{_range(cost.on_gpu(peak))}" for peak in GPUS.values()),
        )  # fmt: skip
        yield f"| {' | '.join(numbers)} |"
    for cost in (each for each in costs if each.stopped):
        yield f"\n{cost.variant}: what follows its trainings stopped here ({cost.stopped})"
    whole = seeds * sum(cost.seconds for cost in costs) / 3600
    bound = next((cost.bound for cost in costs if cost.bound), "")
    yield f"\n{seeds} seeds: {bound}{whole:.2g} hours of one core here"


def _range(seconds: tuple[float, float]) -> str:
    low, high = (each / 3600 for each in seconds)
    return f"{low:.2g} to {high:.2g}"
