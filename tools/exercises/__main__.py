"""Exercises: ``python -m tools.exercises`` new or write."""

import argparse
import sys
from collections.abc import Sequence

from tools.exercises import cells, frame, lessons
from tools.notebooks.paths import ROOT


def run_write() -> None:
    """Write the cells of the exercises into the chapters, and their minutes into the lessons."""
    changed = cells.write_all()
    if lessons.write():
        changed.append(str(lessons.PAGE.relative_to(ROOT)))
    print("\n".join(changed) if changed else "every chapter holds its exercises as they are")


def run_new(chapter: str, slug: str) -> None:
    """Make the frame of an exercise and say what comes next."""
    for path in frame.make(chapter, slug):
        print(path.relative_to(ROOT))
    print(f"Next: a cell {cells.placeholder(slug)!r} in the chapter, then write")


def main(arguments: Sequence[str]) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m tools.exercises", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write", help="make the notebooks' cells and the lessons' minutes")
    new = commands.add_parser("new", help="make the frame of an exercise")
    new.add_argument("chapter", help="its folder, such as self_attention")
    new.add_argument("slug", help="its name, such as causal-mask")
    options = parser.parse_args(arguments)
    try:
        if options.command == "write":
            run_write()
        else:
            run_new(options.chapter, options.slug)
    except (LookupError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
