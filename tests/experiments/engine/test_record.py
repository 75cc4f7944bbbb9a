import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bottomup.experiments import Record, load_record


def change(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_record_is_read_as_it_was_saved(record: Record, saved: Path):
    read = load_record(saved)
    assert read == record
    assert set(read.arrays) == {"slow/3/line", "fast/3/line", "slow/5/line", "fast/5/line"}
    np.testing.assert_array_equal(read.arrays["fast/5/line"], np.arange(6, dtype=np.float32))


def test_saving_twice_gives_the_same_bytes(saved: Path, tmp_path: Path):
    again = tmp_path / "again.json"
    load_record(saved).save(again)
    assert again.read_bytes() == saved.read_bytes()
    assert again.with_suffix(".npz").read_bytes() == saved.with_suffix(".npz").read_bytes()


def test_a_record_without_arrays_leaves_no_file_of_them(saved: Path):
    content = {**vars(load_record(saved)), "arrays": {}}
    Record(**content).save(saved)
    assert not saved.with_suffix(".npz").exists()
    assert load_record(saved).arrays == {}


def test_a_metric_is_one_value_a_seed(record: Record):
    assert record.name == "toy/tiny"
    assert record.metric("slow.score") == (6.0, 10.0)
    assert record.metric("fast.by_length.4") == (0.904762, 1.47619)  # (2 * 3 + 1/3) / 7


@pytest.mark.parametrize(
    "path, known", [("quick.score", "slow, fast"), ("slow.score.x", "no more")]
)
def test_a_metric_that_is_not_there_is_named_with_those_that_are(
    record: Record, path: str, known: str
):
    with pytest.raises(LookupError, match=known):
        record.metric(path)


@pytest.mark.parametrize(
    "edit, sentence",
    [
        (lambda c: c.pop("command"), "missing: command"),
        (lambda c: c.update(verdict="holds"), "unknown: verdict"),
        (lambda c: c.update(schema=2), "schema: expected 1, got 2"),
        (lambda c: c.update(dirty=1), "dirty: got 1"),
        (lambda c: c.update(threads=True), "threads: got True"),
        (lambda c: c.update(seeds=[3, 3]), "each once"),
        (lambda c: c.update(seeds=[]), "at least 0"),
        (lambda c: c.update(seeds=[3, -5]), "at least 0"),
        (lambda c: c["runs"].pop(), r"expected the seeds \[3, 5\], got \[3\]"),
        (lambda c: c["runs"][0].update(metrics={}), "metrics of seed 3"),
        (lambda c: c["runs"][1]["metrics"].pop("slow"), "same names as for seed 3"),
        (lambda c: c["runs"][1]["metrics"]["slow"].update(score="9"), "slow: score: .* got '9'"),
        (lambda c: c["runs"][1]["metrics"]["slow"].update(score=float("nan")), "got nan"),
        (lambda c: c["arrays"].update({"fast/3/line": [5]}), r"expected \[5\], got \[4\]"),
        (lambda c: c["arrays"].update({"fast/9/line": [5]}), r"expected \[5\], got None"),
    ],
)
def test_a_damaged_record_is_refused(
    saved: Path, edit: Callable[[dict[str, Any]], object], sentence: str
):
    change(saved, edit)
    with pytest.raises(ValueError, match=sentence):
        load_record(saved)


def test_a_file_that_is_no_record_and_arrays_that_are_damaged_are_named(saved: Path):
    arrays = saved.with_suffix(".npz")
    arrays.write_bytes(arrays.read_bytes()[:100])
    with pytest.raises(ValueError, match="toy.npz: expected arrays, got a damaged file"):
        load_record(saved)
    arrays.unlink()
    with pytest.raises(ValueError, match="toy.npz: .* found no file"):
        load_record(saved)
    for content in (b'{"schema": 1,', b"\xff\xfe", b"[]"):
        saved.write_bytes(content)
        with pytest.raises(ValueError, match="toy.json"):
            load_record(saved)
