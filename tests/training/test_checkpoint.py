import os
import signal
import subprocess
import sys
from functools import partial

import pytest
import torch
from torch import nn

from bottomup.training import fit
from bottomup.training.checkpoint import load_checkpoint, save_checkpoint


def run(model, task, loss, path, *, kind=torch.optim.Adam, rate=0.05, **options):
    options = {"steps": 3, "seed": 0, "max_norm": 1.0, **options}
    optimizer = kind(model.parameters(), lr=rate)
    return fit(model, task, loss=loss, optimizer=optimizer, checkpoint=path, **options)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"steps": 4}, "steps is 3 there and 4 here"),
        ({"seed": 9}, "seed is 0 there and 9 here"),
        ({"max_norm": None}, "max_norm is 1.0 there and None here"),
        ({"rate": 0.1}, r"learning rates is \[0.05\] there and \[0.1\] here"),
        ({"kind": torch.optim.SGD}, "optimizer is Adam there and SGD here"),
        (
            {"kind": partial(torch.optim.Adam, betas=(0.5, 0.9))},
            r"optimizer's betas is \[\(0.9, 0.999\)\] there and \[\(0.5, 0.9\)\] here",
        ),
        (
            {"kind": partial(torch.optim.Adam, weight_decay=0.1)},
            r"optimizer's weight_decay is \[0\] there and \[0.1\] here",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_checkpoint_of_another_run_is_refused(make_model, task, loss, tmp_path, options, message):
    path = tmp_path / "run.pt"
    run(make_model(), task, loss, path)
    with pytest.raises(ValueError, match=f"run.pt belongs to another run: {message}"):
        run(make_model(), task, loss, path, **options)


def test_a_checkpoint_of_another_model_is_refused(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    run(make_model(), task, loss, path)
    other = make_model()
    other.embedding = nn.Embedding(len(task.vocabulary), 7 + 4)
    with pytest.raises(
        ValueError, match=r"'embedding.weight' is \[9, 7\] there and \[9, 11\] here"
    ):
        run(other, task, loss, path)
    smaller = make_model()
    smaller.readout.bias = None
    with pytest.raises(ValueError, match=r"'readout.bias' is \[9\] there and None here"):
        run(smaller, task, loss, path)


def test_a_refused_checkpoint_leaves_model_and_file_as_they_were(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    run(make_model(), task, loss, path)
    before = path.read_bytes()
    model, fresh = make_model(), make_model()
    with pytest.raises(ValueError, match="another run"):
        run(model, task, loss, path, seed=1)
    assert torch.equal(model.readout.weight, fresh.readout.weight)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"no checkpoint"])
def test_a_damaged_file_is_refused(make_model, task, loss, tmp_path, content):
    path = tmp_path / "run.pt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="cannot read .*run.pt; delete it to start again"):
        run(make_model(), task, loss, path)


def test_a_truncated_checkpoint_is_refused(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    run(make_model(), task, loss, path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match="cannot read"):
        run(make_model(), task, loss, path)


def test_a_file_of_another_kind_is_refused(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    torch.save({"model": torch.zeros(2)}, path)
    with pytest.raises(ValueError, match="expected a file of format bottomup-checkpoint-2"):
        run(make_model(), task, loss, path)


@pytest.mark.parametrize("missing", ["run", "state"])
def test_a_file_of_which_a_part_is_missing_is_refused(make_model, task, loss, tmp_path, missing):
    path = tmp_path / "run.pt"
    run(make_model(), task, loss, path)
    content = torch.load(path, weights_only=True)
    del content[missing]
    torch.save(content, path)
    with pytest.raises(ValueError, match="expected a file of format bottomup-checkpoint-2"):
        run(make_model(), task, loss, path)


def test_a_file_that_lacks_an_entry_of_the_run_is_refused(tmp_path):
    path = tmp_path / "run.pt"
    save_checkpoint(path, {"steps": 1}, {"value": 1})
    with pytest.raises(ValueError, match="another run: seed is None there and 3 here"):
        load_checkpoint(path, {"steps": 1, "seed": 3})


class Payload:
    """Unpickling this would run code."""

    def __reduce__(self):
        return (pytest.fail, ("code from the file was run",))


def test_code_in_a_file_is_not_run(tmp_path):
    path = tmp_path / "run.pt"
    torch.save({"format": Payload()}, path)
    with pytest.raises(ValueError, match="cannot read"):
        load_checkpoint(path, {})


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_half_written(tmp_path, monkeypatch):
    path = tmp_path / "run.pt"
    save_checkpoint(path, {"steps": 1}, {"value": 1})

    def fail(content, file):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        save_checkpoint(path, {"steps": 1}, {"value": 2})
    assert [file.name for file in tmp_path.iterdir()] == ["run.pt"]
    assert load_checkpoint(path, {"steps": 1}) == {"value": 1}


def test_missing_folders_are_made(tmp_path):
    path = tmp_path / "a" / "b" / "run.pt"
    save_checkpoint(path, {"steps": 1}, {"value": 1})
    assert load_checkpoint(path, {"steps": 1}) == {"value": 1}


def test_a_reader_of_the_old_file_never_sees_the_new_one(tmp_path):
    path = tmp_path / "run.pt"
    save_checkpoint(path, {"steps": 1}, {"value": 1})
    before = path.read_bytes()
    with path.open("rb") as reader:
        save_checkpoint(path, {"steps": 1}, {"value": 2})
        assert reader.read() == before
    assert load_checkpoint(path, {"steps": 1}) == {"value": 2}


KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from bottomup.training.checkpoint import save_checkpoint

os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
save_checkpoint(Path(sys.argv[1]), {}, {"x": torch.zeros(7)})
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_next_save_removes_what_a_killed_process_left_behind(tmp_path):
    path = tmp_path / "run.pt"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) == 1 and not path.exists()
    save_checkpoint(path, {}, {"x": torch.ones(7)})
    assert os.listdir(tmp_path) == ["run.pt"]
