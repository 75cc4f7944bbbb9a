from dataclasses import replace
from pathlib import Path

import pytest

from bottomup.data.download import DownloadError
from bottomup.experiments import load_record
from bottomup.experiments.engine import command, locked, registry
from bottomup.experiments.engine.locked import Locked
from tests.experiments.toy import TOY, measured, register


@pytest.fixture(autouse=True)
def toy_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


def test_the_command_writes_the_record_and_tells_the_verdicts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    status = command.main(
        ["toy", "--preset", "tiny", "--seeds", "3", "5", "7", "--device", "cpu",
         "--out", str(tmp_path)]
    )  # fmt: skip
    assert status == 0
    assert load_record(tmp_path / "toy.json").seeds == (3, 5, 7)
    told = capsys.readouterr().err
    assert "1 of 6: slow, seed 3: 0 s" in told
    assert "99.1a holds: 10.33 ± 4.00 (above 0 in every seed)" in told


def test_without_a_folder_it_keeps_its_work_below_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert command.main(["toy", "--preset", "tiny", "--device", "cpu"]) == 0
    assert (tmp_path / "_build/experiments/toy_tiny/toy.json").exists()


RUN, PLAN = ["toy", "--preset", "tiny"], ["plan", "toy", "--preset", "tiny"]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["toy", "--preset", "huge"], "preset: expected one of 'tiny', got 'huge'"),
        ([*RUN, "--seeds", "2", "2"], "seeds: expected at least one"),
        ([*RUN, "--device", "toaster"], ""),
        ([*RUN, "--device", "cuda:99"], ""),
        ([*PLAN, "--limit=nan"], "limit: expected a number >= 0"),
        ([*PLAN, "--limit=-1"], "limit: expected a number >= 0"),
        ([*PLAN, "--seeds=0"], "seeds: expected an integer of at least 1, got 0"),
        (["full", "--hours=0"], "hours: expected a number > 0"),
        (["full", "--hours=inf"], "hours: expected a number > 0"),
        (["verify", "toy", "--record", "nothing.json"], ""),
        (["verify", "another", "--record", "toy.json"], "record: expected one of another, got toy"),
    ],
)
def test_a_bad_option_is_one_line_and_not_a_traceback(
    saved: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
):
    monkeypatch.chdir(saved.parent)
    monkeypatch.setitem(registry.NAMES, "another", "a.room")
    assert command.main(arguments) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"error: {sentence}")


def test_missing_data_are_one_line_that_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def missing(*arguments: object) -> None:
        raise DownloadError("train.en could not be fetched: set BOTTOMUP_DATA")

    register(monkeypatch, replace(TOY, measure=missing))
    assert command.main([*RUN, "--out", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told == "error: train.en could not be fetched: set BOTTOMUP_DATA\n"


def test_an_unknown_experiment_is_named_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
):
    with pytest.raises(SystemExit):
        command.main(["nothing"])
    assert "attention_reversal" in capsys.readouterr().err


def test_stopping_it_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_tell", stop)
    assert command.main(["toy", "--preset", "tiny", "--out", str(tmp_path)]) == 130
    assert "The same command goes on from here." in capsys.readouterr().err
    monkeypatch.undo()
    register(monkeypatch, TOY)
    assert command.main(["toy", "--preset", "tiny", "--out", str(tmp_path)]) == 0
    assert measured(tmp_path) == {"slow-0": 1, "fast-0": 1}


CONFIRM = ["confirm", "toy", "--device", "cpu", "--seeds"]


@pytest.fixture
def toy_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A first record of the seeds 3, 5 and 7, and a freeze that varies the scale."""
    assert command.main(
        ["toy", "--preset", "tiny", "--seeds", "3", "5", "7", "--device", "cpu",
         "--out", str(tmp_path)]
    ) == 0  # fmt: skip
    found = Locked(
        name="toy", seeds=(100, 101, 102), changes={"scale": 3.0}, kind="width",
        claims={"99.1a": {"rule": "EverySeedAbove", "margin": 0.0}},
    )  # fmt: skip
    monkeypatch.setattr(locked, "frozen", lambda: {"toy": found})
    monkeypatch.setattr(command, "RECORDS", tmp_path)
    register(monkeypatch, replace(TOY, presets={**TOY.presets, "recorded": TOY.presets["tiny"]}))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "value"), [([], "26.33 ± 4.00"), (["--varied"], "39.33 ± 6.00")]
)
def test_a_claim_is_asked_once_more_on_seeds_of_ones_own(
    toy_is_locked: Path, capsys: pytest.CaptureFixture[str], options: list[str], value: str
):
    out = toy_is_locked / "again"
    capsys.readouterr()
    assert command.main([*CONFIRM, "11", "13", "15", "--out", str(out), *options]) == 0
    told = capsys.readouterr().err
    assert f"99.1a holds: {value} (above 0 in every seed); first holds: 10.33 ± 4.00\n" in told
    assert f"To send it, whatever came out: attach {out / 'toy.json'} at https://" in told
    assert "already" not in told and "decides" not in told
    assert "The rules are those that were locked (freeze " in told
    assert load_record(out / "toy.json").seeds == (11, 13, 15)


def test_a_rule_that_was_changed_is_named(
    toy_is_locked: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (found,) = locked.frozen().values()
    other = replace(found, claims={"99.1a": {"rule": "EverySeedAbove", "margin": 0.5}})
    monkeypatch.setattr(locked, "frozen", lambda: {"toy": other})
    assert command.main([*CONFIRM, "11", "12", "13", "--out", str(toy_is_locked / "again")]) == 0
    assert "These rules are not those that were locked: 99.1a." in capsys.readouterr().err


def test_seeds_that_the_book_has_and_too_few_are_told(
    toy_is_locked: Path, capsys: pytest.CaptureFixture[str]
):
    assert command.main([*CONFIRM, "5", "101", "--out", str(toy_is_locked / "again")]) == 0
    told = capsys.readouterr().err
    assert "The book has these seeds already: 5, 101.\nA rule decides from 3 seeds on.\n" in told
