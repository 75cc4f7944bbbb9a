"""Exercises for a class: ``python -m bottomup.classroom`` hand-out, mark or report."""

import sys

from bottomup.classroom.commands import main

if __name__ == "__main__":
    sys.exit(main())
