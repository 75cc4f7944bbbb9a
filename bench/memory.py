"""Peak memory of one run, as torch's profiler sees it: exact, and free of the machine's noise."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from torch.profiler import ProfilerActivity, profile

# Else the profiler announces each start and stop. It reads this when it is used for the first time.
os.environ.setdefault("KINETO_LOG_LEVEL", "6")

Result = TypeVar("Result")


def peak_bytes(run: Callable[[], Result]) -> tuple[int, Result]:
    """Return the most bytes that tensors made by `run` held at one moment on the CPU; its result.

    What stood before (weights, inputs, masks) does not count; outputs and gradients do. Buffers
    that a matrix library allocates past torch are not seen.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        result = run()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profiled.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    changes = [e for e in events if e.get("name") == "[memory]" and e["args"]["Device Type"] == 0]
    held = peak = 0
    for event in sorted(changes, key=lambda event: event["ts"]):
        held += event["args"]["Bytes"]
        peak = max(peak, held)
    return peak, result
