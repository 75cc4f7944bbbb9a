"""Settings for every run of pytest, before any test module or notebook is loaded."""

import os

import pytest

from tools.notebooks.environment import SETTINGS, kernel_environment


def pytest_configure(config: pytest.Config) -> None:
    """Keep to one thread, and leave the reader's recorded progress alone.

    Where notebooks are compared (``--nbval``), their kernels inherit what they were executed in.
    nbval's options stand here, so that a run of tests can do without it (``-p no:nbval``).
    """
    environment = kernel_environment()
    names = {"BOTTOMUP_PROGRESS", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"}
    if config.getoption("nbval", False):
        names |= set(SETTINGS)
        config.option.nbval_current_env = True  # whatever kernel a chapter names
        config.option.nbval_cell_timeout = 600.0
        config.option.nbval_sanitize_with = str(config.rootpath / "tools/nbval_sanitize.cfg")
    for name in names:
        os.environ[name] = environment[name]
    os.environ["PYTHONIOENCODING"] = "utf-8"  # of what tests have other processes print
