"""What a hand-out carries so that it can be checked: the engine, inputs, outcomes, diagnoses.

It is a package of Python, `checks`, in an archive, and needs torch and NumPy alone. In it are no
solution and no other right answer, no edit, no hint and no other exercise. Inputs are carried as
data; of the modules of an exercise only what runs and compares its answers (`code`). What the
solution and the wrong answers return has been worked out before, as for the pages of the site.
"""

import ast
import inspect
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

import bottomup
from bottomup import i18n
from bottomup.classroom import code
from bottomup.classroom.code import ENGINE
from bottomup.exercises.engine import diagnose, outcomes
from bottomup.exercises.engine.exercise import Case, Exercise
from bottomup.exercises.engine.registry import file_stem, find, places
from bottomup.exercises.engine.runner import contained
from bottomup.i18n import _

NAME = "checks"  # of the package that is carried
CARRIED = Path(__file__).parent / "carried"
IN_PLACE_OF = {
    "bottomup": "top.py",
    "bottomup.i18n": "i18n.py",
    f"{ENGINE}.registry": "registry.py",
}
ANSWERING = "bottomup.classroom.carried.answering"  # runs answers when they are marked
HANDED_OUT = f"{NAME}/handed_out"

Files = dict[str, bytes]  # by their name in an archive


def packed(slugs: Sequence[str]) -> bytes:
    """Return the archive with which answers to some exercises are checked."""
    return archive(files({find(slug): find(slug).cases for slug in slugs}, with_outcomes=True))


def archive(found: Files) -> bytes:
    """Return files as an archive, which is the same whenever it is made."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in found.items():
            made.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def files(asked: Mapping[Exercise, Sequence[Case]], *, with_outcomes: bool) -> Files:
    """Return what is carried to check exercises on some cases.

    Args:
        asked: the exercises, each with its cases.
        with_outcomes: whether to tell what the solution and the wrong answers return, and the
            diagnoses: without them answers are run and not judged.
    """
    found: Files = {}
    modules = dict(engine() if with_outcomes else engine(ANSWERING))
    for exercise, cases in asked.items():
        own, carried = of_exercise(exercise, cases, with_outcomes=with_outcomes)
        modules |= own
        found |= {f"{HANDED_OUT}/{name}": content for name, content in carried.items()}
    listed = {exercise.slug: exercise.chapter for exercise in asked}
    found[f"{HANDED_OUT}/exercises.json"] = _json(listed)
    found[f"{HANDED_OUT}/messages.json"] = _json(messages(modules.values()))
    for folder in {parent for module in modules for parent in _parents(module)} - set(modules):
        modules[folder] = ""
    for module, source in modules.items():
        is_folder = any(other.startswith(f"{module}.") for other in modules)
        name = renamed(module).replace(".", "/") + ("/__init__.py" if is_folder else ".py")
        found[name] = imports_renamed(source).encode()
    return dict(sorted(found.items()))


def engine(*more: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of the engine that a check imports, with their sources, and some more."""
    used_by_cases = ("scalars", "named_tensors", "named_functions")
    waiting = ["bottomup", *more, *(f"{ENGINE}.{name}" for name in used_by_cases)]
    seen = set[str]()
    while waiting:
        module = waiting.pop()
        if module in seen or module in ("bottomup.exercises", "bottomup.classroom"):
            continue
        seen.add(module)
        source = source_of(module)
        yield module, source
        waiting += imported(ast.parse(source))


def source_of(module: str) -> str:
    """Return the source of a module, or of what is carried in its place."""
    path = CARRIED / IN_PLACE_OF[module] if module in IN_PLACE_OF else code.file_of(module)
    if path is None:
        raise LookupError(f"there is no module {module}")
    version = f'\n__version__ = "{bottomup.__version__}"\n' if module == "bottomup" else ""
    return path.read_text("utf-8") + version


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of the course that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bottomup"):
            yield str(node.module)
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name for name in names if code.file_of(name))


def of_exercise(
    exercise: Exercise, cases: Sequence[Case], *, with_outcomes: bool
) -> tuple[dict[str, str], Files]:
    """Return the modules and the data that are carried for one exercise."""
    module = f"bottomup.exercises.{places()[exercise.slug]}.{file_stem(exercise.slug)}.cases"
    inputs = None if carries_code(exercise) else _saved(_inputs(cases))
    defined = {name for each in code.parsed(module).body for name in code.bound(each)}
    asked = {"run", "compare"} | ({"CASES", "WITHOUT"} if inputs is None else set[str]())
    modules = code.needed({module: asked & defined})
    about = {
        "title": exercise.title,
        "chapter": exercise.chapter,
        "stub": exercise.stub,
        "code": module.removeprefix("bottomup.") if modules else "",
        "cases": [(case.name, case.own) for case in cases],
        "mistakes": [
            {
                "slug": each.slug,
                "diagnosis": each.diagnosis,
                "see": each.see,
                "case": each.case,
                "forms": len(each.known),
            }
            for each in exercise.mistakes
            if with_outcomes
        ],
    }
    found: Files = {f"{exercise.slug}.json": _json(about)}
    if inputs is not None:
        found[f"{exercise.slug}.inputs"] = inputs
    if any("find(" in source for source in modules.values()):
        found[f"{exercise.slug}.values"] = _values(exercise, cases)
    if with_outcomes:
        found[f"{exercise.slug}.outcomes"] = outcomes.saved(diagnose.outcomes(exercise))
    return modules, found


def carries_code(exercise: Exercise) -> bool:
    """Say whether the inputs of an exercise are objects of its own, which are no data."""
    return _saved(_inputs(exercise.cases)) is None


def _inputs(cases: Sequence[Case]) -> list[dict[str, Any]]:
    return [dict(case.fresh().inputs) for case in cases]


def _values(exercise: Exercise, cases: Sequence[Case]) -> bytes:
    """Return what the solution gives by itself on each case, for checks that look at it."""
    count = len(inspect.signature(exercise.solution).parameters)
    values = []
    for case in cases:
        inputs = tuple(case.fresh().inputs.values())[:count]
        with contained(), torch.no_grad():
            values.append((inputs, exercise.solution(*inputs)))
    saved = _saved(values)
    if saved is None:
        raise TypeError(f"{exercise.slug}: expected values made of tensors and containers")
    return saved


def _saved(value: Any) -> bytes | None:
    """Return a value as bytes; None where it holds more than tensors, numbers and containers."""
    held = io.BytesIO()
    try:
        torch.save(value, held)
        torch.load(io.BytesIO(held.getvalue()), weights_only=True)
    except Exception:  # it cannot be written, or torch does not read it as mere data
        return None
    return held.getvalue()


def messages(sources: Iterable[str]) -> dict[str, str]:
    """Return what the carried sources say in the reader's language, without the call of `hint`."""
    catalogue = i18n.catalogue(i18n.language())
    said = {
        node.value
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    found = {message: catalogue[message] for message in sorted(said & set(catalogue))}
    hinting = 'Fill in the body and run the cell again. hint("{slug}") gives a first hint.'
    return found | {hinting: _("Fill in the body and run the cell again.")}


def renamed(module: str) -> str:
    """Return the name of a module of the course in the package that is carried."""
    return re.sub(r"^bottomup\b", NAME, module)


def imports_renamed(source: str) -> str:
    """Return a source that imports from the package that is carried."""
    return re.sub(r"^(\s*(?:from|import) )bottomup\b", rf"\1{NAME}", source, flags=re.MULTILINE)


def _parents(module: str) -> Iterator[str]:
    while module := module.rpartition(".")[0]:
        yield module


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
