"""Pairs on disk: files, resumed writing, what is refused. That nothing is lost: `properties`."""

import json
import tracemalloc
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pooch
import pytest

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


def read(folder: Path) -> ShardedPairs:
    return ShardedPairs(folder, tokenizer=ORIGIN.tokenizer)


def many(count: int, longest: int = 7) -> list[Pair]:
    rng = np.random.default_rng(7)

    def numbers(least: int) -> list[int]:
        return rng.integers(UNK, 211, rng.integers(least, longest + 1)).tolist()

    return [(numbers(1), numbers(0)) for _ in range(count)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_files_hold_tokens_in_a_row_and_where_each_pair_lies(tmp_path: Path):
    pairs = write(tmp_path, PAIRS)
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
    assert len(pairs) == 4 and list(pairs) == PAIRS
    assert pairs[-1] == PAIRS[-1] and pairs[1:3] == PAIRS[1:3]
    assert {type(number) for source, _ in pairs for number in source} == {int}
    with pytest.raises(IndexError):
        pairs[4]


def test_the_manifest_says_what_is_there(tmp_path: Path):
    write(tmp_path, PAIRS)
    found = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert found["origin"] == {
        "source": "made up", "revision": "first", "tokenizer": "a" * 64, "vocabulary": 211,
    }  # fmt: skip
    assert found["dtype"] == "<u2" and found["complete"] is True
    names = ("pairs", "source_tokens", "target_tokens")
    assert [[s[name] for name in names] for s in found["shards"]] == [[2, 4, 1], [2, 3, 3]]
    for file in (shard[kind] for shard in found["shards"] for kind in ("tokens", "index")):
        assert file["sha256"] == pooch.file_hash(str(tmp_path / file["name"]))


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


def test_a_stream_reads_no_tokens_before_the_first_step(tmp_path: Path, monkeypatch):
    pairs = write(tmp_path, many(101))
    asked = []
    get = ShardedPairs.__getitem__
    monkeypatch.setattr(ShardedPairs, "__getitem__", lambda s, n: asked.append(n) or get(s, n))
    stream = BatchStream(pairs, tokens_per_batch=23, seed=0, sort_targets=True)
    assert asked == []
    assert len(stream(0)) == len(asked)


def peak_of(act) -> int:
    tracemalloc.start()
    act()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_is_bounded_by_a_shard_in_writing_and_by_the_index_in_reading(tmp_path: Path):
    listed = many(3001, longest=61)  # 180,000 tokens
    parts = peak_of(lambda: write(tmp_path / "parts", listed, shard_tokens=10_007))
    whole = peak_of(lambda: write(tmp_path / "whole", listed, shard_tokens=10**9))
    assert parts < whole / 3

    def train(keep) -> None:
        stream = BatchStream(keep(read(tmp_path / "parts")), tokens_per_batch=500, seed=0)
        for step in range(5):
            stream(step)

    stored, in_memory = (peak_of(lambda k=keep: train(k)) for keep in (lambda pairs: pairs, list))
    assert stored < in_memory / 4


@pytest.mark.parametrize("stopped, kept", [(0, 0), (1, 0), (2, 2), (3, 2), (4, 4)])
def test_an_interrupted_preparation_goes_on_and_ends_alike(tmp_path: Path, stopped, kept):
    write(tmp_path / "whole", PAIRS)
    first = ShardWriter(tmp_path / "parts", ORIGIN, shard_tokens=5)
    for source, target in islice(PAIRS, stopped):
        first.add(source, target)
    with pytest.raises(ValueError, match="folder: expected a finished preparation in .* got . pai"):
        read(tmp_path / "parts")
    assert ShardWriter(tmp_path / "parts", ORIGIN, shard_tokens=5).written == kept
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
    with pytest.raises(ValueError, match="tokenizer: expected the SHA-256 aaa.* of .*, got bbb"):
        ShardedPairs(tmp_path, tokenizer="b" * 64)


def test_bad_pairs_are_refused_with_their_number(tmp_path: Path):
    writer = ShardWriter(tmp_path / "one", ORIGIN, shard_tokens=2)
    writer.add([5], [6])
    for source, target, error, message in (
        ([], [5], ValueError, "pair 1 source: expected at least one token, got none"),
        ([5], [EOS], ValueError, "pair 1 target: .* at least 3, got 2"),
        ([5.5], [5], TypeError, "pair 1 source: expected a list of int"),
    ):
        with pytest.raises(error, match=message):
            writer.add(source, target)
    writer.finish()
    assert list(read(tmp_path / "one")) == [([5], [6])]
    with pytest.raises(ValueError, match="pairs: expected at least one pair, got none"):
        ShardWriter(tmp_path / "none", ORIGIN).finish()
    with pytest.raises(ValueError, match="shard_tokens: expected an integer of at least 1, got 0"):
        ShardWriter(tmp_path / "none", ORIGIN, shard_tokens=0)


@pytest.mark.parametrize("name", ["00000.tokens.npy", "00001.index.npy"])
def test_a_shard_that_is_damaged_truncated_or_gone_is_refused(tmp_path: Path, name: str):
    write(tmp_path, PAIRS)
    content = (tmp_path / name).read_bytes()
    for damaged, message in (
        (content[:-1] + bytes([content[-1] ^ 1]), "expected .* bytes with the SHA-256 .* damaged"),
        (content[:-2], f"expected {len(content)} bytes .*, got {len(content) - 2} bytes"),
    ):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(ValueError, match=f"{name}: {message}"):
            read(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"folder: expected {name} in"):
        read(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"shards": []}', '{"shards": [{}]}'])
def test_a_manifest_of_something_else_is_refused(tmp_path: Path, text: str):
    with pytest.raises(FileNotFoundError, match="folder: expected a manifest.json in"):
        read(tmp_path)
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    for act in (lambda: ShardWriter(tmp_path, ORIGIN), lambda: read(tmp_path)):
        with pytest.raises(ValueError, match="manifest.json: expected a manifest of shards"):
            act()


def test_a_wrong_dtype_is_refused(tmp_path: Path):
    write(tmp_path, PAIRS)
    path = tmp_path / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(manifest | {"dtype": "<u4"}), "utf-8")
    with pytest.raises(ValueError, match="expected dtype <u2 for a vocabulary of 211, got <u4"):
        read(tmp_path)
    wide = {"dtype": "<u4", "origin": vars(ORIGIN) | {"vocabulary": 70_000}}
    path.write_text(json.dumps(manifest | wide), "utf-8")
    with pytest.raises(ValueError, match="00000.tokens.npy: expected dtype <u4, got <u2"):
        read(tmp_path)
