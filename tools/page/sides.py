"""The two torches that answers are judged under: the one that is installed, and the page's.

Each is a process of its own, in which `import torch` gives the one or the other.
"""

import os
import subprocess
import sys
from pathlib import Path

from tools.notebooks.paths import ROOT, SOURCE
from tools.page import contents

# Of the interpreter: options, folders to import from, and what it does before it imports torch. The
# page has the standard library alone, so that its side goes without the folder of other packages.
SIDES: dict[str, tuple[list[str], list[Path], str]] = {
    "torch": ([], [], ""),
    "small": (["-S"], [contents.HERE], "import smalltorch; smalltorch.install(); "),
}


def started(side: str, code: str) -> "subprocess.Popen[str]":
    """Start a process that runs a line of code on one of the sides, and talks through pipes."""
    options, paths, first = SIDES[side]
    folders = os.pathsep.join(map(str, [*paths, SOURCE, ROOT]))
    settings = {"PYTHONPATH": folders, "BOTTOMUP_PROGRESS": "", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, *options, "-c", first + code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | settings,
    )
