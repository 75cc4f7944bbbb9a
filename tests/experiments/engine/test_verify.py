"""A record made again: what agrees, what lies outside the band, which verdict turns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bottomup.experiments import EverySeedAbove, Record
from bottomup.experiments.engine import command
from bottomup.experiments.engine.verify import agreement, band
from tests.experiments.records import record_of
from tests.experiments.toy import TOY, ToyConfig, measured, register

SEEDS = ["3", "5", "7"]


def of(*values: float, **more: float) -> Record:
    """A record of one number a seed, and of more that are the same in every seed."""
    return record_of("toy", [{"fast": {"score": value, **more}} for value in values], ToyConfig())


def compared(committed: Record, again: Record, margin: float = 0.0) -> Any:
    def claims(record: Record) -> Any:
        (claim,) = TOY.claims(record)
        return [replace(claim, rule=EverySeedAbove(margin))]

    return agreement(committed, again, (claims(committed), claims(again)))


def test_the_band_by_hand():
    # deviations 1 and 2: the means may differ by 6
    assert band((1, 2, 3), (4, 6, 8)) == 6
    assert band((5, 5, 5), (5, 5, 5)) == pytest.approx(5e-4)
    assert band((-40,), (39,)) == pytest.approx(2)


@pytest.mark.parametrize(
    ("again", "counts"),
    [
        ((1, 2, 3), (1, 0, 0)),
        ((1, 2, 3.5), (0, 1, 0)),  # 2 and 2.17; the deviations are 1 and 1.26
        ((4, 5, 6), (0, 1, 0)),  # three deviations apart
        ((4.1, 5.1, 6.1), (0, 0, 1)),
    ],
)
def test_numbers_are_counted_by_how_they_return(again: tuple, counts: tuple):
    found = compared(of(1, 2, 3), of(*again))
    assert (found.same, found.within, len(found.outside)) == counts
    assert found.numbers == 1
    assert found.holds == (counts[2] == 0)


def test_an_array_of_every_seed_counts_by_its_mean():
    def kept(shift: float) -> Record:
        arrays = {f"fast/{seed}/row": np.array([0.0, 2.0 * seed]) + shift for seed in (0, 1, 2)}
        arrays |= {f"fast/{seed}/weights.W": np.array([shift]) for seed in (0, 1, 2)}
        arrays |= {"fast/0/alone": np.array([shift]), "fast/0/text": np.array(["a"])}
        return replace(of(1, 2, 3), arrays=arrays)

    assert compared(kept(0), kept(0)).same == 2
    assert compared(kept(0), kept(1)).within == 1  # means of 0, 1 and 2: the band is 3
    assert compared(kept(0), kept(10)).outside == ("fast.row.mean: 1, 11",)


def test_one_number_in_twenty_may_lie_outside():
    more = {f"n{number}": 1.0 for number in range(19)}
    worse = more | {"n0": 2.0}
    found = compared(of(1, 2, 3, **more, cpu_seconds=9.0), of(11, 12, 13, **more, cpu_seconds=70.0))
    assert found.holds
    assert found.outside == ("fast.score: 2, 12",)
    assert found.text == (  # times are not compared
        "20 numbers: 19 the same, 0 within the band, 1 outside; verdicts turned: none"
    )
    assert not compared(of(1, 2, 3, **more), of(11, 12, 13, **worse)).holds


def test_a_verdict_that_turns_is_named_though_its_number_lies_within_the_band():
    found = compared(of(1, 2, 3), of(0, 2, 3), margin=0.5)
    assert (found.within, found.outside) == (1, ())
    assert found.turned == ("99.1a (holds, undecided)",)
    assert not found.holds


@pytest.mark.parametrize(
    ("again", "sentence"),
    [
        (of(1, 2), "again.seeds: expected"),
        (replace(of(1, 2, 3), experiment="other"), "again.experiment: expected toy, got other"),
        (replace(of(1, 2, 3), config={"scale": 3}), "again.config"),
        (record_of("toy", [{"fast": {"scores": 1.0}}] * 3, ToyConfig()), "a number fast.score"),
    ],
)
def test_records_of_other_things_are_refused(again: Record, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        agreement(of(1, 2, 3), again, ([], []))


# --- The command ---


@pytest.fixture
def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    register(monkeypatch)
    options = ["--preset", "tiny", "--device", "cpu", "--out", str(tmp_path / "first")]
    assert command.main(["toy", "--seeds", *SEEDS, *options]) == 0
    return tmp_path / "first" / "toy.json"


def verify(record: Path, out: Path) -> int:
    return command.main(["verify", "toy", "--record", str(record), "--out", str(out)])


def test_the_command_makes_the_record_again_and_finds_it_the_same(
    committed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert verify(committed, tmp_path / "again") == 0
    assert set(measured(tmp_path / "again").values()) == {1}
    told = capsys.readouterr().err
    assert "8 numbers: 8 the same, 0 within the band, 0 outside; verdicts turned: none" in told
    assert "toy/tiny, made on cpu (" in told


def test_the_command_says_what_does_not_return(
    committed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    text = committed.read_text(encoding="utf-8")
    assert text.count("6.333333") == 1  # the fast score of seed 3
    for planted, sentence in (("-600.0", "99.1a (undecided, holds)"), ("6.4", "turned: none")):
        committed.write_text(text.replace("6.333333", planted), encoding="utf-8")
        status = verify(committed, tmp_path / "again")
        assert status == (0 if planted == "6.4" else command.DISAGREES)
        assert sentence in capsys.readouterr().err
