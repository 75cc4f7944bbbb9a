"""What a benchmark's figures are called, where they come from, and how they read as a table."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from bench.sides import OURS, TORCH
from bottomup.experiments.provenance import base_commit, is_dirty

SCHEMA = 1
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


def rival(case: Mapping[str, Any]) -> str:
    """Return the peer that the aim names: torch with weights, otherwise the fastest one."""
    peers = case["ratio"]
    if case["need_weights"] and TORCH in peers:
        return TORCH
    return min(peers, key=lambda name: case["seconds"][name]["median"])


def verdict(case: Mapping[str, Any]) -> str:
    """Compare with the rival: slower only where three of four rounds say so."""
    ratio = case["ratio"][rival(case)]
    if ratio["q1"] > 1:
        return "slower"
    return "faster" if ratio["q3"] < 1 else "as fast"


def row(case: Mapping[str, Any]) -> list[str]:
    """Return one case as the cells of a table."""
    against = (
        f"{name} {ratio['median']:.2f} ({ratio['q1']:.2f}–{ratio['q3']:.2f})"
        for name, ratio in case["ratio"].items()
    )
    peaks = (f"{name} {count / 2**20:.0f}" for name, count in case["peak_bytes"].items())
    return [
        PASS[case["backward"]],
        "yes" if case["need_weights"] else "no",
        case["mask"],
        str(case["n"]),
        f"{case['seconds'][OURS]['median'] * 1000:.1f}",
        ", ".join(against),
        ", ".join(peaks),
        verdict(case),
    ]


def table(cases: Sequence[Mapping[str, Any]], *, header: bool = True) -> str:
    """Return the cases as a table in Markdown."""
    rows = [list(HEADINGS), ["---"] * len(HEADINGS)] if header else []
    rows += [row(case) for case in cases]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def document(result: Mapping[str, Any]) -> str:
    """Return a page about a run: where it was made, and its table."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    return (
        "# Multi-head attention against its peers\n\n"
        f"{machine['processor']}, {result['threads']} thread, {result['date'][:10]}; {versions}. "
        f"Batch {result['batch']}, {result['heads']} heads, d_model {result['d_model']}, float32, "
        "no biases.\n\n"
        "The column *ms* is our median. *Against* is our time over the peer's, the median of the "
        "ratios of all rounds with their quartiles: below 1 we are faster. *Peak MB* is what torch "
        "allocates in one pass, in units of 2^20 bytes. *Aim* compares us with the fastest peer, "
        "or, where weights are returned, with torch: *slower* stands where the lower quartile is "
        "above 1.\n\n" + table(result["cases"])
    )


def write(path: Path, result: Mapping[str, Any]) -> None:
    """Write the figures as JSON, and the page beside them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(document(result), encoding="utf-8")
