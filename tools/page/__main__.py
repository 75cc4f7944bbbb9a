"""Answers in the page: ``python -m tools.page`` build, agree or mutants."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.page import agree, mutants
from tools.page.build import MADE, build


def run_build(to: Path) -> int:
    """Make what a check in the page loads; a machine that cannot has a site without it."""
    build(to)
    return 0


def run_agree(slugs: Sequence[str], *, write: bool) -> int:
    """Print where reports differ; fail where one does that is not known."""
    counts, found, told = agree.differing(slugs)
    print("\n".join([*told, ", ".join(f"{kind}: {count}" for kind, count in counts.items())]))
    if write:
        agree.write_list(found)
    return int(not write and bool(found))


def run_mutants(slugs: Sequence[str], count: int) -> int:
    """Print the edits that are judged otherwise; fail where the page passes a wrong one."""
    failed = False
    for job, torch, small in mutants.judged_otherwise(slugs, count):
        failed |= mutants.is_false_pass(job, torch, small)
        said = agree.difference(torch, small, "verdict")
        print(f"== {job['slug']}\n{job['text']}\n{said}")
    return int(failed)


def main(arguments: Sequence[str]) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m tools.page", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("build", help="pack what a check in the page loads")
    making.add_argument("--to", type=Path, default=MADE, help="a folder")
    agreeing = commands.add_parser("agree", help="compare the reports on all catalogued answers")
    agreeing.add_argument("slugs", nargs="*", help="exercises; all if left out")
    agreeing.add_argument("--list", action="store_true", help="write the differences down as known")
    editing = commands.add_parser("mutants", help="compare the verdicts on automatic edits")
    editing.add_argument("slugs", nargs="*", help="exercises; all if left out")
    editing.add_argument("--count", type=int, default=mutants.OF_AN_EXERCISE, help="of an exercise")
    options = parser.parse_args(arguments)
    if options.command == "build":
        return run_build(options.to)
    if options.command == "agree":
        return run_agree(options.slugs, write=options.list)
    return run_mutants(options.slugs, options.count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
