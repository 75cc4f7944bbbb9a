"""Files of a corpus: those that lie there already, and those that are fetched once and kept.

A file is used only if its SHA-256 is the recorded one, wherever it comes from: mirrors need not be
trusted, and one may go on where another broke off. A file is looked for in three places:

1. in the folder that the caller names, and then nowhere else;
2. in ``$BOTTOMUP_DATA/<corpus>``, where the environment variable ``BOTTOMUP_DATA`` is set;
3. in the user's cache folder, where it is put after it has been fetched from one of the mirrors.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pooch
import requests
from tqdm import tqdm

from bottomup.files import write_atomically
from bottomup.i18n import _

VARIABLE = "BOTTOMUP_DATA"
CHUNK = 1 << 12  # bytes; of a piece that breaks off, nothing is kept
ATTEMPTS = 4  # for each mirror
TIMEOUT = (10.0, 30.0)  # seconds without a connection, seconds without a byte


@dataclass(frozen=True)
class RemoteFile:
    """A file that is known by its bytes: its name, its SHA-256 (hexadecimal), its size in bytes."""

    name: str
    sha256: str
    size: int

    def matches(self, path: Path) -> bool:
        """Tell whether the file at `path` has these bytes."""
        return path.stat().st_size == self.size and pooch.file_hash(str(path)) == self.sha256


class DownloadError(OSError):
    """Files are missing and could not be fetched. The message says what to do."""


class NoMirrorError(OSError):
    """No mirror delivered the file. The message has one line for each: address and reason."""


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
        root = Path(folder)
        absent = ", ".join(file.name for file in files if not (root / file.name).is_file())
        if absent:
            message = _("folder: expected {names} in {folder}")
            raise FileNotFoundError(message.format(names=absent, folder=root))
        return [_checked(file, root / file.name) for file in files]
    cache, given = cache_folder(corpus), _given_folder(corpus)
    places = {file: cache / file.name for file in files}
    for file in files:
        if given is not None and (given / file.name).is_file():
            places[file] = _checked(file, given / file.name)
    missing = [f for f, path in places.items() if not (path.is_file() and f.matches(path))]
    if missing:
        _fetch(missing, corpus, mirrors, cache, timeout)
    return list(places.values())


def _given_folder(corpus: str) -> Path | None:
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        return None
    root = Path(chosen).expanduser()
    if not root.is_dir():
        message = _("{variable}: expected a folder, got {root}")
        raise FileNotFoundError(message.format(variable=VARIABLE, root=root))
    return root / corpus


def _checked(file: RemoteFile, path: Path) -> Path:
    """Return the path of a file that the reader put there, unless its bytes are wrong."""
    if file.matches(path):
        return path
    message = _(
        "{path}: expected {size} bytes with the SHA-256 {wanted}, got {found} bytes with "
        "{got}; the file is damaged or another one: replace it"
    )
    found, got = path.stat().st_size, pooch.file_hash(str(path))
    raise ValueError(
        message.format(path=path, size=file.size, wanted=file.sha256, found=found, got=got)
    )


def _fetch(
    files: Sequence[RemoteFile], corpus: str, mirrors: Sequence[str], cache: Path,
    timeout: tuple[float, float],
) -> None:  # fmt: skip
    with _bar(files, corpus) as bar:
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
    """Put the file into the cache, under its own name when it is whole and right."""
    urls = _addresses(file, mirrors)

    def report(received: int) -> None:
        bar.update(before + received - bar.n)

    write_atomically(
        cache / file.name,
        lambda part: receive(file, urls, Path(part.name), timeout=timeout, report=report),
    )


def receive(
    file: RemoteFile, urls: Sequence[str], path: Path, *,
    timeout: tuple[float, float] = TIMEOUT, report: Callable[[int], None] = lambda received: None,
) -> None:  # fmt: skip
    """Write `file` to `path`, from the first of `urls` that delivers it.

    A connection that breaks off or stalls is taken up after the last whole piece of `CHUNK` bytes
    (``Range``), at the same mirror as long as each answer brings new ones, then at the next.
    Whatever else does not have the checksum is thrown away.

    Args:
        file: what the bytes must be.
        urls: its addresses, the preferred one first.
        path: where to write; what is there already is thrown away.
        timeout: seconds to wait for a connection, and for the next byte.
        report: is told how many bytes there are, after each piece.

    Raises:
        NoMirrorError: none of the mirrors delivered it; `path` is then empty.
    """
    path.write_bytes(b"")
    reasons = []
    for url in urls:
        reason, again = "", True
        for _attempt in range(ATTEMPTS):
            before = path.stat().st_size
            try:
                _append(file, url, path, timeout, report)
                if file.matches(path):
                    return
                reason = _other_bytes(file, path.stat().st_size)
                path.write_bytes(b"")
                again = before > 0  # of a file in pieces, an earlier one may be at fault
            except requests.RequestException as error:
                received = path.stat().st_size
                reason, again = _reason(error, received, file.size), received > before
            if not again:
                break
        reasons.append(f"{url}: {reason}")
    path.write_bytes(b"")
    report(0)
    raise NoMirrorError("\n".join(reasons))


def _append(
    file: RemoteFile, url: str, path: Path, timeout: tuple[float, float],
    report: Callable[[int], None],
) -> None:  # fmt: skip
    """Add what is missing to the file at `path`; begin anew where the server sends everything."""
    done = path.stat().st_size
    headers = {"Accept-Encoding": "identity"}  # the bytes as they are, so that offsets count them
    if done:
        headers["Range"] = f"bytes={done}-"
    with (
        requests.Session() as session,
        session.get(url, headers=headers, stream=True, timeout=timeout) as response,
    ):
        response.raise_for_status()
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {done}-")
        with path.open("ab" if response.status_code == 206 and resumed else "wb") as target:
            for chunk in response.iter_content(CHUNK):
                target.write(chunk)
                report(min(target.tell(), file.size))
                if target.tell() >= file.size:
                    break  # complete, or not this file


def _other_bytes(file: RemoteFile, size: int) -> str:
    if size < file.size:
        return _("sent {size} of {whole} bytes").format(size=size, whole=file.size)
    return _("sent {size} bytes with another SHA-256").format(size=size)


def _reason(error: requests.RequestException, received: int, whole: int) -> str:
    """Say in a few words why a request failed."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return _("HTTP status {status}").format(status=error.response.status_code)
    if received:
        return _("broke off or stalled after {received} of {whole} bytes").format(
            received=received, whole=whole
        )
    if isinstance(error, requests.Timeout):
        return _("no answer in time")
    return _("cannot be reached ({kind})").format(kind=type(error).__name__)


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


def _bar(files: Sequence[RemoteFile], corpus: str) -> "tqdm[None]":
    """Return a bar over all bytes, hidden where nobody watches; it vanishes when closed."""
    in_browser = "JPY_SESSION_NAME" in os.environ or "google.colab" in sys.modules
    quiet = os.environ.get("CI") or os.environ.get("BOTTOMUP_QUIET")
    return tqdm(
        total=sum(file.size for file in files), desc=corpus, unit="B", unit_scale=True,
        leave=False, disable=bool(quiet) or not (sys.stderr.isatty() or in_browser),
    )  # fmt: skip
