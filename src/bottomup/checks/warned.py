"""A warning that names the line of the program that called the package."""

import os
import sys
import warnings

import torch

# Lines of the package and of torch are not the ones that a warning speaks of.
PACKAGE = os.path.dirname(os.path.dirname(__file__))
WITHIN = PACKAGE + os.sep, os.path.dirname(torch.__file__) + os.sep


def warn(message: str) -> None:
    """Warn at the line that called the package, through torch or not."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_code.co_filename.startswith(WITHIN):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
