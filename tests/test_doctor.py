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


def test_a_finding_is_one_line():
    assert str(Finding("ok", "make", "/usr/bin/make")) == "ok       make: /usr/bin/make"
    assert str(Finding("missing", "torch", "gone")) == "missing  torch: gone"


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 13, 2), (4, 0, 0)])
def test_a_python_that_is_new_enough_is_named(version: Sequence[int]):
    text = ".".join(str(number) for number in version)
    assert doctor.python_version(version) == Finding("ok", "Python", text)


@pytest.mark.parametrize("version", [(3, 9, 18), (3, 10, 99), (2, 7, 18)])
def test_an_older_python_is_told_which_one_is_needed(version: Sequence[int]):
    found = doctor.python_version(version)
    assert found.state == "missing"
    assert found.text.startswith(f"{version[0]}.{version[1]}.{version[2]} is too old, 3.11 or")
    assert found.text.endswith("make setup PYTHON=python3.11")


def test_the_oldest_python_is_the_one_that_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">={}.{}".format(*doctor.OLDEST_PYTHON)


def test_the_module_keeps_to_the_syntax_of_python_3_9():
    source = SCRIPT.read_text(encoding="utf-8")
    assert ast.parse(source, feature_version=(3, 9)).body
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case 1: pass", feature_version=(3, 9))


def test_an_environment_is_named_by_its_folder(tmp_path: Path):
    found = doctor.environment(tmp_path, tmp_path / "bin" / "python", tmp_path / "absent")
    assert found == Finding("ok", "environment", str(tmp_path))


def test_python_outside_an_environment_is_told_to_make_one(tmp_path: Path):
    found = doctor.environment(None, Path("/usr/bin/python3"), tmp_path / "absent")
    assert found.state == "warning"
    assert found.text.startswith(f"{Path('/usr/bin/python3')} is in no virtual environment.")
    assert found.text.endswith("Run: make setup, or: python -m venv .venv")


def test_python_outside_an_environment_is_told_of_the_one_that_is_there(tmp_path: Path):
    own = tmp_path / "python"
    own.touch()
    found = doctor.environment(None, Path("/usr/bin/python3"), own)
    assert found.state == "warning"
    assert found.text.endswith(f"Use that one: {own}")


def test_requirements_are_read_with_and_without_pins():
    lines = ["# reasons", "torch==2.13.0", "", "numpy>=1.26", "sphinx-intl==2.4.0", "-e ."]
    wanted = {"torch": "2.13.0", "numpy": None, "sphinx-intl": "2.4.0", "bottomup": None}
    assert doctor.wanted_packages(lines) == wanted


def test_every_line_of_the_requirements_is_read():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = {line for line in lines if "==" in line}
    wanted = doctor.wanted_packages(lines)
    assert wanted.pop("bottomup") is None
    assert {f"{name}=={pin}" for name, pin in wanted.items()} == pins


def test_packages_as_pinned_are_counted():
    wanted = {"torch": "2.13.0", "numpy": "2.4.6", "bottomup": None}
    installed = {"torch": "2.13.0+cpu", "numpy": "2.4.6", "bottomup": "0.7.0"}
    assert doctor.packages(wanted, installed) == [Finding("ok", "packages", "all 3 as tested")]


def test_a_missing_package_and_another_version_take_a_line_each():
    wanted = {"torch": "2.13.0", "numpy": "2.4.6", "tqdm": None, "scipy": "1.17.1"}
    found = doctor.packages(wanted, {"torch": "2.9.1+cu128", "scipy": "1.17.1"})
    remedy = "Run: pip install -r requirements.txt"
    assert found == [
        Finding("missing", "packages", f"not installed: numpy, tqdm. {remedy}"),
        Finding(
            "warning", "packages", f"not as tested: torch 2.9.1+cu128 instead of 2.13.0. {remedy}"
        ),
    ]


def test_a_long_list_of_missing_packages_stays_on_one_line():
    (found,) = doctor.packages({f"package{i}": "1.0" for i in range(60)}, {})
    assert found.text.startswith("not installed: package0, package1, ")
    assert found.text.endswith(", and more. Run: pip install -r requirements.txt")
    assert len(str(found)) < 180


@pytest.mark.parametrize(
    "cuda, mps, devices",
    [(False, False, "CPU"), (True, False, "CPU, CUDA"), (False, True, "CPU, MPS")],
)
def test_torch_is_named_with_its_devices(cuda: bool, mps: bool, devices: str):
    found = doctor.torch_build("2.13.0", cuda=cuda, mps=mps, threads=7)
    assert found == Finding("ok", "torch", f"2.13.0; devices: {devices}; threads: 7")


def test_torch_that_does_not_start_gives_the_first_line_of_its_reason():
    found = doctor.torch_fails(OSError("libgomp.so.1: not found\nmore\nlines"))
    assert found.state == "missing"
    assert found.text.startswith("does not start (libgomp.so.1: not found). Run: pip install ")
    assert doctor.torch_fails(ImportError()).text.startswith("does not start (ImportError).")


@pytest.mark.parametrize("program", ["python", "{folder}/python3"])
def test_the_kernel_of_the_same_environment_is_right(program: str, tmp_path: Path):
    commands = {"ir": ["R"], "python3": [program.format(folder=tmp_path), "-m", "ipykernel"]}
    assert doctor.kernel(commands, tmp_path / "python") == Finding(
        "ok", "Jupyter kernel", "python3"
    )


def test_a_kernel_of_another_python_is_named_with_it(tmp_path: Path):
    other = tmp_path / "other" / "python"
    found = doctor.kernel({"python3": [str(other)]}, tmp_path / "own" / "python")
    assert found.state == "warning"
    remedy = "Run: python -m ipykernel install --user"
    assert found.text == f"python3 starts another Python, {other}. {remedy}"


def test_a_kernel_that_is_not_there_is_missing(tmp_path: Path):
    found = doctor.kernel({"ir": ["R"]}, tmp_path / "python")
    assert found.state == "missing"
    assert found.text.endswith("Run: pip install -r requirements.txt")


def test_progress_is_kept_where_a_file_can_be_made(tmp_path: Path):
    path = tmp_path / "new" / "folders" / "progress.json"
    assert doctor.progress_file(path) == Finding("ok", "progress", str(path))
    assert list(tmp_path.iterdir()) == []


def test_progress_that_is_not_kept_is_no_problem():
    assert doctor.progress_file(None).state == "ok"


@pytest.mark.parametrize("name", ["file/progress.json", "folder"])
def test_progress_that_cannot_be_written_is_said(name: str, tmp_path: Path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    found = doctor.progress_file(tmp_path / name)
    assert found.state == "warning"
    remedy = "Set BOTTOMUP_PROGRESS to a file that can be"
    assert found.text == f"{tmp_path / name} cannot be written. {remedy}"


def write_records(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "one.json").write_text(json.dumps({"runs": [1]}), encoding="utf-8")
    with zipfile.ZipFile(folder / "inner" / "two.npz", "w") as arrays:
        arrays.writestr("weights.npy", b"numbers")


def test_records_are_counted(tmp_path: Path):
    write_records(tmp_path)
    assert doctor.records(tmp_path) == Finding("ok", "records", "all 2 files can be read")


@pytest.mark.parametrize("name", ["one.json", "inner/two.npz"])
def test_a_record_cut_short_is_named(name: str, tmp_path: Path):
    write_records(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-3])
    found = doctor.records(tmp_path)
    assert found.state == "missing"
    assert f": {path.name}. Run: git checkout" in found.text


def test_a_folder_without_records_is_missing_all(tmp_path: Path):
    found = doctor.records(tmp_path)
    assert found.state == "missing"
    assert f"in {tmp_path}: all. Run: git checkout" in found.text


@pytest.mark.parametrize("places", [("data/multi30k", "data/multi30k"), ("cache", "cache"),
                                    ("data/multi30k", "cache")])  # fmt: skip
def test_the_corpus_is_found_in_either_folder(places: Sequence[str], tmp_path: Path):
    for folder in ("data/multi30k", "cache"):
        (tmp_path / folder).mkdir(parents=True)
    names = ["train.en.gz", "train.de.gz"]
    for place, name in zip(places, names, strict=True):
        (tmp_path / place / name).touch()
    found = doctor.multi30k(names, tmp_path / "data", tmp_path / "cache")
    assert found == Finding("ok", "Multi30k", "all 2 files are there")


def test_a_corpus_that_is_not_there_names_the_only_part_that_needs_it(tmp_path: Path):
    found = doctor.multi30k(["train.en.gz"], None, tmp_path)
    assert found.state == "ok"
    assert "only training chapter 06's translators yourself (section 8)" in found.text


def test_a_variable_that_names_no_folder_is_said(tmp_path: Path):
    found = doctor.multi30k(["train.en.gz"], tmp_path / "absent", tmp_path)
    assert found.state == "warning"
    assert found.text.startswith(f"BOTTOMUP_DATA names {tmp_path / 'absent'}, which is no folder")


def test_the_section_that_uses_the_corpus_is_the_one_named():
    chapter = (ROOT / "chapters" / "06_decoding.ipynb").read_text(encoding="utf-8")
    section = chapter.split("## 8. ")[1].split("## 9. ")[0]
    assert "Multi30k" in section


def test_a_port_is_free_or_taken(taken_port: int):
    found = doctor.port(taken_port)
    assert (found.state, found.subject) == ("warning", f"port {taken_port}")
    assert found.text.endswith("make book PORT=8080")
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    assert doctor.port(number) == Finding("ok", f"port {number}", "free")


def test_make_is_there_or_install_says_what_to_do():
    assert doctor.make("/usr/bin/make") == Finding("ok", "make", "/usr/bin/make")
    found = doctor.make(None)
    assert found.state == "warning"
    assert found.text.endswith('"Without make"')
    assert "\n## Without make\n" in (ROOT / "INSTALL.md").read_text(encoding="utf-8")


def test_a_disk_needs_three_gigabytes(tmp_path: Path):
    assert doctor.disk(3_000_000_000, tmp_path) == Finding("ok", "disk", "3.0 GB free")
    found = doctor.disk(1_249_999_999, tmp_path)
    assert found.state == "warning"
    assert found.text.startswith(f"1.2 GB free at {tmp_path}, and a set-up takes up to 3 GB.")


@pytest.mark.slow
def test_nothing_is_missing_here(tmp_path: Path):
    done = run(sys.executable, "-m", "bottomup.doctor", folder=tmp_path)
    found = states(done.stdout)
    assert {"Python", "packages", "Jupyter kernel", "torch", "records", "Multi30k"} <= set(found)
    assert set(found.values()) <= {"ok", "warning"}
    assert (done.stdout.splitlines()[-1], done.returncode) == ("Nothing is missing.", 0)


@pytest.mark.slow
def test_a_python_without_any_package_is_told_so(tmp_path: Path):
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
