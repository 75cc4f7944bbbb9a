"""In the page's worker: read the text of an answer, hand it to the engine, return its report.

What is right and what to say is the engine's business, as in a notebook; nothing here knows.
"""

import dis
import io
import json
import linecache
import re
import sys
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from html import escape
from pathlib import Path
from types import CodeType
from typing import Any

import smalltorch

smalltorch.install()

from bottomup import i18n  # noqa: E402  # what follows may import torch

HERE = Path(__file__).parent
if (messages := HERE / f"{i18n.language()}.json").exists():  # before the engine looks them up
    i18n.catalogue(i18n.language()).update(json.loads(messages.read_text("utf-8")))

import alarm  # noqa: E402
import torch  # noqa: E402

from bottomup.exercises.engine import catching, checking, limits, outcomes  # noqa: E402
from bottomup.exercises.engine.catch_report import Catch  # noqa: E402
from bottomup.exercises.engine.exercise import Exercise  # noqa: E402
from bottomup.exercises.engine.registry import find  # noqa: E402
from bottomup.exercises.engine.report import Report, Status, framed  # noqa: E402
from bottomup.exercises.engine.runner import SECONDS  # noqa: E402
from bottomup.exercises.engine.source import NAMES  # noqa: E402
from bottomup.exercises.engine.stub import methods_of  # noqa: E402
from bottomup.i18n import _  # noqa: E402
from smalltorch.refusal import LACKED, NotHere, not_here  # noqa: E402

FILE = "<answer>"  # what a traceback calls the text
ROOM = 20_000  # characters of what it prints
MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")

alarm.install()


class Printed(io.StringIO):
    """What a text prints, up to some length."""

    def shown(self) -> str:
        """Return what there was room for, and say where that is not all."""
        text = self.getvalue()
        if len(text) < ROOM:
            return text
        return text[: text.rfind("\n") + 1] + _("… (the rest is left out)")

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        super().write(text[: max(ROOM - self.tell(), 0)])
        return len(text)


def check(slug: str, text: str) -> str:
    """Return what the engine says of the answer that a text defines, as JSON."""
    return _told(slug, text, "{}", checking.check)


def catch(slug: str, text: str) -> str:
    """Return what the engine says of the test that a text defines, and a survivor, as JSON."""
    return _told(slug, text, "test_{}", _caught)


def _told(slug: str, text: str, name: str, judge: Callable[[str, Any], Any]) -> str:
    """Run a text, have what it defines judged, and return all that is to be shown, as JSON."""
    started, printed = time.perf_counter(), Printed()
    LACKED.clear()
    alarm.rang = False
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            shown = _judged(_found(slug), text, name, judge)
    except NotHere as refusal:  # met by the course's own code
        shown = _unchecked(slug, str(refusal))
    shown |= {"printed": printed.shown(), "lacks": sorted(set(LACKED))}
    shown["seconds"] = round(time.perf_counter() - started, 3)
    return json.dumps({"mistake": None, **shown})


def _found(slug: str) -> Exercise:
    """Return an exercise, with what its wrong answers do from the file beside it."""
    known = HERE / "outcomes" / slug
    if slug not in outcomes.LOADED and known.exists():
        outcomes.load(slug, known.read_bytes())
    return find(slug)


def _judged(
    exercise: Exercise, text: str, name: str, judge: Callable[[str, Any], Any]
) -> dict[str, Any]:
    name = name.format(exercise.answer_name)
    outcome = limits.call_within(lambda: _defined(exercise, text, name), SECONDS)
    if outcome.error is None:
        shown = _shown(judge(exercise.slug, outcome.value))
    else:
        shown = _broken(exercise, outcome.error, judge is _caught)
    LACKED.extend(f"module {name}" for name in MISSING.findall(shown["text"]))
    if LACKED and shown["verdict"] != "passed":
        refusal = not_here(" and no ".join(dict.fromkeys(LACKED)))
        LACKED.pop()  # it has noted all of them once more
        return _unchecked(exercise.title, str(refusal))
    return shown


def _caught(slug: str, test: Any) -> Catch:
    exercise = find(slug)
    wrong = (answer for mistake in exercise.mistakes for answer in mistake.answers)
    for answer in (exercise.solution, *exercise.alternatives, *wrong):
        for code in methods_of(answer).values():  # on what a test asks, one may not end
            alarm.watch(code)
    return catching.catch(slug, test)


def _defined(exercise: Exercise, text: str, name: str) -> Any:
    """Run a text as a notebook runs a cell, and return what it defines under a name."""
    linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE
    code = compile(text, FILE, "exec", dont_inherit=True)
    alarm.watch(code)
    namespace = {**NAMES, "Tensor": torch.Tensor, "__name__": "__main__"}
    imports = json.loads((HERE / "imports" / f"{exercise.slug}.json").read_text("utf-8"))
    for used in sorted(set(_looked_up(code)) & set(imports) - set(namespace)):
        exec(imports[used], namespace)
    exec(code, namespace)
    if name not in namespace:
        raise NameError(f"name {name!r} is not defined")
    return namespace[name]


def _looked_up(code: CodeType) -> Iterator[str]:
    """Yield the names that a code takes from its globals."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _looked_up(constant)


def _shown(report: Report | Catch) -> dict[str, Any]:
    """Return what a report shows."""
    shown: list[Any] = [report]
    about: dict[str, Any] = {}
    if isinstance(report, Catch):
        about["caught"] = report.caught
        if report.outcomes and not report.passed:
            call = _("`survivor()` of this report shows what one of those does.")
            shown = [replace(report, message=report.message.removesuffix(f" {call}"))]
            shown.append(report.survivor())  # here it is shown at once
    else:
        about["mistake"] = report.mistake
    return {
        "verdict": _verdict(report.status, about.get("mistake")),
        "text": "\n\n".join(map(repr, shown)),
        "html": "".join(each._repr_html_() for each in shown),
        **about,
    }


def _verdict(status: Status, mistake: str | None) -> str:
    if status == "failed":
        return "stopped" if alarm.rang else "named" if mistake else "failed"
    return "stub" if status == "unsolved" else status


def _broken(exercise: Exercise, error: BaseException, is_test: bool) -> dict[str, Any]:
    """Return what is shown of a text that ended in an error, as a notebook would."""
    told = traceback.TracebackException.from_exception(error)
    told.stack[:] = [frame for frame in told.stack if frame.filename == FILE]
    message = "".join(told.format()).rstrip()
    report = Report(exercise.slug, exercise.title, "failed", message)
    block = f'<pre style="white-space: pre-wrap">{escape(message)}</pre>'
    verdict = "stopped" if isinstance(error, limits.OutOfTime) else "failed"
    heading = Catch(exercise, "failed").heading if is_test else report.heading
    html = framed("failed", heading, [block])
    return {"verdict": verdict, "text": f"{heading}\n{message}", "html": html}


def _unchecked(title: str, sentence: str) -> dict[str, Any]:
    return _shown(Report("", title, "unchecked", sentence))


def unpack(path: str) -> None:
    """Unpack the exercises of a chapter, with what goes with them."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(HERE)
    sys.path_importer_cache.clear()  # which does not know of the new folders


def close() -> None:
    """Leave nothing of JavaScript's to Python, before the first answer runs."""
    from _pyodide._importhook import jsfinder

    jsfinder.jsproxies.clear()
    sys.meta_path.remove(jsfinder)
    closed = {"js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core"}
    for name in [*sys.modules]:
        if name.partition(".")[0] in closed:
            sys.modules[name] = None  # an import of it fails
