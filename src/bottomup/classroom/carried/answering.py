"""Run answers that were handed in, each in a process of its own, and tell what they return.

The process that runs this knows the cases, and neither a solution nor what is expected. Where the
system can fork, torch is loaded once. Else a process ends with its first answer.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from bottomup.classroom.carried.values import told
from bottomup.exercises.engine import limits
from bottomup.exercises.engine.checking import before_running, raised, stopped, trials_of
from bottomup.exercises.engine.registry import catalog, find
from bottomup.exercises.engine.report import Report
from bottomup.exercises.engine.runner import contained
from bottomup.exercises.engine.show import describe_error
from bottomup.exercises.engine.source import NAMES
from bottomup.i18n import _

READY = "ready"  # the first line that is printed
WAITING = 3.0  # seconds on the wall for each second of processor time
GRACE = 5.0  # more of them, for what does not let itself be interrupted

Job = dict[str, Any]


def serve() -> None:
    """Read a job from each line of the input, and print how its process ended."""
    torch.set_num_threads(1)
    limits.WAITING = WAITING
    for exercise in catalog().values():
        for case in exercise.cases:
            case.fresh().inputs  # noqa: B018  # what torch loads when it is first used
    sys.modules["bottomup"] = None  # type: ignore[assignment]  # a course that is installed, too
    _say(READY)
    for line in sys.stdin:
        job = json.loads(line)
        if not hasattr(os, "fork"):
            with contextlib.redirect_stdout(io.StringIO()):
                answer(job)
            _say(0)
            return
        _say(in_a_process(job))


def _say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def in_a_process(job: Job) -> int:
    """Answer a job in a fork of this process; return its status, or minus a signal's number."""
    process = os.fork()
    if process == 0:
        try:
            os.setsid()
            with Path(os.devnull).open("r+b") as nothing:
                for stream in (0, 1, 2):
                    os.dup2(nothing.fileno(), stream)
            limit(job["seconds"], job["megabytes"])
            answer(job)
        finally:
            os._exit(0)
    until = time.monotonic() + WAITING * job["seconds"] + GRACE
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)  # what the answer has started
    return os.waitstatus_to_exitcode(status)


def limit(seconds: float, megabytes: int) -> None:
    """Let this process have no more processor time and memory than that."""
    import resource  # there is none on Windows, where nothing forks

    most = int(seconds + GRACE) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    if sys.platform == "linux":  # elsewhere the limit does not hold
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
        bytes_ = pages * resource.getpagesize() + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


def answer(job: Job) -> None:
    """Run one answer on the cases of its exercise, and write down what it did."""
    try:
        said = run(job)
    except MemoryError:
        said = {"status": "failed", "message": _("Your function asks for too much memory.")}
    except BaseException as error:  # whatever an answer does, the next one is asked
        sentence = _("Your function was not run ({error}).")
        said = {"status": "failed", "message": sentence.format(error=describe_error(error))}
    torch.save(said, job["to"])


def run(job: Job) -> dict[str, Any]:
    """Return what is said of an answer that cannot be run, else what it did on each case."""
    exercise, seconds = find(job["slug"]), job["seconds"]
    found, problem = defined(job["cells"], exercise.answer_name, seconds)
    if problem:
        return {"status": "failed", "message": problem}
    report = before_running(exercise, found)
    if report is not None:
        return about(report)
    trials = list(trials_of(exercise, found, exercise.cases, seconds))
    report = stopped(exercise, found, trials, seconds)
    if report is not None:
        return about(report)
    with contained():
        return {
            "trials": [
                {
                    "value": told(trial.value),
                    "error": type(trial.error).__name__ if trial.error is not None else None,
                    "said": raised(exercise, found, trial),
                    "printed": trial.printed,
                    "changed": list(trial.changed),
                }
                for trial in trials
            ]
        }


def about(report: Report) -> dict[str, Any]:
    """Return what a report says that is not about values."""
    return {"status": report.status, "message": report.message}


def defined(cells: Sequence[tuple[str, list[int]]], name: str, seconds: float) -> tuple[Any, str]:
    """Run the statements that define an answer; return it, or else why it is not there.

    Args:
        cells: of each cell its text and the numbers of the statements to run.
        name: of the answer.
        seconds: limit on the processor time.
    """
    namespace: dict[str, Any] = {**NAMES, "Tensor": torch.Tensor, "__name__": "__main__"}
    problems: list[str] = []

    def execute() -> None:
        for number, (text, wanted) in enumerate(cells):
            file = f"<cell {number}>"
            linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
            body = ast.parse(text).body
            for statement in (body[index] for index in wanted):
                try:
                    exec(compile(ast.Module([statement], []), file, "exec"), namespace)
                except Exception as error:  # the answer may do without
                    problems.append(f"{describe_error(error)} ({ast.unparse(statement)[:80]})")

    with contained():
        outcome = limits.call_within(execute, seconds)
    if outcome.timed_out:
        return None, _("What defines {name} did not end in time.").format(name=name)
    if name not in namespace:
        sentence = _("{name} could not be defined: {error}")
        return None, sentence.format(name=name, error="; ".join(problems))
    return namespace[name], ""
