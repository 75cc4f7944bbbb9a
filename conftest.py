"""Settings for every run of pytest, before any test module or notebook is loaded."""

import os

import pytest

from tools.notebooks.environment import SETTINGS, kernel_environment


def pytest_configure(config: pytest.Config) -> None:
    """Keep to one thread, and leave the reader's recorded progress alone.

    Where notebooks are compared (``--nbval``), their kernels inherit what they were executed in.
    """
    environment = kernel_environment()
    names = {"BOTTOMUP_PROGRESS", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"}
    if config.getoption("nbval", False):
        names |= set(SETTINGS)
    for name in names:
        os.environ[name] = environment[name]
