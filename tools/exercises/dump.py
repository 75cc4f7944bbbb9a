"""What `check` says of every answer that the course knows, and how two such lists differ.

A line of a dump is one answer (the solution, an alternative, a form of a mistake) with the report
on it, or one case with a digest of its inputs. Before exercises are moved the list is kept; the one
after must be the same, or each difference has a reason.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch

from bottomup.exercises import Exercise, Report, catalog
from bottomup.exercises.engine.checking import examine

Line = dict[str, str | None]


def write(path: Path, slugs: Sequence[str] = (), *, jobs: int = 2) -> int:
    """Write the lines of some exercises, or of all, and return how many there are."""
    with ProcessPoolExecutor(jobs, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        found = [line for lines in pool.map(of, slugs or catalog()) for line in lines]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found), "utf-8")
    return len(found)


def of(slug: str) -> list[Line]:
    """Return the lines of an exercise."""
    exercise = catalog()[slug]
    cases: list[Line] = [
        {"exercise": slug, "answer": f"case {number}", "name": case.name,
         "inputs": digest(case.fresh().inputs)}
        for number, case in enumerate(exercise.cases)
    ]  # fmt: skip
    return [*cases, *(said(exercise, name, answer) for name, answer in answers(exercise))]


def answers(exercise: Exercise) -> Iterator[tuple[str, Any]]:
    """Yield every answer that an exercise holds, with a name that stays when its code moves."""
    yield "solution", exercise.solution
    for number, answer in enumerate(exercise.alternatives):
        yield f"alternative {number}", answer
    for mistake in exercise.mistakes:
        for number, answer in enumerate(mistake.answers):
            yield f"{mistake.slug} {number}", answer
        for number, form in enumerate(form for form in mistake.forms if form.kind == "tried"):
            yield f"{mistake.slug} tried {number}", form.answer
    for number, answer in enumerate(exercise.also_right):
        yield f"also right {number}", answer
    for number, answer in enumerate(exercise.also_wrong):
        yield f"also wrong {number}", answer


def said(exercise: Exercise, name: str, answer: Any) -> Line:
    """Return what `check` says of an answer."""
    return line(name, examine(exercise, answer))


def line(name: str, report: Report) -> Line:
    """Return a report as a line."""
    return {
        "exercise": report.slug,
        "answer": name,
        "status": report.status,
        "mistake": report.mistake,
        "case": report.case,
        "text": repr(report),
    }


def digest(value: object) -> str:
    """Return a digest of inputs: of tensors their dtype, shape and bytes, of functions nothing."""
    made = hashlib.sha256()
    for part in pieces(value):
        made.update(part)
    return made.hexdigest()[:16]


def pieces(value: object) -> Iterator[bytes]:
    """Yield what a digest is made of."""
    if isinstance(value, torch.Tensor):
        kept = value.detach().cpu().contiguous()
        yield f"{kept.dtype} {tuple(kept.shape)} {value.requires_grad}".encode()
        yield kept.flatten().view(torch.uint8).numpy().tobytes()
    elif isinstance(value, Mapping):
        for key in value:
            yield str(key).encode()
            yield from pieces(value[key])
    elif isinstance(value, list | tuple):
        yield f"{type(value).__name__} {len(value)}".encode()
        for each in value:
            yield from pieces(each)
    elif callable(value):
        yield b"callable"
    else:
        yield repr(value).encode()


def read(path: Path) -> dict[tuple[str, str], Line]:
    """Return the lines of a dump by what they are about."""
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {(line["exercise"], line["answer"]): line for line in lines}


def differences(old: Path, new: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield exercise, answer, kind of difference, and what it is; kinds from grave to slight."""
    before, after = read(old), read(new)
    for key in [*before, *(key for key in after if key not in before)]:
        if key not in after or key not in before:
            yield *key, "gone" if key in before else "new", ""
            continue
        kinds = [kind for kind in before[key] if before[key][kind] != after[key].get(kind)]
        if kinds:
            kind = kinds[0]
            yield *key, kind, f"{before[key][kind]} -> {after[key].get(kind)}"


def table(found: Iterable[tuple[str, str, str, str]]) -> str:
    """Return the differences as lines, with a count for each kind at the end."""
    rows, counts = [], dict[str, int]()
    for exercise, answer, kind, change in found:
        counts[kind] = counts.get(kind, 0) + 1
        rows.append(f"{exercise} | {answer} | {kind} | {change}")
    counted = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    return "\n".join([*rows, counted or "the same"])
