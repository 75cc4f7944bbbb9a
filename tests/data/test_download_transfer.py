"""A file from mirrors that stall, truncate, corrupt or refuse."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottomup.data.download import ATTEMPTS, CHUNK, NoMirrorError, receive
from tests.data import mirrors as behave
from tests.data.mirrors import QUICK, Mirrors, remote, running

pytestmark = pytest.mark.slow  # `make check` has a minute for all tests

CONTENT = bytes(number * number % 251 for number in range(12 * CHUNK))
FILE = remote("file.gz", CONTENT)
HALF = len(CONTENT) // 2


@pytest.fixture
def mirrors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirrors]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running() as started:
        started.files[FILE.name] = CONTENT
        yield started


def ask(mirrors: Mirrors, path: Path, **behaviours: Callable) -> None:
    urls = [mirrors.add(name, function) for name, function in behaviours.items()]
    receive(FILE, [url.format(name=FILE.name) for url in urls], path, timeout=QUICK)


def asked(mirrors: Mirrors) -> list[tuple[str, str]]:
    return [(mirror, requested) for mirror, _name, requested in mirrors.asked]


def test_a_file_arrives_as_it_is_and_whoever_watches_is_told(mirrors: Mirrors, tmp_path: Path):
    seen: list[int] = []
    url = mirrors.add("first", behave.good).format(name=FILE.name)
    receive(FILE, [url], tmp_path / "f", timeout=QUICK, report=seen.append)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert seen == sorted(seen) and len(seen) == 12 and seen[-1] == len(CONTENT)


def test_what_was_there_before_is_thrown_away(mirrors: Mirrors, tmp_path: Path):
    (tmp_path / "f").write_bytes(b"something older")
    ask(mirrors, tmp_path / "f", first=behave.good)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert asked(mirrors) == [("first", "")]


def test_a_broken_connection_is_taken_up_where_it_broke(mirrors: Mirrors, tmp_path: Path):
    ask(mirrors, tmp_path / "f", first=behave.thirds)
    third = len(CONTENT) // 3
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert asked(mirrors) == [
        ("first", ""), ("first", f"bytes={third}-"), ("first", f"bytes={2 * third}-"),
    ]  # fmt: skip


def test_a_server_without_ranges_begins_anew(mirrors: Mirrors, tmp_path: Path):
    ask(mirrors, tmp_path / "f", no_ranges=behave.no_ranges)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert asked(mirrors) == [("no_ranges", ""), ("no_ranges", f"bytes={HALF}-")]


@pytest.mark.parametrize("first", [behave.stall, behave.half], ids=["stalls", "breaks off"])
def test_the_second_mirror_goes_on_where_the_first_stopped(
    mirrors: Mirrors, tmp_path: Path, first: Callable
):
    ask(mirrors, tmp_path / "f", first=first, second=behave.good)
    assert (tmp_path / "f").read_bytes() == CONTENT
    rest = f"bytes={HALF}-"
    assert asked(mirrors) == [("first", ""), ("first", rest), ("second", rest)]


@pytest.mark.parametrize(
    "first",
    [behave.corrupt, behave.truncated, behave.too_long, behave.refuse, behave.silent],
    ids=lambda function: function.__name__,
)
def test_the_second_mirror_takes_over_from_the_beginning(
    mirrors: Mirrors, tmp_path: Path, first: Callable
):
    ask(mirrors, tmp_path / "f", first=first, second=behave.good)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert asked(mirrors) == [("first", ""), ("second", "")]


def test_wrong_bytes_of_one_mirror_do_not_spoil_the_next(mirrors: Mirrors, tmp_path: Path):
    ask(mirrors, tmp_path / "f", first=behave.corrupt_half, second=behave.good)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert asked(mirrors)[-2:] == [("second", f"bytes={HALF}-"), ("second", "")]


def test_every_mirror_is_named_with_its_reason(mirrors: Mirrors, tmp_path: Path):
    with pytest.raises(NoMirrorError) as caught:
        ask(
            mirrors, tmp_path / "f", corrupt=behave.corrupt, truncated=behave.truncated,
            too_long=behave.too_long, refuse=behave.refuse, silent=behave.silent, half=behave.half,
        )  # fmt: skip
    whole = len(CONTENT)
    assert str(caught.value).splitlines() == [
        f"{mirrors.address}/corrupt/file.gz: sent {whole} bytes with another SHA-256",
        f"{mirrors.address}/truncated/file.gz: sent {whole - 5} of {whole} bytes",
        f"{mirrors.address}/too_long/file.gz: sent {whole} bytes with another SHA-256",
        f"{mirrors.address}/refuse/file.gz: HTTP status 503",
        f"{mirrors.address}/silent/file.gz: no answer in time",
        f"{mirrors.address}/half/file.gz: broke off or stalled after {HALF} of {whole} bytes",
    ]
    assert (tmp_path / "f").read_bytes() == b""


def test_a_mirror_that_nobody_runs_is_named(tmp_path: Path):
    with socket.socket() as taken:  # a port on which nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/file.gz"
        with pytest.raises(NoMirrorError, match=r"file.gz: cannot be reached \(ConnectionError\)"):
            receive(FILE, [url], tmp_path / "f", timeout=QUICK)


def test_a_mirror_that_sends_little_each_time_is_given_up_in_the_end(
    mirrors: Mirrors, tmp_path: Path
):
    def crumbs(handler: object, mirrors: Mirrors, content: bytes) -> None:
        behave.send(handler, content, upto=behave.offset(handler) + CHUNK + 7)

    with pytest.raises(NoMirrorError, match=f"after {CHUNK * ATTEMPTS} of"):
        ask(mirrors, tmp_path / "f", first=crumbs)
    assert len(mirrors.asked) == ATTEMPTS
