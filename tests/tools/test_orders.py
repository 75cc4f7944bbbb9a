import socket
import subprocess
import sys
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from tools import orders

MAKEFILE = """
check:
\t@echo checked
test:
\t@exit 3
book:
\t@{python} -m http.server {port} --bind 127.0.0.1
lab:
\t@echo no server
"""


def test_the_walk_has_every_order_of_two_once():
    pairs = list(pairwise(orders.WALK))
    assert sorted(pairs) == sorted(permutations({"book", "test", "lab", "check"}, 2))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    monkeypatch.setattr(orders, "SERVED", {"book": address, "lab": address})
    text = MAKEFILE.format(python=sys.executable, port=port)
    tmp_path.joinpath("Makefile").write_text(text, "utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_walk_says_what_passed_and_serves_until_a_page_answers(clone: Path, capsys):
    assert orders.main(["--clone", str(clone), "check", "book", "book", "check"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[:4] for line in lines] == [
        ["check", "after", "-", "passed"],
        ["book", "after", "check", "passed"],
        ["book", "after", "book", "passed"],
        ["check", "after", "book", "passed"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["test", "lab"])
def test_a_command_that_fails_and_a_server_that_ends_are_told(clone: Path, capsys, name: str):
    assert orders.main(["--clone", str(clone), name, "check"]) == 1
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert "FAILED" in first
    assert "passed" in second


def test_a_new_clone_is_made_from_this_repository(monkeypatch: pytest.MonkeyPatch):
    commands = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: commands.append(command))
    monkeypatch.setattr(orders, "run", lambda name, clone, home: 0)
    assert orders.main(["check"]) == 0
    assert commands[0][:3] == ["git", "clone", "--quiet"]
