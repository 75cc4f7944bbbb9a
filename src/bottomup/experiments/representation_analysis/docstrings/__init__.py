"""Chapter 08: the same on Python's docstrings."""
