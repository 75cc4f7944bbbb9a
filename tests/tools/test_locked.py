"""The locked run: seeds become one record, crashes are written down, its page counts rightly."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bottomup import results
from bottomup.experiments import Kind, Verdict, load_record
from bottomup.experiments.engine import locked, register
from tools import locked as tool

PAGE = (tool.ROOT / "book" / "locked_run.md").read_text("utf-8")


def test_seeds_measured_apart_make_one_record() -> None:
    record = results.load("self_attention_scaling.json")
    parts = [
        replace(record, seeds=(seed,), runs=(run,), seconds=7.0, device=device)
        for seed, run, device in zip(record.seeds, record.runs, "babba", strict=True)
    ]
    whole = tool.merged(parts[::-1])
    assert (whole.seeds, whole.runs) == (record.seeds, record.runs)
    assert (whole.seconds, whole.device) == (35.0, "a; b")


def test_records_of_two_configurations_do_not_make_one() -> None:
    record = results.load("self_attention_scaling.json")
    other = replace(record, config={**record.config, "things": 7})
    with pytest.raises(ValueError, match="config: expected .* as of the seeds .* got"):
        tool.merged([record, other])


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


def test_each_crash_is_a_deviation_on_the_page() -> None:
    there = tool.CRASHES.read_text("utf-8").splitlines() if tool.CRASHES.exists() else []
    assert ("| Runs | None so far. |" in PAGE) == (not there)
    for crash in map(json.loads, there):
        assert f"{crash['name']} {crash['column']} {crash['seed']}" in PAGE


def test_the_page_counts_what_the_freeze_holds() -> None:
    frozen = locked.frozen().values()
    kinds = [claim["kind"] for record in frozen for claim in record.claims.values()]
    papers, repeated = kinds.count(Kind.PAPER), kinds.count(Kind.REPETITION)
    assert f"code and seeds of {len(frozen)} records" in PAGE
    assert f"the {papers} statements of papers, and the {repeated} claims that repeat" in PAGE
    assert f"They come from {sum(bool(record.changes) for record in frozen)} records" in PAGE


def test_the_page_counts_what_the_first_records_said() -> None:
    ledger = results.ledger()
    frozen = {number for record in locked.frozen().values() for number in record.claims}
    first = [claim.verdict for claim in ledger if claim.kind is Kind.PAPER and claim.id in frozen]
    holds, fails, undecided = map(first.count, Verdict)
    assert f"{holds} held in the first record, {fails} failed and {undecided} were" in PAGE
    was = [
        claim.verdict
        for claim in ledger
        if claim.kind is Kind.OWN and str(Kind.PAPER) in register.past(claim).kinds
    ]
    holds, fails, undecided = map(was.count, Verdict)
    assert f"Before the freeze, {len(was)} claims stopped counting" in PAGE
    assert f"{holds} of them had held, {fails} had failed, {undecided} were undecided" in PAGE


def test_the_page_states_what_chance_confirms() -> None:
    apart, alike = tool.by_chance()
    assert f"chance would confirm {apart:.1f} of them" in PAGE
    assert f"and {alike:.1f} if they always agreed" in PAGE


@pytest.mark.slow
def test_the_page_tells_what_first_records_let_expect() -> None:
    told = (tool.ROOT / "book/locked_run.md").read_text("utf-8")
    found = re.search(r"expects ([\d.]+) .* confirmed, ([\d.]+) not, and ([\d.]+) to be", told)
    assert found is not None
    expected = tool.expected()
    assert [float(number) for number in found.groups()] == pytest.approx(
        [expected[verdict] for verdict in Verdict], abs=0.1
    )
