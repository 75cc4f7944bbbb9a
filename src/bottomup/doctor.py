"""What is missing on this machine, one line each, with what to do about it.

Run with ``python -m bottomup.doctor``; before the set-up, as
``python src/bottomup/doctor.py``. The exit status is 1 where something is
missing, else 0. It asks no other machine.

It speaks where all else fails: it imports only the standard library until it
knows that the rest is there, and keeps to the syntax of Python 3.9, so that a
Python too old for the course can say so.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

try:
    from bottomup.i18n import _, escape_unknown_signs
except ImportError:  # run as a file, before the package is installed

    def _(message: str) -> str:
        return message

    def escape_unknown_signs() -> None:
        """Print what the console cannot show, too: a folder's name, say."""
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


OLDEST_PYTHON = (3, 11)
PORT = 8000
KERNEL = "python3"  # what the chapters name
NEEDED_BYTES = 3_000_000_000

PACKAGE = Path(__file__).resolve().parent
COURSE = PACKAGE.parents[1]  # the clone, unless it is installed elsewhere


@dataclass(frozen=True)
class Finding:
    """What one check found. `state` is "ok", "warning" or "missing"."""

    state: str
    subject: str
    text: str

    def __str__(self) -> str:
        states = {"ok": _("ok"), "warning": _("warning")}
        label = states.get(self.state, _("missing"))
        return f"{label:<8} {self.subject}: {self.text}"


def _finding(state: str, subject: str, text: str, **values: object) -> Finding:
    return Finding(state, subject, text.format(**values))


_ok = partial(_finding, "ok")
_warning = partial(_finding, "warning")
_missing = partial(_finding, "missing")


def python_version(found: Sequence[int]) -> Finding:
    """Compare a version such as (3, 9, 18) with the oldest that will do."""
    version = ".".join(map(str, found))
    oldest = ".".join(map(str, OLDEST_PYTHON))
    if tuple(found[:2]) >= OLDEST_PYTHON:
        return _ok("Python", version)
    text = _(
        "{version} is too old, {oldest} or later is needed. Install one, "
        "remove a .venv made with the old one, and name the new one: "
        "make setup PYTHON=python{oldest}"
    )
    return _missing("Python", text, version=version, oldest=oldest)


def environment(folder: Path | None, running: Path, own: Path) -> Finding:
    """Say in which environment Python runs; `own` is the course's Python."""
    subject = _("environment")
    if folder is not None:
        return _ok(subject, "{folder}", folder=folder)
    text = _(
        "{running} is in no virtual environment. Run: make setup, or: "
        "python -m venv .venv"
    )
    if own.exists():
        text = _(
            "{running} is not the Python of the course's .venv. "
            "Use that one: {own}"
        )
    return _warning(subject, text, running=running, own=own)


def wanted_packages(lines: Iterable[str]) -> dict[str, str | None]:
    """Return the packages of requirements, and this one: name and pin."""
    pattern = re.compile(r"(\w[\w.-]*)(?:==([\w.]+))?")
    matches = [pattern.match(line) for line in lines]
    return {match[1]: match[2] for match in matches if match} | {
        "bottomup": None
    }


def packages(
    wanted: Mapping[str, str | None], installed: Mapping[str, str]
) -> list[Finding]:
    """Compare what is wanted with the versions that are installed."""
    subject, found = _("packages"), []
    absent = [name for name in wanted if name not in installed]
    other = [
        _("{name} {found} instead of {pin}").format(
            name=name, found=installed[name], pin=pin
        )
        for name, pin in wanted.items()
        # "2.13.0+cpu" is a build of 2.13.0
        if name in installed
        and pin not in (None, installed[name].split("+")[0])
    ]
    if absent:
        text = _("not installed: {names}. Run: pip install -r requirements.txt")
        found.append(_missing(subject, text, names=_listed(absent)))
    if other:
        text = _("not as tested: {names}. Run: pip install -r requirements.txt")
        found.append(_warning(subject, text, names=_listed(other)))
    text = _("all {count} as tested")
    return found or [_ok(subject, text, count=len(wanted))]


def _listed(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return textwrap.shorten(listed, width=100, placeholder=_(" and more"))


def torch_build(
    version: str, *, cuda: bool, mps: bool, threads: int
) -> Finding:
    """Say what torch can compute on; the course uses CUDA, else the CPU."""
    there = {"CPU": True, "CUDA": cuda, "MPS": mps}
    devices = ", ".join(name for name in there if there[name])
    text = _("{version}; devices: {devices}; threads: {threads}")
    return _ok("torch", text, version=version, devices=devices, threads=threads)


def torch_fails(error: Exception) -> Finding:
    """Say that torch cannot be imported, with the first line of the reason."""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    text = _(
        "does not start ({reason}). Run: pip install --force-reinstall "
        "-r requirements.txt"
    )
    return _missing("torch", text, reason=reason)


def kernel(commands: Mapping[str, Sequence[str]], running: Path) -> Finding:
    """Look for the notebooks' kernel among Jupyter's, each with its command."""
    subject = _("Jupyter kernel")
    if KERNEL not in commands:
        text = _(
            "there is none of the name {name}. Run: "
            "pip install -r requirements.txt"
        )
        return _missing(subject, text, name=KERNEL)
    program = Path(commands[KERNEL][0])
    # A bare "python" stands for the Python that runs Jupyter. Links are not
    # followed: the Python of every environment may be a link to the same one.
    if not program.is_absolute() or program.parent == running.parent:
        return _ok(subject, KERNEL)
    text = _(
        "{name} starts another Python, {program}. Run: "
        "python -m ipykernel install --user"
    )
    return _warning(subject, text, name=KERNEL, program=program)


def progress_file(path: Path | None) -> Finding:
    """Say whether the file of the solved exercises can be written."""
    subject = _("progress")
    if path is None:
        return _ok(subject, _("not kept, as CI or BOTTOMUP_PROGRESS says"))
    # The folders below the first one that is there are made.
    folder = next(place for place in path.parents if os.path.exists(place))
    if folder.is_dir() and os.access(folder, os.W_OK) and not path.is_dir():
        return _ok(subject, "{path}", path=path)
    text = _(
        "{path} cannot be written. Set BOTTOMUP_PROGRESS to a file that can be"
    )
    return _warning(subject, text, path=path)


def records(folder: Path) -> Finding:
    """Read every record in the folder, as JSON or as a zip of arrays."""
    subject = _("records")
    files = sorted([*folder.rglob("*.json"), *folder.rglob("*.npz")])
    damaged = [path.name for path in files if not _is_readable(path)]
    if files and not damaged:
        return _ok(
            subject, _("all {count} files can be read"), count=len(files)
        )
    text = _(
        "missing or damaged in {folder}: {names}. Run: "
        "git checkout -- src/bottomup/results"
    )
    names = _listed(damaged) or _("all")
    return _missing(subject, text, folder=folder, names=names)


def _is_readable(path: Path) -> bool:
    if path.suffix == ".npz":
        return zipfile.is_zipfile(path)
    with suppress(OSError, ValueError):
        return bool(json.loads(path.read_text(encoding="utf-8")))
    return False


def multi30k(names: Sequence[str], given: Path | None, cache: Path) -> Finding:
    """Look for the corpus in the folder of ``BOTTOMUP_DATA`` and the cache."""
    if given is not None and not given.is_dir():
        text = _(
            "BOTTOMUP_DATA names {folder}, which is no folder. Make it, or "
            "unset the variable"
        )
        return _warning("Multi30k", text, folder=given)
    folders = [cache] if given is None else [given / "multi30k", cache]
    text = _("all {count} files are there")
    if not all(any((at / name).is_file() for at in folders) for name in names):
        text = _(
            "not here; only training chapter 06's translators yourself "
            "(section 8) fetches it"
        )
    return _ok("Multi30k", text, count=len(names))


def port(number: int) -> Finding:
    """Say whether the site can be served at this port of this machine."""
    subject = _("port {number}").format(number=number)
    try:
        socket.create_server(("127.0.0.1", number)).close()
    except OSError:
        text = _(
            "taken by another program. Serve the site at another one: "
            "make book PORT=8080"
        )
        return _warning(subject, text)
    return _ok(subject, _("free"))


def make(path: str | None) -> Finding:
    """Say whether there is `make`, else where its commands are written out."""
    if path is not None:
        return _ok("make", "{path}", path=path)
    text = _(
        "not found. INSTALL.md lists the commands to use in its place: "
        '"Without make"'
    )
    return _warning("make", text)


def disk(free: int, folder: Path) -> Finding:
    """Compare the free bytes at `folder` with what set-up and build take."""
    size = f"{free / 1e9:.1f} GB"
    if free >= NEEDED_BYTES:
        return _ok(_("disk"), _("{size} free"), size=size)
    text = _(
        "{size} free at {folder}, and a set-up takes up to 3 GB. Free some "
        "space first"
    )
    return _warning(_("disk"), text, size=size, folder=folder)


def findings() -> Iterator[Finding]:
    """Look at this machine: one finding after another, the quick ones first."""
    running = Path(sys.executable)
    version = python_version(sys.version_info[:3])
    yield version
    if version.state == "missing":
        return  # nothing else can be right
    prefix = Path(sys.prefix)
    inside = sys.prefix != sys.base_prefix or (prefix / "conda-meta").is_dir()
    own = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    yield environment(
        prefix if inside else None, running, COURSE / ".venv" / own
    )
    yield make(shutil.which("make"))
    yield disk(shutil.disk_usage(COURSE).free, COURSE)
    yield port(PORT)
    yield records(PACKAGE / "results")
    yield from _look_at_packages()
    yield kernel(_kernel_commands(), running)
    yield from _look_at_torch()
    yield from _look_at_folders()


def _look_at_packages() -> list[Finding]:
    file = COURSE / "requirements.txt"
    if file.is_file():
        lines = file.read_text(encoding="utf-8").splitlines()
    else:  # not a clone: what the installed package declares, without pins
        lines = importlib.metadata.requires("bottomup") or []
    wanted = wanted_packages(lines)
    return packages(wanted, _installed(wanted))


def _installed(names: Iterable[str]) -> dict[str, str]:
    versions = {}
    for name in names:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def _kernel_commands() -> dict[str, list[str]]:
    options = "-m jupyter_client.kernelspecapp list --json".split()
    listed = subprocess.run(
        [sys.executable, *options],
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # the answer is JSON in ASCII; a complaint may be not
        check=False,
    )
    if listed.returncode:
        return {}
    kernels = json.loads(listed.stdout)["kernelspecs"]
    return {name: entry["spec"]["argv"] for name, entry in kernels.items()}


def _look_at_torch() -> list[Finding]:
    if not _installed(["torch"]):
        return []  # the line about packages says so
    try:
        import torch
    except (ImportError, OSError) as error:  # a library of torch is missing
        return [torch_fails(error)]
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    threads, version = torch.get_num_threads(), torch.__version__
    return [torch_build(version, cuda=cuda, mps=mps, threads=threads)]


def _look_at_folders() -> list[Finding]:
    """Look where the package would look, if what it needs is installed."""
    try:
        from bottomup.data.download import VARIABLE, cache_folder
        from bottomup.data.multi30k import CORPUS, remote_files
        from bottomup.exercises.engine.progress_file import file_path
    except (ImportError, OSError):
        return []
    names = [file.name for file in remote_files()]
    chosen = os.environ.get(VARIABLE)
    given = Path(chosen).expanduser() if chosen else None
    corpus = multi30k(names, given, cache_folder(CORPUS))
    return [progress_file(file_path()), corpus]


def main() -> int:
    """Print every finding as soon as it is made; return the exit status."""
    escape_unknown_signs()
    missing = 0
    for finding in findings():
        sys.stdout.write(f"{finding}\n")
        missing += finding.state == "missing"
    text = _("Missing: {count}") if missing else _("Nothing is missing.")
    sys.stdout.write(text.format(count=missing) + "\n")
    return int(missing > 0)


if __name__ == "__main__":
    raise SystemExit(main())
