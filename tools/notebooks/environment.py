"""The surroundings in which a chapter's outputs are made, and in which they are compared."""

import os
import tempfile
from pathlib import Path

SETTINGS = {
    "OMP_NUM_THREADS": "1",  # the same sums in the same order on every machine
    "OMP_WAIT_POLICY": "PASSIVE",
    "TQDM_DISABLE": "1",  # a progress bar is never the same twice
    "CI": "true",  # what looks at the terminal or writes the reader's progress stays quiet
    "PYTHONUNBUFFERED": "1",
}


def kernel_environment() -> dict[str, str]:
    """Return a copy of the environment for a kernel whose outputs are stored or compared.

    The reader's own progress through the exercises is not touched: `BOTTOMUP_PROGRESS` names a file
    in a temporary folder. The backend of matplotlib is the kernel's own, which draws into the page.
    """
    environment = {**os.environ, **SETTINGS}
    progress = Path(tempfile.gettempdir()) / f"bottomup_progress_{os.getpid()}.json"
    environment["BOTTOMUP_PROGRESS"] = str(progress)
    environment.pop("MPLBACKEND", None)
    return environment
