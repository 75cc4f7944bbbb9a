"""The three commands of a teacher: hand out, mark, report."""

import argparse
import json
import secrets
import sys
import zipfile
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from bottomup.classroom import grades, marking, notebook, packing, report
from bottomup.classroom.answers import class_in, handed_in, not_read
from bottomup.classroom.writing import write
from bottomup.exercises.engine.registry import find, places
from bottomup.files import write_atomically
from bottomup.i18n import _, escape_unknown_signs

NOTEBOOK, ARCHIVE = "exercises.ipynb", "checks.zip"
MARKS = Path("marks")


def hand_out(slugs: Sequence[str], to: Path, *, day: date, chapters: Path) -> None:
    """Write a notebook with some exercises, and beside it the archive for those who want a program.

    Args:
        slugs: the exercises; in the notebook they have the order of the book.
        to: a folder.
        day: when it is handed out.
        chapters: the folder with the chapters' notebooks.
    """
    slugs = sorted(set(slugs), key=list(places()).index)
    archive = packing.packed(slugs)
    made = notebook.notebook(slugs, archive, day=day, chapters=chapters)
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    write(to / NOTEBOOK, text)
    write_atomically(to / ARCHIVE, lambda file: file.write(archive))


def handed_out(folder: Path) -> list[str]:
    """Return the exercises that a folder hands out.

    Raises:
        FileNotFoundError: it holds no hand-out.
    """
    if not (folder / ARCHIVE).is_file():
        wanted = _("expected {name} in {folder}: name the folder that hand-out has written")
        raise FileNotFoundError(wanted.format(name=ARCHIVE, folder=folder))
    with zipfile.ZipFile(folder / ARCHIVE) as archive:
        return list(json.loads(archive.read(f"{packing.HANDED_OUT}/exercises.json")))


def marked(options: argparse.Namespace) -> marking.Marks:
    """Return the marks of those who handed something in; say what was not read."""
    class_ = handed_in(options.folder)
    if names := not_read(options.folder):
        line = _("not read, since neither a notebook nor a program: {names}")
        sys.stderr.write(line.format(names=", ".join(names)) + "\n")
    if len(class_) == 1 and len(class_[0].files) > 1:
        line = _("{name} is taken for one student: if this is the class, name the folder itself")
        sys.stderr.write(line.format(name=class_[0].student) + "\n")
    kept = options.to / marking.KEPT
    secret, seconds = marking.setting_of(kept) or (secrets.token_hex(8), marking.SECONDS)
    return marking.mark(
        class_,
        handed_out(options.of),
        secret=options.secret or secret,
        kept=kept,
        seconds=options.seconds or seconds,
        processes=options.processes,
    )


def asked(name: str) -> str:
    """Return the slug of an exercise from its slug or its number, such as "4.1".

    Raises:
        ValueError: there is no such exercise.
    """
    slugs = {number: slug for slug, number in report.exercise_numbers().items()}
    slug = slugs.get(name, name)
    if slug not in places():
        near = ", ".join(get_close_matches(name, [*places(), *slugs], n=3, cutoff=0.0))
        wanted = _("there is no exercise {name!r}: the nearest names are {near}")
        raise ValueError(wanted.format(name=name, near=near))
    return slug


def run_hand_out(options: argparse.Namespace) -> None:
    """Hand some exercises out."""
    slugs = list(map(asked, options.exercises))
    hand_out(slugs, options.to, day=date.today(), chapters=options.chapters)
    slugs = handed_out(options.to)  # in the order of the book
    for name in (NOTEBOOK, ARCHIVE):
        path = options.to / name
        sys.stdout.write(f"{path} ({path.stat().st_size / 1024:.0f} kB)\n")
    for slug in slugs:
        if find(slug).test_minutes:
            left = _("{slug}: the test that the chapter also asks for is not handed out")
            sys.stdout.write(left.format(slug=slug) + "\n")
        if next(marking.hidden_cases(find(slug), secret=""), None) is None:
            none = _("{slug}: there are no hidden cases, since none is random")
            sys.stdout.write(none.format(slug=slug) + "\n")


def run_mark(options: argparse.Namespace) -> None:
    """Mark what was handed in."""
    marks = marked(options)
    slugs = handed_out(options.of)
    grades.write_grades(marks, slugs, options.to, points=options.points)
    sys.stdout.write(_("{count} students").format(count=len(marks)) + "\n")
    for slug in slugs:
        passed = sum(own[slug].status == "passed" for own in marks.values())
        line = _("{slug}: {passed} of {count} passed")
        sys.stdout.write(line.format(slug=slug, passed=passed, count=len(marks)) + "\n")
    sys.stdout.write(f"{options.to / 'grades.csv'}\n")


def run_report(options: argparse.Namespace) -> None:
    """Say what the class got wrong."""
    exports, empty = report.exports_in(class_in(options.folder))
    if empty:
        sys.stderr.write(_("nothing found in: {names}").format(names=", ".join(empty)) + "\n")
    marks = marked(options) if options.of else {}
    students = report.students_of(marks, exports)
    if not students:
        wanted = _("no student's notes in {folder}: for notebooks, name the hand-out with --of")
        raise FileNotFoundError(wanted.format(folder=options.folder))
    found = report.gathered(marks, exports)
    names = options.names
    written = {
        options.to / "report.html": report.page(found, len(students), names=names),
        options.to / "report.csv": report.table(found, names=names),
    }
    if options.for_authors:
        written[options.for_authors] = report.for_authors(found)
    for path, text in written.items():
        write(path, text)
    sys.stdout.write(report.text(found, len(students)) + "\n")
    sys.stdout.write("".join(f"{path}\n" for path in written))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the three commands."""
    made = argparse.ArgumentParser(prog="python -m bottomup.classroom")
    commands = made.add_subparsers(dest="command", required=True)

    one = commands.add_parser("hand-out", help=_("write a notebook with exercises for students"))
    one.add_argument(
        "exercises", nargs="+", metavar="exercise", help=_("such as layer-norm or 4.1")
    )
    one.add_argument("--to", type=Path, default=Path("handed_out"), help=_("a folder"))
    chapters = _("the folder with the chapters, such as those of another language")
    one.add_argument("--chapters", type=Path, default=notebook.CHAPTERS, help=chapters)
    one.set_defaults(run=run_hand_out)

    for name, run, about in (
        ("mark", run_mark, _("mark what students handed in")),
        ("report", run_report, _("say what a class got wrong")),
    ):
        two = commands.add_parser(name, help=about)
        two.add_argument("folder", type=Path, help=_("with what students handed in"))
        two.add_argument(
            "--of", type=Path, required=name == "mark", help=_("the folder that was handed out")
        )
        two.add_argument("--to", type=Path, default=MARKS, help=_("a folder of yours"))
        two.add_argument("--secret", help=_("what the hidden cases are drawn from"))
        limit = _("of processor time for each answer, 10 at first")
        two.add_argument("--seconds", type=float, help=limit)
        two.add_argument("--processes", type=int, default=2, help=_("at the same time"))
        two.set_defaults(run=run)
        if name == "mark":
            points = _("of an exercise; of a wrong answer the share of the cases that agree")
            two.add_argument("--points", type=float, default=grades.POINTS, help=points)
        else:
            two.add_argument("--names", action="store_true", help=_("say who made which mistake"))
            authors = _(
                "write answers without a known mistake, as code without their writers, to a file"
            )
            two.add_argument("--for-authors", type=Path, metavar="FILE", help=authors)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 1 with a line where it cannot be."""
    escape_unknown_signs()
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except (FileNotFoundError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
