"""List every link that leaves the book, and say which of them answer. It needs a network.

    python -m tools.links

Sphinx's builder `linkcheck` asks; this makes one line for each address, broken ones last. The exit
status is 1 if an address is broken.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.notebooks.paths import ROOT

FOLDER = ROOT / "_build/links"  # apart from the site, which is packed into an archive
REPORT = FOLDER / "_build/html/output.json"
OUTSIDE = ("http://", "https://")  # links inside the book are checked with the built site
ORDER = ("working", "redirected", "unchecked", "ignored", "timeout", "broken")


def ask() -> None:
    """Let Sphinx follow every link; what it finds is written to `REPORT`."""
    command = ["build", str(ROOT), "--path-output", str(FOLDER), "--builder", "linkcheck", "-q"]
    REPORT.unlink(missing_ok=True)
    subprocess.run([Path(sys.executable).parent / "jupyter-book", *command], check=False)
    if not REPORT.is_file():
        raise SystemExit("the book could not be read: see the messages above")


def table(report: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return status, address and the pages that hold it, from lines as Sphinx writes them."""
    pages: dict[tuple[str, str], set[str]] = {}
    for entry in map(json.loads, report):
        if entry["uri"].startswith(OUTSIDE):
            pages.setdefault((entry["status"], entry["uri"]), set()).add(entry["filename"])
    found = sorted(pages, key=lambda key: (ORDER.index(key[0]), key[1]))
    return [
        (status, address, ", ".join(sorted(pages[status, address]))) for status, address in found
    ]


def main() -> int:
    """Ask, print the table, and return the exit status."""
    ask()
    rows = table(REPORT.read_text(encoding="utf-8").splitlines())
    for status, address, names in rows:
        print(f"{status:10}  {address}  ({names})")
    broken = sum(status == "broken" for status, _, _ in rows)
    print(f"{len(rows)} addresses, {broken} broken")
    return int(broken > 0)


if __name__ == "__main__":
    raise SystemExit(main())
