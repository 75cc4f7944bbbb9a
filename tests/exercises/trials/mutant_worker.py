"""Checking mutants in a process of their own, which can be killed."""

import multiprocessing
import resource
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from tests.exercises.trials.mutants import Mutant

# Of processor time: a mutant that computes on is stopped, and one that cannot be stopped is killed
# by the system. Either counts as rejected, and neither depends on what else the machine does.
SECONDS_PER_CHECK = 2.0
SECONDS_PER_MUTANT = 30
PATIENCE = 600.0  # seconds on the wall, for a mutant that neither computes nor answers


def survivors(slug: str, name: str, candidates: Sequence[Mutant]) -> list[Mutant]:
    """Return the mutants that pass every case of the exercise.

    Args:
        slug: the exercise.
        name: the function that the mutants define.
        candidates: the mutants.
    """
    passed: list[Mutant] = []
    left = list(candidates)
    while left:
        results = _run_until_stuck(slug, name, left)
        passed += [mutant for mutant, passes in zip(left, results, strict=False) if passes]
        left = left[len(results) + 1 :]  # the one after the last result got stuck
    return passed


def _run_until_stuck(slug: str, name: str, candidates: Sequence[Mutant]) -> list[bool]:
    context = multiprocessing.get_context("spawn")  # a fork after OpenMP has run can hang
    ours, theirs = context.Pipe()
    sources = [mutant.source for mutant in candidates]
    worker = context.Process(target=work, args=(theirs, slug, name, sources), daemon=True)
    worker.start()
    theirs.close()
    results: list[bool] = []
    try:
        while len(results) < len(candidates) and ours.poll(PATIENCE):
            results.append(ours.recv())
    except EOFError:
        pass  # the mutant took the process down
    finally:
        worker.kill()
        worker.join()
    return results


def _kill_after(seconds: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def work(connection: Connection, slug: str, name: str, sources: Sequence[str]) -> None:
    import torch

    from bottomup.exercises import catalog
    from bottomup.exercises.checking import passes

    torch.set_num_threads(1)
    exercise = catalog()[slug]
    for source in sources:
        _kill_after(SECONDS_PER_MUTANT)
        namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
        exec(compile(source, "<mutant>", "exec"), namespace)
        connection.send(passes(exercise, namespace[name], seconds=SECONDS_PER_CHECK))
