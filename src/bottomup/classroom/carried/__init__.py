"""Modules that travel with a hand-out in place of those of the course.

There the package is called `checks`, whatever else is installed: `bottomup.classroom.packing`.
"""
