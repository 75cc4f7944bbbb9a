import gzip
import json
import re
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from bottomup.data import JointBPE, prepare
from bottomup.data.prepare import main
from bottomup.data.shards import Manifest, ShardedPairs, ShardWriter

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TEXTS = [("the dog sleeps", "der Hund schläft"), ("the hat", "der Hut"), ("a dog", "ein Hund")]
LEARN = ["--vocabulary", "280"]


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    return ["--tokenizer", str(tmp_path / "bpe.json"), "--out", str(tmp_path / "shards")]


def read(folder: Path) -> list[tuple[str, str]]:
    """Return the texts that a preparation in this folder holds."""
    pieces = JointBPE.load(folder / "bpe.json")
    pairs = ShardedPairs(folder / "shards", tokenizer=pieces.digest)
    return [(pieces.decode(source), pieces.decode(target)) for source, target in pairs]


# What is left out or normalised.
MORE = [(" the dog ", "Ma\u0308dchen"), ("", "leer"), ("empty", "  "), ("a\u2028b", "c\rd")]


def write_parallel(folder: Path, texts: list[tuple[str, str]] = TEXTS) -> list[str]:
    for name, lines in zip(("en", "de"), zip(*texts, strict=True), strict=True):
        (folder / f"train.{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return [str(folder / "train.en"), str(folder / "train.de")]


def write_tabbed(folder: Path) -> list[str]:
    text = "".join(f"{source}\t{target}\n" for source, target in [*TEXTS, *MORE])
    (folder / "train.tsv.gz").write_bytes(gzip.compress(text.encode()))
    return [str(folder / "train.tsv.gz")]


def write_more(folder: Path) -> list[str]:
    return write_parallel(folder, [*TEXTS, *MORE])


@pytest.mark.parametrize("write", [write_more, write_tabbed])
def test_texts_of_files_come_back_from_the_shards(tmp_path: Path, places, write, capsys):
    assert main([*write(tmp_path), *LEARN, *places]) == 0
    assert read(tmp_path) == [*TEXTS, ("the dog", "M\u00e4dchen"), ("a\u2028b", "c\rd")]
    assert "shards: 5 pairs, cut into the 2" in capsys.readouterr().err


def test_the_same_command_goes_on_after_an_interruption(tmp_path, places, monkeypatch, capsys):
    monkeypatch.setattr(prepare, "ShardWriter", partial(ShardWriter, shard_tokens=2))
    files, add, added = write_parallel(tmp_path), ShardWriter.add, []

    def stop_at_the_third(writer: ShardWriter, source: list[int], target: list[int]) -> None:
        if writer.written == 2:
            raise KeyboardInterrupt
        add(writer, source, target)

    with monkeypatch.context() as patch:
        patch.setattr(ShardWriter, "add", stop_at_the_third)
        assert main([*files, *LEARN, *places]) == 130
    assert "goes on behind the last whole shard" in capsys.readouterr().err
    monkeypatch.setattr(ShardWriter, "add", lambda w, *pair: added.append(pair) or add(w, *pair))
    assert main([*files, *LEARN, *places]) == 0
    assert len(added) == 1
    assert read(tmp_path) == TEXTS


def test_a_finished_preparation_and_files_that_changed_are_refused(tmp_path, places, capsys):
    assert main([*write_parallel(tmp_path), *LEARN, *places]) == 0
    assert main([*write_parallel(tmp_path), *places]) == 1
    assert "expected an unfinished preparation or none, got 3 pairs" in capsys.readouterr().err
    assert main([*write_parallel(tmp_path, TEXTS[:2]), *places]) == 1
    assert "error: revision: expected " in capsys.readouterr().err
    assert read(tmp_path) == TEXTS


def test_files_that_are_not_parallel_are_refused(tmp_path: Path, places, capsys):
    files = write_parallel(tmp_path, [*TEXTS, ("one", "a\nb")])  # four lines, and five
    assert main([*files, *LEARN, *places]) == 1
    assert (
        "train.de: expected parallel lines (zip() argument 2 is longer" in capsys.readouterr().err
    )
    (tmp_path / "tabs").write_text("one\teins\nthe\tdog\tder Hund\n", encoding="utf-8")
    assert main([str(tmp_path / "tabs"), *LEARN, *places]) == 1
    assert "tabs, line 2: expected one tab, got 2" in capsys.readouterr().err
    for name, content in (("bytes", b"\xff\t\n"), ("cut.gz", gzip.compress(b"a\tb\n")[:-9])):
        (tmp_path / name).write_bytes(content)
        assert main([str(tmp_path / name), *LEARN, *places]) == 1
        assert f"{name}: expected whole lines of UTF-8" in capsys.readouterr().err
    assert not (tmp_path / "bpe.json").exists()  # nothing is learned of a part


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["none.en", "none.de"], "No such file or directory: 'none.en'"),
        ([], "files: expected one or two, got 0"),
        (["a", "--hub", "b"], "files: expected none beside --hub"),
        (["--hub", "wmt/wmt14"], "revision: expected a commit of 40 digits, got ''"),
        (["--hub", "wmt/wmt14", "--revision", "main"], "revision: expected a commit .* got 'main'"),
    ],
)
def test_a_command_that_lacks_something_says_so(places, capsys, arguments, message):
    assert main([*arguments, *places]) == 1
    assert re.search(f"error: .*{message}", capsys.readouterr().err)


def test_a_tokenizer_is_read_where_it_is_there(tmp_path: Path, places, capsys):
    files = write_parallel(tmp_path)
    assert main([*files, *places]) == 1
    assert "bpe.json: expected a tokenizer, or a vocabulary to" in capsys.readouterr().err
    learned = JointBPE.train(["the dog", "the dog"], vocabulary=263)
    learned.save(tmp_path / "bpe.json")
    assert main([*files, "--vocabulary", "262", *places]) == 1
    assert "vocabulary: expected at least the 263 of" in capsys.readouterr().err
    assert main([*files, *LEARN, *places]) == 0
    assert Manifest.read(tmp_path / "shards").origin.tokenizer == learned.digest


# ---- Data sets of Hugging Face

HUB = ["--hub", "wmt/wmt14", "--config", "de-en", "--revision", COMMIT]


def rows(texts: Iterable[tuple[str | None, str]]) -> list[dict]:
    return [{"translation": {"de": target, "en": source}} for source, target in texts]


@pytest.fixture
def hub(monkeypatch) -> SimpleNamespace:
    """Stand in for the package: what is asked of it, and the rows that it gives."""
    stub = SimpleNamespace(asked=[], rows=rows([*TEXTS, (None, "leer")]))
    stub.load_dataset = lambda *words, **options: stub.asked.append((words, options)) or stub.rows
    monkeypatch.setitem(sys.modules, "datasets", stub)
    return stub


def test_a_data_set_is_streamed_at_its_commit(tmp_path, places, hub, monkeypatch, capsys):
    assert main([*HUB, *LEARN, *places]) == 0
    assert read(tmp_path) == TEXTS
    options = {"split": "train", "revision": COMMIT, "streaming": True}
    assert hub.asked == [(("wmt/wmt14", "de-en"), options)] * 2  # to learn, and to write
    origin = Manifest.read(tmp_path / "shards").origin
    assert (origin.source, origin.revision) == ("wmt/wmt14 de-en train en de", COMMIT)
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert main([*HUB, *LEARN, *places]) == 1
    assert capsys.readouterr().err.endswith("pip install datasets\n")


def test_languages_are_columns_or_parts_of_a_translation(tmp_path: Path, places, hub, capsys):
    assert main([*HUB, "--languages", "en", "fr", *LEARN, *places]) == 1
    assert "languages: expected two of de, en, got ['en', 'fr']" in capsys.readouterr().err
    hub.rows = [row["translation"] for row in hub.rows]
    assert main([*HUB, "--languages", "de", "en", *LEARN, *places]) == 0
    assert read(tmp_path) == [(target, source) for source, target in TEXTS]


def test_the_package_itself_streams_a_local_folder(tmp_path: Path, places, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    pytest.importorskip("datasets", reason="the extra [scale] is not installed")
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = [json.dumps(row) for row in rows(TEXTS)]
    (folder / "train.jsonl").write_text("\n".join(lines), "utf-8")
    assert main(["--hub", str(folder), "--revision", COMMIT, *LEARN, *places]) == 0
    assert read(tmp_path) == TEXTS
