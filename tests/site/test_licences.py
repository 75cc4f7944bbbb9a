"""Whose files the site carries is said on a page."""

import re
from importlib.metadata import distributions
from pathlib import PurePath

from tests.site.pages import HTML, ROOT


def owners() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for package in distributions():
        for file in package.files or []:
            found.setdefault(PurePath(file).name, set()).add(package.metadata["Name"])
    return found


def test_each_package_whose_files_the_site_carries_stands_in_the_table_with_its_licence():
    table = (ROOT / "book/bibliography.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([\w-]+) \| \S.* \| \S.* \|$", table, re.M)) - {"Package"}
    own = {path.name for path in (ROOT / "book").rglob("*.*")}
    known = owners()
    carried = [path for path in (HTML / "_static").rglob("*.*") if path.is_file()]
    foreign = [path.name for path in carried if path.name not in own and path.name in known]
    assert len(foreign) > 100
    assert [name for name in foreign if not known[name] & listed] == []
    seen = {each for name in foreign for each in known[name]}
    assert listed - seen <= {"Pygments", "myst-nb"}  # theirs are written by the build, with a hash
