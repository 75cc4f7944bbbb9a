"""What a class found hard: ``python -m bottomup.exercises.classroom FOLDER``.

The folder holds a file of each learner, written with ``progress().export("mina.json")``. Nothing is
sent anywhere: learners hand in the files, and names are the files' names, which are not printed.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bottomup.exercises.engine.progress_file import Progress, read_file
from bottomup.exercises.engine.registry import catalog
from bottomup.i18n import _

NAMED = 3  # mistakes of an exercise, those of most learners first


def class_report(learners: Sequence[Progress]) -> str:
    """Return for each exercise that was tried how many solved it, and its commonest mistakes."""
    lines = [_("{count} learners").format(count=len(learners))]
    for slug, exercise in catalog().items():
        entries = [each.entries[slug] for each in learners if slug in each.entries]
        if not entries:
            continue
        solved = sum(entry["passed"] for entry in entries)
        text = _("{chapter}  {slug}: tried by {tried}, solved by {solved}")
        lines.append(
            text.format(chapter=exercise.chapter, slug=slug, tried=len(entries), solved=solved)
        )
        made = Counter(name for entry in entries for name in entry.get("mistakes", ()))
        lines += [f"    {count:3}  {name}" for name, count in made.most_common(NAMED)]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report of a folder; return 1 where it holds no file of a learner."""
    parser = argparse.ArgumentParser(description=_("What a class found hard."))
    parser.add_argument("folder", type=Path, help=_("with the file of each learner"))
    folder = parser.parse_args(arguments).folder
    files = map(read_file, sorted(folder.glob("*.json")))
    learners = [file for file in files if file.entries]
    if not learners:
        sys.stderr.write(_("no learner's file in {folder}").format(folder=folder) + "\n")
        return 1
    sys.stdout.write(class_report(learners) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
