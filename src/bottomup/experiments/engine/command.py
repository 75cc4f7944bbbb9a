"""Run an experiment over seeds, several processes at a time, and write its record.

The same command goes on where an earlier one was stopped.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bottomup.experiments.engine import registry
from bottomup.experiments.engine.record import Record
from bottomup.experiments.engine.units import Unit

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an experiment from the command line; return the exit status."""
    options = _parser().parse_args(arguments)
    experiment = registry.experiment(options.name)
    out = options.out or Path("_build", "experiments", f"{options.name}_{options.preset}")
    try:
        record = experiment.run(
            experiment.preset(options.preset),
            options.seeds,
            options.device,
            out=out,
            jobs=options.jobs,
            on_progress=_tell,
        )
    except KeyboardInterrupt:
        _say("Stopped. The same command goes on from here.")
        return INTERRUPTED
    except (ValueError, RuntimeError, OSError) as error:
        _say(f"error: {error}")
        return 1
    _report(record, out / f"{options.name}.json")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bottomup.experiments", description=__doc__)
    parser.add_argument("name", choices=sorted(registry.NAMES), help="the experiment")
    parser.add_argument(
        "--preset",
        default="laptop",
        help="tiny, laptop (default), recorded, full; decoding has multi30k and multi30k-gpu in "
        "place of the last two",
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="default: 0")
    parser.add_argument("--device", help="cpu or cuda; default: a GPU where there is one")
    parser.add_argument(
        "--out", type=Path, help="folder that keeps what is finished; default: below _build"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; default: 1")
    return parser


def _tell(unit: Unit, seconds: float | None, share: tuple[int, int]) -> None:
    spent = "found finished" if seconds is None else f"{seconds:.0f} s"
    _say(f"{share[0]} of {share[1]}: {unit.label}: {spent}")


def _report(record: Record, path: Path) -> None:
    _say(f"{path}: {record.name}, {record.seconds:.0f} processor seconds")
    for claim in registry.experiment(record.experiment).claims(record):
        _say(f"{claim.id} {claim.verdict}: {claim.value} ({claim.rule.text})")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
