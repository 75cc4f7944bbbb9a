"""Prepare a corpus once: read pairs of texts, cut them into pieces, write shards.

Texts come from files of this machine, or from a data set of Hugging Face, streamed, at a commit
that is named (``pip install datasets``). The pieces are those of the tokenizer's file;
where there is none, they are learned first. Texts are normalised to NFC, white space at both ends
is taken off, and a pair is left out where a side is then empty. The same command goes on after an
interruption, behind the last whole shard.
"""

import argparse
import gzip
import re
import sys
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import pooch
from tqdm import tqdm

from bottomup.data.joint_bpe import JointBPE
from bottomup.data.shards import Origin, ShardWriter

INTERRUPTED = 130
COMMIT = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True)
class Texts:
    """Pairs of texts that can be read again.

    Attributes:
        source: their name.
        revision: which state of them.
        read: gives them one after another.
    """

    source: str
    revision: str
    read: Callable[[], Iterator[tuple[str, str]]]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the pairs, normalised; those with an empty side are left out."""
        for source, target in self.read():
            pair = _normalised(source), _normalised(target)
            if all(pair):
                yield pair


def _normalised(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def from_files(paths: Sequence[Path]) -> Texts:
    """Return the pairs of one file with a tab in each line, or of two files line by line.

    A name that ends in ``.gz`` is unpacked. Only a line feed ends a line. The revision is the
    SHA-256 of each file.

    Args:
        paths: one file or two, source before target.

    Raises:
        FileNotFoundError: a file is missing.
    """
    if len(paths) not in (1, 2):
        raise ValueError(f"files: expected one or two, got {len(paths)}")
    names = " ".join(path.name for path in paths)
    revision = " ".join(pooch.file_hash(str(path)) for path in paths)
    return Texts(names, revision, lambda: _parallel(*paths) if paths[1:] else _tabbed(paths[0]))


def _tabbed(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_lines(path), 1):
        if line.count("\t") != 1:
            raise ValueError(f"{path}, line {number}: expected one tab, got {line.count('	')}")
        source, target = line.split("\t")
        yield source, target


def _parallel(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    try:
        yield from zip(_lines(source), _lines(target), strict=True)
    except ValueError as error:
        raise ValueError(f"{source}, {target}: expected parallel lines ({error})") from error


def _lines(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        try:
            yield from file
        except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path}: expected whole lines of UTF-8 ({error})") from error


def from_hub(
    name: str, config: str | None, *, split: str, revision: str, languages: Sequence[str]
) -> Texts:
    """Return the pairs of a data set of Hugging Face, streamed at one commit.

    A row is ``{"translation": {"de": ..., "en": ...}}``, as in WMT14, or has the two columns.

    Args:
        name: the data set, ``wmt/wmt14``.
        config: its part, ``de-en``.
        split: ``train``, ``validation`` or ``test``.
        revision: the commit, 40 hexadecimal digits; a branch would move.
        languages: the names of source and target in a row.

    Raises:
        ModuleNotFoundError: the package `datasets` is missing.
    """
    if not COMMIT.fullmatch(revision):
        raise ValueError(f"revision: expected a commit of 40 digits, got {revision!r}")
    if len(languages) != 2:
        raise ValueError(f"languages: expected source and target, got {languages!r}")
    try:
        from datasets import load_dataset
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "hub: expected the package datasets, which is not installed: pip install datasets"
        ) from None

    def read() -> Iterator[tuple[str, str]]:
        rows = load_dataset(name, config, split=split, revision=revision, streaming=True)
        for row in rows:
            texts = row.get("translation", row)
            if not set(languages) <= set(texts):
                found = ", ".join(texts)
                raise ValueError(f"languages: expected two of {found}, got {languages!r}")
            source, target = (texts[language] or "" for language in languages)
            yield source, target

    source = " ".join([name, *([config] if config else []), split, *languages])
    return Texts(source, revision, read)


def pieces_of(texts: Texts, path: Path, vocabulary: int | None) -> JointBPE:
    """Return the tokenizer of a file; where there is none, learn it from all texts and keep it.

    Args:
        texts: what it is learned from.
        path: the tokenizer's file.
        vocabulary: number of tokens at most; None: nothing is learned.

    Raises:
        FileNotFoundError: there is no file, and nothing is to be learned.
    """
    if path.is_file():
        pieces = JointBPE.load(path)
        if vocabulary is not None and vocabulary < len(pieces):
            wanted = f"at least the {len(pieces)} of {path}"
            raise ValueError(f"vocabulary: expected {wanted}, got {vocabulary}")
        return pieces
    if vocabulary is None:
        raise FileNotFoundError(f"{path}: expected a tokenizer, or a vocabulary to learn one")
    pieces = JointBPE.train(chain.from_iterable(texts.pairs()), vocabulary=vocabulary)
    path.parent.mkdir(parents=True, exist_ok=True)
    pieces.save(path)
    return pieces


def prepare(texts: Texts, pieces: JointBPE, folder: Path) -> int:
    """Write the shards of `texts` into a folder; return the number of pairs.

    Args:
        texts: the pairs.
        pieces: cuts both sides.
        folder: where to write, or to go on.
    """
    writer = ShardWriter(
        folder, Origin(texts.source, texts.revision, pieces.digest, vocabulary=len(pieces))
    )
    rest = islice(texts.pairs(), writer.written, None)
    with tqdm(rest, initial=writer.written, unit=" pairs", leave=False, disable=None) as bar:
        for source, target in bar:
            writer.add(pieces.encode(source), pieces.encode(target))
    writer.finish()
    return writer.written


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare a corpus from the command line; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        texts = _texts(options)
        pieces = pieces_of(texts, options.tokenizer, options.vocabulary)
        count = prepare(texts, pieces, options.out)
    except KeyboardInterrupt:
        _say("Stopped. The same command goes on behind the last whole shard.")
        return INTERRUPTED
    except (ValueError, OSError, ImportError) as error:
        _say(f"error: {error}")
        return 1
    _say(f"{options.out}: {count} pairs, cut into the {len(pieces)} pieces of {options.tokenizer}")
    return 0


def _texts(options: argparse.Namespace) -> Texts:
    if options.hub is None:
        return from_files(options.files)
    if options.files:
        raise ValueError("files: expected none beside --hub")
    return from_hub(
        options.hub,
        options.config,
        split=options.split,
        revision=options.revision,
        languages=options.languages,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bottomup.data.prepare", description=__doc__)
    parser.add_argument(
        "files", type=Path, nargs="*", help="one file with tabs, or source and target; .gz too"
    )
    parser.add_argument("--hub", help="a data set of Hugging Face, such as wmt/wmt14")
    parser.add_argument("--config", help="its part, such as de-en")
    parser.add_argument("--split", default="train", help="default: train")
    parser.add_argument("--revision", default="", help="its commit, 40 hexadecimal digits")
    parser.add_argument(
        "--languages", nargs=2, default=["en", "de"], help="source and target; default: en de"
    )
    parser.add_argument("--tokenizer", type=Path, required=True, help="its file, read or made")
    parser.add_argument("--vocabulary", type=int, help="how many pieces to learn into it")
    parser.add_argument("--out", type=Path, required=True, help="folder for the shards")
    return parser


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
