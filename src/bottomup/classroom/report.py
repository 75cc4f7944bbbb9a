"""What a class got wrong: by exercise the mistakes that were named, and answers without a name.

It is made from marks, from the files that `Progress.export` and the checks of a hand-out write, or
from both. Nothing is sent anywhere, and names are told only where the teacher asks.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import bottomup
from bottomup.classroom.marking import Mark, Marks
from bottomup.exercises.engine.progress_file import Progress, read_file
from bottomup.exercises.engine.registry import catalog, find
from bottomup.i18n import _

UNNAMED = 10  # groups of answers without a name that are shown
Exports = Mapping[str, Progress]  # by learner

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
td{padding:.15rem .8rem .15rem 0;vertical-align:top}td:first-child{text-align:right}
td:nth-child(2){min-width:10rem}
.bar{background:#d9822b;display:inline-block;height:.8em}pre{background:#8881;padding:.5rem;
overflow-x:auto}summary{cursor:pointer}"""


@dataclass
class Found:
    """What is known of one exercise.

    Args:
        tried, solved: the learners who did.
        checks: how many checks of it the exports count.
        mistakes: by mistake the learners who made it.
        unnamed: by what they return, the learners whose last answer is wrong without a name.
        wrong: the learners whose last answer is wrong and returned something.
        samples: by what they return, one of the answers without a name.
    """

    tried: set[str] = field(default_factory=set)
    solved: set[str] = field(default_factory=set)
    checks: int = 0
    mistakes: dict[str, set[str]] = field(default_factory=dict)
    unnamed: dict[str, set[str]] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)
    samples: dict[str, Mark] = field(default_factory=dict)

    def ranked(self) -> list[tuple[str, set[str]]]:
        """Return the mistakes, those of most learners first."""
        return sorted(self.mistakes.items(), key=lambda each: (-len(each[1]), each[0]))

    def commonest(self) -> list[tuple[str, set[str]]]:
        """Return the answers without a name, grouped, those of most learners first."""
        ranked = sorted(self.unnamed.items(), key=lambda each: (-len(each[1]), each[0]))
        return ranked[:UNNAMED]

    @property
    def share_unnamed(self) -> float:
        """Which share of the wrong answers has no name, from 0 to 1."""
        without = set[str]().union(*self.unnamed.values())
        return len(without) / len(self.wrong) if self.wrong else 0.0


def exports_in(folder: Path) -> tuple[dict[str, Progress], list[str]]:
    """Return the progress of each learner who exported it, and the files that hold none."""
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
    for learner, own in marks.items():
        for slug, mark in own.items():
            if mark.status in ("passed", "failed"):
                _add(found.setdefault(slug, Found()), learner, mark)
    for learner, progress in exports.items():
        for slug, entry in progress.entries.items():
            about = found.setdefault(slug, Found())
            about.tried.add(learner)
            about.checks += entry["checks"]
            if entry["passed"]:
                about.solved.add(learner)
            for mistake in entry.get("mistakes", ()):
                about.mistakes.setdefault(mistake, set()).add(learner)
    return {slug: found[slug] for slug in catalog() if slug in found}


def _add(about: Found, learner: str, mark: Mark) -> None:
    about.tried.add(learner)
    if mark.status == "passed":
        about.solved.add(learner)
    elif mark.returned:
        about.wrong.add(learner)
        if mark.mistake:
            about.mistakes.setdefault(mark.mistake, set()).add(learner)
        else:
            about.unnamed.setdefault(mark.returned, set()).add(learner)
            about.samples.setdefault(mark.returned, mark)


def text(found: Mapping[str, Found], learners: int) -> str:
    """Return the report for a terminal."""
    lines = [_("{count} learners").format(count=learners)]
    for slug, about in found.items():
        lines.append(f"{title(slug)}: {summary(about)}")
        lines += [
            f"    {len(who):3}  {name}: {said(slug, name)}".rstrip(" :")
            for name, who in about.ranked()
        ]
        lines += [
            f"    {len(who):3}  {_('without a name')}: {about.samples[key].message}"
            for key, who in about.commonest()
        ]
    return "\n".join(lines)


def title(slug: str) -> str:
    """Return number, title and slug of an exercise."""
    return f"{exercise_numbers()[slug]} {find(slug).title} ({slug})"


def summary(about: Found) -> str:
    """Return a line on how many tried and solved an exercise, and how often it was checked."""
    line = _("tried by {tried}, solved by {solved}")
    line = line.format(tried=len(about.tried), solved=len(about.solved))
    if about.checks:
        line += _(", {count} checks").format(count=about.checks)
    if about.wrong:
        share = f"{about.share_unnamed:.0%}"
        line += _(", {share} of the wrong answers without a name").format(share=share)
    return line


def said(slug: str, mistake: str) -> str:
    """Return the first sentence of what is said of a mistake."""
    known = {each.slug: each.diagnosis for each in find(slug).mistakes}
    return known.get(mistake, "").split(". ")[0]


def exercise_numbers() -> dict[str, str]:
    """Return the number of each exercise, as its chapter has it, such as "1b.2", by its slug."""
    met: Counter[str] = Counter()
    numbers = {}
    for slug, exercise in catalog().items():
        met[exercise.chapter] += 1
        numbers[slug] = f"{exercise.chapter.removeprefix('0')}.{met[exercise.chapter]}"
    return numbers


def page(found: Mapping[str, Found], learners: int, *, names: bool) -> str:
    """Return the report as a page; with names only where they are asked for."""
    what = _("What the class got wrong")
    parts = [
        f'<!doctype html><meta charset="utf-8"><title>{escape(what)}</title>',
        f"<style>{STYLE}</style><h1>{escape(what)}</h1>",
        f"<p>{_('{count} learners').format(count=learners)}</p>",
    ]
    for slug, about in found.items():
        parts.append(f"<h2>{escape(title(slug))}</h2><p>{summary(about)}</p><table>")
        for name, who in about.ranked():
            parts.append(_row(who, f"<b>{escape(name)}</b>: {escape(said(slug, name))}", names))
        for key, who in about.commonest():
            mark = about.samples[key]
            fold = f"<details><summary>{_('a case')}</summary><pre>{escape(mark.evidence)}</pre>"
            told = f"<b>{_('without a name')}</b>: {escape(mark.message)}{fold}</details>"
            parts.append(_row(who, told, names))
        parts.append("</table>")
    return "\n".join(parts) + "\n"


def _row(who: set[str], told: str, names: bool) -> str:
    bar = f'<span class="bar" style="width:{len(who)}rem;max-width:10rem"></span>'
    listed = f"<br><small>{escape(', '.join(sorted(who)))}</small>" if names else ""
    return f"<tr><td>{len(who)}</td><td>{bar}</td><td>{told}{listed}</td></tr>"


def table(found: Mapping[str, Found], *, names: bool) -> str:
    """Return a line for each mistake and each group of answers without a name."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    columns = [_("exercise"), _("mistake"), _("learners"), _("tried"), _("solved"), _("said")]
    writer.writerow([*columns, *([_("names")] if names else [])])
    for slug, about in found.items():
        named = [(name, who, said(slug, name)) for name, who in about.ranked()]
        without = [("", who, about.samples[key].message) for key, who in about.commonest()]
        for name, who, told in (*named, *without):
            row = [slug, name, len(who), len(about.tried), len(about.solved), told]
            writer.writerow([*row, *([", ".join(sorted(who))] if names else [])])
    return held.getvalue()


def for_authors(found: Mapping[str, Found]) -> str:
    """Return the answers without a name as code, without the names and comments of their writers.

    The authors of the course learn from them which mistakes it does not know yet.
    """
    answers = list(_answers(found))
    content = {"version": bottomup.__version__, "answers": answers}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _answers(found: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    for slug, about in found.items():
        for key, who in about.commonest():
            mark = about.samples[key]
            yield {"exercise": slug, "learners": len(who), "code": mark.source}


def learners_of(marks: Marks, exports: Exports) -> Sequence[str]:
    """Return everybody of whom something is known."""
    return sorted({*marks, *exports})
