"""Multi30k: read from a small sample made here, and from the real files where they lie."""

import gzip
import os
from pathlib import Path

import platformdirs
import pytest

from bottomup.data import JointBPE, multi30k
from bottomup.data.download import DownloadError
from bottomup.data.multi30k import TextPair
from tests.data import mirrors as behave
from tests.data.mirrors import remote, running

SAMPLE = {
    "train.en.gz": "A dog runs.\nTwo men.\u2028 talk.\n\n",
    "train.de.gz": "Ein Hund la\u0308uft. \n\tZwei\u00a0Ma\u0308nner reden.\n\n",
    "val.en.gz": "A girl sleeps.\n",
    "val.de.gz": "Ein Ma\u0308dchen schla\u0308ft.\n",
    "test_2016_flickr.en.gz": "A cat.\nA horse.",
    "test_2016_flickr.de.gz": "Eine Katze.\nEin Pferd.",
}
LINES = {"train": 3, "validation": 1, "test": 2}
REAL = Path(os.environ.get("BOTTOMUP_DATA") or "nowhere").expanduser() / "multi30k"
real_files = pytest.mark.skipif(
    not (REAL / "train.en.gz").is_file(), reason="BOTTOMUP_DATA has no multi30k/train.en.gz"
)


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def use(sample: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the sample's files and have it take the place of the real corpus."""
    folder.mkdir(exist_ok=True)
    for name, text in sample.items():
        (folder / name).write_bytes(packed(text))
    stems = {"train": "train", "validation": "val", "test": "test_2016_flickr"}
    parts = {
        part: multi30k._Part(
            LINES[part],
            *(remote(name, packed(sample[name])) for name in (f"{stem}.en.gz", f"{stem}.de.gz")),
        )
        for part, stem in stems.items()
    }
    monkeypatch.setattr(multi30k, "PARTS", parts)
    return folder


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use(SAMPLE, tmp_path / "multi30k", monkeypatch)


def test_lines_are_stripped_composed_and_paired(sample: Path):
    corpus = multi30k.load(folder=sample)
    assert corpus.train == (
        TextPair(english="A dog runs.", german="Ein Hund läuft."),
        TextPair(english="Two men.\u2028 talk.", german="Zwei\u00a0Männer reden."),
        TextPair(english="", german=""),
    )
    assert corpus.validation == (("A girl sleeps.", "Ein Mädchen schläft."),)
    assert corpus.test == (("A cat.", "Eine Katze."), ("A horse.", "Ein Pferd."))
    assert repr(corpus) == "Multi30k(3 training, 1 validation, 2 test pairs)"


@pytest.mark.parametrize("name, lines", [("train.de.gz", 2), ("test_2016_flickr.en.gz", 1)])
def test_both_sides_have_the_number_of_lines_that_the_corpus_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, lines: int
):
    shorter = {**SAMPLE, name: "\n".join(SAMPLE[name].split("\n")[:lines])}
    folder = use(shorter, tmp_path, monkeypatch)
    with pytest.raises(ValueError, match=f"{name}: expected {lines + 1} lines, got {lines}$"):
        multi30k.load(folder=folder)


def test_the_corpus_is_fetched_from_the_second_mirror_when_the_first_is_down(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("BOTTOMUP_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *names, **o: str(tmp_path / "cache"))
    with running() as mirrors:
        mirrors.files.update({name: packed(text) for name, text in SAMPLE.items()})
        templates = (mirrors.add("first", behave.refuse), mirrors.add("second", behave.good))
        monkeypatch.setattr(multi30k, "MIRRORS", templates)
        assert multi30k.load() == multi30k.load(folder=sample)
        assert len(mirrors.asked) == 12
        assert multi30k.load() == multi30k.load(folder=sample)  # from the cache
        assert len(mirrors.asked) == 12
    monkeypatch.setenv("BOTTOMUP_DATA", str(sample.parent))  # a folder of its name
    assert multi30k.load() == multi30k.load(folder=sample)


def test_without_a_network_the_error_names_all_six_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("BOTTOMUP_DATA", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *names, **o: str(tmp_path))
    monkeypatch.setattr(multi30k, "MIRRORS", ("http://127.0.0.1:9/{name}",))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(DownloadError) as caught:
        multi30k.load()
    assert [name for name in SAMPLE if f"/{name}\n" not in str(caught.value)] == []
    assert "BOTTOMUP_DATA" in str(caught.value)


@real_files
@pytest.mark.slow
def test_the_real_corpus_is_that_of_the_shared_task_and_comes_back_from_byte_pairs():
    corpus = multi30k.load(folder=REAL)
    assert (len(corpus.train), len(corpus.validation), len(corpus.test)) == (29_000, 1_014, 1_000)
    assert corpus.train[0] == (
        "Two young, White males are outside near many bushes.",
        "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
    )
    learned = JointBPE.train([text for pair in corpus.train for text in pair])
    assert len(learned) == 8000
    for part in (corpus.train, corpus.validation, corpus.test):
        texts = [text for pair in part for text in pair]
        assert [text for text in texts if learned.decode(learned.encode(text)) != text] == []
