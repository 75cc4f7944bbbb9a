"""Progress bars where somebody watches: in a terminal or in a live notebook.

Stored notebook outputs and logs stay free of them: off where ``CI`` or
``BOTTOMUP_QUIET`` is set, and in notebooks that are executed by a program.
"""

import os
import sys

from tqdm import tqdm


def is_watched() -> bool:
    """Tell whether a progress bar would be seen."""
    if os.environ.get("CI") or os.environ.get("BOTTOMUP_QUIET"):
        return False
    return sys.stderr.isatty() or _in_live_notebook()


def progress_bar(*, total: int, done: int = 0, label: str) -> "tqdm[None]":
    """Return a bar over `total` steps, of which `done` are over.

    It vanishes when closed.
    """
    # JupyterLab keeps an empty red box where something was written to stderr.
    file = sys.stdout if _in_live_notebook() else sys.stderr
    return tqdm(
        total=total,
        initial=done,
        desc=label,
        leave=False,
        disable=not is_watched(),
        file=file,
    )


def _in_live_notebook() -> bool:
    """Recognise JupyterLab and Notebook, Colab and VS Code, not nbclient."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return False
    in_browser = (
        "JPY_SESSION_NAME" in os.environ or "google.colab" in sys.modules
    )
    return in_browser or "__vsc_ipynb_file__" in shell.user_ns
