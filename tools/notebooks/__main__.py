"""The command line of the notebook pipeline: ``python -m tools.notebooks COMMAND [NAME ...]``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.notebooks.check import check
from tools.notebooks.execute import execute_all
from tools.notebooks.paths import find_notebooks
from tools.notebooks.renew import renew


def run_execute(paths: Sequence[Path]) -> int:
    """Execute notebooks in place; print what failed."""
    errors = execute_all(paths)
    for error in errors:
        print(f"\n{error}", file=sys.stderr)
    return int(bool(errors))


def run_refresh(paths: Sequence[Path]) -> int:
    """Show again what is known without a run; print which notebooks changed."""
    print("\n".join(f"renewed {path}" for path in paths if renew(path)) or "nothing to renew")
    return 0


def run_check(paths: Sequence[Path]) -> int:
    """Print what is wrong with stored notebooks."""
    problems = [problem for path in paths for problem in check(path)]
    print("\n".join(problems) if problems else f"{len(paths)} notebooks checked")
    return int(bool(problems))


COMMANDS = {
    "execute": run_execute,
    "refresh": run_refresh,
    "check": run_check,
}


def main(arguments: Sequence[str]) -> int:
    """Run one command over the notebooks that the arguments name, or over all of them."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__)
    parser.add_argument("command", choices=COMMANDS, help="what to do")
    parser.add_argument("names", nargs="*", help="numbers (01, 01b) or paths; all if left out")
    options = parser.parse_args(arguments)
    try:
        return COMMANDS[options.command](find_notebooks(options.names))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
