"""Time a Transformer's training step against nn.Transformer and x-transformers' XTransformer.

A step: forward pass, cross-entropy over the real tokens, backward pass, Adam's step, and the
gradients freed. Every case first compares what the sides compute in float64, then measures their
peak memory in float32, then times them in interleaved rounds on one thread. The table is printed;
with ``--out`` the figures go to a JSON file, the one that the book's page on benchmarks shows where
`make bench` runs this.

    python -m bench.training_step [--cases 1x512:8x64 ...] [--rounds 9] [--out FILE.json]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from bench.command import Command, run_command
from bench.memory import peak_bytes
from bench.report import training_table
from bench.sides import lengths
from bench.timing import interleave, ratios, spread
from bench.training_sides import TRAINED, TrainingSide, config, ours
from bottomup.data import Batch
from bottomup.models import Transformer
from bottomup.results.speed import OURS, TRAINING

VOCABULARY = 1000
RATE = 1e-4
# float64, relative to the largest number. In float32 a neuron that rounds to either side of zero
# has a gradient on one side and none on the other, and with many neurons there is such a one.
TOLERANCE = 1e-10


@dataclass(frozen=True, kw_only=True)
class Case:
    """A model, the size of its batch, and how often its step is timed."""

    layers: int
    d_model: int
    heads: int
    batch: int
    n: int
    rounds: int

    @property
    def name(self) -> str:
        """The case in short: layers of a side x width : sequences x positions."""
        return f"{self.layers}x{self.d_model}:{self.batch}x{self.n}"


# The rounds keep the whole run at five minutes.
CASES = (
    Case(layers=1, d_model=512, heads=8, batch=8, n=64, rounds=25),
    Case(layers=1, d_model=512, heads=8, batch=2, n=512, rounds=15),
    Case(layers=6, d_model=512, heads=8, batch=8, n=64, rounds=9),
    Case(layers=6, d_model=512, heads=8, batch=2, n=512, rounds=7),
    Case(layers=1, d_model=128, heads=4, batch=32, n=64, rounds=35),
    Case(layers=6, d_model=128, heads=4, batch=32, n=64, rounds=15),
)


def padded_batch(rows: int, n: int, vocabulary: int) -> Batch:
    """Return random tokens; sources grow from half of n to all of it, targets shrink."""
    source, target_in, target_out = torch.randint(4, vocabulary, (3, rows, n))
    positions, real = torch.arange(n), lengths(rows, n)[:, None]
    return Batch(
        source=source,
        source_mask=positions < real,
        target_in=target_in,
        target_out=target_out,
        target_mask=positions < real.flip(0),
    )


def sides(case: Case, peers: Sequence[str], seed: int = 0) -> dict[str, TrainingSide]:
    """Return every side in float64 by its name, ours first: the same weights, the same batch."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = config(case.layers, case.d_model, case.heads, case.n, VOCABULARY)
        model = Transformer(sizes).double()
        batch = padded_batch(case.batch, case.n, VOCABULARY)
        others = {name: TRAINED[name](model, batch) for name in peers}
    found = {OURS: ours(model, batch), **others}
    for side in found.values():
        side.module.train()
    return found


def step(side: TrainingSide) -> Callable[[], None]:
    """Return one training step; between two steps no gradient takes room."""
    optimiser = torch.optim.Adam(side.module.parameters(), lr=RATE)

    def run() -> None:
        side.loss(side.logits()).backward()
        optimiser.step()
        optimiser.zero_grad()

    return run


def computed(side: TrainingSide) -> dict[str, Tensor]:
    """Return what is compared before the first step: logits, loss and each gradient."""
    logits = side.logits()
    loss = side.loss(logits)
    loss.backward()
    gradients = side.gradients()
    side.module.zero_grad()
    return {"logits": logits.detach(), "loss": loss.detach(), **gradients}


def agreement(peer: str, got: Mapping[str, Tensor], want: Mapping[str, Tensor]) -> dict[str, float]:
    """Return a peer's largest differences from ours: of logits, of the loss, and of all gradients.

    Each tensor counts in units of our largest number in it. The bias of the keys is left out: it
    adds the same to all scores of a query, so its gradient is zero, and what is computed is noise.

    Raises:
        RuntimeError: the peer computes something else, so that comparing times would mean nothing.
    """
    found = {"logits": 0.0, "loss": 0.0, "gradient": 0.0}
    for name, mine in want.items():
        if name in got and not name.endswith("W_K.bias"):
            kind = name if name in found else "gradient"
            away = float((got[name] - mine).abs().max() / mine.abs().max())
            found[kind] = max(found[kind], away)
    if not max(found.values()) <= TOLERANCE:
        raise RuntimeError(f"{peer} does not compute what we compute: {found}")
    return {name: float(f"{away:.1e}") for name, away in found.items()}


def measure(case: Case, peers: Sequence[str]) -> dict[str, Any]:
    """Return the figures of one case: agreement, peak memory, seconds and ratios."""
    found = sides(case, peers)
    want = computed(found[OURS])
    differences = {peer: agreement(peer, computed(found[peer]), want) for peer in peers}
    for side in found.values():
        side.module.float()
    runs = {name: step(side) for name, side in found.items()}
    for run in runs.values():
        run()  # the first step makes Adam's averages, which stay
    peaks = {name: peak_bytes(run)[0] for name, run in runs.items()}
    seconds = interleave(runs, case.rounds, warm_up=0)
    parameters = {
        name: sum(p.numel() for p in side.module.parameters()) for name, side in found.items()
    }
    return {
        **asdict(case),
        "parameters": parameters,
        "largest_difference": differences,
        "seconds": {name: spread(values) for name, values in seconds.items()},
        "ratio": {peer: spread(ratios(seconds[OURS], seconds[peer])) for peer in peers},
        "peak_bytes": peaks,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for."""
    command = Command(
        about=__doc__.splitlines()[0],
        kind=TRAINING,
        cases=CASES,
        sides=TRAINED,
        measure=measure,
        table=training_table,
        shared={"vocabulary": VOCABULARY},
    )
    run_command(command, arguments)


if __name__ == "__main__":
    main()
