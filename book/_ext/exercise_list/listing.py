"""The list itself: sentences on all exercises, and a section for each chapter."""

from collections.abc import Sequence

from docutils import nodes

from bottomup.exercises import Exercise
from bottomup.i18n import _

from .places import Chapter, Place


def summary(exercises: Sequence[Exercise]) -> nodes.paragraph:
    """Say how many exercises there are, and how long they take together."""
    text = _("{count} exercises, {minutes} minutes in all, which is about {hours:.0f} hours.")
    minutes = total_minutes(exercises)
    said = text.format(count=len(exercises), minutes=minutes, hours=minutes / 60)
    return nodes.paragraph("", said, classes=["exercise-summary"])


def ticked(exercises: Sequence[Exercise]) -> nodes.paragraph:
    """Return the sentence that the script shows and keeps up to date: what is ticked off."""
    text = _(
        "Ticked off: {done} of {count} exercises, {spent} of {minutes} minutes. The ticks are kept "
        "in this browser and sent nowhere."
    )
    said = text.format(
        count=len(exercises), minutes=total_minutes(exercises), done="{done}", spent="{spent}"
    )
    numbers = {"{done}": "exercise-ticked-count", "{spent}": "exercise-ticked-minutes"}
    parts = fill(said, {name: counted(0, style) for name, style in numbers.items()})
    return nodes.paragraph("", "", *parts, classes=["exercise-ticked"])


def chapter_section(chapter: Chapter, exercises: Sequence[Exercise], address: str) -> nodes.section:
    """Return a chapter's exercises in the order in which they stand in it.

    Raises:
        ValueError: one of them stands nowhere in the chapter.
    """
    found = {chapter.place(each.title): each for each in exercises}
    placed = [place for place in chapter.places.values() if place in found]
    rows = (entry(found[place], place, f"{address}#{place.anchor}") for place in placed)
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


def entry(exercise: Exercise, place: Place, address: str) -> nodes.list_item:
    """Return one exercise: a link to its place, its difficulty and its minutes."""
    name = f"exercise-{exercise.slug}"
    label = f"{place.number} {exercise.title}"
    link = nodes.reference("", label, refuri=address, internal=True, ids=[f"{name}-title"])
    text = _("difficulty {difficulty} of 5, {minutes} minutes")
    said = text.format(difficulty=exercise.difficulty, minutes="{minutes}")
    minutes = counted(exercise.minutes, "exercise-minutes")
    detail = nodes.inline("", "", *fill(said, {"{minutes}": minutes}), classes=["exercise-detail"])
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
