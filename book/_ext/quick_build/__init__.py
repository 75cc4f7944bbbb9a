"""Sphinx extension that saves a third of a build's time.

A build makes millions of nodes and keeps most of them: looking for garbage takes long, and finds
little. Without it a build needs 1.4 GB of memory and not 0.7.
"""

import gc

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def setup(app: Sphinx) -> ExtensionMetadata:
    """Switch the collector off."""
    gc.disable()
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
