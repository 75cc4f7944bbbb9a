"""Files for a teacher: whole or not there, and tables that a spreadsheet reads as UTF-8."""

from pathlib import Path

from bottomup.files import write_atomically


def write(path: Path, text: str) -> None:
    """Write a text to a file; folders are made."""
    content = text.encode("utf-8-sig" if path.suffix == ".csv" else "utf-8")
    write_atomically(path, lambda file: file.write(content))
