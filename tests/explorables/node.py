"""Tests of the scripts' pure functions, which need no browser: node runs them, pytest calls it."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

OLDEST = 18  # the first that runs tests


def check(tests: Path, given: object, folder: Path) -> None:
    """Run a file of tests. What the package works out, `given`, is compared there.

    Args:
        tests: the file, which reads what it is given from ``given.js``.
        given: anything that JSON can express.
        folder: where that is written.
    """
    path = folder / "given.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    command = [_node(), "--test", "--test-reporter=spec", str(tests)]
    done = subprocess.run(
        command,
        env={**os.environ, "GIVEN": str(path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ℹ pass 0\n" not in done.stdout, "there are no tests in it"


def _node() -> str:
    """Return the path of node; without one the tests are skipped, which under CI is an error."""
    path = shutil.which("node")
    if path is not None:
        version = subprocess.run(
            [path, "--version"], capture_output=True, encoding="utf-8", check=True
        )
        if int(version.stdout.removeprefix("v").split(".")[0]) >= OLDEST:
            return path
    reason = f"no node {OLDEST} or newer found: install it (Debian: apt-get install nodejs)"
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; under CI the tests of the scripts must run")
    pytest.skip(reason)
