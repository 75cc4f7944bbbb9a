"""Where the repository's parts lie, and which notebook a chapter's number means."""

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ROOT / "chapters"
SOURCE = ROOT / "src"


def chapter_number(path: Path) -> str:
    """Return the number a chapter's file name starts with: "01" or "01b"."""
    return path.stem.split("_", 1)[0]


def all_chapters(folder: Path = CHAPTERS) -> list[Path]:
    """Return every notebook of the book in the order of its number."""
    return sorted(folder.glob("*.ipynb"))


def find_notebooks(names: Iterable[str], folder: Path = CHAPTERS) -> list[Path]:
    """Return the notebooks that `names` (numbers such as "01", or paths) stand for.

    No name at all means every chapter.

    Raises:
        FileNotFoundError: a name stands for no notebook, or there is none at all.
    """
    chapters = all_chapters(folder)
    by_number = {chapter_number(path): path for path in chapters}
    found: list[Path] = []
    for name in names:
        path = by_number.get(name, Path(name))
        if path.suffix != ".ipynb" or not path.is_file():
            known = ", ".join(by_number) or "none"
            raise FileNotFoundError(f"no notebook {name!r}; chapters here: {known}")
        found.append(path)
    if not found and not names:
        found = chapters
    if not found:
        raise FileNotFoundError(f"no notebooks in {folder}")
    return found
