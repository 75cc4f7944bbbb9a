"""Marking: every answer of every student is run in a process of its own and judged in this one.

What a process hands back is data, and is compared here with what the solution returns. An answer
is run on the cases that students have, and on hidden ones: the same with other random numbers. A
hidden case counts where all right answers that the course knows agree on it.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import torch
from tqdm import tqdm

import bottomup
from bottomup.classroom import packing
from bottomup.classroom.answers import HandedIn, Statements, source_of
from bottomup.classroom.carried.answering import GRACE, READY, WAITING, Job
from bottomup.classroom.carried.values import error_of, understood
from bottomup.classroom.writing import write
from bottomup.exercises.engine.checking import judge
from bottomup.exercises.engine.exercise import Case, Exercise
from bottomup.exercises.engine.registry import find
from bottomup.exercises.engine.report import Report, evidence_text
from bottomup.exercises.engine.runner import Trial, attempt, compared, contained, expected_values
from bottomup.exercises.engine.show import show
from bottomup.i18n import _

SECONDS = 10.0  # of processor time, for an answer
MEGABYTES = 2048  # of memory, for an answer
LARGEST = 200 * 2**20  # bytes that an answer may return
KEPT = "marked.json"
SLOW_START = 300.0  # seconds until torch is loaded


@dataclass(frozen=True)
class Mark:
    """What became of one answer.

    Args:
        status: "passed", "failed", "unsolved", or "missing" where nothing could be run.
        cases, agreeing: how many cases it was run on, the hidden ones too, and on how many of them
            it agrees with the solution.
        message: what is said of it, in a few sentences.
        mistake: the mistake that was recognised, or None.
        returned: what tells it from answers that do something else on the visible cases.
        evidence: a failing case, as text.
        source: the answer as code, without comments.
        hidden, agreeing_hidden: how many of the cases are hidden ones, and on how many of these it
            agrees.
        file: which of the student's files it is from, where there are several.
    """

    status: str
    cases: int = 0
    agreeing: int = 0
    message: str = ""
    mistake: str | None = None
    returned: str = ""
    evidence: str = ""
    source: str = ""
    hidden: int = 0
    agreeing_hidden: int = 0
    file: str = ""

    @property
    def score(self) -> float:
        """Which share of the cases agrees, from 0 to 1; 0 where none of the hidden ones does."""
        if self.hidden and not self.agreeing_hidden:
            return 0.0
        return self.agreeing / self.cases if self.cases else 0.0


Marks = dict[str, dict[str, Mark]]  # by student, then by exercise


class Questions:
    """Exercises with their hidden cases, and what the solution gives on all of them."""

    def __init__(self, slugs: Sequence[str], secret: str) -> None:
        self.exercises = {slug: find(slug) for slug in slugs}
        self.cases: dict[str, tuple[Case, ...]] = {}
        self.expected: dict[str, tuple[Any, ...]] = {}
        for slug, exercise in self.exercises.items():
            hidden = list(hidden_cases(exercise, secret))
            self.cases[slug] = (*exercise.cases, *(case for case, _value in hidden))
            self.expected[slug] = (*expected_values(exercise), *(value for _case, value in hidden))

    def archive(self) -> bytes:
        """Return what the process that runs answers needs: the cases, and not what is expected."""
        asked = {self.exercises[slug]: cases for slug, cases in self.cases.items()}
        return packing.archive(packing.files(asked, with_outcomes=False))


def hidden_cases(exercise: Exercise, secret: str) -> Iterator[tuple[Case, Any]]:
    """Yield the exercise's own random cases with other numbers, and what the solution gives."""
    if packing.carries_code(exercise):
        return
    for number, case in enumerate(exercise.cases):
        if not (case.own and case.seed):
            continue
        drawn = sha256(f"{secret} {exercise.slug} {number}".encode()).digest()
        name = _("hidden: {name}").format(name=case.name)
        other = replace(case, name=name, seed=int.from_bytes(drawn[:4]), gives=None, own=False)
        right = attempt(exercise, exercise.solution, other)
        others = [attempt(exercise, answer, other) for answer in exercise.alternatives]
        with contained():
            if right.returned and all(
                each.returned and compared(exercise, each.value, right.value, other) is None
                for each in others
            ):
                yield other, right.value


class Answerer:
    """A process that runs one answer after the other, begun anew where it ends."""

    def __init__(self, archive: Path) -> None:
        self.archive = archive
        self.process: subprocess.Popen[str] | None = None

    def ask(self, job: Job) -> tuple[dict[str, Any], int]:
        """Return what a job wrote down, nothing where it did not come to that, and its status."""
        line, to = "", Path(job["to"])
        for _try in range(2):  # one that forks nothing has ended after the last job
            process = self.process or self._started()
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("a process without pipes")
            try:
                process.stdin.write(json.dumps(job) + "\n")
                process.stdin.flush()
                line = self._line(process, 2 * (WAITING * job["seconds"] + GRACE))
            except OSError:
                line = ""
            if line:
                break
            self.end()
            if to.exists() or not hasattr(os, "fork"):
                break
        try:
            if to.stat().st_size > LARGEST:
                return {"status": "failed", "message": _("Your function returns too much.")}, 0
            said: dict[str, Any] = torch.load(to, weights_only=True)
        except Exception:  # nothing was written, or something else than data
            said = {}
        to.unlink(missing_ok=True)
        return said, int(line or -9)

    def _line(self, process: "subprocess.Popen[str]", seconds: float) -> str:
        """Return the next line that a process prints, empty where it ends or takes too long."""
        if process.stdout is None:
            raise RuntimeError("a process without pipes")
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            return process.stdout.readline()
        finally:
            timer.cancel()

    def _started(self) -> "subprocess.Popen[str]":
        code = (
            f"import sys; sys.path.insert(0, {str(self.archive)!r}); "
            f"from {packing.renamed(packing.ANSWERING)} import serve; serve()"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            encoding="utf-8", cwd=self.archive.parent,
            env=os.environ | {"OMP_NUM_THREADS": "1", "CHECKS_PROGRESS": ""},
        )  # fmt: skip
        if self._line(self.process, SLOW_START).strip() != READY:
            raise RuntimeError("the process that runs answers could not be started")
        return self.process

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def mark(
    class_: Sequence[HandedIn],
    slugs: Sequence[str],
    *,
    secret: str,
    kept: Path,
    seconds: float = SECONDS,
    processes: int = 2,
) -> Marks:
    """Return the marks of a class; who was marked before and has changed nothing is not run again.

    Args:
        class_: what the students handed in.
        slugs: the exercises.
        secret: what the hidden cases are drawn from.
        kept: the file that keeps the marks.
        seconds: limit on the processor time of each answer.
        processes: how many run answers at the same time.
    """
    setting = [bottomup.__version__, list(slugs), secret, seconds]
    before = _before(kept, setting)
    found = {
        each.student: before[each.student]["marks"]
        for each in class_
        if before.get(each.student, {}).get("digest") == each.digest
    }
    left = [each for each in class_ if each.student not in found]
    if left:
        questions = Questions(slugs, secret)
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder, "questions.zip")
            archive.write_bytes(questions.archive())
            done = _marked(left, questions, archive, seconds, min(processes, len(left)))
            digests = {each.student: each.digest for each in class_}
            for student, marks in tqdm(done, total=len(left), unit=_("student")):
                found[student] = {slug: asdict(each) for slug, each in marks.items()}
                content = {name: {"digest": digests[name], "marks": found[name]} for name in found}
                text = json.dumps({"setting": setting, "students": content}, indent=1)
                write(kept, text)
    return {
        each.student: {slug: Mark(**about) for slug, about in found[each.student].items()}
        for each in class_
    }


def setting_of(kept: Path) -> tuple[str, float] | None:
    """Return the secret and the seconds of earlier marks; None where there are none."""
    try:
        _version, _slugs, secret, seconds = json.loads(kept.read_text("utf-8"))["setting"]
    except (OSError, ValueError):
        return None
    return secret, seconds


def _before(kept: Path, setting: list[Any]) -> Mapping[str, Any]:
    """Return the marks that a file keeps, none where they were made in another way."""
    try:
        content = json.loads(kept.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    students: Mapping[str, Any] = content["students"] if content["setting"] == setting else {}
    return students


def _marked(
    class_: Sequence[HandedIn], questions: Questions, archive: Path, seconds: float, processes: int
) -> Iterator[tuple[str, dict[str, Mark]]]:
    """Yield the marks of each student as they come."""
    answerers = [Answerer(archive) for _number in range(processes)]
    free: SimpleQueue[Answerer] = SimpleQueue()
    for answerer in answerers:
        free.put(answerer)
    lock = threading.Lock()  # one at a time: judging looks at the state of the whole process

    def marks_of(each: HandedIn) -> tuple[str, dict[str, Mark]]:
        answerer = free.get()
        try:
            return each.student, {
                slug: _mark(each, questions.exercises[slug], questions, answerer, seconds, lock)
                for slug in questions.exercises
            }
        finally:
            free.put(answerer)

    try:
        with ThreadPoolExecutor(processes) as threads:
            yield from threads.map(marks_of, class_)
    finally:
        for answerer in answerers:
            answerer.end()


def _mark(
    each: HandedIn, exercise: Exercise, questions: Questions, answerer: Answerer, seconds: float,
    lock: threading.Lock,
) -> Mark:  # fmt: skip
    answer = each.answer(exercise.answer_name, exercise.stub)
    file = each.file_of(answer)
    if answer.problem:
        status = "missing" if answer.cell is None else "failed"
        return Mark(status, message=answer.problem, file=file)
    done = _run(answer.statements, exercise, questions, answerer, seconds, lock)
    return replace(done, file=file)


def _run(
    statements: Statements, exercise: Exercise, questions: Questions, answerer: Answerer,
    seconds: float, lock: threading.Lock,
) -> Mark:  # fmt: skip
    to = answerer.archive.parent / f"answer-{id(answerer)}.pt"
    job = {
        "slug": exercise.slug, "cells": statements, "seconds": seconds, "megabytes": MEGABYTES,
        "to": str(to),
    }  # fmt: skip
    said, status = answerer.ask(job)
    source = _source(statements)
    if "trials" not in said:
        message = said.get("message") or _died(status)
        # nobody passes without values that were compared here
        failed = "unsolved" if said.get("status") == "unsolved" else "failed"
        return Mark(failed, message=str(message), source=source)
    with lock:
        try:
            return judged(exercise, questions, said["trials"], source)
        except Exception as error:  # a value that cannot even be looked at
            message = _("What it returned could not be compared ({error}).")
            return Mark("failed", message=message.format(error=type(error).__name__), source=source)


def _source(statements: Statements) -> str:
    try:
        return source_of(statements)
    except (ValueError, RecursionError):
        return ""


def _died(status: int) -> str:
    """Say how a process ended that wrote nothing down."""
    if status < 0:
        sentence = _(
            "Your function ended its process (signal {number}): it took too long, too much memory, "
            "or crashed."
        )
        return sentence.format(number=-status)
    return _("Your function ended its process instead of returning a value.")


def judged(exercise: Exercise, questions: Questions, said: Sequence[Any], source: str) -> Mark:
    """Return the mark of an answer from what its process wrote down, case by case."""
    cases, expected = questions.cases[exercise.slug], questions.expected[exercise.slug]
    trials = [
        Trial(
            case,
            understood(each["value"]),
            None if each["error"] is None else error_of(str(each["error"])),
            printed=str(each["printed"]),
            changed=tuple(map(str, each["changed"])),
        )
        for case, each in zip(cases, said, strict=True)
    ]
    sentences = [None if each["error"] is None else str(each["said"]) for each in said]
    count = len(exercise.cases)
    report = judge(exercise, trials[:count], expected[:count], sentences[:count])
    agrees = partial(_agrees, exercise)
    right = list(map(agrees, trials, expected))
    hidden = right[count:]
    passed, message = report.passed and all(hidden), report.message
    if hidden and not passed:
        sentence = _("{agreeing} of {count} hidden cases agree.")
        sentence = sentence.format(agreeing=hidden.count(True), count=len(hidden))
        message = sentence if report.passed else f"{message} {sentence}"
    return Mark(
        "passed" if passed else "failed",
        len(cases),
        right.count(True),
        message,
        report.mistake,
        _fingerprint(trials[:count]),
        _evidence(report),
        source,
        len(hidden),
        hidden.count(True),
    )


def _agrees(exercise: Exercise, trial: Trial, expected: Any) -> bool:
    with contained():
        same = trial.returned and compared(exercise, trial.value, expected, trial.case) is None
    return same and not trial.changed


def _fingerprint(trials: Sequence[Trial]) -> str:
    """Return a short text that is the same for answers that return the same."""
    shown = [show(each.value) if each.returned else type(each.error).__name__ for each in trials]
    return sha256(json.dumps(shown).encode()).hexdigest()[:12]


def _evidence(report: Report) -> str:
    return evidence_text(report.evidence) if report.evidence else ""
