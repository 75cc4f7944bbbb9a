"""Files of a corpus: those that lie there already, and those that are fetched once and kept.

A file is used only if its SHA-256 is the recorded one, wherever it comes from. A file is looked
for in three places:

1. in the folder that the caller names, and then nowhere else;
2. in ``$BOTTOMUP_DATA/<corpus>``, where the environment variable ``BOTTOMUP_DATA`` is set;
3. in the user's cache folder, where it is put after it has been fetched from one of the mirrors.
"""

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs
import pooch
from tqdm import tqdm

from bottomup.data.transfer import TIMEOUT, NoMirrorError, RemoteFile, receive
from bottomup.i18n import _

VARIABLE = "BOTTOMUP_DATA"
STALE = 3600.0  # seconds after which a temporary file belongs to nobody


class DownloadError(OSError):
    """Files are missing and could not be fetched. The message says what to do."""


def cache_folder(corpus: str) -> Path:
    """Return the folder that keeps what was fetched of a corpus, whether it exists or not."""
    return Path(platformdirs.user_cache_dir("bottomup", appauthor=False)) / corpus


def find(
    files: Sequence[RemoteFile], *, corpus: str, mirrors: Sequence[str],
    folder: str | Path | None = None, timeout: tuple[float, float] = TIMEOUT,
) -> list[Path]:  # fmt: skip
    """Return where each of `files` lies; fetch those that lie nowhere.

    Files are fetched one after another, each under a temporary name and renamed when it is
    complete and right. After an interruption, the next call goes on with the first file that is
    missing.

    Args:
        files: the files, by name, checksum and size.
        corpus: the name of their folder in the cache and in ``BOTTOMUP_DATA``.
        mirrors: addresses with ``{name}`` or ``{sha256}`` in place of a file's, the best first.
        folder: the folder that holds the files. Nothing is fetched then.
        timeout: seconds to wait for a connection, and for the next byte.

    Raises:
        FileNotFoundError: `folder` lacks a file, or ``BOTTOMUP_DATA`` names no folder.
        ValueError: a file in `folder` or in ``BOTTOMUP_DATA`` has not the recorded SHA-256.
        DownloadError: no mirror delivered a file that is missing.
    """
    if folder is not None:
        return _all_in(Path(folder), files)
    given = _given_folder(corpus)
    cache = cache_folder(corpus)
    places = {file: _place(file, given, cache) for file in files}
    missing = [file for file, path in places.items() if not _is_there(file, path)]
    _fetch(missing, corpus=corpus, mirrors=mirrors, cache=cache, timeout=timeout)
    return list(places.values())


def _all_in(folder: Path, files: Sequence[RemoteFile]) -> list[Path]:
    absent = [file.name for file in files if not (folder / file.name).is_file()]
    if absent:
        names = ", ".join(absent)
        raise FileNotFoundError(
            _("folder: expected {names} in {folder}").format(names=names, folder=folder)
        )
    return [_checked(file, folder / file.name) for file in files]


def _given_folder(corpus: str) -> Path | None:
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        return None
    root = Path(chosen).expanduser()
    if not root.is_dir():
        raise FileNotFoundError(
            _("{variable}: expected a folder, got {root}").format(variable=VARIABLE, root=root)
        )
    return root / corpus


def _place(file: RemoteFile, given: Path | None, cache: Path) -> Path:
    if given is not None and (given / file.name).is_file():
        return _checked(file, given / file.name)
    return cache / file.name


def _checked(file: RemoteFile, path: Path) -> Path:
    """Return the path of a file that the reader put there, unless its bytes are wrong."""
    if not file.matches(path):
        message = _(
            "{path}: expected {size} bytes with the SHA-256 {wanted}, got {found} bytes with "
            "{got}; the file is damaged or another one: replace it"
        )
        found, got = path.stat().st_size, pooch.file_hash(str(path))
        raise ValueError(
            message.format(path=path, size=file.size, wanted=file.sha256, found=found, got=got)
        )
    return path


def _is_there(file: RemoteFile, path: Path) -> bool:
    return path.is_file() and file.matches(path)


def _fetch(
    files: Sequence[RemoteFile], *, corpus: str, mirrors: Sequence[str], cache: Path,
    timeout: tuple[float, float],
) -> None:  # fmt: skip
    if not files:
        return
    _sweep(cache)
    with _quiet_pooch(), _bar(files, corpus) as bar:
        before = 0
        for number, file in enumerate(files):
            try:
                _fetch_one(file, mirrors, cache, timeout, bar, before)
            except NoMirrorError as error:
                text = _what_to_do(files[number:], corpus, mirrors, cache, reasons=str(error))
                raise DownloadError(text) from None  # the reasons stand in the text
            before += file.size


def _fetch_one(
    file: RemoteFile, mirrors: Sequence[str], cache: Path, timeout: tuple[float, float],
    bar: "tqdm[None]", before: int,
) -> None:  # fmt: skip
    """Have pooch put the file into the cache: temporary name, checksum, then its own name."""
    urls = _addresses(file, mirrors)

    def report(received: int) -> None:
        bar.update(before + received - bar.n)

    def download(_url: str, path: str, _pooch: object) -> None:
        receive(file, urls, Path(path), timeout=timeout, report=report)

    pooch.retrieve(urls[0], f"sha256:{file.sha256}", file.name, cache, downloader=download)


def _addresses(file: RemoteFile, mirrors: Sequence[str]) -> list[str]:
    return [mirror.format(name=file.name, sha256=file.sha256) for mirror in mirrors]


def _what_to_do(
    files: Sequence[RemoteFile], corpus: str, mirrors: Sequence[str], cache: Path, *, reasons: str
) -> str:
    lines = [
        _("{corpus}: no mirror delivered {name}.").format(corpus=corpus, name=files[0].name),
        *(f"  {reason}" for reason in reasons.splitlines()),
        _("If this machine has a network, try again later: what was fetched is kept."),
        _("If not, get the missing files on another machine:"),
        *(f"  {_addresses(file, mirrors)[0]}" for file in files),
        _("and put them into {cache},").format(cache=cache),
        _("or into a folder {corpus} inside any folder, and set {variable} to the latter.").format(
            corpus=f"'{corpus}'", variable=VARIABLE
        ),
    ]
    return "\n".join(lines)


def _sweep(cache: Path) -> None:
    """Remove the temporary files of downloads that were killed."""
    for path in cache.glob("tmp*"):
        with suppress(FileNotFoundError):  # another process may sweep too
            if time.time() - path.stat().st_mtime > STALE:
                path.unlink()


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    """Keep pooch's notes off the page: the bar says as much."""
    logger = pooch.get_logger()
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _bar(files: Sequence[RemoteFile], corpus: str) -> "tqdm[None]":
    """Return a bar over all bytes, hidden where nobody watches; it vanishes when closed."""
    in_browser = "JPY_SESSION_NAME" in os.environ or "google.colab" in sys.modules
    quiet = os.environ.get("CI") or os.environ.get("BOTTOMUP_QUIET")
    return tqdm(
        total=sum(file.size for file in files), desc=corpus, unit="B", unit_scale=True,
        leave=False, disable=bool(quiet) or not (sys.stderr.isatty() or in_browser),
    )  # fmt: skip
