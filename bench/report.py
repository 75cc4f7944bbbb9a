"""Where a benchmark's figures come from, and how they read in a terminal and in a file."""

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from bottomup.experiments.engine.provenance import base_commit, is_dirty, processor
from bottomup.results.speed import (
    OURS,
    SCHEMA,
    BenchmarkCase,
    DecodingCase,
    ModelCase,
    TrainingCase,
)
from bottomup.results.speed_files import read_case
from bottomup.results.speed_scaling import ScalingCase

PASS = {False: "forward", True: "forward + backward"}
MEASURED = ("ms", "against", "peak MB", "aim")
HEADINGS = ("pass", "weights", "mask", "n", *MEASURED)
MODEL_HEADINGS = ("layers", "width", "batch", "rounds", *MEASURED)
SCALING_HEADINGS = ("pass", "n x rows", "rounds", "side", "ms", "speed-up", "peak MB")


def provenance(packages: Sequence[str]) -> dict[str, Any]:
    """Return machine, versions, commit and time of a run that starts now."""
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "base_commit": base_commit(),
        "dirty": is_dirty(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "load_at_start": [round(load, 2) for load in os.getloadavg()],
        },
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in dict.fromkeys(("torch", *packages))},
        },
        "threads": torch.get_num_threads(),
        "clock": "processor time of the process",
        "memory": "peak of what torch allocates in one pass, from its profiler",
    }


def row(content: Mapping[str, Any]) -> list[str]:
    """Return one case of attention as the cells of a table."""
    case = read_case(content)
    facts = [PASS[case.backward], "yes" if case.need_weights else "no", case.mask, str(case.n)]
    return facts + measured(case)


def model_row(content: Mapping[str, Any], kind: type[ModelCase]) -> list[str]:
    """Return one case of a whole model as the cells of a table."""
    case = read_case(content, kind)
    layers, batch = f"{case.layers}+{case.layers}", f"{case.batch} x {case.n}"
    return [layers, str(case.d_model), batch, str(case.rounds), *measured(case)]


def measured(case: BenchmarkCase) -> list[str]:
    """Return what every kind of case has: our time, ratios, memory, verdict."""
    against = (
        f"{peer} {ratio.median:.2f} ({ratio.q1:.2f}–{ratio.q3:.2f})"
        for peer, ratio in case.ratio.items()
    )
    peaks = (f"{side} {count / 2**20:.0f}" for side, count in case.peak_bytes.items())
    ms = f"{case.seconds[OURS].median * 1000:.1f}"
    return [ms, ", ".join(against), ", ".join(peaks), case.verdict]


def table(cases: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return cases of attention as a table, for a terminal."""
    return _lines(HEADINGS if header else (), map(row, cases))


def training_table(cases: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return cases of a training step as a table, for a terminal."""
    return _model_table(cases, TrainingCase, header)


def decoding_table(cases: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return cases of decoding as a table, for a terminal."""
    return _model_table(cases, DecodingCase, header)


def scaling_table(cases: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return cases of sparse attention as a table, one line a side, for a terminal."""
    lines = [line for case in cases for line in scaling_rows(case)]
    return _lines(SCALING_HEADINGS if header else (), lines)


def scaling_rows(content: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the sides of one case as the cells of a table, then those left out with the reason."""
    case = read_case(content, ScalingCase)
    facts = [PASS[case.backward], f"{case.n} x {case.rows}", str(case.rounds)]
    for side, seconds in case.seconds.items():
        times = case.speed_up.get(side)
        against = f"{times.median:.2f} ({times.q1:.2f}–{times.q3:.2f})" if times else ""
        peak = f"{case.peak_bytes[side] / 2**20:.1f}"
        yield [*facts, side, f"{seconds.median * 1000:.2f}", against, peak]
    for side, reason in case.left_out.items():
        yield [*facts, side, "", reason, ""]


def _model_table(cases: Sequence[Mapping[str, Any]], kind: type[ModelCase], header: bool) -> str:
    return _lines(MODEL_HEADINGS if header else (), (model_row(case, kind) for case in cases))


def _lines(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = [headings, ["---"] * len(headings)] if headings else []
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (*head, *rows))


def write(path: Path, result: Mapping[str, Any]) -> None:
    """Write the figures as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
