"""A file from mirrors that stall, truncate, corrupt or refuse."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottomup.data.download import ATTEMPTS, CHUNK, NoMirrorError, receive
from tests.data import mirrors as behave
from tests.data.mirrors import QUICK, Behaviour, Mirrors, remote, running

pytestmark = pytest.mark.slow  # `make check` has a minute for all tests

CONTENT = bytes(number * number % 251 for number in range(12 * CHUNK))
FILE = remote("file.gz", CONTENT)
WHOLE, HALF, THIRD = len(CONTENT), len(CONTENT) // 2, len(CONTENT) // 3


def thirds(handler, mirrors: Mirrors, content: bytes) -> None:
    """Break off after each third."""
    behave.send(handler, content, upto=behave.offset(handler) + THIRD)


def crumbs(handler, mirrors: Mirrors, content: bytes) -> None:
    behave.send(handler, content, upto=behave.offset(handler) + CHUNK + 7)


def corrupt_half(handler, mirrors: Mirrors, content: bytes) -> None:
    behave.send(handler, bytes([content[0] ^ 1]) + content[1:], upto=HALF)


def no_ranges(handler, mirrors: Mirrors, content: bytes) -> None:
    """Send everything, whatever part is asked for; the first answer breaks off."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(WHOLE))
    handler.end_headers()
    handler.wfile.write(content[:HALF] if len(mirrors.asked) == 1 else content)


@pytest.fixture
def mirrors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirrors]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running() as started:
        started.files[FILE.name] = CONTENT
        yield started


def ask(mirrors: Mirrors, path: Path, *behaviours: Behaviour) -> None:
    urls = [mirrors.add(each.__name__, each).format(name=FILE.name) for each in behaviours]
    receive(FILE, urls, path, timeout=QUICK)


def test_a_file_takes_the_place_of_an_older_one_and_whoever_watches_is_told(mirrors, tmp_path):
    (tmp_path / "f").write_bytes(b"something older")
    seen: list[int] = []
    url = mirrors.add("first", behave.good).format(name=FILE.name)
    receive(FILE, [url], tmp_path / "f", timeout=QUICK, report=seen.append)
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert seen == sorted(seen) and len(seen) == 12 and seen[-1] == WHOLE
    assert mirrors.asked == [("first", FILE.name, "")]


ANEW = [("good", "")]
GOES_ON = [("", f"bytes={HALF}-"), ("good", f"bytes={HALF}-")]  # "": the first mirror again


@pytest.mark.parametrize(
    "first, then",
    [
        # a broken connection is taken up where it broke, or anew where there are no ranges
        (thirds, [("", f"bytes={THIRD}-"), ("", f"bytes={2 * THIRD}-")]),
        (no_ranges, [("", f"bytes={HALF}-")]),
        # the second mirror goes on where the first stopped
        (behave.stall, GOES_ON),
        (behave.half, GOES_ON),
        # or begins anew
        (behave.corrupt, ANEW),
        (behave.truncated, ANEW),
        (behave.too_long, ANEW),
        (behave.refuse, ANEW),
        (behave.silent, ANEW),
        # wrong bytes of one mirror do not spoil the next
        (corrupt_half, [*GOES_ON, *ANEW]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_file_arrives_as_it_is(mirrors: Mirrors, tmp_path: Path, first, then):
    ask(mirrors, tmp_path / "f", first, behave.good)
    assert (tmp_path / "f").read_bytes() == CONTENT
    asked = [(mirror, part) for mirror, _, part in mirrors.asked if part or mirror == "good"]
    assert asked == [(mirror or first.__name__, part) for mirror, part in then]


def test_every_mirror_is_named_with_its_reason(mirrors: Mirrors, tmp_path: Path):
    with pytest.raises(NoMirrorError) as caught:
        ask(
            mirrors, tmp_path / "f", behave.corrupt, behave.truncated, behave.too_long,
            behave.refuse, behave.silent, behave.half, crumbs,
        )  # fmt: skip
    crumb = HALF + CHUNK * ATTEMPTS
    assert str(caught.value).replace(f"{mirrors.address}/", "").splitlines() == [
        f"corrupt/file.gz: sent {WHOLE} bytes with another SHA-256",
        f"truncated/file.gz: sent {WHOLE - 5} of {WHOLE} bytes",
        f"too_long/file.gz: sent {WHOLE} bytes with another SHA-256",
        "refuse/file.gz: HTTP status 503",
        "silent/file.gz: no answer in time",
        f"half/file.gz: broke off or stalled after {HALF} of {WHOLE} bytes",
        f"crumbs/file.gz: broke off or stalled after {crumb} of {WHOLE} bytes",
    ]
    assert (tmp_path / "f").read_bytes() == b""
