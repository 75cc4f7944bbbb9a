"""Which stored outputs a run leaves as they are: what looks the same, and numbers of a machine."""

import base64
import io
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from tests.tools.made_up import write_files
from tools.notebooks import kept
from tools.notebooks.closure import Package
from tools.notebooks.digest import store_digest

IGNORE = {"tags": ["nbval-ignore-output"]}
TIMED = "text(time(f))"


def png(*shades: int, level: int = 6) -> str:
    """Return a picture of one row of grey pixels."""
    picture, file = Image.new("RGB", (len(shades), 1)), io.BytesIO()
    picture.putdata([(shade,) * 3 for shade in shades])
    picture.save(file, "PNG", compress_level=level)
    return base64.b64encode(file.getvalue()).decode()


def shown(picture: str, source: str = "draw()") -> NotebookNode:
    output = new_output("display_data", {"image/png": picture, "text/plain": "<Figure>"})
    return new_notebook(cells=[new_code_cell(source, outputs=[output])])


@pytest.mark.parametrize(
    "one, other, alike",
    [
        (png(1, 2, 3), png(1, 2, 3, level=0), True),  # the same pixels, packed otherwise
        (png(10, 20, 30), png(14, 16, 30), True),
        (png(10, 20, 30), png(10, 20, 35), False),
        (png(10, 20, 30), png(10, 20), False),
    ],
)
def test_a_picture_is_kept_where_the_new_one_looks_the_same(one: str, other: str, alike: bool):
    new = shown(other)
    kept.keep_pictures(new, shown(one))
    assert new.cells[0].outputs[0].data["image/png"] == (one if alike else other)


def timed(seconds: str, *above: str, source: str = TIMED, tags: dict = IGNORE) -> NotebookNode:
    """Return a notebook with a cell that prints a timing below other cells."""
    output = new_output("stream", text=f"took {seconds} s\n")
    last = new_code_cell(source, outputs=[output], metadata=tags)
    return new_notebook(cells=[*map(new_code_cell, above), last])


def text(notebook: NotebookNode) -> str:
    return str(notebook.cells[-1].outputs[0].text)


@pytest.mark.parametrize(
    "new, stays",
    [
        (timed("10.52", "a = 1"), True),
        (timed("3e-05", "a = 1"), True),
        (timed("2.0 times 3", "a = 1"), False),  # another text
        (timed("2.0", "a = 2"), False),  # a cell above has changed
        (timed("2.0", "a = 1", "b = 2"), False),  # or is new
        (timed("2.0", "a = 1", "def f(x):\n    ...", 'check("f", f)'), True),  # an exercise
        (timed("2.0", "a = 1", source="text(time(g))"), False),
        (timed("2.0", "a = 1", tags={}), False),  # nbval compares it
        (timed("2.0", "a = 1", tags={"tags": [*IGNORE["tags"], "source"]}), False),
    ],
)
def test_a_timing_is_kept_below_the_same_cells_where_it_differs_in_digits(
    new: NotebookNode, stays: bool
):
    before = text(new)
    kept.keep_ignored(new, timed("1.5", "a = 1"))
    assert text(new) == ("took 1.5 s\n" if stays else before)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a package and a chapter whose outputs are committed."""
    write_files(tmp_path, {"src/lib/__init__.py": "", "src/lib/part.py": "def f(): return 1\n"})
    path = tmp_path / "chapters/01_a.ipynb"
    path.parent.mkdir()
    nbformat.write(timed("1.5", "from lib.part import f"), path)
    store_digest(path, nbformat.read(path, as_version=4), Package("lib", tmp_path / "src"))
    author = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return path


def kept_text(path: Path, *above: str) -> str:
    """Return what the timing's cell shows after a run that took two seconds."""
    run = timed("2.0", "from lib.part import f", *above)
    nbformat.write(run, path)  # the author's edit; its outputs are what the run gives
    kept.keep(run, path, Package("lib", path.parents[1] / "src"))
    return text(run)


def test_the_last_commit_says_what_a_timing_was_made_from(repository: Path):
    assert kept_text(repository) == "took 1.5 s\n"
    assert kept_text(repository, "def g(x):\n    ...", 'check("g", g)') == "took 1.5 s\n"
    assert kept_text(repository, "b = 2") == "took 2.0 s\n"
    part = repository.parents[1] / "src/lib/part.py"
    part.write_text("def f(): return 2\n", encoding="utf-8")
    assert kept_text(repository) == "took 2.0 s\n"


def test_without_a_commit_the_notebook_itself_is_asked(repository: Path):
    (repository.parents[1] / ".git").rename(repository.parents[1] / "gone")
    assert kept.last_commit(repository) is None
    run = timed("2.0", "from lib.part import f")
    kept.keep(run, repository, Package("lib", repository.parents[1] / "src"))
    assert text(run) == "took 1.5 s\n"
