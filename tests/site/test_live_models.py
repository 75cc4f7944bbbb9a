"""What figures compute with among the files of the built site, and in what readers take along."""

import re
from pathlib import Path
from zipfile import ZipFile

from live_models import FIGURES, scripts
from offline_site import archive

FIGURE = re.compile(r'<[^<>]*data-live="([a-z]+)"')  # in a tag, and not in a text that shows code
META = re.compile(r'<meta name="bottomup-model-(\w+)" content="([^"]+)" />')


def test_the_scripts_stand_there_and_in_the_archive(built: Path) -> None:
    wanted = scripts(FIGURES)
    found = {path.name.split("-")[0]: path for path in built.glob("_static/models/*.js")}
    assert sorted(found) == sorted(wanted)
    with ZipFile(built / archive.NAME) as packed:
        for name, path in found.items():
            assert path.read_text("utf-8") == wanted[name]
            inside = f"{archive.FOLDER}/{path.relative_to(built).as_posix()}"
            assert packed.read(inside) == path.read_bytes()


def test_a_page_says_where_they_are_if_a_figure_needs_them(built: Path) -> None:
    for path in built.rglob("*.html"):
        html = path.read_text("utf-8")
        said = META.findall(html)
        assert {name for name, _ in said} == {*scripts(FIGURE.findall(html))}, path
        assert all((path.parent / address).is_file() for _, address in said), path
