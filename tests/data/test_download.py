"""Where the files of a corpus are found, and what is left of those that could not be fetched."""

import socket
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from bottomup.data import download
from bottomup.data.download import DownloadError, cache_folder, find
from tests.data import mirrors as behave
from tests.data.mirrors import QUICK, Mirrors, remote, running

CONTENTS = {"one.gz": b"one" * 1009, "two.gz": b"two" * 2003, "three.gz": b"three" * 307}
FILES = [remote(name, content) for name, content in CONTENTS.items()]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and no files elsewhere."""
    monkeypatch.delenv("BOTTOMUP_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    place = tmp_path / "cache"
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *names, **options: str(place))
    return place / "corpus"


@pytest.fixture
def mirrors() -> Iterator[Mirrors]:
    with running() as started:
        started.files.update(CONTENTS)
        yield started


def fetch(*templates: str) -> list[Path]:
    return find(FILES, corpus="corpus", mirrors=templates, timeout=QUICK)


def put(folder: Path, names: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(CONTENTS[name])
    return folder


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def nowhere() -> str:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/{{name}}"


def test_files_are_fetched_once_and_what_a_killed_download_left_is_removed(mirrors, cache: Path):
    cache.mkdir(parents=True)
    (cache / "two.gz.0badcafe.tmp").write_bytes(b"half")
    first = mirrors.add("first", behave.good)
    paths = fetch(first)
    assert paths == [cache / name for name in CONTENTS]
    assert held(cache) == CONTENTS
    assert fetch(first) == paths
    assert [name for _mirror, name, _range in mirrors.asked] == list(CONTENTS)


def test_a_mirror_may_know_files_by_their_checksum(mirrors: Mirrors, cache: Path):
    mirrors.files.update({file.sha256: CONTENTS[file.name] for file in FILES})
    fetch(mirrors.add("first", behave.good).replace("{name}", "{sha256}"))
    assert held(cache) == CONTENTS


@pytest.mark.parametrize(
    "broken",
    [behave.half, behave.corrupt, behave.refuse],
    ids=lambda function: function.__name__,
)
def test_nothing_half_written_stays(mirrors: Mirrors, cache: Path, broken):
    with pytest.raises(DownloadError):
        fetch(mirrors.add("first", broken))
    assert held(cache) == {}


def test_after_an_interruption_only_the_missing_files_are_fetched(mirrors: Mirrors, cache: Path):
    def one_only(handler, mirrors: Mirrors, content: bytes) -> None:
        behave.send(handler, content, upto=None if content == CONTENTS["one.gz"] else 11)

    with pytest.raises(DownloadError):
        fetch(mirrors.add("first", one_only))
    assert held(cache) == {"one.gz": CONTENTS["one.gz"]}
    mirrors.asked.clear()
    fetch(mirrors.add("first", behave.good))
    assert held(cache) == CONTENTS
    assert mirrors.asked == [("first", "two.gz", ""), ("first", "three.gz", "")]


def test_ctrl_c_leaves_no_half_file(mirrors: Mirrors, cache: Path, monkeypatch: pytest.MonkeyPatch):
    def receive(file, urls, path: Path, **options: object) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(download, "receive", receive)
    with pytest.raises(KeyboardInterrupt):
        fetch(mirrors.add("first", behave.good))
    assert held(cache) == {}


def test_a_damaged_file_in_the_cache_is_fetched_again(mirrors: Mirrors, cache: Path):
    put(cache, list(CONTENTS))
    (cache / "two.gz").write_bytes(CONTENTS["two.gz"][:-1])
    fetch(mirrors.add("first", behave.good))
    assert held(cache) == CONTENTS
    assert mirrors.asked == [("first", "two.gz", "")]


def test_without_a_network_one_error_names_everything_and_says_what_to_do(cache: Path):
    put(cache, ["one.gz"])
    first, second = nowhere(), nowhere()
    with pytest.raises(DownloadError) as caught:
        fetch(first, second)
    assert str(caught.value).splitlines() == [
        "corpus: no mirror delivered two.gz.",
        f"  {first.format(name='two.gz')}: cannot be reached (ConnectionError)",
        f"  {second.format(name='two.gz')}: cannot be reached (ConnectionError)",
        "If this machine has a network, try again later: what was fetched is kept.",
        "If not, get the missing files on another machine:",
        f"  {first.format(name='two.gz')}",
        f"  {first.format(name='three.gz')}",
        f"and put them into {cache},",
        "or into a folder 'corpus' inside any folder, and set BOTTOMUP_DATA to the latter.",
    ]
    assert caught.value.__suppress_context__
    assert held(cache) == {"one.gz": CONTENTS["one.gz"]}
    put(cache, list(CONTENTS))  # what the error says to do helps
    assert fetch(nowhere()) == [cache / name for name in CONTENTS]


def test_files_that_lie_in_bottomup_data_are_read_there(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOTTOMUP_DATA", str(tmp_path / "mine"))
    mine = put(tmp_path / "mine" / "corpus", list(CONTENTS))
    assert fetch(nowhere()) == [mine / name for name in CONTENTS]
    assert not cache.exists()


def test_what_bottomup_data_lacks_is_fetched_into_the_cache(
    mirrors: Mirrors, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOTTOMUP_DATA", str(tmp_path / "mine"))
    mine = put(tmp_path / "mine" / "corpus", ["two.gz"])
    paths = fetch(mirrors.add("first", behave.good))
    assert paths == [cache / "one.gz", mine / "two.gz", cache / "three.gz"]
    assert held(mine) == {"two.gz": CONTENTS["two.gz"]}


def test_a_damaged_file_in_bottomup_data_is_refused_and_left_alone(
    mirrors: Mirrors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOTTOMUP_DATA", str(tmp_path))
    mine = put(tmp_path / "corpus", list(CONTENTS))
    (mine / "two.gz").write_bytes(b"two" * 2000)
    with pytest.raises(ValueError, match="two.gz") as caught:
        fetch(mirrors.add("first", behave.good))
    wanted, got = FILES[1].sha256, remote("", b"two" * 2000).sha256
    assert str(caught.value) == (
        f"{mine / 'two.gz'}: expected 6009 bytes with the SHA-256 {wanted}, got 6000 bytes with "
        f"{got}; the file is damaged or another one: replace it"
    )
    assert (mine / "two.gz").read_bytes() == b"two" * 2000
    assert mirrors.asked == []


def test_bottomup_data_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BOTTOMUP_DATA", str(tmp_path / "typo"))
    with pytest.raises(FileNotFoundError, match="BOTTOMUP_DATA: expected a folder, got .*typo"):
        fetch(nowhere())


def test_a_folder_that_is_named_is_the_only_place(tmp_path: Path, cache: Path):
    put(cache, list(CONTENTS))
    mine = put(tmp_path / "mine", ["two.gz"])
    with pytest.raises(FileNotFoundError) as caught:
        find(FILES, corpus="corpus", mirrors=[nowhere()], folder=mine)
    assert str(caught.value) == f"folder: expected one.gz, three.gz in {mine}"
    put(mine, ["one.gz", "three.gz"])
    paths = find(FILES, corpus="corpus", mirrors=[nowhere()], folder=str(mine))
    assert paths == [mine / name for name in CONTENTS]


class Bar(download.tqdm):
    """A bar that is not drawn, and remembers the least number it was ever at."""

    def __init__(self, **options) -> None:
        super().__init__(**{**options, "disable": True})
        self.total, self.disable, self.smallest = options["total"], options["disable"], 0
        self.n = 0

    def update(self, n: float | None = 1) -> None:
        self.n += n
        self.smallest = min(self.smallest, self.n)

    def close(self) -> None:
        pass


def test_the_bar_counts_every_byte_where_somebody_watches(
    mirrors: Mirrors, monkeypatch: pytest.MonkeyPatch
):
    for name in ("CI", "BOTTOMUP_QUIET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JPY_SESSION_NAME", "06_decoding.ipynb")
    bars = []
    monkeypatch.setattr(download, "tqdm", lambda **o: bars.append(Bar(**o)) or bars[-1])
    fetch(mirrors.add("first", behave.half), mirrors.add("second", behave.good))
    assert bars[0].total == bars[0].n == sum(map(len, CONTENTS.values()))
    assert (bars[0].disable, bars[0].smallest) == (False, 0)


@pytest.mark.parametrize("name", ["CI", "BOTTOMUP_QUIET"])
def test_nothing_is_written_where_nobody_watches(
    mirrors: Mirrors, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setenv(name, "1")
    monkeypatch.setenv("JPY_SESSION_NAME", "06_decoding.ipynb")
    fetch(mirrors.add("first", behave.good))
    assert capsys.readouterr() == ("", "")


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(
        platformdirs, "user_cache_dir", lambda *names, **o: asked.append((names, o)) or "base"
    )
    assert cache_folder("corpus") == Path("base") / "corpus"
    assert asked == [(("bottomup",), {"appauthor": False})]
