"""What a class found hard: ``python -m bottomup.exercises.classroom FOLDER``.

The folder, or one in it, holds a file of each learner, written with
``progress().export("mina.json")``. Nothing is sent anywhere: learners hand in the files. Names are
the files' names, and none is printed but that of a file in which nothing is found.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bottomup.exercises.engine.progress_file import Progress, read_file
from bottomup.exercises.engine.registry import catalog
from bottomup.i18n import _, escape_unknown_signs

NAMED = 3  # mistakes of an exercise, those of most learners first


def class_report(learners: Sequence[Progress]) -> str:
    """Return for each exercise that was tried how many solved it, and its commonest mistakes."""
    lines = [_("{count} learners").format(count=len(learners))]
    numbers = exercise_numbers()
    for slug, exercise in catalog().items():
        entries = [each.entries[slug] for each in learners if slug in each.entries]
        if not entries:
            continue
        solved = sum(entry["passed"] for entry in entries)
        text = _("{number} {title} ({slug}): tried by {tried}, solved by {solved}")
        lines.append(
            text.format(
                number=numbers[slug], title=exercise.title, slug=slug,
                tried=len(entries), solved=solved,
            )
        )  # fmt: skip
        made = Counter(name for entry in entries for name in entry.get("mistakes", ()))
        said = {each.slug: each.diagnosis for each in exercise.mistakes}
        lines += [
            f"    {count:3}  {name}: {said.get(name, '').split('. ')[0]}".rstrip(" :")
            for name, count in made.most_common(NAMED)
        ]
    return "\n".join(lines)


def exercise_numbers() -> dict[str, str]:
    """Return the number of each exercise, as its chapter has it, such as "1b.2", by its slug."""
    met: Counter[str] = Counter()
    numbers = {}
    for slug, exercise in catalog().items():
        met[exercise.chapter] += 1
        numbers[slug] = f"{exercise.chapter.removeprefix('0')}.{met[exercise.chapter]}"
    return numbers


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report of a folder; return 1 where it holds no file of a learner."""
    escape_unknown_signs()
    parser = argparse.ArgumentParser(description=_("What a class found hard."))
    parser.add_argument("folder", type=Path, help=_("with the file of each learner"))
    folder = parser.parse_args(arguments).folder
    files = {path: read_file(path) for path in sorted(folder.rglob("*.json"))}
    learners = [file for file in files.values() if file.entries]
    if empty := [str(path.relative_to(folder)) for path, file in files.items() if not file.entries]:
        sys.stderr.write(_("nothing found in: {names}").format(names=", ".join(empty)) + "\n")
    if not learners:
        sys.stderr.write(_("no learner's file in {folder}").format(folder=folder) + "\n")
        return 1
    sys.stdout.write(class_report(learners) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
