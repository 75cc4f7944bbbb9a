"""What the laptop preset and the largest preset of every experiment would cost under one seed.

Each variant is rehearsed as ``python -m bottomup.experiments plan`` does, for so many processor
seconds at most; what is stopped is counted, and its hours are then a lower bound. The file is
written after every experiment, and the same command goes on from there.

    python -m bench.plans --out book/plans.json [--seconds 60] [--only attention]
"""

import argparse
import json
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from bench.report import provenance
from bottomup.experiments.engine import registry
from bottomup.experiments.engine.plan import GPUS, Cost, cost
from bottomup.experiments.engine.runner import Experiment

LEAST = 3.0  # processor seconds for a variant


def main() -> None:
    parser = argparse.ArgumentParser(description="What every experiment would cost.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=60.0, help="of a preset, about")
    parser.add_argument("--only", nargs="+", default=list(registry.NAMES))
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    found = (
        json.loads(chosen.out.read_text(encoding="utf-8"))
        if chosen.out.exists()
        else {**provenance(()), "seconds": chosen.seconds, "plans": {}}
    )
    for name in chosen.only:
        experiment = registry.experiment(name)
        for label, preset in (("laptop", "laptop"), ("largest", [*experiment.presets][-1])):
            if label not in found["plans"].setdefault(name, {}):
                found["plans"][name][label] = planned(experiment, preset, chosen.seconds)
                found["plans"] = {each: found["plans"][each] for each in registry.NAMES
                                  if each in found["plans"]}  # fmt: skip
                chosen.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
                print(name, preset, found["plans"][name][label], flush=True)


def planned(experiment: Experiment, preset: str, seconds: float) -> dict[str, Any]:
    """Return the sums and the largest numbers of all variants of a preset."""
    config = experiment.preset(preset)
    names = experiment.variants(config)
    share = max(LEAST, seconds / len(names))
    costs, stopped = list[Cost](), 0
    for variant in names:
        try:
            with at_most(share):
                costs.append(cost(experiment, config, variant, "cpu"))
        except TimeoutError:  # before a training was heard of
            costs.append(Cost(variant, (), share))
            stopped += 1
    stopped += sum("TimeoutError" in each.stopped for each in costs)
    ranges = {
        card: zip(*(each.on_gpu(peak) for each in costs), strict=True)
        for card, peak in GPUS.items()
    }
    return {
        "preset": preset,
        "variants": len(names),
        "trainings": sum(len(each.trainings) for each in costs),
        "parameters": max((t.parameters for each in costs for t in each.trainings), default=0),
        "bytes": max(each.memory for each in costs),
        "hours": in_hours(each.seconds for each in costs),
        "stopped": stopped,
        "gpu_hours": {card: [in_hours(end) for end in ends] for card, ends in ranges.items()},
    }


def in_hours(seconds: Iterable[float]) -> float:
    """Return the sum in hours, to four digits."""
    return float(f"{sum(seconds) / 3600:.4g}")


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` where the block takes more processor time."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"{seconds:.0f} s are over")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


if __name__ == "__main__":
    main()
