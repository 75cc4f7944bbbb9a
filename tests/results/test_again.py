"""The records of the locked run are of the freeze: its commit, its settings, its seeds."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bottomup import results
from bottomup.experiments import Record, Verdict, experiment, load_record
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


def test_a_finished_seed_goes_into_the_record_of_its_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(tool, "BUILD", tmp_path / "build")
    first = results.load("self_attention_scaling.json")
    tasks = [task for task in tool.missing() if task.name == "self_attention_scaling"]
    assert [task.seed for task in tasks] == 2 * [100, 101, 102, 103, 104]
    for task in (tasks[1], tasks[0]):
        part = replace(first, seeds=(task.seed,), runs=({**first.runs[0], "seed": task.seed},))
        part.save(task.out / "self_attention_scaling.json")
        tool.keep(task)
    assert load_record(tasks[0].path).seeds == (100, 101)
    left = [task.seed for task in tool.missing() if task.name == "self_attention_scaling"]
    assert left == [102, 103, 104, 100, 101, 102, 103, 104]
    assert "--varied" in tasks[5].command() and "--varied" not in tasks[0].command()


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
    """What is shown is judged by the code of today; what it says is what the frozen one says."""
    if reason := why_git_cannot_say():
        pytest.skip(reason)
    (commit,) = {record_of(*where).base_commit for where in THERE}
    archive = tmp_path / "frozen.tar"
    git("archive", "--output", str(archive), commit, "src/bottomup")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    assert locked.digest_of_code(tmp_path / "src/bottomup") == locked.code()
    paths = [tool.FOLDER / column / f"{name}.json" for column, name in THERE]

    def judged(source: Path) -> dict[str, object]:
        done = subprocess.run(
            [sys.executable, "-c", JUDGE, *map(str, paths)],
            capture_output=True, check=True, encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(source)},
        )  # fmt: skip
        found: dict[str, object] = json.loads(done.stdout)
        return found

    assert judged(tmp_path / "src") == judged(SOURCE)


@pytest.mark.slow
def test_the_page_tells_what_first_records_let_expect() -> None:
    told = (tool.ROOT / "book/locked_run.md").read_text("utf-8")
    found = re.search(r"expects ([\d.]+) .* confirmed, ([\d.]+) not, and ([\d.]+) to be", told)
    assert found is not None
    expected = tool.expected()
    assert [float(number) for number in found.groups()] == pytest.approx(
        [expected[verdict] for verdict in Verdict], abs=0.1
    )
