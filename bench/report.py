"""Where a benchmark's figures come from, and how they read in a terminal and in a file."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from bottomup.experiments.provenance import base_commit, is_dirty
from bottomup.results.speed import OURS, SCHEMA, read_case

PASS = {False: "forward", True: "forward + backward"}
HEADINGS = ("pass", "weights", "mask", "n", "ms", "against", "peak MB", "aim")


def processor() -> str:
    """Return the processor's name as the operating system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


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
    """Return one case as the cells of a table."""
    case = read_case(content)
    against = (
        f"{peer} {ratio.median:.2f} ({ratio.q1:.2f}–{ratio.q3:.2f})"
        for peer, ratio in case.ratio.items()
    )
    peaks = (f"{side} {count / 2**20:.0f}" for side, count in case.peak_bytes.items())
    return [
        PASS[case.backward],
        "yes" if case.need_weights else "no",
        case.mask,
        str(case.n),
        f"{case.seconds[OURS].median * 1000:.1f}",
        ", ".join(against),
        ", ".join(peaks),
        case.verdict,
    ]


def table(cases: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return the cases as a table, for a terminal."""
    rows = [list(HEADINGS), ["---"] * len(HEADINGS)] if header else []
    rows += [row(case) for case in cases]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def write(path: Path, result: Mapping[str, Any]) -> None:
    """Write the figures as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
