"""A record names the commit that made it, and the repository has it."""

import subprocess
from functools import cache

import pytest

from bottomup import results
from tools.notebooks.paths import ROOT

# Records whose commit was rewritten before it came into this repository: its code cannot be checked
# out. `python -m bottomup.experiments verify NAME` makes them again from the code that is here.
LOST: dict[str, str] = {
    "mlp_and_superposition_autoencoder.json": "57c2d71, 594 processor seconds",
}


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@cache
def why_git_cannot_say() -> str:
    """Return why nobody can ask for a commit here, nothing where one can."""
    try:
        shallow = git("rev-parse", "--is-shallow-repository")
    except OSError:
        return "there is no git"
    if shallow.returncode:
        return "this is no repository"
    return "the clone is shallow" if shallow.stdout.strip() == "true" else ""


def is_in_the_history(commit: str) -> bool:
    return git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


@pytest.fixture(autouse=True)
def needs_the_history() -> None:
    if reason := why_git_cannot_say():
        pytest.skip(reason)


@pytest.mark.parametrize("name", [name for name in results.available() if name not in LOST])
def test_the_commit_of_a_record_is_in_the_repository(name: str):
    record = results.load(name)
    assert not record.dirty
    assert is_in_the_history(record.base_commit)


@pytest.mark.parametrize("name", LOST)
def test_a_record_whose_commit_is_lost_says_which(name: str):
    record = results.load(name)
    assert LOST[name].startswith(record.base_commit[:7])
    assert not is_in_the_history(record.base_commit), "made again: take it off the list"


def test_a_commit_that_is_not_there_is_noticed():
    assert is_in_the_history("HEAD")
    assert not is_in_the_history("57c2d714a2d2f279a1eed35013f2de80776527cf")
