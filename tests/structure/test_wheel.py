"""What a wheel leaves out: records that nothing reads by name, and what is not the package."""

import fnmatch
import re
import tomllib

import nbformat

from tools.notebooks.paths import ROOT, SOURCE, all_chapters

PACKAGE = SOURCE / "bottomup"
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
LEFT_OUT = SETUP["exclude-package-data"]["bottomup"]
RECORDS = sorted(path.stem for path in (PACKAGE / "results").glob("*.json"))


def readers() -> str:
    """Return the code that a wheel's user runs: chapters, and all parts but the experiments."""
    books = [nbformat.read(path, as_version=4) for path in all_chapters()]
    cells = [cell.source for book in books for cell in book.cells if cell.cell_type == "code"]
    parts = [path for path in PACKAGE.rglob("*.py") if "experiments" not in path.parts]
    return "\n".join([*cells, *(path.read_text(encoding="utf-8") for path in parts)])


def test_a_record_is_left_out_if_and_only_if_nothing_names_it():
    code = readers()
    unnamed = {name for name in RECORDS if not re.search(rf'"{name}(\.json)?"', code)}
    left_out = {
        name
        for name in RECORDS
        if any(fnmatch.fnmatch(f"results/{name}.json", pattern) for pattern in LEFT_OUT)
    }
    assert left_out == unnamed


def test_what_is_left_out_exists():
    found = [path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "results").rglob("*.*")]
    assert [pattern for pattern in LEFT_OUT if not fnmatch.filter(found, pattern)] == []


def test_nothing_but_the_package_is_installed():
    assert SETUP["packages"]["find"] == {"where": ["src"], "include": ["bottomup*"]}
    assert [*SOURCE.glob("bottomup*/__init__.py")] == [PACKAGE / "__init__.py"]
