"""The committed benchmarks, read from their files."""

import json
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from bottomup.checks import check_choice
from bottomup.results import speed
from bottomup.results.speed_scaling import ScalingBenchmark, ScalingCase

AnyBenchmark = (
    speed.AttentionBenchmark | speed.TrainingBenchmark | speed.DecodingBenchmark | ScalingBenchmark
)
KINDS: dict[str, tuple[type[speed.Benchmark], type[speed.MeasuredCase]]] = {
    speed.ATTENTION: (speed.AttentionBenchmark, speed.AttentionCase),
    speed.TRAINING: (speed.TrainingBenchmark, speed.TrainingCase),
    speed.DECODING: (speed.DecodingBenchmark, speed.DecodingCase),
    speed.SCALING: (ScalingBenchmark, ScalingCase),
}


def available_benchmarks() -> list[str]:
    """Return the file names of the committed benchmarks, in alphabetical order."""
    names = (entry.name for entry in _folder().iterdir())
    return sorted(name for name in names if name.endswith(".json"))


def benchmark(name: str) -> AnyBenchmark:
    """Read a committed benchmark: ``benchmark("multi_head.json")``.

    The whole file name is asked for, so that a chapter which names it is known to depend on it.
    """
    check_choice("name", name, available_benchmarks())
    return read_benchmark(_folder() / name)


def read_benchmark(path: Path | Traversable) -> AnyBenchmark:
    """Read a file that a benchmark wrote; without a name of its kind it is one of attention."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if content.pop("schema", None) != speed.SCHEMA:
        raise ValueError(f"{path}: expected a benchmark of schema {speed.SCHEMA}")
    kind = content.pop("benchmark", speed.ATTENTION)
    check_choice("benchmark", kind, KINDS)
    run, kind_of_case = KINDS[kind]
    cases = tuple(read_case(case, kind_of_case) for case in content.pop("cases", ()))
    read: AnyBenchmark = _build(run, {**content, "cases": cases})
    return read


def read_case(
    content: Mapping[str, Any], kind: type[speed.MeasuredCase] = speed.AttentionCase
) -> Any:
    """Return a case of some kind from the JSON of a benchmark."""
    spreads = {
        name: {side: _build(speed.Spread, found) for side, found in content[name].items()}
        for name in ("seconds", "ratio", "speed_up")
        if name in content
    }
    return _build(kind, {**content, **spreads})


def _build(kind: type[Any], content: Mapping[str, Any]) -> Any:
    expected = {field.name for field in fields(kind)}
    if set(content) != expected:
        differing = ", ".join(sorted(set(content) ^ expected))
        raise ValueError(f"{kind.__name__}: fields missing or unknown: {differing}")
    return kind(**content)


def _folder() -> Traversable:
    return files("bottomup.results") / "benchmarks"
