"""Translate the book: ``python -m tools.translate merge | source | check [LANGUAGE]``."""

import argparse
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m tools.translate", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    kinds = {
        "merge": "bring the catalogues up to the messages of today",
        "source": "make the source of the site in the language",
        "check": "print what is wrong with what is translated, and how much is behind",
    }
    parsers = {name: commands.add_parser(name, help=what) for name, what in kinds.items()}
    for each in parsers.values():
        each.add_argument("language", nargs="?", default="ko")
    parsers["check"].add_argument(
        "--release", action="store_true", help="list what is behind, and fail where anything is"
    )
    options = parser.parse_args(arguments)
    if options.command == "source":
        os.environ["BOTTOMUP_LANGUAGE"] = options.language  # before the package is imported
        from tools.translate import source

        source.make(options.language)
        return 0
    if options.command == "merge":
        from tools.translate import merge

        print("\n".join(merge.everything(options.language)) or "nothing changed")
        return 0
    from tools.translate import check

    problems, behind = check.everything(options.language), check.behind(options.language)
    if options.release:
        problems += behind
    elif behind:
        print(f"{len(behind)} behind, shown in English until a release asks (--release lists them)")
    print("\n".join(problems) if problems else "nothing to mend")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
