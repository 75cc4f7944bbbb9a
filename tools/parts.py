"""Run targets of the Makefile one after another and print the seconds each took.

    python -m tools.parts lint unit site

A part that fails does not stop the ones after it, so that one run shows everything that is wrong.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One target, the wall-clock seconds it took, and its exit status (0 means it passed)."""

    name: str
    seconds: float
    status: int


def run_part(command: Sequence[str], name: str) -> Part:
    """Run `command` with `name` appended, its output going to the terminal."""
    print(f"\n== {name}", flush=True)
    start = time.monotonic()
    status = subprocess.run([*command, name], check=False).returncode
    return Part(name, time.monotonic() - start, status)


def summary(parts: Sequence[Part]) -> str:
    """Return a table of the parts with their seconds and a last line with their sum."""
    width = max(len("together"), *(len(part.name) for part in parts))
    lines = [
        f"{part.name:<{width}}  {part.seconds:6.1f} s  {'passed' if part.status == 0 else 'FAILED'}"
        for part in parts
    ]
    lines.append(f"{'together':<{width}}  {sum(part.seconds for part in parts):6.1f} s")
    return "\n".join(lines)


def main(names: Sequence[str]) -> int:
    """Run every part and return 1 if any of them failed."""
    if not names:
        print("usage: python -m tools.parts TARGET [TARGET ...]", file=sys.stderr)
        return 2
    command = [*os.environ.get("MAKE", "make").split(), "--no-print-directory"]
    parts = [run_part(command, name) for name in names]
    print("\n" + summary(parts), flush=True)
    return int(any(part.status != 0 for part in parts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
