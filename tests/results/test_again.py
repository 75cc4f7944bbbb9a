"""The records of the locked run are of the freeze: its commit, its settings, its seeds."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from bottomup import results
from bottomup.experiments import Record, experiment
from bottomup.experiments.engine import locked
from bottomup.experiments.engine.locked import Column
from bottomup.results.again import Standing, again, run_again
from tests.results.test_commits import git, is_in_the_history, why_git_cannot_say
from tools import locked as tool
from tools.notebooks.paths import SOURCE

THERE = [
    (column, path.stem)
    for column in Column
    for path in sorted(tool.FOLDER.joinpath(column).glob("*.json"))
]


@pytest.fixture(params=THERE, ids=lambda where: "-".join(where))
def where(request: pytest.FixtureRequest) -> tuple[Column, str]:
    """A column, and an experiment that has a record in it."""
    return request.param


def record_of(column: Column, name: str) -> Record:
    record = run_again(name, column)
    assert record is not None
    return record


def test_a_record_has_the_setting_and_the_seeds_of_the_freeze(where: tuple[Column, str]) -> None:
    column, name = where
    record, frozen = record_of(column, name), locked.frozen()[name]
    recorded = experiment(name).preset("recorded")
    assert record.config == json.loads(json.dumps(asdict(frozen.config(column, recorded))))
    assert {*record.seeds} <= {*frozen.seeds}
    assert record.experiment == name and not record.arrays


def test_a_record_was_made_from_the_commit_of_the_freeze(where: tuple[Column, str]) -> None:
    if reason := why_git_cannot_say():
        pytest.skip(reason)
    record = record_of(*where)
    assert not record.dirty
    assert is_in_the_history(record.base_commit)
    path = tool.FREEZE.relative_to(tool.ROOT).as_posix()
    (froze,) = git("log", "--diff-filter=A", "--format=%H", "--", path).stdout.split()
    assert record.base_commit == froze


def test_what_is_not_in_yet_is_open() -> None:
    for name, frozen in locked.frozen().items():
        missing = [
            column
            for column in frozen.columns
            if (record := run_again(name, column)) is None or record.seeds != frozen.seeds
        ]
        for claim in results.claims(results.load(f"{name}.json")):
            found = again(claim)
            assert (found is not None) == (claim.id in frozen.claims)
            if found is not None:
                is_open = any(column in missing for column in found.columns)
                assert (found.standing is Standing.OPEN) == is_open


def test_a_claim_that_is_not_run_again_has_nothing() -> None:
    (claim,) = results.claims(results.load("attention_reversal.json"))
    assert again(claim) is None


JUDGE = """
import json, sys
from pathlib import Path
from bottomup.experiments import claims, load_record
found = {}
for path in map(Path, sys.argv[1:]):
    for claim in claims(load_record(path)):
        found[f"{path.parent.name} {claim.id}"] = [claim.verdict, claim.values, claim.sentence]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_the_frozen_code_judges_as_today_s_does(tmp_path: Path) -> None:
    """What is shown is judged by the code of today; what it says is what the frozen one says.

    Every sixth record is asked: how each experiment judges is held by the register as well.
    """
    if reason := why_git_cannot_say():
        pytest.skip(reason)
    (commit,) = {record_of(*where).base_commit for where in THERE}
    archive = tmp_path / "frozen.tar"
    git("archive", "--output", str(archive), commit, "src/bottomup")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    assert tool.digest_of_code(tmp_path / "src/bottomup") == tool.code()
    paths = [tool.FOLDER / column / f"{name}.json" for column, name in THERE[::6]]

    def judged(source: Path) -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-c", JUDGE, *map(str, paths)],
            capture_output=True, check=True, encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(source)},
        )  # fmt: skip
        found: dict[str, object] = json.loads(done.stdout)
        return found

    assert judged(tmp_path / "src") == judged(SOURCE)
