"""What a killed process left behind is removed, and what a living one writes is not."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from bottomup import files
from bottomup.data import JointBPE
from bottomup.data.shards import Origin, ShardWriter
from bottomup.exercises.engine.progress_file import remember_entry
from bottomup.experiments.engine.files import write_arrays
from bottomup.files import remove_leftovers, write_atomically
from tools.notebooks import execute

KILLED = """
import os, runpy, signal, sys
from pathlib import Path

def write(file):
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)

runpy.run_path(sys.argv[1])["write_atomically"](Path(sys.argv[2]), write)
"""


def write(path: Path, content: bytes = b"whole") -> None:
    write_atomically(path, lambda file: file.write(content))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_a_killed_process_left_is_removed_by_the_next_that_writes(tmp_path: Path):
    path = tmp_path / "new" / "a[1].json"  # a name that is also a pattern
    done = subprocess.run([sys.executable, "-c", KILLED, files.__file__, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = path.parent.iterdir()
    assert left.read_bytes() == b"half"
    write(path)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == b"whole"


def test_two_that_write_the_same_file_do_not_meet_and_an_error_leaves_the_old_one(tmp_path: Path):
    path = tmp_path / "a"

    def first(file):
        write(path, b"second")
        assert path.read_bytes() == b"second"
        file.write(b"first")

    write_atomically(path, first)
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"first", ["a"])
    with pytest.raises(ZeroDivisionError):  # an error leaves the old file alone
        write_atomically(path, lambda file: file.write(b"half") / 0)
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"first", ["a"])


def test_nothing_else_is_taken_for_a_leftover(tmp_path: Path):
    others = {"ab.0badcafe.tmp", "a.old.tmp", "a.0badcafe.tmp.txt", "a.tmp", "b.12.tmp"}
    for name in {*others, "a.4711.tmp", "a.0badcafe.tmp"}:
        (tmp_path / name).touch()
    remove_leftovers(tmp_path / "a")
    assert set(os.listdir(tmp_path)) == others


def test_a_file_may_be_read_by_whom_the_system_lets_read_it(tmp_path: Path):
    write(tmp_path / "a")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_without_locks_a_file_is_written_and_nothing_removed(tmp_path: Path, monkeypatch):
    def refuse(file):
        raise OSError("no locks available")

    monkeypatch.setattr(files, "_hold", refuse)
    (tmp_path / "a.0badcafe.tmp").touch()
    write(tmp_path / "a")
    assert sorted(os.listdir(tmp_path)) == ["a", "a.0badcafe.tmp"]


def test_a_new_file_that_was_taken_for_a_leftover_is_made_again(tmp_path: Path, monkeypatch):
    hold, swept = files._hold, []

    def sweep_first(file):
        if not swept:
            swept.append(file.name)
            os.unlink(file.name)
        hold(file)

    monkeypatch.setattr(files, "_hold", sweep_first)
    write(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["a"]


def save_shard(path: Path) -> None:
    writer = ShardWriter(path.parent, Origin("texts", "", "", vocabulary=11))
    writer.add([7], [5])
    writer.finish()


def save_progress(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOTTOMUP_PROGRESS", str(path))
        remember_entry("aer", passed=True)


WRITERS = {
    "a.npz": lambda path: write_arrays(path, {"x": np.zeros(3)}),
    "bpe.json": lambda path: JointBPE.train(["ab"], vocabulary=260).save(path),
    "manifest.json": save_shard,
    "00000.tokens.npy": save_shard,
    "progress.json": save_progress,
    "01.ipynb": lambda path: execute.write(nbformat.v4.new_notebook(), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_whatever_is_kept_is_written_so(tmp_path: Path, name: str):
    left = tmp_path / f"{name}.0badcafe.tmp"
    left.write_bytes(b"half")
    WRITERS[name](tmp_path / name)
    assert (tmp_path / name).exists() and not left.exists()
