"""What a class got wrong: by exercise known mistakes, and wrong answers without one.

It is made from marks, from the files that `Progress.export` and the checks of a hand-out write, or
from both. What students noted is counted apart, since such a file can be edited. Nothing is sent
anywhere, and names are told only where the teacher asks.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import bottomup
from bottomup.classroom.marking import Mark, Marks
from bottomup.exercises.engine.progress_file import Progress, read_file
from bottomup.exercises.engine.registry import find, places
from bottomup.i18n import _

UNNAMED = 10  # groups of answers without a known mistake that are shown
Exports = Mapping[str, Progress]  # by student

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
td{padding:.15rem .8rem .15rem 0;vertical-align:top}td:first-child{text-align:right}
td:nth-child(2){min-width:10rem}
.bar{background:#d9822b;display:inline-block;height:.8em}pre{background:#8881;padding:.5rem;
overflow-x:auto}summary{cursor:pointer}"""


Students = dict[str, set[str]]  # by a mistake, or by what is returned


@dataclass
class Found:
    """What is known of one exercise.

    Args:
        solved: the students whose answer is right.
        wrong: those whose answer returns something else.
        stopped: those whose answer returned nothing: it was stopped, crashed or is no Python.
        mistakes: by mistake the students whose answer shows it.
        unnamed: by what they return, the students whose answer is wrong without a known mistake.
        samples: by what they return, one of the answers without a known mistake.
        noted, noted_solved: the students whose own notes say that they tried and solved it.
        checks: how many checks of it these notes count.
        on_the_way: by mistake the students whose notes have it.
    """

    solved: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)
    stopped: set[str] = field(default_factory=set)
    mistakes: Students = field(default_factory=dict)
    unnamed: Students = field(default_factory=dict)
    samples: dict[str, Mark] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)
    noted_solved: set[str] = field(default_factory=set)
    checks: int = 0
    on_the_way: Students = field(default_factory=dict)

    @property
    def tried(self) -> set[str]:
        """The students who handed in an answer."""
        return self.solved | self.wrong | self.stopped

    def commonest(self) -> list[tuple[str, set[str]]]:
        """Return the answers without a known mistake, grouped, those of most students first."""
        return ranked(self.unnamed)[:UNNAMED]

    @property
    def share_unnamed(self) -> float:
        """Which share of the wrong answers shows no known mistake, from 0 to 1."""
        without = set[str]().union(*self.unnamed.values())
        return len(without) / len(self.wrong) if self.wrong else 0.0


class Line(NamedTuple):
    """A line of the report.

    Args:
        mistake: its slug, empty where the course knows none.
        who: the students.
        label, told: what is said of them.
        noted: whether it is from the students' own notes.
        evidence: a case, as text.
    """

    mistake: str
    who: set[str]
    label: str
    told: str
    noted: bool = False
    evidence: str = ""


def ranked(students: Students) -> list[tuple[str, set[str]]]:
    """Return the mistakes, those of most students first."""
    return sorted(students.items(), key=lambda each: (-len(each[1]), each[0]))


def lines(slug: str, about: Found) -> Iterator[Line]:
    """Yield what answers show, known mistakes first, then what students noted on the way."""
    for name, who in ranked(about.mistakes):
        yield Line(name, who, name, said(slug, name))
    for key, who in about.commonest():
        mark = about.samples[key]
        yield Line("", who, _("no known mistake"), mark.message, evidence=mark.evidence)
    for name, who in ranked(about.on_the_way):
        label = _("on the way, {mistake}").format(mistake=name)
        yield Line(name, who, label, said(slug, name), noted=True)


def exports_in(folder: Path) -> tuple[dict[str, Progress], list[str]]:
    """Return the progress of each student who exported it, and the files that hold none."""
    found, empty = dict[str, Progress](), list[str]()
    for path in sorted(folder.rglob("*.json")):
        inside, progress = path.relative_to(folder).parts, read_file(path)
        if progress.entries:
            found[inside[0] if len(inside) > 1 else path.stem] = progress
        else:
            empty.append("/".join(inside))
    return found, empty


def gathered(marks: Marks, exports: Exports) -> dict[str, Found]:
    """Return what is known of each exercise that was tried, in the order of the book."""
    found: dict[str, Found] = {}
    for student, own in marks.items():
        for slug, mark in own.items():
            if mark.status in ("passed", "failed"):
                _add(found.setdefault(slug, Found()), student, mark)
    for student, progress in exports.items():
        for slug, entry in progress.entries.items():
            about = found.setdefault(slug, Found())
            about.noted.add(student)
            about.checks += entry["checks"]
            if entry["passed"]:
                about.noted_solved.add(student)
            for mistake in entry.get("mistakes", ()):
                about.on_the_way.setdefault(mistake, set()).add(student)
    return {slug: found[slug] for slug in places() if slug in found}


def _add(about: Found, student: str, mark: Mark) -> None:
    if mark.status == "passed":
        about.solved.add(student)
    elif not mark.returned:
        about.stopped.add(student)
    else:
        about.wrong.add(student)
        if mark.mistake:
            about.mistakes.setdefault(mark.mistake, set()).add(student)
        else:
            about.unnamed.setdefault(mark.returned, set()).add(student)
            about.samples.setdefault(mark.returned, mark)


def text(found: Mapping[str, Found], students: int) -> str:
    """Return the report for a terminal."""
    said = [_("{count} students").format(count=students)]
    for slug, about in found.items():
        said.append(f"{title(slug)}: {summary(about)}")
        said += [
            f"    {len(line.who):3}  {line.label}: {line.told}".rstrip(" :")
            for line in lines(slug, about)
        ]
    return "\n".join(said)


def title(slug: str) -> str:
    """Return number, title and slug of an exercise."""
    return f"{exercise_numbers()[slug]} {find(slug).title} ({slug})"


def summary(about: Found) -> str:
    """Return a line on how many tried and solved an exercise, and what they noted themselves."""
    parts = []
    if about.tried:
        line = _("tried by {tried}, solved by {solved}")
        parts.append(line.format(tried=len(about.tried), solved=len(about.solved)))
    if about.wrong:
        line = _("wrong: {count}, of them {share} without a mistake that the course knows")
        parts.append(line.format(count=len(about.wrong), share=f"{about.share_unnamed:.0%}"))
    if about.stopped:
        line = _("stopped, crashed or no Python: {count}")
        parts.append(line.format(count=len(about.stopped)))
    if about.noted:
        line = _("by their own notes tried by {tried}, solved by {solved}, {count} checks")
        tried, solved = len(about.noted), len(about.noted_solved)
        parts.append(line.format(tried=tried, solved=solved, count=about.checks))
    return "; ".join(parts)


def said(slug: str, mistake: str) -> str:
    """Return the first sentence of what is said of a mistake."""
    known = {each.slug: each.diagnosis for each in find(slug).mistakes}
    return known.get(mistake, "").split(". ")[0]


def exercise_numbers() -> dict[str, str]:
    """Return the number of each exercise, as its chapter has it, such as "1b.2", by its slug."""
    met: Counter[str] = Counter()
    numbers = {}
    for slug, folder in places().items():
        chapter = import_module(f"bottomup.exercises.{folder}").NUMBER
        met[chapter] += 1
        numbers[slug] = f"{chapter.removeprefix('0')}.{met[chapter]}"
    return numbers


def page(found: Mapping[str, Found], students: int, *, names: bool) -> str:
    """Return the report as a page; with names only where they are asked for."""
    what = _("What the class got wrong")
    parts = [
        f'<!doctype html><meta charset="utf-8"><title>{escape(what)}</title>',
        f"<style>{STYLE}</style><h1>{escape(what)}</h1>",
        f"<p>{_('{count} students').format(count=students)}</p>",
    ]
    for slug, about in found.items():
        parts.append(f"<h2>{escape(title(slug))}</h2><p>{summary(about)}</p><table>")
        for line in lines(slug, about):
            told = f"<b>{escape(line.label)}</b>: {escape(line.told)}"
            if line.evidence:
                case = f"<summary>{_('a case')}</summary><pre>{escape(line.evidence)}</pre>"
                told += f"<details>{case}</details>"
            parts.append(_row(line.who, told, names))
        parts.append("</table>")
    return "\n".join(parts) + "\n"


def _row(who: set[str], told: str, names: bool) -> str:
    bar = f'<span class="bar" style="width:{len(who)}rem;max-width:10rem"></span>'
    listed = f"<br><small>{escape(', '.join(sorted(who)))}</small>" if names else ""
    return f"<tr><td>{len(who)}</td><td>{bar}</td><td>{told}{listed}</td></tr>"


def table(found: Mapping[str, Found], *, names: bool) -> str:
    """Return each line of the report as a row."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    columns = [_("exercise"), _("mistake"), _("students"), _("tried"), _("solved"), _("said")]
    writer.writerow([*columns, _("from"), *([_("names")] if names else [])])
    for slug, about in found.items():
        for line in lines(slug, about):
            tried, solved = about.tried, about.solved
            if line.noted:
                tried, solved = about.noted, about.noted_solved
            row = [slug, line.mistake, len(line.who), len(tried), len(solved), line.told]
            row.append(_("notes") if line.noted else _("answers"))
            writer.writerow([*row, *([", ".join(sorted(line.who))] if names else [])])
    return held.getvalue()


def for_authors(found: Mapping[str, Found]) -> str:
    """Return the answers without a known mistake as code, without names and comments of writers.

    The authors of the course learn from them which mistakes it does not know yet.
    """
    answers = list(_answers(found))
    content = {"version": bottomup.__version__, "answers": answers}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _answers(found: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    for slug, about in found.items():
        for key, who in about.commonest():
            mark = about.samples[key]
            yield {"exercise": slug, "students": len(who), "code": mark.source}


def students_of(marks: Marks, exports: Exports) -> Sequence[str]:
    """Return everybody of whom something is known."""
    return sorted({*marks, *exports})
