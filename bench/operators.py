"""Show which of torch's operators take the time of one case of `bench.multi_head`, side by side.

The sides take turns, and every figure is the median over the rounds. The book's page on benchmarks
gives its reasons from these figures.

    python -m bench.operators [--n 512] [--mask causal] [--weights] [--backward] [--rounds 15]
"""

import argparse
import statistics
from collections.abc import Mapping, Sequence

import torch
from torch.profiler import ProfilerActivity, profile

from bench.multi_head import Case, Pass, passes
from bench.sides import MASKS, PEERS

LEAST = 0.004  # an operator with a smaller share than this on every side is not shown

Milliseconds = dict[str, float]


def operators(run: Pass) -> Milliseconds:
    """Return what each operator takes in one pass, in ms, without what it calls."""
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        run()
    return {event.key: event.self_cpu_time_total / 1000 for event in profiled.key_averages()}


def medians(rounds: Sequence[Milliseconds]) -> Milliseconds:
    """Return the median of each operator over the rounds; one that did not run took no time."""
    names = dict.fromkeys(name for found in rounds for name in found)
    return {name: statistics.median(found.get(name, 0.0) for found in rounds) for name in names}


def measure(case: Case, peers: Sequence[str], rounds: int) -> dict[str, Milliseconds]:
    """Return the medians of every side, the first round left out."""
    runs = passes(case, peers)
    found: dict[str, list[Milliseconds]] = {side: [] for side in runs}
    for _ in range(1 + rounds):
        for side, run in runs.items():
            found[side].append(operators(run))
    return {side: medians(measured[1:]) for side, measured in found.items()}


def table(sides: Mapping[str, Milliseconds]) -> str:
    """Return a row for each operator that takes time somewhere, the costliest first."""
    totals = {side: sum(found.values()) for side, found in sides.items()}
    most = {
        name: max(found.get(name, 0.0) for found in sides.values())
        for name in dict.fromkeys(name for found in sides.values() for name in found)
    }
    shown = [name for name in most if most[name] >= LEAST * min(totals.values())]
    lines = [("ms in one pass", *sides)]
    for name in sorted(shown, key=lambda name: -most[name]):
        lines.append((name, *(f"{found.get(name, 0.0):.2f}" for found in sides.values())))
    lines.append(("all operators", *(f"{total:.2f}" for total in totals.values())))
    return "\n".join(f"{name:44.44}" + "".join(f"{c:>16}" for c in cells) for name, *cells in lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=512)
    parser.add_argument("--mask", choices=MASKS, default="causal")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    case = Case(n=chosen.n, mask=chosen.mask, need_weights=chosen.weights, backward=chosen.backward)
    print(table(measure(case, chosen.peers, chosen.rounds)))


if __name__ == "__main__":
    main()
