from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bottomup.experiments.engine import provenance
from bottomup.experiments.engine.record import to_json
from bottomup.experiments.engine.units import Outcome, Unit
from tests.experiments.toy import TOY, ToyConfig, measured

UNITS = {"slow-3", "fast-3", "slow-5", "fast-5"}


def test_every_variant_is_measured_under_every_seed(tmp_path: Path):
    record = TOY.run(ToyConfig(), [3, 5], "cpu", out=tmp_path)
    assert measured(tmp_path) == dict.fromkeys(UNITS, 1)
    assert record.seeds == (3, 5)
    assert record.metric("fast.score") == (6.333333, 10.333333)
    assert record.metric("fast.threads") == (1, 1)
    assert (record.preset, record.device.split()[0], record.threads) == ("tiny", "cpu", 1)
    assert record.command == (
        "python -m bottomup.experiments toy --preset tiny --seeds 3 5 --device cpu"
    )


def test_what_is_finished_is_not_measured_again(tmp_path: Path):
    seen = []
    TOY.run(ToyConfig(), [3], "cpu", out=tmp_path)
    record = TOY.run(
        ToyConfig(), [3, 5], "cpu", out=tmp_path,
        on_progress=lambda unit, seconds, share: seen.append((unit.label, seconds is None, share)),
    )  # fmt: skip
    assert measured(tmp_path) == dict.fromkeys(UNITS, 1)
    assert seen == [
        ("slow, seed 3", True, (1, 4)),
        ("fast, seed 3", True, (2, 4)),
        ("slow, seed 5", False, (3, 4)),
        ("fast, seed 5", False, (4, 4)),
    ]
    whole = TOY.run(ToyConfig(), [3, 5], "cpu")
    assert record.runs == whole.runs
    assert (tmp_path / "toy.json").read_text(encoding="utf-8") == to_json(record)


def test_the_callers_threads_stay_as_they_were():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        record = TOY.run(ToyConfig(), [3], "cpu")
        assert torch.get_num_threads() == 2
        assert record.metric("slow.threads") == (1,)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    "first, then, dirty",
    [
        (("a", False), ("a", False), False),
        (("a", True), ("a", False), True),
        (("a", False), ("a", True), True),
        (("a", False), ("b", False), True),
    ],
)
def test_a_record_says_whether_its_code_was_committed_throughout(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: tuple[str, bool],
    then: tuple[str, bool],
    dirty: bool,
):
    for (commit, changed), seeds in ((first, [3]), (then, [3, 5])):
        monkeypatch.setattr(provenance, "base_commit", lambda commit=commit: commit)
        monkeypatch.setattr(provenance, "is_dirty", lambda changed=changed: changed)
        record = TOY.run(ToyConfig(), seeds, "cpu", out=tmp_path)
    assert (record.base_commit, record.dirty) == ("a", dirty)


def test_outside_a_repository_the_commit_is_unknown(tmp_path: Path):
    assert provenance.base_commit(tmp_path) == "unknown"
    assert provenance.is_dirty(tmp_path)


@pytest.mark.parametrize(
    "config, options, sentence",
    [
        (ToyConfig(scale=3.0), {}, "config.scale is 2.0 there and 3.0 here"),
        (ToyConfig(variants=("fast", "slow")), {}, "config.variants"),
        (ToyConfig(), {"seeds": []}, "seeds"),
        (ToyConfig(), {"seeds": [3, 3]}, "seeds"),
        (ToyConfig(), {"seeds": [-1]}, "seeds"),
        (ToyConfig(), {"jobs": 0}, "jobs"),
    ],
)
def test_a_run_that_cannot_be_is_refused(
    tmp_path: Path, config: ToyConfig, options: dict, sentence: str
):
    TOY.run(ToyConfig(), [3], "cpu", out=tmp_path)
    with pytest.raises(ValueError, match=sentence):
        TOY.run(config, **{"seeds": [3], "device": "cpu", "out": tmp_path} | options)


def test_what_lies_in_the_folder_is_refused_where_it_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refused(sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            TOY.run(ToyConfig(), [3], "cpu", out=tmp_path)

    TOY.run(ToyConfig(), [3], "cpu", out=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(provenance, "versions", lambda: {"torch": "9.9"})
        refused("here; give another folder")
    (tmp_path / "units" / "slow-3.json").write_text("{", encoding="utf-8")
    refused("slow, seed 3: cannot read .*slow-3.json; delete it")
    (tmp_path / "run.json").write_text("[]", encoding="utf-8")
    refused("run.json")


def test_a_unit_without_a_number_is_refused(tmp_path: Path):
    unit = Unit("slow", 3, tmp_path)
    with pytest.raises(ValueError, match="Out of range"):
        unit.store(Outcome({"score": float("nan")}), 1.0)
    assert not unit.is_finished()


def test_a_finished_unit_leaves_no_checkpoint(tmp_path: Path):
    unit = Unit("slow", 3, tmp_path)
    unit.checkpoint.write_bytes(b"half")
    unit.store(Outcome({"score": 1.0}), 1.0)
    assert unit.is_finished()
    assert not unit.checkpoint.exists()


def test_a_configuration_without_a_name_is_called_custom():
    assert TOY.name_of(TOY.preset("tiny")) == "tiny"
    assert TOY.name_of(replace(ToyConfig(), scale=3.0)) == "custom"
    with pytest.raises(ValueError, match="'tiny'"):
        TOY.preset("huge")
