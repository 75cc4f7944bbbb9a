"""Exercises of chapter 11, the clinic: patients to be asked, and diagnoses to be shown."""

NUMBER = "11"
EXERCISES: tuple[str, ...] = ()

__all__ = ["EXERCISES", "NUMBER"]
