"""Run an experiment over seeds, several processes at a time, and write its record.

The same command goes on where an earlier one was stopped. ``verify NAME`` runs a committed record
again and says how far the numbers return and which verdicts turn. ``confirm NAME`` asks its claims
once more on seeds of your own, under the rules that are locked. ``full --hours 2`` runs the largest
presets of all experiments, one after the other, until the time is over.
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bottomup.checks import check_integer, check_number
from bottomup.experiments.engine import full, locked, plan, registry
from bottomup.experiments.engine.claim import MIN_SEEDS, Claim
from bottomup.experiments.engine.limit import interrupted_after
from bottomup.experiments.engine.locked import Column
from bottomup.experiments.engine.record import Record, load_record
from bottomup.experiments.engine.units import Unit
from bottomup.experiments.engine.verify import RECORDS, agreement
from bottomup.i18n import escape_unknown_signs
from bottomup.training import ranks

INTERRUPTED = 130
DISAGREES = 2
VERIFY = "verify"
CONFIRM = "confirm"
FULL = "full"
PLAN = "plan"
BUILD = Path("_build", "experiments")
DEVICE_HELP = "cpu, cuda (all GPUs, in turn), cuda:1, mps, xpu; default: CUDA where it is"
ISSUES = "https://github.com/transformers-bottom-up/transformers-bottom-up/issues"
SHOWN = 20  # numbers outside the band that are named


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an experiment, or verify its record, from the command line; return the exit status.

    0 says that all is well, 1 that it could not run, 2 that a record does not return.
    """
    escape_unknown_signs()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == [VERIFY]:
        return _safely(_verify, _verify_parser().parse_args(given[1:]))
    if given[:1] == [CONFIRM]:
        return _safely(_confirm, _confirm_parser().parse_args(given[1:]))
    if given[:1] == [FULL]:
        return _safely(_full, _full_parser().parse_args(given[1:]))
    if given[:1] == [PLAN]:
        return _safely(_plan, _plan_parser().parse_args(given[1:]))
    return _safely(_run, _parser().parse_args(given))


def _safely(act: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    try:
        return act(options)
    except KeyboardInterrupt:
        _say("Stopped. The same command goes on from here.")
        return INTERRUPTED
    # torch asserts that it has CUDA
    except (ValueError, RuntimeError, OSError, AssertionError) as error:
        _say(f"error: {error}")
        return 1


def _run(options: argparse.Namespace) -> int:
    experiment = registry.experiment(options.name)
    config = experiment.preset(options.preset)
    out = options.out or BUILD / f"{options.name}_{options.preset}"
    with ranks.joined() as rank:
        device = ranks.place(options.device)
        if ranks.world() > 1 and options.jobs > 1:
            raise ValueError(f"jobs: expected 1 under torchrun, got {options.jobs}")
        if rank > 0:
            experiment.follow(config, options.seeds, device)
            return 0
        record = experiment.run(
            config, options.seeds, device,
            out=out, jobs=options.jobs, cluster=options.cluster, on_progress=_tell,
        )  # fmt: skip
    _report(record, out / f"{options.name}.json")
    return 0


def _verify(options: argparse.Namespace) -> int:
    committed = load_record(options.record or RECORDS / f"{options.name}.json")
    if committed.experiment != options.name:
        raise ValueError(f"record: expected one of {options.name}, got {committed.name}")
    experiment = registry.experiment(options.name)
    out = options.out or BUILD / f"{VERIFY}_{options.name}"
    again = experiment.run(
        experiment.preset(committed.preset),
        committed.seeds,
        committed.device.split()[0],
        out=out,
        jobs=options.jobs,
        on_progress=_tell,
    )
    found = agreement(committed, again, (experiment.claims(committed), experiment.claims(again)))
    _say(f"{committed.name}, made on {committed.device}; here {again.device}")
    for line in found.outside[:SHOWN]:
        _say(f"outside the band: {line}")
    _say(found.text)
    return 0 if found.holds else DISAGREES


def _confirm(options: argparse.Namespace) -> int:
    """Ask the claims of a record once more; a claim that does not come out is a result too."""
    frozen = locked.frozen()[options.name]
    column = Column.VARIED if options.varied else Column.SAME
    experiment = registry.experiment(options.name)
    config = frozen.config(column, experiment.preset("recorded"))
    first = load_record(RECORDS / f"{options.name}.json")
    out = options.out or BUILD / f"{CONFIRM}_{options.name}_{column}"
    record = experiment.run(
        config, options.seeds, options.device, out=out, jobs=options.jobs, on_progress=_tell
    )
    before = {claim.id: claim for claim in experiment.claims(first)}
    asked = [claim for claim in experiment.claims(record) if claim.id in frozen.claims]
    for claim in asked:
        was = f"first {before[claim.id].verdict}: {before[claim.id].value}"
        _say(f"{claim.id} {claim.verdict}: {claim.value} ({claim.rule.text}); {was}")
    if changed := [claim.id for claim in asked if _is_other(claim, frozen.claims[claim.id])]:
        _say(f"These rules are not those that were locked: {', '.join(changed)}.")
    else:
        _say(f"The rules are those that were locked (freeze {locked.digest()[:7]}).")
    if used := {*first.seeds, *frozen.seeds} & {*options.seeds}:
        _say(f"The book has these seeds already: {', '.join(map(str, sorted(used)))}.")
    if len(options.seeds) < MIN_SEEDS:
        _say(f"A rule decides from {MIN_SEEDS} seeds on.")
    _say(f"To send it, whatever came out: attach {out / f'{options.name}.json'} at {ISSUES}")
    return 0


def _is_other(claim: Claim, frozen: Mapping[str, Any]) -> bool:
    """Say whether a claim has another rule or margin than the freeze says."""
    return (type(claim.rule).__name__, claim.margin) != (frozen["rule"], frozen["margin"])


def _full(options: argparse.Namespace) -> int:
    """Run what fits; an experiment that cannot run is named, and the next one starts."""
    check_number("hours", options.hours, above=0, below=math.inf)
    failed = 0
    with interrupted_after(3600 * options.hours) as over:
        try:
            for name in full.names():
                _say(f"{name}:")
                status = _safely(_full_run, argparse.Namespace(**vars(options), name=name))
                failed = max(failed, status)
                if status == INTERRUPTED:
                    break
        except KeyboardInterrupt:  # between two experiments
            failed = INTERRUPTED
    _say(f"{full.write_verdicts(options.out)}: the verdicts so far")
    if over.is_set():
        _say(f"{options.hours:g} hours are over.")
        return 0
    return failed


def _full_run(options: argparse.Namespace) -> int:
    record = full.run(
        options.name, options.out, options.device, jobs=options.jobs, on_progress=_tell
    )
    _report(record, full.folder_of(options.name, options.out) / f"{options.name}.json")
    return 0


def _confirm_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m bottomup.experiments {CONFIRM}",
        description="Ask the claims of a record once more, on seeds of your own, under the rules "
        "that are locked.",
    )
    parser.add_argument("name", choices=sorted(locked.frozen()), help="the experiment")
    parser.add_argument(
        "--seeds", type=int, nargs="+", required=True, help="at least three, so that a rule decides"
    )
    parser.add_argument(
        "--varied", action="store_true", help="with the one choice made otherwise that is locked"
    )
    parser.add_argument("--device", default="cpu", help=f"{DEVICE_HELP}; here the default is cpu")
    parser.add_argument(
        "--out", type=Path, help="folder that keeps what is finished; default: below _build"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; default: 1")
    return parser


def _full_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m bottomup.experiments {FULL}",
        description="Run the largest preset of every experiment under the seeds of its committed "
        "record, what took least there first, until the time is over.",
    )
    parser.add_argument("--hours", type=float, required=True, help="stop after so many")
    parser.add_argument("--device", help=DEVICE_HELP)
    parser.add_argument(
        "--out", type=Path, default=BUILD, help=f"folder that keeps everything; default: {BUILD}"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; default: 1")
    return parser


def _plan(options: argparse.Namespace) -> int:
    experiment = registry.experiment(options.name)
    config, costs = experiment.preset(options.preset), list[plan.Cost]()
    check_integer("seeds", options.seeds, at_least=1)
    if options.limit != math.inf:
        check_number("limit", options.limit, at_least=0)
    for cost in plan.plan(experiment, config, options.device, limit=options.limit):
        _say(f"{cost.variant}: {cost.bound}{cost.seconds:.0f} s")
        costs.insert(0, cost)
    sys.stdout.write("\n".join(plan.table(costs, options.seeds)) + "\n")
    if any(cost.is_cut for cost in costs):
        _say(f"{options.limit:g} s were over: --limit {10 * options.limit:g} counts more.")
    return 0


def _plan_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m bottomup.experiments {PLAN}",
        description="What a run will cost: each variant once, with trainings of a few steps.",
    )
    parser.add_argument("name", choices=sorted(registry.NAMES), help="the experiment")
    parser.add_argument("--preset", default="full", help="default: full")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds; default: 3")
    parser.add_argument("--device", default="cpu", help="where the few steps run; default: cpu")
    parser.add_argument(
        "--limit", type=float, default=plan.LIMIT,
        help="answer after so many seconds with what is counted by then, ≥ before what is not "
        f"counted to its end; default: {plan.LIMIT:g}",
    )  # fmt: skip
    return parser


def _verify_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m bottomup.experiments {VERIFY}",
        description="Make a committed record again: numbers within the band, verdicts exactly.",
    )
    parser.add_argument("name", choices=sorted(registry.NAMES), help="the experiment")
    parser.add_argument(
        "--record", type=Path, help="compare with this record; default: the committed one"
    )
    parser.add_argument(
        "--out", type=Path, help="folder that keeps what is finished; default: below _build"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; default: 1")
    return parser


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bottomup.experiments", description=__doc__)
    parser.add_argument("name", choices=sorted(registry.NAMES), help="the experiment, or verify")
    parser.add_argument(
        "--preset",
        default="laptop",
        help="tiny, laptop (default), recorded, full; decoding has multi30k and multi30k-gpu in "
        "place of the last two",
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="default: 0")
    parser.add_argument("--device", help=DEVICE_HELP)
    parser.add_argument(
        "--out", type=Path, help="folder that keeps what is finished; default: below _build"
    )
    parser.add_argument(
        "--cluster", help="address of a cluster of dask, such as tcp://10.0.0.1:8786"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; default: 1")
    return parser


def _tell(unit: Unit, seconds: float | None, share: tuple[int, int]) -> None:
    spent = "found finished" if seconds is None else f"{seconds:.0f} s"
    _say(f"{share[0]} of {share[1]}: {unit.label}: {spent}")


def _report(record: Record, path: Path) -> None:
    _say(f"{path}: {record.name}, {record.seconds:.0f} s in all")
    for claim in registry.experiment(record.experiment).claims(record):
        _say(f"{claim.id} {claim.verdict}: {claim.value} ({claim.rule.text})")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
