"""Time greedy decoding with a key–value cache, against none and against x-transformers' cache.

Every side writes the same number of tokens, one after the other, for the same sources. Every case
first compares, in float64, the tokens and the logits after each of them, then measures peak memory
in float32, then times the sides in interleaved rounds on one thread. The table is printed; with
``--out`` the figures go to a JSON file, the one that the book's page on benchmarks shows where
`make bench` runs this.

    python -m bench.decoding [--cases 2x64:1 ...] [--rounds 9] [--out FILE.json]
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from bench.command import Command, run_command
from bench.decoding_sides import DECODED, DecodingSide, Source, ours, without_eos
from bench.memory import peak_bytes
from bench.report import decoding_table
from bench.sides import X_TRANSFORMERS, lengths
from bench.timing import interleave, ratios, spread
from bench.training_sides import config
from bottomup.data import BOS
from bottomup.models import Transformer
from bottomup.results.speed import DECODING, OURS

VOCABULARY = 1000
TOLERANCE = 1e-10  # of the logits, float64, relative to the largest


@dataclass(frozen=True, kw_only=True)
class Case:
    """A model, how many sequences it writes at once, and how often that is timed."""

    layers: int
    d_model: int
    heads: int
    batch: int
    n: int
    rounds: int

    @property
    def name(self) -> str:
        """The case in short: layers of a side x width : sequences."""
        return f"{self.layers}x{self.d_model}:{self.batch}"


# The rounds keep the whole run at six minutes; n source tokens are read, and n are written.
CASES = (
    Case(layers=2, d_model=64, heads=4, batch=1, n=128, rounds=35),
    Case(layers=2, d_model=64, heads=4, batch=16, n=128, rounds=25),
    Case(layers=4, d_model=256, heads=8, batch=1, n=128, rounds=15),
    Case(layers=4, d_model=256, heads=8, batch=16, n=128, rounds=5),
    Case(layers=6, d_model=512, heads=8, batch=1, n=128, rounds=5),
)


def sources(rows: int, n: int, vocabulary: int) -> Source:
    """Return random tokens: one sequence of n tokens, or several from half of n to all of it."""
    real = lengths(rows, n) if rows > 1 else torch.tensor([n])
    return Source(torch.randint(4, vocabulary, (rows, n)), torch.arange(n) < real[:, None])


def sides(case: Case, peers: Sequence[str], seed: int = 0) -> dict[str, DecodingSide]:
    """Return every side in float64 by its name, ours first: the same weights, the same sources."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = config(case.layers, case.d_model, case.heads, case.n, VOCABULARY)
        model = without_eos(Transformer(sizes).double().eval())
        source = sources(case.batch, case.n, VOCABULARY)
        found = {OURS: ours(model, source)}
        found |= {name: DECODED[name](model, source) for name in peers}
    for side in found.values():
        side.module.eval()
    return found


def whole(tokens: Tensor, case: Case) -> Tensor:
    """Return the tokens of a side that stopped nowhere.

    Raises:
        RuntimeError: it stopped early, so that it did less work than was asked for.
    """
    written = tuple(tokens.shape)
    if written != (case.batch, case.n):
        raise RuntimeError(f"expected {case.batch} x {case.n} tokens, got {written}")
    return tokens


@torch.no_grad()
def agreement(
    peer: str, got: DecodingSide, want: DecodingSide, case: Case, tokens: Tensor
) -> dict[str, float]:
    """Return a side's differences from ours: the share of other tokens, and that of the logits.

    Args:
        peer: the side's name.
        got: the side.
        want: ours.
        case: what is decoded.
        tokens: what ours wrote, [batch, n]; both sides' logits are those after BOS and all but the
            last of these.

    Raises:
        RuntimeError: the side writes something else, so that comparing times would mean nothing.
    """
    others = (whole(got.decode(case.n), case) != tokens).double().mean()
    read = torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], dim=1)
    mine = want.logits(read)
    away = (got.logits(read) - mine).abs().max() / mine.abs().max()
    if others > 0 or not away <= TOLERANCE:
        raise RuntimeError(
            f"{peer} does not write what we write: {others:.0%} other tokens, logits {away:.1e} off"
        )
    return {"tokens": float(others), "logits": float(f"{away:.1e}")}


def measure(case: Case, peers: Sequence[str]) -> dict[str, Any]:
    """Return the figures of one case: agreement, peak memory, seconds and ratios."""
    found = sides(case, peers)
    tokens = whole(found[OURS].decode(case.n), case)
    differences = {peer: agreement(peer, found[peer], found[OURS], case, tokens) for peer in peers}
    for side in found.values():
        side.module.float()
    runs = {name: partial(side.decode, case.n) for name, side in found.items()}
    peaks = {name: peak_bytes(run)[0] for name, run in runs.items()}
    seconds = interleave(runs, case.rounds, warm_up=0)  # each side has run twice
    return {
        **asdict(case),
        "parameters": {
            name: sum(p.numel() for p in side.module.parameters()) for name, side in found.items()
        },
        "largest_difference": differences,
        "seconds": {name: spread(values) for name, values in seconds.items()},
        "ratio": {peer: spread(ratios(seconds[OURS], seconds[peer])) for peer in peers},
        "peak_bytes": peaks,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for."""
    command = Command(
        about=__doc__.splitlines()[0],
        kind=DECODING,
        cases=CASES,
        sides=DECODED,
        measure=measure,
        table=decoding_table,
        shared={"vocabulary": VOCABULARY},
        packages=lambda peers: [peer for peer in peers if peer == X_TRANSFORMERS],
    )
    run_command(command, arguments)


if __name__ == "__main__":
    main()
