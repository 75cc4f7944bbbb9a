"""What the solution and the wrong answers of each exercise do, worked out with torch and kept.

The page loads it with a chapter, so that a check runs the reader's answer alone. It takes half a
minute for all; what has not changed since is read from a file below .venv.
"""

import hashlib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch

from bottomup.exercises.engine.registry import ROOM, places, text_file
from tools.page import contents
from tools.page.judge import work_out
from tools.page.packages import CACHE
from tools.page.sides import started

KEPT = CACHE / "outcomes"
# Exercises whose values are the small torch's own, each with the reason.
OWN = {
    "neighbour-in-the-batch": "what rounding leaves is what is looked at",
    "whitening": "columns that stand for no direction of the data are noise",
}


def outcomes() -> dict[str, bytes]:
    """Return the outcomes of every exercise by slug, as the engine saves them."""
    kept = files()
    missing = [slug for slug, path in kept.items() if not path.exists()]
    KEPT.mkdir(parents=True, exist_ok=True)
    for path in set(KEPT.iterdir()) - set(kept.values()):
        path.unlink()
    if torchs := [slug for slug in missing if slug not in OWN]:
        spawn = get_context("spawn")  # a fork after OpenMP has run can hang
        with ProcessPoolExecutor(
            2, mp_context=spawn, initializer=torch.set_num_threads, initargs=(1,)
        ) as pool:
            list(pool.map(work_out, torchs, (str(kept[slug]) for slug in torchs)))
    for slug in OWN.keys() & set(missing):
        code = f"from tools.page.judge import work_out; work_out({slug!r}, {str(kept[slug])!r})"
        if started("small", code).wait():
            raise RuntimeError(f"{slug}: the small torch could not run its answers")
    return {slug: path.read_bytes() for slug, path in kept.items()}


def files() -> dict[str, Path]:
    """Return the file of each exercise."""
    return {slug: KEPT / f"{slug}-{digest(slug)}" for slug in places()}


def digest(slug: str) -> str:
    """Return a digest of an exercise, of what its chapter shares, and of the engine."""
    made = hashlib.sha256(torch.__version__.encode())
    folder = text_file(places()[slug], slug).parent
    for path in (*shared(places()[slug]), *sorted(folder.glob("*.*"))):
        made.update(path.read_bytes())
    if slug in OWN:
        for path in contents.small_torch_files():
            made.update(path.read_bytes())
    return made.hexdigest()[:16]


def shared(folder: str) -> list[Path]:
    """Return the files of the package that all exercises of a chapter depend on."""
    own = [module for module in contents.modules() if not contents.is_of_an_exercise(module)]
    paths = [path for module in own if (path := contents.PACKAGE.file(module))]
    return [*paths, *sorted(ROOM.joinpath(folder).glob("*.py"))]
