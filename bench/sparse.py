"""Time sparse attention over more and more positions against dense attention and flex_attention.

Each row, one head of one sequence, has its own query, key and value; l is the root of n, and c is
1. Every case first compares, on the first row, output and gradients with dense attention under the
same mask, and measures peak memory; then it times the sides in interleaved rounds on one thread.
The table is printed; with ``--out`` the figures go to a JSON file, the one that the book's page on
benchmarks shows where `make bench` runs this.

    python -m bench.sparse [--cases 4096:forward 4096x16:backward ...] [--rounds 3] [--out FILE]
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bench.command import Command, run_command
from bench.memory import peak_bytes
from bench.report import scaling_table
from bench.sparse_sides import OTHERS, Rule, SparseSide, oracle, sides
from bench.timing import Run, interleave, ratios, seconds_of, spread
from bottomup.results.speed import SCALING
from bottomup.results.speed_scaling import CAUSAL, FIRST, FLEX

D_HEAD = 64
TOLERANCE = 1e-4  # float32, relative to the largest number
MOST_WITH_ROWS = 1024  # positions up to which the dense sides run on several rows

SHORT = 0.1  # seconds


@dataclass(frozen=True, kw_only=True)
class Case:
    """How many positions and rows, with or without a backward pass, and how often it is timed."""

    n: int
    rows: int
    backward: bool
    rounds: int

    @property
    def name(self) -> str:
        """The case in short: positions x rows : pass."""
        rows = f"x{self.rows}" if self.rows > 1 else ""
        return f"{self.n}{rows}:{'backward' if self.backward else 'forward'}"

    @property
    def size(self) -> int:
        """The l of every pattern."""
        return math.isqrt(self.n)

    def left_out(self, side: str) -> str:
        """Say why a side does not run in this case; "" where it may."""
        if self.rows > 1 and side in FLEX:
            return "only on one row"
        if self.rows > 1 and self.n > MOST_WITH_ROWS:
            return f"on several rows up to n = {MOST_WITH_ROWS} only"
        if self.n < FIRST and side in FLEX:
            return f"from n = {FIRST} on"
        return ""


# The rounds keep the whole run at six minutes, at ten on a machine half as fast.
ROUNDS = {
    (1, False): {64: 200, 256: 100, 1024: 45, 4096: 15, 16384: 5},
    (1, True): {64: 100, 256: 60, 1024: 25, 4096: 9, 16384: 3},
    (16, False): {64: 60, 256: 30, 1024: 9, 4096: 7, 16384: 3},
    (16, True): {64: 30, 256: 15, 1024: 7, 4096: 5},
}
CASES = tuple(
    Case(n=n, rows=rows, backward=backward, rounds=rounds)
    for (rows, backward), sizes in ROUNDS.items()
    for n, rounds in sizes.items()
)


class Pass:
    """A forward pass, or a forward and backward pass, on inputs that all sides share."""

    def __init__(self, case: Case, seed: int = 0) -> None:
        shape, generator = (1, case.rows, case.n, D_HEAD), torch.Generator().manual_seed(seed)
        query, key, value, self.gradient = torch.randn(4, *shape, generator=generator)
        self.inputs = query, key, value
        self.backward = case.backward
        for tensor in self.inputs:
            tensor.requires_grad_(case.backward)

    def run(self, side: SparseSide) -> tuple[Tensor, ...]:
        """Return the output, and with a backward pass the gradients of query, key and value."""
        if not self.backward:
            with torch.no_grad():
                return (side.attend(*self.inputs),)
        output = side.attend(*self.inputs)
        return output.detach(), *torch.autograd.grad(output, self.inputs, self.gradient)

    def expected(self, rule: Rule) -> tuple[Tensor, ...]:
        """Return the same for the first row, by dense attention under the rule's mask."""
        first = tuple(tensor[:, :1].detach() for tensor in self.inputs)
        if not self.backward:
            return (oracle(rule, *first),)
        for tensor in first:
            tensor.requires_grad_()
        output = oracle(rule, *first)
        return output.detach(), *torch.autograd.grad(output, first, self.gradient[:, :1])


def difference(side: str, got: Sequence[Tensor], want: Sequence[Tensor]) -> dict[str, float]:
    """Return a side's largest differences, of the output and of the gradients, on the first row.

    Each tensor counts in units of the largest number that it should hold.

    Raises:
        RuntimeError: the side computes something else, so that comparing times would mean nothing.
    """
    away = [
        float((mine[:, :1] - right).abs().max() / right.abs().max())
        for mine, right in zip(got, want, strict=True)
    ]
    found = {"output": away[0]} | ({"gradient": max(away[1:])} if away[1:] else {})
    if not max(away) <= TOLERANCE:
        raise RuntimeError(f"{side} does not compute what its mask says: {found}")
    return {name: float(f"{value:.1e}") for name, value in found.items()}


def compare(found: Mapping[str, SparseSide], work: Pass) -> tuple[dict[str, Any], dict[str, int]]:
    """Run every side once: its differences from the oracle, and its peak memory."""
    differences, peaks = {}, {}
    expected: dict[Any, tuple[Tensor, ...]] = {}
    for name, side in found.items():
        peaks[name], got = peak_bytes(partial(work.run, side))
        if side.rule not in expected:
            expected[side.rule] = work.expected(side.rule)
        differences[name] = difference(name, got, expected[side.rule])
    return differences, peaks


def settled(run: Run[object]) -> float:
    """Return the processor time of a run; of a short one that of the second of two in a row.

    The allocator gives memory back to the system after a side that needs much. A side that takes a
    millisecond would then be timed at getting it again.
    """
    seconds = seconds_of(run)
    return seconds_of(run) if seconds < SHORT else seconds


def measure(case: Case, peers: Sequence[str]) -> dict[str, Any]:
    """Return the figures of one case: agreement, peak memory, seconds and speed-ups."""
    work = Pass(case)
    wanted = {peer: case.left_out(peer) for peer in peers}
    made = sides(wanted, case.size, work.inputs)
    differences, peaks = compare(made.found, work)
    runs = {name: partial(work.run, side) for name, side in made.found.items()}
    seconds = interleave(runs, case.rounds, warm_up=0, timer=settled)  # each side has run once
    others = (name for name in runs if name != CAUSAL)
    return {
        "n": case.n,
        "rows": case.rows,
        "backward": case.backward,
        "rounds": case.rounds,
        "stride": case.size,
        "largest_difference": differences,
        "seconds": {name: spread(values) for name, values in seconds.items()},
        "speed_up": {name: spread(ratios(seconds[CAUSAL], seconds[name])) for name in others},
        "peak_bytes": peaks,
        "first_call": made.first_call,
        "left_out": made.left_out,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for."""
    command = Command(
        about=__doc__.splitlines()[0],
        kind=SCALING,
        cases=CASES,
        sides=OTHERS,
        measure=measure,
        table=scaling_table,
        shared={"d_head": D_HEAD},
        packages=lambda peers: (),
        footer="Above 1 a side is faster than torch's causal kernel. Quartiles in brackets.",
    )
    run_command(command, arguments)


if __name__ == "__main__":
    main()
