"""Exercises of chapter 10, after 2017."""

NUMBER = "10"
EXERCISES: tuple[str, ...] = ()

__all__ = ["EXERCISES", "NUMBER"]
