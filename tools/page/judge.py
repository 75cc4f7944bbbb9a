"""Judges answers in a process of its own, under whatever `import torch` gives there.

`serve` reads a job from each line of its input, the name of a catalogued answer or the text of one,
and prints the report on it. `work_out` keeps what an exercise's own answers do. This module may
import the engine and nothing else: in the page there is nothing else.
"""

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from bottomup.exercises.engine import diagnose, outcomes, source
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.exercise import Exercise
from bottomup.exercises.engine.registry import find
from bottomup.exercises.engine.runner import expected_values
from bottomup.files import write_atomically
from tools.exercises.answers import answers

READY = "ready"  # the first line that is printed


def serve() -> None:
    """Judge what comes until nothing comes any more."""
    print(READY, flush=True)
    for line in sys.stdin:
        with redirect_stdout(io.StringIO()):  # a text may print
            said = judged(**json.loads(line))
        print(json.dumps(said), flush=True)


def judged(
    slug: str, known: str, seconds: float, answer: str = "", text: str = ""
) -> dict[str, Any]:
    """Return what is said of an answer.

    Args:
        slug: the exercise.
        known: the file with its outcomes; empty: they are worked out.
        seconds: the limit on the processor time of the check.
        answer: the name of a catalogued answer.
        text: the source of another one.
    """
    refusal = sys.modules.get("smalltorch.refusal")
    lacked: list[str] = refusal.LACKED if refusal else []
    lacked.clear()
    if known and slug not in outcomes.LOADED:
        outcomes.load(slug, Path(known).read_bytes())
    try:
        exercise = find(slug)
        report = examine(exercise, made(exercise, answer, text), seconds=seconds)
    except BaseException as error:  # what the small torch refuses is no Exception
        said = {"verdict": "error", "mistake": None, "text": repr(error), "html": ""}
    else:
        said = {
            "verdict": "unchecked" if lacked and not report.passed else report.status,
            "mistake": report.mistake,
            "text": repr(report),
            "html": report._repr_html_(),
        }
    return said | {"lacks": sorted(set(lacked))}


def made(exercise: Exercise, answer: str, text: str) -> Any:
    """Return the answer of that name, or the one that a text defines."""
    if text:
        return source.run(text, exercise.answer_name, "an answer")
    return dict(answers(exercise))[answer]


def work_out(slug: str, path: str, solution: str = "") -> None:
    """Keep in a file what the solution and the wrong answers of an exercise do.

    Args:
        slug: the exercise.
        path: the file.
        solution: a file in which what the solution does has been kept already.
    """
    exercise = find(slug)
    if solution:
        outcomes.load(slug, Path(solution).read_bytes())
        expected_values(exercise)  # which remembers them
        outcomes.LOADED.clear()
    data = outcomes.saved(diagnose.outcomes(exercise))
    write_atomically(Path(path), lambda file: file.write(data))
