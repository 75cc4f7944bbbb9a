"""What the solution and the wrong answers of each exercise do, worked out with torch and kept.

The page loads it with a chapter, so that a check runs the reader's answer alone. It takes half a
minute for all; what has not changed since is read from a file below .venv.
"""

import hashlib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch

from bottomup.exercises.engine import diagnose
from bottomup.exercises.engine.outcomes import saved
from bottomup.exercises.engine.registry import ROOM, find, places, text_file
from tools.page import contents
from tools.page.packages import CACHE

KEPT = CACHE / "outcomes"


def outcomes() -> dict[str, bytes]:
    """Return the outcomes of every exercise by slug, as the engine saves them."""
    kept = files()
    missing = [slug for slug, path in kept.items() if not path.exists()]
    KEPT.mkdir(parents=True, exist_ok=True)
    for path in set(KEPT.iterdir()) - set(kept.values()):
        path.unlink()
    if missing:
        spawn = get_context("spawn")  # a fork after OpenMP has run can hang
        with ProcessPoolExecutor(
            2, mp_context=spawn, initializer=torch.set_num_threads, initargs=(1,)
        ) as pool:
            for slug, found in zip(missing, pool.map(worked_out, missing), strict=True):
                kept[slug].write_bytes(found)
    return {slug: path.read_bytes() for slug, path in kept.items()}


def files() -> dict[str, Path]:
    """Return the file of each exercise."""
    return {slug: KEPT / f"{slug}-{digest(slug)}" for slug in places()}


def worked_out(slug: str) -> bytes:
    """Run everything that is known of an exercise."""
    return saved(diagnose.outcomes(find(slug)))


def digest(slug: str) -> str:
    """Return a digest of an exercise, of what its chapter shares, and of the engine."""
    made = hashlib.sha256(torch.__version__.encode())
    folder = text_file(places()[slug], slug).parent
    for path in (*shared(places()[slug]), *sorted(folder.glob("*.*"))):
        made.update(path.read_bytes())
    return made.hexdigest()[:16]


def shared(folder: str) -> list[Path]:
    """Return the files of the package that all exercises of a chapter depend on."""
    own = [module for module in contents.modules() if not contents.is_of_an_exercise(module)]
    paths = [path for module in own if (path := contents.PACKAGE.file(module))]
    return [*paths, *sorted(ROOM.joinpath(folder).glob("*.py"))]
