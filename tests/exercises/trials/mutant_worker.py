"""Checking mutants in a process of their own, which can be killed."""

import multiprocessing
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from tools.exercises.mutants import Mutant

# Of processor time: a mutant that computes on is stopped, and one that cannot be stopped is killed
# by the system. Either counts as rejected, and neither depends on what else the machine does.
SECONDS_PER_CHECK = 2.0
SECONDS_PER_MUTANT = 30
PATIENCE = 600.0  # seconds on the wall, for a mutant that neither computes nor answers


class Worker:
    """A process that checks mutants of any exercise, until one of them takes it down."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork after OpenMP has run can hang
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def passes(self, slug: str, name: str, source: str) -> bool | None:
        """Say whether a mutant passes every case; None where it got stuck or ended the process."""
        try:
            self.connection.send((slug, name, source))
            return self.connection.recv() if self.connection.poll(PATIENCE) else None
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return None

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()


_running: list[Worker] = []  # one for all exercises: to start it takes longer than to check one


def survivors(slug: str, name: str, candidates: Sequence[Mutant]) -> list[Mutant]:
    """Return the mutants that pass every case of the exercise.

    Args:
        slug: the exercise.
        name: the function that the mutants define.
        candidates: the mutants.
    """
    passed = []
    for mutant in candidates:
        if not _running:
            _running.append(Worker())
        result = _running[0].passes(slug, name, mutant.source)
        if result is None:
            _running.pop().kill()
        elif result:
            passed.append(mutant)
    return passed


def _kill_after(seconds: int) -> None:
    """Have the system end this process after more seconds of processor time."""
    if sys.platform == "win32":  # there `PATIENCE` alone ends it
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def work(connection: Connection) -> None:
    """Answer for each mutant whether it passes."""
    import torch

    from bottomup.exercises import catalog
    from bottomup.exercises.engine.checking import passes

    torch.set_num_threads(1)
    while True:
        slug, name, source = connection.recv()
        _kill_after(SECONDS_PER_MUTANT)
        namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
        exec(compile(source, "<mutant>", "exec"), namespace)
        connection.send(passes(catalog()[slug], namespace[name], seconds=SECONDS_PER_CHECK))
