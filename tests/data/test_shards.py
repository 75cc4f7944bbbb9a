import json
import tracemalloc
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pooch
import pytest
import torch

from bottomup.data import EOS, UNK, BatchStream, Pair
from bottomup.data.shards import Origin, ShardedPairs, ShardWriter

ORIGIN = Origin("made up", "first", "a" * 64, vocabulary=211)
PAIRS = [([10, 11, 12], [20]), ([13], []), ([14, UNK], [21, 210]), ([15], [22])]


def write(folder: Path, pairs: Sequence[Pair], origin: Origin = ORIGIN, shard_tokens: int = 5):
    writer = ShardWriter(folder, origin, shard_tokens=shard_tokens)
    for source, target in pairs[writer.written :]:
        writer.add(source, target)
    writer.finish()
    return ShardedPairs(folder, tokenizer=origin.tokenizer)


def many(count: int, longest: int = 7) -> list[Pair]:
    rng = np.random.default_rng(7)

    def numbers(least: int) -> list[int]:
        return rng.integers(UNK, 211, rng.integers(least, longest + 1)).tolist()

    return [(numbers(1), numbers(0)) for _ in range(count)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def edit(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(
        json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8"
    )


def test_the_files_hold_tokens_in_a_row_and_where_each_pair_lies(tmp_path: Path):
    write(tmp_path, PAIRS)
    tokens = [np.load(tmp_path / f"0000{n}.tokens.npy") for n in range(2)]
    index = [np.load(tmp_path / f"0000{n}.index.npy") for n in range(2)]
    # A shard ends with the pair that brings it to five tokens.
    assert [values.tolist() for values in tokens] == [
        [10, 11, 12, 20, 13],
        [14, UNK, 21, 210, 15, 22],
    ]
    assert [rows.tolist() for rows in index] == [
        [[0, 3, 1], [4, 1, 0]],
        [[0, 2, 2], [4, 1, 1]],
    ]
    assert {values.dtype for values in tokens} == {np.dtype("<u2")}


def test_the_manifest_says_what_is_there(tmp_path: Path):
    write(tmp_path, PAIRS)
    found = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert found["origin"] == {
        "source": "made up", "revision": "first", "tokenizer": "a" * 64, "vocabulary": 211,
    }  # fmt: skip
    assert found["dtype"] == "<u2" and found["complete"] is True
    counts = [[s[name] for name in ("pairs", "source_tokens", "target_tokens")]
              for s in found["shards"]]  # fmt: skip
    assert counts == [[2, 4, 1], [2, 3, 3]]
    for shard in found["shards"]:
        for file in (shard["tokens"], shard["index"]):
            assert file["sha256"] == pooch.file_hash(str(tmp_path / file["name"]))


def test_pairs_come_back_by_number_from_both_ends_and_as_a_slice(tmp_path: Path):
    pairs = write(tmp_path, PAIRS)
    assert len(pairs) == 4 and list(pairs) == PAIRS
    assert pairs[-1] == PAIRS[-1] and pairs[1:3] == PAIRS[1:3]
    assert {type(number) for source, _ in pairs for number in source} == {int}
    with pytest.raises(IndexError):
        pairs[4]


@pytest.mark.parametrize(
    "vocabulary, largest, dtype", [(65_536, 65_535, "<u2"), (65_537, 65_536, "<u4")]
)
def test_tokens_take_two_bytes_as_far_as_they_reach(tmp_path, vocabulary, largest, dtype):
    origin = Origin("made up", "first", "b" * 64, vocabulary)
    pairs = write(tmp_path, [([largest], [largest, UNK])], origin)
    assert pairs[0] == ([largest], [largest, UNK])
    assert np.load(tmp_path / "00000.tokens.npy").dtype == np.dtype(dtype)
    with pytest.raises(ValueError, match=rf"pair 0: .* in \[0, {vocabulary}\), got {vocabulary}"):
        ShardWriter(tmp_path / "other", origin).add([5], [vocabulary])


@pytest.mark.parametrize("sort_targets", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 5])
def test_batches_are_those_of_the_same_pairs_in_memory(tmp_path, seed, sort_targets):
    listed = many(101)
    options = {"tokens_per_batch": 23, "seed": seed, "sort_targets": sort_targets}
    memory = BatchStream(listed, **options)
    stored = BatchStream(write(tmp_path, listed, shard_tokens=61), **options)
    assert stored.steps_per_epoch == memory.steps_per_epoch
    for step in range(2 * memory.steps_per_epoch + 3):
        ours, theirs = vars(stored(step)), vars(memory(step))
        assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_a_stream_goes_on_at_any_step(tmp_path: Path):
    listed = many(29)
    pairs = write(tmp_path, listed, shard_tokens=31)
    used = BatchStream(pairs, tokens_per_batch=11, seed=3)
    for step in range(2 * used.steps_per_epoch):
        fresh = BatchStream(
            ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer), tokens_per_batch=11, seed=3
        )
        assert torch.equal(used(step).source, fresh(step).source)
        assert torch.equal(used(step).target_out, fresh(step).target_out)


def test_a_stream_reads_no_tokens_before_the_first_step(tmp_path: Path, monkeypatch):
    pairs = write(tmp_path, many(101))
    asked = []
    read = ShardedPairs.__getitem__
    monkeypatch.setattr(ShardedPairs, "__getitem__", lambda s, n: asked.append(n) or read(s, n))
    stream = BatchStream(pairs, tokens_per_batch=23, seed=0, sort_targets=True)
    assert asked == []
    assert len(stream(0)) == len(asked)


def peak_of(act) -> int:
    tracemalloc.start()
    act()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_of_writing_is_bounded_by_a_shard(tmp_path: Path):
    listed = many(3001, longest=61)  # 180,000 tokens
    parts = peak_of(lambda: write(tmp_path / "parts", listed, shard_tokens=10_007))
    whole = peak_of(lambda: write(tmp_path / "whole", listed, shard_tokens=10**9))
    assert parts < whole / 3


def test_memory_of_reading_is_bounded_by_the_index(tmp_path: Path):
    write(tmp_path, many(3001, longest=61), shard_tokens=10_007)

    def train(keep) -> None:
        pairs = keep(ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer))
        stream = BatchStream(pairs, tokens_per_batch=500, seed=0, sort_targets=True)
        for step in range(5):
            stream(step)

    stored, listed = (peak_of(lambda k=keep: train(k)) for keep in (lambda pairs: pairs, list))
    assert stored < listed / 4


@pytest.mark.parametrize("stopped", range(len(PAIRS) + 1))
def test_an_interrupted_preparation_goes_on_and_ends_alike(tmp_path: Path, stopped: int):
    write(tmp_path / "whole", PAIRS)
    first = ShardWriter(tmp_path / "parts", ORIGIN, shard_tokens=5)
    for source, target in islice(PAIRS, stopped):
        first.add(source, target)
    with pytest.raises(ValueError, match="folder: expected a finished preparation in .* got . pai"):
        ShardedPairs(tmp_path / "parts", tokenizer=ORIGIN.tokenizer)
    again = ShardWriter(tmp_path / "parts", ORIGIN, shard_tokens=5)
    assert again.written == {0: 0, 1: 0, 2: 2, 3: 2, 4: 4}[stopped]
    write(tmp_path / "parts", PAIRS)
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


@pytest.mark.parametrize("fall", range(8))
def test_a_fall_at_any_file_leaves_a_preparation_that_goes_on(tmp_path, monkeypatch, fall):
    write(tmp_path / "whole", PAIRS)
    replace, done = __import__("os").replace, []

    def falls(*paths: Path) -> None:
        done.append(paths)
        if len(done) == fall + 1:
            raise KeyboardInterrupt
        replace(*paths)

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", falls)
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "parts", PAIRS)
    write(tmp_path / "parts", PAIRS)
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    "other, message",
    [
        (Origin("other", "first", "a" * 64, 211), "source: expected 'made up', as in .* 'other'"),
        (Origin("made up", "second", "a" * 64, 211), "revision: expected 'first', as in .* 'seco"),
        (Origin("made up", "first", "b" * 64, 211), "tokenizer: expected 'aaa.*, got 'bbb"),
        (Origin("made up", "first", "a" * 64, 223), "vocabulary: expected 211, as in .* got 223"),
    ],
)
def test_a_preparation_of_something_else_is_not_gone_on_with(tmp_path, other, message):
    ShardWriter(tmp_path, ORIGIN)
    with pytest.raises(ValueError, match=message):
        ShardWriter(tmp_path, other)


def test_a_finished_preparation_is_not_written_over(tmp_path: Path):
    write(tmp_path, PAIRS)
    before = contents(tmp_path)
    with pytest.raises(FileExistsError, match="folder: expected an unfinished .* got 4 pairs in"):
        ShardWriter(tmp_path, ORIGIN)
    assert contents(tmp_path) == before


def test_bad_pairs_are_refused_with_their_number(tmp_path: Path):
    writer = ShardWriter(tmp_path, ORIGIN, shard_tokens=2)
    writer.add([5], [6])
    with pytest.raises(ValueError, match="pair 1 source: expected at least one token, got none"):
        writer.add([], [5])
    with pytest.raises(ValueError, match="pair 1 target: .* at least 3, got 2"):
        writer.add([5], [EOS])
    with pytest.raises(TypeError, match="pair 1 source: expected a list of int"):
        writer.add([5.5], [5])
    writer.finish()
    assert list(ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)) == [([5], [6])]


def test_no_pairs_are_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="pairs: expected at least one pair, got none"):
        ShardWriter(tmp_path, ORIGIN).finish()
    with pytest.raises(ValueError, match="shard_tokens: expected an integer of at least 1, got 0"):
        ShardWriter(tmp_path, ORIGIN, shard_tokens=0)


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["00000.tokens.npy", "00001.index.npy"])
def test_a_damaged_shard_is_refused(tmp_path: Path, name: str):
    write(tmp_path, PAIRS)
    damage(tmp_path / name)
    with pytest.raises(ValueError, match=f"{name}: expected .* bytes with the SHA-256 .* damaged"):
        ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)


def test_a_truncated_and_a_missing_shard_are_refused(tmp_path: Path):
    write(tmp_path, PAIRS)
    path = tmp_path / "00001.tokens.npy"
    content = path.read_bytes()
    path.write_bytes(content[:-2])
    wanted = f"{path.name}: expected {len(content)} bytes .*, got {len(content) - 2} bytes"
    with pytest.raises(ValueError, match=wanted):
        ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=f"folder: expected {path.name} in"):
        ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)


def test_another_tokenizer_is_refused(tmp_path: Path):
    write(tmp_path, PAIRS)
    with pytest.raises(ValueError, match="tokenizer: expected the SHA-256 aaa.* of .*, got bbb"):
        ShardedPairs(tmp_path, tokenizer="b" * 64)


def test_a_wrong_dtype_is_refused(tmp_path: Path):
    write(tmp_path, PAIRS)
    edit(tmp_path, dtype="<u4")
    with pytest.raises(ValueError, match="expected dtype <u2 for a vocabulary of 211, got <u4"):
        ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)
    edit(tmp_path, dtype="<u4", origin=vars(ORIGIN) | {"vocabulary": 70_000})
    with pytest.raises(ValueError, match="00000.tokens.npy: expected dtype <u4, got <u2"):
        ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"shards": []}', '{"shards": [{}]}'])
def test_a_manifest_of_something_else_is_refused(tmp_path: Path, text: str):
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    for act in (ShardWriter, lambda folder, _: ShardedPairs(folder, tokenizer="")):
        with pytest.raises(ValueError, match="manifest.json: expected a manifest of shards"):
            act(tmp_path, ORIGIN)


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="folder: expected a manifest.json in"):
        ShardedPairs(tmp_path, tokenizer=ORIGIN.tokenizer)
