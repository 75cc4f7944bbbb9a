"""What the solution and the wrong answers of each exercise do, worked out with torch and kept.

The page loads it with a chapter, so that a check runs the reader's answer alone. It takes half a
minute for all; what has not changed since is read from a file below .venv.
"""

import hashlib
import time
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
WEEK = 7 * 24 * 3600  # seconds
# Exercises of whose wrong answers the page keeps what its own torch gives, each with the reason:
# the last digits decide there, and an answer is told by doing the same.
OWN = {
    "sinusoidal-positions": "angles of thousands of radians",
    "multi-head-attention": "float16, whose sums are rounded on the way",
    "layer-norm": "digits that are lost are looked at",
    "top-p": "sums that should be p, and are beside it",
    "recompute": "how often functions are run by autograd",
    "whitening": "columns that stand for no direction of the data",
    "pwcca-weights": "directions with any sign",
    "neighbour-identity": "neighbours at the same distance",
    "rank-interventions": "answers that are as good as each other",
    "copying-score": "eigenvalues that should be zero",
    "neighbour-in-the-batch": "what rounding leaves",
}
# Of these also what the solution gives.
OWN_SOLUTION = frozenset({"neighbour-in-the-batch"})


def outcomes() -> dict[str, bytes]:
    """Return the outcomes of every exercise by slug, as the engine saves them."""
    return {slug: path.read_bytes() for slug, path in files().items()}


def files() -> dict[str, Path]:
    """Return for each exercise the file with its outcomes, which is made where it is missing."""
    kept = {slug: KEPT / f"{slug}-{digest(slug)}" for slug in places()}
    missing = [slug for slug, path in kept.items() if not path.exists()]
    KEPT.mkdir(parents=True, exist_ok=True)
    for path in set(KEPT.iterdir()) - set(kept.values()):
        if time.time() - path.stat().st_mtime > WEEK:  # another run may be reading it
            path.unlink()
    if missing:
        spawn = get_context("spawn")  # a fork after OpenMP has run can hang
        with ProcessPoolExecutor(
            2, mp_context=spawn, initializer=torch.set_num_threads, initargs=(1,)
        ) as pool:
            list(pool.map(work_out, missing, (str(kept[slug]) for slug in missing)))
    for slug in OWN.keys() & set(missing):
        solution = "" if slug in OWN_SOLUTION else str(kept[slug])
        call = f"work_out({slug!r}, {str(kept[slug])!r}, {solution!r})"
        with started("small", f"from tools.page.judge import work_out; {call}") as made:
            made.communicate()
        if made.returncode:
            kept[slug].unlink()
            raise RuntimeError(f"{slug}: the small torch could not run its answers")
    return kept


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
