"""Measure the package against its peers.

    python -m bench [multi_head training_step decoding sparse] [--only n=64 mask=causal]
        [--rounds 3] [--out FOLDER]

A line is printed for each case. With ``--out`` each part is written to a file of its name when it
is through, so an interruption loses one part at most.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from bench import decoding, multi_head, sparse, training_step
from bench.measure import measure, provenance

PARTS = {
    "multi_head": multi_head.COMPARISON,
    "training_step": training_step.COMPARISON,
    "decoding": decoding.COMPARISON,
    "sparse": sparse.COMPARISON,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--only", nargs="+", default=[], help="facts of the cases")
    parser.add_argument("--rounds", type=int, help="of every case")
    parser.add_argument("--out", type=Path, help="folder for the files")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    for part in chosen.parts or PARTS:
        found = run(part, chosen.only, chosen.rounds)
        if chosen.out:
            chosen.out.mkdir(parents=True, exist_ok=True)
            text = json.dumps(found, indent=1) + "\n"
            (chosen.out / f"{part}.json").write_text(text, encoding="utf-8")


def run(part: str, only: Sequence[str], rounds: int | None) -> dict[str, Any]:
    """Measure the cases of a part that have the facts, and print a line for each."""
    start, about, measured = time.monotonic(), provenance(), []
    for usual, facts in PARTS[part].cases:
        words = [f"{name}={value}" for name, value in facts.items()]
        if set(only) <= set(words):
            measured.append(measure(PARTS[part], rounds or usual, facts))
            times = {side: 1e3 * s["median"] for side, s in measured[-1]["seconds"].items()}
            print(part, *words, *(f"{side} {ms:.2f} ms" for side, ms in times.items()), flush=True)
    minutes = round((time.monotonic() - start) / 60, 1)
    print(f"{part}: {minutes} minutes")
    return {**about, "minutes": minutes, "cases": measured}


if __name__ == "__main__":
    main()
