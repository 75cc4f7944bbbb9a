"""The packages of node that the page needs: fetched once, kept below .venv.

`book/answer_here/package-lock.json` has each by version and by the hash of its contents, so that it
does not matter who hands them out. npm and node come with the Python packages.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.notebooks.paths import ROOT

HERE = ROOT / "book" / "answer_here"
CACHE = ROOT / ".venv" / "answer_here"
LISTS = ("package.json", "package-lock.json")
QUIETLY = "--ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1".split()
BINARIES = Path(sys.executable).parent  # of the environment that runs this


def node_modules() -> Path | None:
    """Return the folder with the packages, which are fetched where they are not there yet.

    None means that they cannot be had; a line on the screen says so.
    """
    found = fetched()
    if found is not None:
        return found
    shutil.rmtree(CACHE / "node", ignore_errors=True)
    folder = CACHE / "node" / digest()
    folder.mkdir(parents=True)
    for name in LISTS:
        shutil.copy(HERE / name, folder)
    try:
        subprocess.run(
            [program("npm"), "ci", *QUIETLY],
            cwd=folder, env=environment(), check=True, capture_output=True, encoding="utf-8",
            timeout=600,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        print(f"Answers in the page are left out: npm could not fetch its packages ({said[0]})")
        return None
    (folder / "complete").touch()
    return folder / "node_modules"


def fetched() -> Path | None:
    """Return the folder with the packages if it is there and whole."""
    folder = CACHE / "node" / digest()
    return folder / "node_modules" if folder.joinpath("complete").exists() else None


def digest() -> str:
    """Return a digest of what is asked for."""
    made = hashlib.sha256()
    for name in LISTS:
        made.update(HERE.joinpath(name).read_bytes())
    return made.hexdigest()[:16]


def program(name: str) -> str:
    """Return the path of node or npm: that of the environment, else the system's."""
    return shutil.which(name, path=environment()["PATH"]) or name


def environment() -> dict[str, str]:
    """Return the environment in which npm finds its node, and keeps its cache with the packages."""
    path = f"{BINARIES}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "npm_config_cache": str(CACHE / "npm")}
