"""What is said of answers under torch and in the page, side by side.

A process that an answer takes down is begun anew. What was said is kept in a file with a line for
each answer, so that a run goes on where it was stopped, and only what has changed is judged again.
"""

import json
import selectors
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tools.notebooks.paths import ROOT
from tools.page import contents, known
from tools.page.judge import READY
from tools.page.sides import SIDES, started

KEPT = ROOT / "_build" / "agree"
SECONDS = {"torch": 10.0, "small": 60.0}  # of processor time, for one answer
PATIENCE = 180.0  # seconds on the wall, for one that does not come back

Said = dict[str, Any]
Job = dict[str, Any]


@dataclass
class Judge:
    """A process that judges one answer after the other."""

    side: str
    process: subprocess.Popen[str] | None = field(default=None, init=False)

    def ask(self, job: Job) -> Said:
        """Return what is said of an answer; that it died or hung where it did."""
        process = self.process = self.process or self._started()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a judge without pipes")
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            line = process.stdout.readline() if waiting.select(PATIENCE) else ""
        if line:
            said: Said = json.loads(line)
            return said
        self.end()
        return {"verdict": "died", "mistake": None, "text": "", "html": "", "lacks": []}

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def _started(self) -> "subprocess.Popen[str]":
        process = started(self.side, "from tools.page.judge import serve; serve()")
        if process.stdout is None or process.stdout.readline().strip() != READY:
            raise RuntimeError(f"{self.side}: the engine cannot be imported there")
        return process


def compared(name: str, jobs: Iterable[Job]) -> Iterator[tuple[Job, Said, Said]]:
    """Yield jobs with what is said under torch and in the page, once both sides are through.

    Args:
        name: of the files that keep it.
        jobs: the answers, each with its exercise, and a name or a text.
    """
    listed = list(jobs)
    files = known.files()
    with ThreadPoolExecutor(len(SIDES)) as threads:
        sides = list(threads.map(lambda side: judged(name, side, listed, files), SIDES))
    yield from zip(listed, *sides, strict=True)


def judged(name: str, side: str, jobs: list[Job], files: Mapping[str, Path]) -> list[Said]:
    """Return what a side says of each job; what it said before is read from its file."""
    path = KEPT / f"{name}.{side}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    before: dict[str, Said] = dict(map(json.loads, lines))
    made = own_digest(side)
    own = known.OWN if side == "torch" else {}  # those are the other side's
    asked = [job | {"known": "" if job["slug"] in own else str(files[job["slug"]])} for job in jobs]
    # The name of the file changes with the exercise, also where its own outcomes are worked out.
    keys = [key_of(job | {"known": str(files[job["slug"]])}, made) for job in asked]
    judge = Judge(side)
    with path.open("a", encoding="utf-8") as file:
        for key, job in zip(keys, asked, strict=True):
            if key not in before:
                before[key] = judge.ask(job | {"seconds": SECONDS[side]})
                if before[key]["verdict"] == "died":
                    continue
                file.write(json.dumps([key, before[key]]) + "\n")
                file.flush()
    judge.end()
    return [before[key] for key in keys]


def key_of(job: Job, made: str) -> str:
    """Return what tells a job of this state of the code from all others."""
    parts = json.dumps([made, job], sort_keys=True)
    return sha256(parts.encode()).hexdigest()[:24]


def own_digest(side: str) -> str:
    """Return a digest of what a side judges with, besides the engine and the exercise."""
    if side == "torch":
        return side
    digest = sha256()
    for path in contents.small_torch_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()
