"""The pages made from docstrings: none is forgotten, and none leaves a public name out."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.site.links import read_page
from tests.site.pages import ROOT, book_pages

PACKAGE = ROOT / "src/bottomup"
UNDOCUMENTED = {"__init__", "classroom", "files", "i18n", "particles"}  # what readers do not call


def modules_of_the_package() -> set[str]:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return (folders | {path.stem for path in PACKAGE.glob("*.py")}) - UNDOCUMENTED


def modules_with_a_page() -> set[str]:
    return {page.split("/")[-1] for page in book_pages() if page.startswith("book/api/")} - {
        "index"
    }


def public_names(module: ModuleType) -> list[str]:
    """Names a page must show: functions and classes, not constants and type aliases."""
    own = [name for name, value in vars(module).items() if not name.startswith("_")
           and getattr(value, "__module__", None) == module.__name__]  # fmt: skip
    names = getattr(module, "__all__", own)
    shown = (inspect.isclass, inspect.isfunction)
    return [name for name in names if any(kind(getattr(module, name)) for kind in shown)]


def test_every_module_of_the_package_has_a_page_and_is_listed() -> None:
    assert modules_with_a_page() == modules_of_the_package()
    overview = ROOT.joinpath("book/api/index.md").read_text("utf-8")
    listed = re.findall(r"\{mod\}`bottomup\.(\w+)`", overview)
    assert modules_with_a_page() - {*listed} == set()


@pytest.mark.parametrize("name", sorted(modules_with_a_page()))
def test_page_shows_every_public_name(built: Path, name: str) -> None:
    source = ROOT.joinpath(f"book/api/{name}.md").read_text("utf-8")
    anchors = read_page(built / f"book/api/{name}.html").anchors
    modules = re.findall(r"automodule:: (\S+)", source)
    assert modules[0] == f"bottomup.{name}"
    for module in map(importlib.import_module, modules):
        names = [f"{module.__name__}.{public}" for public in public_names(module)]
        assert names != [] or hasattr(module, "PRESETS")  # it may join what others define
        assert [missing for missing in names if missing not in anchors] == []
