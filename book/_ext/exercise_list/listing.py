"""The list itself: sentences on all exercises and tests, and a section for each chapter."""

import json
from collections.abc import Sequence
from html import escape

from docutils import nodes

from bottomup.exercises import Exercise
from bottomup.i18n import _

from .places import Chapter, Place

PROGRESS_FILE = "bottomup_progress.json"


def summary(exercises: Sequence[Exercise]) -> nodes.paragraph:
    """Say how many exercises there are, how many tests, and how long they take together."""
    text = _("{count} exercises, {minutes} minutes in all, which is about {hours:.0f} hours.")
    minutes = total_minutes(exercises)
    said = text.format(count=len(exercises), minutes=minutes, hours=minutes / 60)
    tests = [exercise for exercise in exercises if exercise.test_minutes]
    if tests:
        more = _("For {count} of them you also write the test: {minutes} minutes more.")
        minutes = sum(exercise.test_minutes for exercise in tests)
        said += " " + more.format(count=len(tests), minutes=minutes)
    return nodes.paragraph("", said, classes=["exercise-summary"])


def ticked(exercises: Sequence[Exercise]) -> nodes.paragraph:
    """Return the sentence that the script shows and keeps up to date: what is ticked off."""
    text = _(
        "Ticked off: {done} of {count} exercises, {written} of {tests} tests, {spent} of {minutes} "
        "minutes. The ticks are kept in this browser and sent nowhere."
    )
    said = text.format(
        count=len(exercises),
        tests=sum(exercise.test_minutes > 0 for exercise in exercises),
        minutes=sum(exercise.minutes + exercise.test_minutes for exercise in exercises),
        done="{done}",
        written="{written}",
        spent="{spent}",
    )
    numbers = {
        "{done}": "exercise-ticked-count",
        "{written}": "exercise-ticked-tests",
        "{spent}": "exercise-ticked-minutes",
    }
    parts = fill(said, {name: counted(0, style) for name, style in numbers.items()})
    return nodes.paragraph("", "", *parts, classes=["exercise-ticked"])


def progress(exercises: Sequence[Exercise]) -> nodes.raw:
    """Return what the script shows of the progress kept in this browser, with its two buttons.

    It counts as written a test that catches every mistake, as `progress()` does.
    """
    about = _(
        "What the checks on the site’s pages accept is ticked by itself and kept in this browser. "
        "{export} writes it to a file, which the notebook adds to its own with {reads}; {writes} "
        "writes one for {import}. Printed, this page lists what is solved."
    )
    names = {"export": _("Export progress"), "import": _("Import progress")}
    said = about.format(
        reads=f'<code>progress(add="{PROGRESS_FILE}")</code>',
        writes=f'<code>progress().export("{PROGRESS_FILE}")</code>',
        **{key: f"<em>{escape(name)}</em>" for key, name in names.items()},
    )
    words = {
        "file": PROGRESS_FILE,
        "solved": _("solved"),
        "added": _("The file was added. Exercises solved now: {done}."),
        "refused": _("{file} holds no progress: nothing was changed."),
        "printed": _(
            "{date}: {done} of {count} exercises solved, {written} of {tests} tests that catch "
            "every mistake, as noted by the checks in one reader’s browser."
        ),
    }
    mistakes = {each.slug: len(each.mistakes) for each in exercises if each.test_minutes}
    data = json.dumps({**words, "mistakes": mistakes}, ensure_ascii=False)
    html = (
        f'<div class="exercise-progress" data-about="{escape(data)}" hidden><p>{said}</p>'
        f'<p><button type="button" class="progress-export">{names["export"]}</button> '
        f'<button type="button" class="progress-import">{names["import"]}</button>'
        f'<input type="file" accept=".json,application/json" hidden></p>'
        f'<p class="progress-said" aria-live="polite"></p></div>'
        f'<p class="exercise-printed"></p>'
    )
    return nodes.raw("", html, format="html")


def chapter_section(chapter: Chapter, exercises: Sequence[Exercise], address: str) -> nodes.section:
    """Return a chapter's exercises in the order in which they stand in it.

    Raises:
        ValueError: one of them stands nowhere in the chapter.
    """
    found = {chapter.place(each.title): each for each in exercises}
    placed = [place for place in chapter.places.values() if place in found]
    rows = [row for place in placed for row in entries(found[place], place, address)]
    heading = _("Chapter {number}: {title}").format(number=chapter.number, title=chapter.title)
    return nodes.section(
        "",
        nodes.title("", heading),
        about(exercises, address),
        nodes.bullet_list("", *rows, classes=["exercise-list"]),
        ids=[f"chapter-{chapter.number}"],
        names=[f"chapter {chapter.number}"],
    )


def about(exercises: Sequence[Exercise], address: str) -> nodes.paragraph:
    """Return the sentence below a chapter's heading, which leads to the chapter."""
    text = _("Exercises: {count}. Minutes: {minutes}. {link}")
    said = text.format(count=len(exercises), minutes=total_minutes(exercises), link="{link}")
    link = nodes.reference("", _("Read the chapter"), refuri=address, internal=True)
    return nodes.paragraph("", "", *fill(said, {"{link}": link}))


def entries(exercise: Exercise, place: Place, address: str) -> list[nodes.list_item]:
    """Return one exercise and, where its chapter asks for one, its test."""
    text = _("difficulty {difficulty}, importance {importance} of 5, {minutes} minutes")
    said = text.format(
        difficulty=exercise.difficulty, importance=exercise.importance, minutes="{minutes}"
    )
    label, goal = f"{place.number} {exercise.title}", f"{address}#{place.anchor}"
    rows = [entry(f"exercise-{exercise.slug}", label, goal, said, exercise.minutes)]
    if exercise.test_minutes:
        label, goal = _("The test of {number}"), f"{address}#{place.test_anchor}"
        label, said = label.format(number=place.number), _("{minutes} minutes")
        row = entry(f"test-{exercise.slug}", label, goal, said, exercise.test_minutes)
        row["classes"] += ["exercise-test"]
        rows.append(row)
    return rows


def entry(name: str, label: str, goal: str, said: str, minutes: int) -> nodes.list_item:
    """Return a line of the list: a link to a place, and what is said of it with its minutes."""
    link = nodes.reference("", label, refuri=goal, internal=True, ids=[f"{name}-title"])
    parts = fill(said, {"{minutes}": counted(minutes, "exercise-minutes")})
    detail = nodes.inline("", "", *parts, classes=["exercise-detail"])
    return nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(" "), detail), ids=[name])


def total_minutes(exercises: Sequence[Exercise]) -> int:
    """Add up the minutes."""
    return sum(exercise.minutes for exercise in exercises)


def counted(number: int, style: str) -> nodes.inline:
    """Return a number that the script reads or writes."""
    return nodes.inline("", str(number), classes=[style])


def fill(text: str, parts: dict[str, nodes.Node]) -> list[nodes.Node]:
    """Put nodes in the place of their names in a text."""
    for name, node in parts.items():
        before, found, after = text.partition(name)
        if found:
            rest = {other: kept for other, kept in parts.items() if other != name}
            return [*fill(before, rest), node, *fill(after, rest)]
    return [nodes.Text(text)] if text else []
