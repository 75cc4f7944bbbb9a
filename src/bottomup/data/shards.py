"""Pairs of token numbers in files that are mapped into memory, for corpora larger than it.

`ShardWriter` takes pairs one after another and writes a folder: ``00000.tokens.npy``, the numbers
of its pairs in a row, source before target; ``00000.index.npy``, for each pair where it starts and
how long its two sides are; then shard 00001; and ``manifest.json`` beside them: where the pairs
come from, which tokenizer made them, and the SHA-256 of each file. The manifest is written anew
after each shard, so that an interrupted preparation goes on behind the last whole one.

`ShardedPairs` reads such a folder, and `BatchStream` makes batches of it, the same as of a list of
the same pairs. ``python -m bottomup.data.prepare`` fills a folder from texts.
"""

import json
from array import array
from bisect import bisect_right
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, overload

import numpy as np
import pooch
from jaxtyping import Integer

from bottomup.checks import check_integer
from bottomup.data.batching import Pair, StoredPairs, check_pair
from bottomup.data.download import RemoteFile, find
from bottomup.files import write_atomically

MANIFEST = "manifest.json"
SHARD = 1 << 24  # tokens: 32 MiB in two bytes each, all that is kept while writing
# Two bytes a token as far as they reach: array's type code and numpy's dtype, little-endian.
NARROW, WIDE = ("H", "<u2"), ("I", "<u4")


@dataclass(frozen=True)
class Origin:
    """Where pairs come from, and what their numbers mean.

    Attributes:
        source: the corpus, by name.
        revision: which state of it: a commit, a checksum.
        tokenizer: SHA-256 of what made the numbers, such as `JointBPE.digest`.
        vocabulary: number of token types.
    """

    source: str
    revision: str
    tokenizer: str
    vocabulary: int

    @property
    def width(self) -> tuple[str, str]:
        """How a token is written."""
        return NARROW if self.vocabulary <= 1 << 16 else WIDE


@dataclass(frozen=True)
class Shard:
    """Two files, and how much is in them."""

    pairs: int
    source_tokens: int
    target_tokens: int
    tokens: RemoteFile
    index: RemoteFile


@dataclass(frozen=True)
class Manifest:
    """What ``manifest.json`` holds.

    Attributes:
        origin: where the pairs come from.
        dtype: how a token is written, numpy's "<u2" or "<u4".
        complete: whether all pairs are there.
        shards: the whole ones, in order.
    """

    origin: Origin
    dtype: str
    complete: bool = False
    shards: tuple[Shard, ...] = field(default=())

    @property
    def pairs(self) -> int:
        """Number of pairs in all shards."""
        return sum(shard.pairs for shard in self.shards)

    def write(self, folder: Path) -> None:
        """Write the manifest into a folder."""
        text = json.dumps(asdict(self), indent=1) + "\n"
        write_atomically(folder / MANIFEST, lambda file: file.write(text.encode()))

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read the manifest of a folder.

        Raises:
            FileNotFoundError: the folder has none.
            ValueError: it is no manifest, or its dtype is not that of its vocabulary.
        """
        path = folder / MANIFEST
        if not path.is_file():
            raise FileNotFoundError(f"folder: expected a {MANIFEST} in {folder}")
        try:
            found = json.loads(path.read_text("utf-8"))
            shards = tuple(_shard(**each) for each in found.pop("shards"))
            read = cls(Origin(**found.pop("origin")), shards=shards, **found)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{path}: expected a manifest of shards ({error})") from error
        if read.dtype != read.origin.width[1]:
            wanted = f"dtype {read.origin.width[1]} for a vocabulary of {read.origin.vocabulary}"
            raise ValueError(f"{path}: expected {wanted}, got {read.dtype}")
        return read


def _shard(tokens: dict[str, Any], index: dict[str, Any], **counts: int) -> Shard:
    return Shard(**counts, tokens=RemoteFile(**tokens), index=RemoteFile(**index))


class ShardWriter:
    """Writes pairs into a folder: `add` each, then `finish`.

    Where the folder holds an unfinished preparation of the same origin, `written` says how many
    pairs it has: the caller goes on with the next one::

        writer = ShardWriter(folder, origin)
        for source, target in islice(pairs, writer.written, None):
            writer.add(source, target)
        writer.finish()

    Args:
        folder: where to write; it is made.
        origin: where the pairs come from.
        shard_tokens: a shard ends with the pair that brings it to so many.

    Raises:
        FileExistsError: the folder holds all pairs already.
        ValueError: it holds pairs of another origin, or a manifest that cannot be read.
    """

    def __init__(self, folder: str | Path, origin: Origin, *, shard_tokens: int = SHARD) -> None:
        check_integer("vocabulary", origin.vocabulary, at_least=1)
        check_integer("shard_tokens", shard_tokens, at_least=1)
        self._folder, self._limit = Path(folder), shard_tokens
        self._manifest = Manifest(origin, origin.width[1])
        if (self._folder / MANIFEST).exists():
            self._manifest = Manifest.read(self._folder)
            for name, there in asdict(self._manifest.origin).items():
                if (got := getattr(origin, name)) != there:
                    raise ValueError(f"{name}: expected {there!r}, as in {folder}, got {got!r}")
            if self._manifest.complete:
                wanted = "expected an unfinished preparation or none"
                raise FileExistsError(f"folder: {wanted}, got {self.written} pairs in {folder}")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._manifest.write(self._folder)
        self._empty()

    @property
    def written(self) -> int:
        """Number of pairs in whole shards."""
        return self._manifest.pairs

    def add(self, source: list[int], target: list[int]) -> None:
        """Add a pair, as `make_batch` takes it; a source is not empty, a target may be."""
        name = f"pair {self.written + len(self._index) // 3}"
        check_pair(name, (source, target))
        vocabulary = self._manifest.origin.vocabulary
        numbers = source + target
        if max(numbers) >= vocabulary:
            wanted = f"token numbers in [0, {vocabulary})"
            raise ValueError(f"{name}: expected {wanted}, got {max(numbers)}")
        self._index.extend((len(self._tokens), len(source), len(target)))
        self._tokens.extend(numbers)
        if len(self._tokens) >= self._limit:
            self._close()

    def finish(self) -> None:
        """Write what is left, and that all is there.

        Raises:
            ValueError: no pair was added.
        """
        if self._index:
            self._close()
        if self.written == 0:
            raise ValueError("pairs: expected at least one pair, got none")
        self._manifest = replace(self._manifest, complete=True)
        self._manifest.write(self._folder)

    def _empty(self) -> None:
        self._tokens, self._index = array(self._manifest.origin.width[0]), array("I")

    def _close(self) -> None:
        """Write a shard, then the manifest that names it."""
        number = f"{len(self._manifest.shards):05}"
        index = np.array(self._index, dtype="<u4").reshape(-1, 3)
        _, sources, targets = index.sum(axis=0, dtype=np.int64).tolist()
        shard = Shard(
            pairs=len(index),
            source_tokens=sources,
            target_tokens=targets,
            tokens=self._save(f"{number}.tokens.npy", np.array(self._tokens, self._manifest.dtype)),
            index=self._save(f"{number}.index.npy", index),
        )
        self._manifest = replace(self._manifest, shards=(*self._manifest.shards, shard))
        self._manifest.write(self._folder)
        self._empty()

    def _save(self, name: str, values: np.ndarray) -> RemoteFile:
        path = self._folder / name
        write_atomically(path, lambda file: np.save(file, values))
        return RemoteFile(name, pooch.file_hash(str(path)), path.stat().st_size)


class ShardedPairs(StoredPairs):
    """The pairs of a folder that `ShardWriter` finished.

    Every file is read once, in pieces, to compare its SHA-256. Then lengths are in memory, eight
    bytes a pair, and tokens are read where and when a pair is asked for.

    Args:
        folder: the folder.
        tokenizer: SHA-256 of the tokenizer that the numbers must come from, `JointBPE.digest`.

    Attributes:
        manifest: what the folder says of itself.
        source_lengths, target_lengths: number of tokens of each pair's sides.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: the preparation is unfinished, another tokenizer made the numbers, or a file
            is not the one that was written.
    """

    def __init__(self, folder: str | Path, *, tokenizer: str) -> None:
        self.manifest = Manifest.read(Path(folder))
        if not self.manifest.complete:
            got = f"{self.manifest.pairs} pairs of an unfinished one"
            raise ValueError(f"folder: expected a finished preparation in {folder}, got {got}")
        if tokenizer != self.manifest.origin.tokenizer:
            got = self.manifest.origin.tokenizer
            raise ValueError(f"tokenizer: expected the SHA-256 {got} of {folder}, got {tokenizer}")
        shards = self.manifest.shards
        files = [file for shard in shards for file in (shard.tokens, shard.index)]
        paths = find(files, corpus="", mirrors=(), folder=folder)
        self._tokens = [_mapped(path, self.manifest.dtype) for path in paths[::2]]
        self._index = [_mapped(path, "<u4") for path in paths[1::2]]
        self._starts = [0, *accumulate(len(index) for index in self._index)]
        self.source_lengths = np.concatenate([index[:, 1] for index in self._index])
        self.target_lengths = np.concatenate([index[:, 2] for index in self._index])

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | list[Pair]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = range(len(self))[index]  # counts from the end, and knows the end
        shard = bisect_right(self._starts, place) - 1
        first, source, target = self._index[shard][place - self._starts[shard]].tolist()
        numbers = self._tokens[shard][first : first + source + target].tolist()
        return numbers[:source], numbers[source:]


def _mapped(path: Path, dtype: str) -> Integer[np.ndarray, "..."]:
    """Map an array into memory; nothing is read."""
    values = np.asarray(np.load(path, mmap_mode="r"))
    if values.dtype != np.dtype(dtype):
        raise ValueError(f"{path}: expected dtype {dtype}, got {values.dtype.str}")
    return values
