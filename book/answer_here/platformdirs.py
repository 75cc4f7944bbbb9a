"""Stands in for platformdirs: the page keeps its progress in the browser, and never asks."""


def user_data_dir(name: str, appauthor: object = None) -> str:
    """Return a folder of the interpreter's own, which nobody sees."""
    return f"/home/{name}"
