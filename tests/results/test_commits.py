"""A record names the commit that made it, and the repository has it."""

import subprocess
from functools import cache

import pytest

from bottomup import results
from tools.notebooks.paths import ROOT


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


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


@pytest.mark.parametrize("name", results.available())
def test_the_commit_of_a_record_is_in_the_repository(name: str):
    record = results.load(name)
    assert not record.dirty
    assert is_in_the_history(record.base_commit)
