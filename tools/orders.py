"""Run the README's commands in every order of two, in a fresh clone with an empty home.

    python -m tools.orders                    # an hour or two, most of it three times `make test`
    python -m tools.orders --clone DIR lab    # a walk of your own through a clone that is there

The walk is a round in which each command follows each other one once, so that what one of them
leaves behind is met by all others. `book` and `lab` serve: they have done their work once a page
answers, and are stopped as by Ctrl-C. To see that the set-up alone needs a network (Linux, root):

    unshare --net sh -c 'ip link set lo up; python -m tools.orders --clone DIR'
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from tools.notebooks.paths import ROOT

WALK = "book test book lab test lab book check test check lab check book".split()
# Command -> where it serves, for those that go on until they are stopped.
SERVED = {
    "book": "http://localhost:8000/book/index.html",
    "lab": "http://localhost:8888/api",
}
LONGEST = 7200.0  # seconds


def run(name: str, clone: Path, home: Path) -> int:
    """Run one command in the clone; return its exit status, 0 for a server that answered."""
    settings = {"HOME": str(home), "PATH": os.environ["PATH"], "CI": "true"}
    command = ["make", name, "LAB=--allow-root --no-browser"]
    with Path(home, "log.txt").open("a", encoding="utf-8") as log:
        print(f"\n==== make {name}", file=log, flush=True)
        process = subprocess.Popen(
            command, cwd=clone, env=settings, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        if name not in SERVED:
            return process.wait(LONGEST)
        answered = answers(process, SERVED[name])
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)
        return 0 if answered else 1


def answers(process: subprocess.Popen[bytes], address: str) -> bool:
    """Wait until a server answers; return False once it has ended, or the time is up."""
    until = time.monotonic() + LONGEST
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return True
        except OSError:
            time.sleep(0.5)
    return False


def main(arguments: Sequence[str]) -> int:
    """Walk, print a line for each command, and return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.orders", description=__doc__)
    parser.add_argument("walk", nargs="*", default=WALK, help="commands of the Makefile")
    parser.add_argument("--clone", type=Path, help="a clone to walk through; a new one if left out")
    options = parser.parse_args(arguments)
    scratch = Path(tempfile.mkdtemp(prefix="orders-"))
    clone, home = options.clone or scratch / "clone", scratch / "home"
    home.mkdir()
    if options.clone is None:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    print(f"in {clone}, with what was printed in {home / 'log.txt'}", flush=True)
    failed = 0
    for before, name in zip(["-", *options.walk], options.walk, strict=False):
        started = time.monotonic()
        status = run(name, clone, home)
        failed |= status
        word = "passed" if status == 0 else "FAILED"
        print(f"{name:<6} after {before:<6} {word} {time.monotonic() - started:7.1f} s", flush=True)
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
