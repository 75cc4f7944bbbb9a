"""Time multi-head attention against torch's module and x-transformers, with the same weights.

Every case first compares what the sides compute, then measures their peak memory, then times them
in interleaved rounds on one thread. The table is printed; with ``--out`` the figures go to a JSON
file, the one that the book's page on benchmarks shows where `make bench` runs this.

    python -m bench.multi_head [--sizes 64 512 2048] [--rounds 5] [--out FILE.json]
"""

import argparse
import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bench.memory import peak_bytes
from bench.report import provenance, table, write
from bench.sides import MASKS, PEERS, Attend, Side, ours
from bench.timing import interleave, ratios, spread
from bottomup.results.speed import OURS

# A round at n = 2048 lasts a minute or two; five keep the whole run at a quarter of an hour.
ROUNDS = {64: 60, 512: 15, 2048: 5}
TOLERANCE = 1e-4  # float32, relative to the largest number


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is computed: sizes, kind of mask, weights returned or not, with or without backward."""

    n: int
    mask: str
    need_weights: bool
    backward: bool
    batch: int = 8
    d_model: int = 512
    heads: int = 8


@dataclass(frozen=True, kw_only=True)
class Pass:
    """One side's forward pass, or forward and backward pass, on inputs that all sides share."""

    module: nn.Module
    attend: Attend
    x: Tensor
    gradient: Tensor | None

    def __call__(self) -> tuple[Tensor, Tensor | None, tuple[Tensor, ...]]:
        """Return the output, the weights or None, and the gradients: of x, then of the maps."""
        if self.gradient is None:
            with torch.no_grad():
                return *self.attend(self.x), ()
        output, weights = self.attend(self.x)
        wanted = (self.x, *self.module.parameters())
        return output, weights, torch.autograd.grad(output, wanted, self.gradient)


def passes(case: Case, peers: Sequence[str], seed: int = 0) -> dict[str, Pass]:
    """Return every side by its name, ours first: the same weights, the same input."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        shape = (case.n, case.batch, case.mask, case.need_weights)
        mine, attend_ours = ours(case.d_model, case.heads, *shape)
        sides: dict[str, Side] = {OURS: (mine, attend_ours)}
        sides |= {name: PEERS[name](mine, *shape) for name in peers}
        x = torch.randn(case.batch, case.n, case.d_model, requires_grad=case.backward)
        gradient = torch.randn_like(x) if case.backward else None
    return {
        name: Pass(module=module.train(case.backward), attend=attend, x=x, gradient=gradient)
        for name, (module, attend) in sides.items()
    }


def facts(run: Pass) -> tuple[int, dict[str, Tensor]]:
    """Run once: peak memory, and what is compared; of the large weights the first sequence."""
    peak, (output, weights, gradients) = peak_bytes(run)
    found = {"output": output.detach()}
    if weights is not None:
        found["weights"] = weights[0].detach().clone()
    if gradients:
        found["gradient"] = gradients[0]
    return peak, found


def difference(
    peer: str, got: Mapping[str, Tensor], want: Mapping[str, Tensor]
) -> dict[str, float]:
    """Return a peer's largest difference from ours, in units of our largest number.

    Raises:
        RuntimeError: the peer computes something else, so that comparing times would mean nothing.
    """
    found = {
        name: float(f"{(got[name] - ours).abs().max() / ours.abs().max():.1e}")
        for name, ours in want.items()
    }
    if not max(found.values()) <= TOLERANCE:
        raise RuntimeError(f"{peer} does not compute what we compute: {found}")
    return found


def measure(case: Case, peers: Sequence[str], rounds: int) -> dict[str, Any]:
    """Return the figures of one case: agreement, peak memory, seconds and ratios."""
    runs = passes(case, peers)
    peak, want = facts(runs[OURS])
    peaks, agreement = {OURS: peak}, {}
    for peer in peers:
        peaks[peer], got = facts(runs[peer])
        agreement[peer] = difference(peer, got, want)
    # What ran above was a round of warm-up already; at large n, where it takes long, the only one.
    seconds = interleave(runs, rounds, warm_up=0 if case.n > 1024 else 1)
    return {
        "n": case.n,
        "mask": case.mask,
        "need_weights": case.need_weights,
        "backward": case.backward,
        "rounds": rounds,
        "largest_difference": agreement,
        "seconds": {name: spread(values) for name, values in seconds.items()},
        "ratio": {peer: spread(ratios(seconds[OURS], seconds[peer])) for peer in peers},
        "peak_bytes": peaks,
    }


def run_all(sizes: Sequence[int], peers: Sequence[str], rounds: int | None) -> dict[str, Any]:
    """Measure every case of the sizes, and say where and when."""
    start, cases = time.monotonic(), []
    about = provenance(peers)
    for n, need_weights, backward, mask in itertools.product(
        sizes, (False, True), (False, True), MASKS
    ):
        case = Case(n=n, mask=mask, need_weights=need_weights, backward=backward)
        cases.append(measure(case, peers, rounds or ROUNDS.get(n, 5)))
        print(table(cases[-1:], header=len(cases) == 1), end="", flush=True)
    minutes = round((time.monotonic() - start) / 60, 1)
    shared = {"batch": Case.batch, "d_model": Case.d_model, "heads": Case.heads}
    return {**about, **shared, "minutes": minutes, "cases": cases}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print, and write where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(ROUNDS))
    parser.add_argument("--rounds", type=int, help="for every size")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--out", type=Path, help="JSON file to write")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    result = run_all(chosen.sizes, chosen.peers, chosen.rounds)
    print(f"{result['minutes']} minutes. Ratios below 1: we are faster. Quartiles in brackets.")
    if chosen.out:
        write(chosen.out, result)


if __name__ == "__main__":
    main()
