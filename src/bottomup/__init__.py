"""The tested package behind the course *Transformers from the Bottom Up*."""

from importlib.metadata import version

__version__ = version("bottomup")
