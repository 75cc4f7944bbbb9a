"""Files that are whole or not there, whenever a process is killed.

A file is written under a name beside its own and then moved in one act. Who
writes it holds it locked, and a lock ends with its process: so what a killed
process left behind is known, and the next one that writes the same file
removes it.
"""

import glob
import os
import re
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

# After the file's name. Earlier versions had the number of the process there.
UNFINISHED = re.compile(r"\.[0-9a-f]+\.tmp")


def write_atomically(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file beside `path`, then move it there; folders are made.

    Whoever reads `path` sees the old file or the new one, never a part. Of
    several processes that write it at once, the last one's stays.

    Args:
        path: where the file is to lie.
        write: writes it, into the open file or to its `name`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path)
    file = _create(path)
    try:
        write(file)
        file.flush()
        os.fsync(file.fileno())
        _move(file, path)
    finally:
        file.close()
        Path(file.name).unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes wrote of `path` and did not finish."""
    for other in path.parent.glob(f"{glob.escape(path.name)}.*.tmp"):
        if UNFINISHED.fullmatch(other.name.removeprefix(path.name)):
            with suppress(OSError):  # somebody writes it, or has removed it
                _remove_unheld(other)


def _create(path: Path) -> IO[bytes]:
    """Return a new file beside `path`, held until it is closed."""
    while True:
        name = f"{path.name}.{secrets.token_hex(4)}.tmp"
        file = path.with_name(name).open("xb")
        try:
            _hold(file)
        except BlockingIOError:  # taken for a leftover before it was held
            file.close()
            continue
        except OSError:  # no locks on this file system: nothing is removed
            return file
        if os.path.exists(file.name):
            return file
        file.close()


if sys.platform == "win32":

    def _hold(file: IO[bytes]) -> None:
        """Nobody can remove a file that is open."""

    def _remove_unheld(path: Path) -> None:
        path.unlink()

    def _move(file: IO[bytes], path: Path) -> None:
        file.close()  # nor move it
        os.replace(file.name, path)

else:
    import fcntl

    def _hold(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _remove_unheld(path: Path) -> None:
        with path.open("r+b") as file:  # to be locked, some ask to write
            _hold(file)
            path.unlink()

    def _move(file: IO[bytes], path: Path) -> None:
        os.replace(file.name, path)
