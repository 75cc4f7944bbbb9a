"""`python -m bottomup.doctor` tells what is missing, one line each, with what to do about it."""

import ast
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bottomup import doctor
from bottomup.doctor import Finding
from tools.notebooks.paths import ROOT

SCRIPT = Path(doctor.__file__)
HERE = Path("here")
PINNED = {"torch": "2.13.0", "numpy": "2.4.6", "tqdm": None}
INSTALL = "Run: pip install -r requirements.txt"


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port at which another program, this one, listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)


def states(output: str) -> dict[str, str]:
    """Return what the lines of the output say of each subject; the last line is the sum."""
    lines = [re.fullmatch(r"(\w+) +([\w ]+): (.+)", line) for line in output.splitlines()[:-1]]
    return {line[2]: line[1] for line in lines if line}


FINDINGS = [
    (doctor.python_version((3, 11, 0)), "ok       Python: 3.11.0"),
    (doctor.python_version((4, 0, 0)), "ok       Python: 4.0.0"),
    (
        doctor.python_version((3, 10, 99)),
        "missing  Python: 3.10.99 is too old, 3.11 or* make setup PYTHON=python3.11",
    ),
    (doctor.environment(HERE, HERE / "bin", HERE / "none"), "ok       environment: here"),
    (
        doctor.environment(None, HERE / "python3", HERE / "none"),
        f"warning  environment: {HERE / 'python3'} is in no virtual environment.*"
        "Run: make setup, or: python -m venv .venv",
    ),
    (
        doctor.environment(None, HERE / "python3", SCRIPT),
        f"warning  environment: * Use that one: {SCRIPT}",
    ),
    (
        doctor.packages(PINNED, {"torch": "2.13.0+cpu", "numpy": "2.4.6", "tqdm": "1"})[0],
        "ok       packages: all 3 as tested",
    ),
    (
        doctor.packages(PINNED, {"torch": "2.9.1+cu128"})[0],
        f"missing  packages: not installed: numpy, tqdm. {INSTALL}",
    ),
    (
        doctor.packages(PINNED, {"torch": "2.9.1+cu128"})[1],
        f"warning  packages: not as tested: torch 2.9.1+cu128 instead of 2.13.0. {INSTALL}",
    ),
    (
        doctor.packages({f"package{i}": "1.0" for i in range(60)}, {})[0],
        f"missing  packages: not installed: package0, package1, *, and more. {INSTALL}",
    ),
    (
        doctor.torch_build("2.13.0", cuda=True, mps=False, threads=7),
        "ok       torch: 2.13.0; devices: CPU, CUDA; threads: 7",
    ),
    (
        doctor.torch_build("2.13.0", cuda=False, mps=True, threads=7),
        "ok       torch: 2.13.0; devices: CPU, MPS; threads: 7",
    ),
    (
        doctor.torch_fails(OSError("libgomp.so.1: not found\nmore\nlines")),
        "missing  torch: does not start (libgomp.so.1: not found). Run: pip install *",
    ),
    (doctor.torch_fails(ImportError()), "missing  torch: does not start (ImportError).*"),
    (
        doctor.kernel({"ir": ["R"], "python3": ["python", "-m"]}, HERE / "python"),
        "ok       Jupyter kernel: python3",
    ),
    (
        doctor.kernel({"python3": [str(HERE.absolute() / "python3")]}, HERE.absolute() / "python"),
        "ok       Jupyter kernel: python3",
    ),
    (
        doctor.kernel({"python3": ["/other/python"]}, HERE.absolute() / "python"),
        "warning  Jupyter kernel: python3 starts another Python, *other*python. "
        "Run: python -m ipykernel install --user",
    ),
    (doctor.kernel({"ir": ["R"]}, HERE / "python"), f"missing  Jupyter kernel: *{INSTALL}"),
    (doctor.progress_file(None), "ok       progress: *"),
    (
        doctor.progress_file(SCRIPT / "progress.json"),
        f"warning  progress: {SCRIPT / 'progress.json'} cannot be written. "
        "Set BOTTOMUP_PROGRESS to a file that can be",
    ),
    (
        doctor.multi30k(["a.gz"], None, HERE),
        "ok       Multi30k: *chapter 06's translators yourself*",
    ),
    (
        doctor.multi30k(["a.gz"], HERE / "none", HERE),
        f"warning  Multi30k: BOTTOMUP_DATA names {HERE / 'none'}, which is no folder*",
    ),
    (doctor.make("/usr/bin/make"), "ok       make: /usr/bin/make"),
    (doctor.make(None), 'warning  make: *"Without make"'),
    (doctor.disk(3_000_000_000, HERE), "ok       disk: 3.0 GB free"),
    (
        doctor.disk(1_249_999_999, HERE),
        "warning  disk: 1.2 GB free at here, and a set-up takes up to 3 GB.*",
    ),
]


@pytest.mark.parametrize("found, line", FINDINGS, ids=lambda value: str(value)[:40])
def test_a_finding_is_one_line_with_what_to_do(found: Finding, line: str):
    pattern = ".*".join(map(re.escape, line.split("*")))
    assert re.fullmatch(pattern, str(found)), str(found)
    assert len(str(found)) < 200 + len(str(SCRIPT))


def test_what_is_asked_for_is_what_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">={}.{}".format(*doctor.OLDEST_PYTHON)
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = doctor.wanted_packages(lines)
    assert wanted.pop("bottomup") is None
    pins = {f"{name}=={pin}" for name, pin in wanted.items()}
    assert pins == {line for line in lines if "==" in line}
    lines = ["# reasons", "numpy>=1.26", "", "sphinx-intl==2.4.0"]
    wanted = {"numpy": None, "sphinx-intl": "2.4.0", "bottomup": None}
    assert doctor.wanted_packages(lines) == wanted
    assert "\n## Without make\n" in (ROOT / "INSTALL.md").read_text(encoding="utf-8")
    chapter = (ROOT / "chapters" / "06_decoding.ipynb").read_text(encoding="utf-8")
    assert "Multi30k" in chapter.split("## 8. ")[1].split("## 9. ")[0]  # the section that is named


def test_the_module_keeps_to_the_syntax_of_python_3_9():
    assert ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 9)).body
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case 1: pass", feature_version=(3, 9))


def test_progress_is_kept_where_a_file_can_be_made(tmp_path: Path):
    path = tmp_path / "new" / "folders" / "progress.json"
    assert doctor.progress_file(path) == Finding("ok", "progress", str(path))
    assert list(tmp_path.iterdir()) == []
    assert doctor.progress_file(tmp_path).state == "warning"


@pytest.mark.parametrize("name", ["one.json", "inner/two.npz"])
def test_records_are_counted_and_one_that_is_cut_short_is_named(name: str, tmp_path: Path):
    found = doctor.records(tmp_path)
    assert (found.state, f"in {tmp_path}: all. Run: git checkout" in found.text) == (
        "missing",
        True,
    )
    (tmp_path / "inner").mkdir()
    (tmp_path / "one.json").write_text(json.dumps({"runs": [1]}), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "inner" / "two.npz", "w") as arrays:
        arrays.writestr("weights.npy", b"numbers")
    assert doctor.records(tmp_path) == Finding("ok", "records", "all 2 files can be read")
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-3])
    found = doctor.records(tmp_path)
    assert found.state == "missing"
    assert f": {path.name}. Run: git checkout" in found.text


@pytest.mark.parametrize(
    "places", [("data/multi30k",) * 2, ("cache",) * 2, ("data/multi30k", "cache")]
)
def test_the_corpus_is_found_in_either_folder(places: Sequence[str], tmp_path: Path):
    for folder in ("data/multi30k", "cache"):
        (tmp_path / folder).mkdir(parents=True)
    names = ["train.en.gz", "train.de.gz"]
    for place, name in zip(places, names, strict=True):
        (tmp_path / place / name).touch()
    found = doctor.multi30k(names, tmp_path / "data", tmp_path / "cache")
    assert found == Finding("ok", "Multi30k", "all 2 files are there")


def test_a_port_is_free_or_taken(taken_port: int):
    found = doctor.port(taken_port)
    assert (found.state, found.subject) == ("warning", f"port {taken_port}")
    assert found.text.endswith("make book PORT=8080")
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    assert doctor.port(number) == Finding("ok", f"port {number}", "free")


@pytest.mark.slow
def test_nothing_is_missing_here_and_a_python_without_any_package_is_told_so(tmp_path: Path):
    done = run(sys.executable, "-m", "bottomup.doctor", folder=tmp_path)
    found = states(done.stdout)
    assert {"Python", "packages", "Jupyter kernel", "torch", "records", "Multi30k"} <= set(found)
    assert set(found.values()) <= {"ok", "warning"}
    assert (done.stdout.splitlines()[-1], done.returncode) == ("Nothing is missing.", 0)
    # -I and -S leave the standard library alone to be imported.
    done = run(sys.executable, "-I", "-S", str(SCRIPT), folder=tmp_path)
    found = states(done.stdout)
    assert (found["Python"], found["records"], found["packages"]) == ("ok", "ok", "missing")
    assert "not installed: torch, numpy, " in done.stdout
    assert (done.stderr, done.returncode) == ("", 1)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_taken_port_stops_the_book_before_it_is_built(taken_port: int, tmp_path: Path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    environment = {name: text for name, text in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", "--no-print-directory", "book", f"PORT={taken_port}"]
    command += [f"PYTHON={sys.executable}"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    message = f"Port {taken_port} is taken. Name another one: make book PORT=8081\n"
    assert (done.stdout, done.returncode) == (message, 2)


def test_a_folder_whose_name_the_console_cannot_show_stops_nothing(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(doctor, "findings", lambda: [Finding("ok", "disk", "3 GB in /홍/é")])
    assert doctor.main() == 0
    stream.flush()
    said = stream.buffer.getvalue().decode("cp1252")
    assert said.splitlines()[0] == "ok       disk: 3 GB in /\\ud64d/é"
