"""Multi30k: captions of photographs in English, translated into German by people.

29,000 pairs for training, 1,014 for validation, and the 1,000 of the test set "2016 Flickr", on
which results of the shared task are compared. The files are those of task 1, raw: neither
tokenised nor lower-cased. `load` fetches them once (1.3 MB), or reads them where they lie. For
research use; the captions derive from Flickr30k.

Source: Elliott, Frank, Sima'an and Specia (2016), Multi30K: Multilingual English-German Image
Descriptions. Chapter 06 trains on it.
"""

import gzip
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bottomup.data.download import DownloadError, RemoteFile, find
from bottomup.i18n import _

__all__ = ["DownloadError", "Multi30k", "TextPair", "load"]

CORPUS = "multi30k"
COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
MIRRORS = (
    f"https://raw.githubusercontent.com/multi30k/dataset/{COMMIT}/data/task1/raw/{{name}}",
    f"https://cdn.jsdelivr.net/gh/multi30k/dataset@{COMMIT}/data/task1/raw/{{name}}",
    # Software Heritage archives public repositories and knows a file by its checksum.
    "https://archive.softwareheritage.org/api/1/content/sha256:{sha256}/raw/",
)


@dataclass(frozen=True)
class _Part:
    """One part of the corpus: its number of lines and its two files."""

    lines: int
    english: RemoteFile
    german: RemoteFile


def _part(lines: int, stem: str, english: tuple[str, int], german: tuple[str, int]) -> _Part:
    return _Part(lines, RemoteFile(f"{stem}.en.gz", *english), RemoteFile(f"{stem}.de.gz", *german))


PARTS = {
    "train": _part(
        29_000,
        "train",
        ("d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f", 568_929),
        ("726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6", 637_044),
    ),
    "validation": _part(
        1_014,
        "val",
        ("14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28", 21_650),
        ("f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a", 24_681),
    ),
    "test": _part(
        1_000,
        "test_2016_flickr",
        ("611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9", 21_077),
        ("9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8", 22_890),
    ),
}


class TextPair(NamedTuple):
    """A sentence and its translation, as text."""

    english: str
    german: str


@dataclass(frozen=True, repr=False)
class Multi30k:
    """The corpus: `train` for training, `validation` for decisions, `test` for the result."""

    train: tuple[TextPair, ...]
    validation: tuple[TextPair, ...]
    test: tuple[TextPair, ...]

    def __repr__(self) -> str:
        sizes = (len(self.train), len(self.validation), len(self.test))
        return "Multi30k({} training, {} validation, {} test pairs)".format(*sizes)


def load(*, folder: str | Path | None = None) -> Multi30k:
    """Return the corpus, from `folder`, from ``BOTTOMUP_DATA`` or from the cache.

    Lines are normalised to NFC, and white space at both ends is taken off; nothing else is
    changed. Every file's SHA-256 is checked at each call.

    Args:
        folder: a folder that holds the six files, from ``train.en.gz`` to
            ``test_2016_flickr.de.gz``. Without it they are looked for in
            ``$BOTTOMUP_DATA/multi30k``, then in the user's cache folder; what lies in neither is
            fetched into the cache.

    Raises:
        FileNotFoundError: `folder` lacks a file, or ``BOTTOMUP_DATA`` names no folder.
        ValueError: a file that lies there is damaged, or has not the expected number of lines.
        DownloadError: no mirror delivered a file; the message says what to do.
    """
    paths = iter(find(remote_files(), corpus=CORPUS, mirrors=MIRRORS, folder=folder))
    pairs = {
        name: tuple(map(TextPair, _lines(next(paths), part.lines), _lines(next(paths), part.lines)))
        for name, part in PARTS.items()
    }
    return Multi30k(**pairs)


def remote_files() -> list[RemoteFile]:
    """Return the six files, English before German."""
    return [file for part in PARTS.values() for file in (part.english, part.german)]


def _lines(path: Path, expected: int) -> list[str]:
    """Read the lines of a file. Only a line feed ends one, so that the two sides stay parallel."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != expected:
        message = _("{path}: expected {expected} lines, got {found}")
        raise ValueError(message.format(path=path, expected=expected, found=len(lines)))
    return [unicodedata.normalize("NFC", line).strip() for line in lines]
