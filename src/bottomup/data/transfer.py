"""One file over HTTP: from several mirrors in turn, going on where a connection broke off.

The file grows under a temporary name, and its checksum decides. So mirrors need not be trusted,
and one mirror may go on where another broke off.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pooch
import requests

from bottomup.i18n import _

CHUNK = 1 << 12  # bytes; of a piece that breaks off, nothing is kept
ATTEMPTS = 4  # for each mirror
TIMEOUT = (10.0, 30.0)  # seconds without a connection, seconds without a byte


@dataclass(frozen=True)
class RemoteFile:
    """A file that is known by its bytes: its name, its SHA-256 in hexadecimal, its size in bytes."""

    name: str
    sha256: str
    size: int

    def __post_init__(self) -> None:
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise ValueError(f"sha256: expected 64 hexadecimal digits, got {self.sha256!r}")
        if Path(self.name).name != self.name:
            raise ValueError(f"name: expected the name of a file, got {self.name!r}")

    def matches(self, path: Path) -> bool:
        """Tell whether the file at `path` has these bytes."""
        return path.stat().st_size == self.size and pooch.file_hash(str(path)) == self.sha256


class NoMirrorError(OSError):
    """No mirror delivered the file. The message has one line for each: address and reason."""


class _Refused(Exception):
    """A mirror's answer that is of no use; `again`: the mirror may do better if asked again."""

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(reason)
        self.again = again


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
        reason = _ask(file, url, path, timeout, report)
        if reason is None:
            return
        reasons.append(f"{url}: {reason}")
    path.write_bytes(b"")
    report(0)
    raise NoMirrorError("\n".join(reasons))


def _ask(
    file: RemoteFile, url: str, path: Path, timeout: tuple[float, float],
    report: Callable[[int], None],
) -> str | None:  # fmt: skip
    """Ask one mirror until it has delivered (None) or is given up: return the reason."""
    reason = ""
    for _attempt in range(ATTEMPTS):
        before = path.stat().st_size
        try:
            _append(file, url, path, timeout, report)
            _check(file, path, mixed=before > 0)
            return None
        except _Refused as refused:
            reason, again = str(refused), refused.again
        except requests.RequestException as error:
            received = path.stat().st_size
            reason, again = _reason(error, received, file.size), received > before
        if not again:
            break
    return reason


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


def _check(file: RemoteFile, path: Path, *, mixed: bool) -> None:
    """Throw the file away unless it has the checksum.

    A file in pieces (`mixed`) is asked for once more as a whole: an earlier piece may be at fault.
    """
    if file.matches(path):
        return
    size = path.stat().st_size
    path.write_bytes(b"")
    if size < file.size:
        reason = _("sent {size} of {whole} bytes").format(size=size, whole=file.size)
    else:
        reason = _("sent {size} bytes with another SHA-256").format(size=size)
    raise _Refused(reason, again=mixed)


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
