"""What a lesson's page folds: outputs under *Show*, the section *How we know*; and its marks."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document
from lesson import how_we_know, show
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.notebooks.paths import ROOT

PAGE = "chapters/01_toy"
SETTINGS = """
import sys
sys.path.insert(0, {extensions!r})
extensions = ["myst_nb", "lesson"]
html_static_path = [{static!r}]
nb_execution_mode = "off"
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
html_copy_source = False
"""
PROSE = """# A lesson

## 1. Scaling

The scores grow. <!-- finding: 01.1 --> [※](#scaling-measured "How we know") And then
[this ※ is no mark](#scaling-measured).
"""
PROOFS = """## 2. How we know

First a word.

### Scaling, measured

With three seeds, $d = 4$, xylographically.

### Scaling

Once more.

## References

None.
"""


def cell(source: str, *tags: str, output: str = "") -> NotebookNode:
    hidden = {"jupyter": {"outputs_hidden": True}} if "hide-output" in tags else {}
    outputs = [new_output("display_data", {"text/html": output})] if output else []
    return new_code_cell(source, metadata={"tags": [*tags], **hidden}, outputs=outputs)


DRAWING = ("drawing", "nbval-ignore-output", "remove-input")
CELLS = [
    new_markdown_cell(PROSE),
    cell("in_sight", output="<b>seen</b>"),
    cell("first_guess", "hide-output", output="<i>first</i>"),
    cell("draw()", *DRAWING, "hide-output", output="<svg>picture</svg>"),
    new_markdown_cell("One sentence."),
    cell("draw()", *DRAWING, "hide-output", output="<svg>alone</svg>"),
    cell("assert True", "hide-output"),
    new_markdown_cell("Another sentence."),
    cell("assert silent", "hide-output"),
    new_markdown_cell("And both:"),
    cell("folded_code", "hide-input", "hide-output", output="<i>both</i>"),
    new_markdown_cell("Three in a row:"),
    cell("one = 1", "hide-input"),
    cell("two = 2", "hide-input"),
    cell("three", "hide-input", output="<b>three</b>"),
    cell("four", "hide-input", output="<b>four</b>"),
    new_markdown_cell(PROOFS),
]


def built(folder: Path) -> Path:
    """Build a book of one chapter and return where its pages are."""
    folder.joinpath("chapters").mkdir()
    python = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    nbformat.write(new_notebook(cells=CELLS, metadata=python), folder / f"{PAGE}.ipynb")
    index = f"# Toy\n\n[※](chapters/01_toy.ipynb#scaling-measured)\n\n```{{toctree}}\n{PAGE}\n```\n"
    folder.joinpath("index.md").write_text(index, "utf-8")
    extensions, static = (str(ROOT / "book" / name) for name in ("_ext", "_static"))
    settings = SETTINGS.format(extensions=extensions, static=static)
    folder.joinpath("conf.py").write_text(settings, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", ".", "html"]
    run = subprocess.run(command, cwd=folder, check=False, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def page(site: Path) -> Tag:
    return read(site / f"{PAGE}.html")


def read(path: Path) -> Tag:
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@pytest.mark.slow
def test_code_stays_in_sight_and_hidden_cells_share_a_fold(page: Tag):
    first, alone, both = page.select("details.show")
    assert [each.summary.text for each in (first, alone, both)] == ["Show"] * 3
    assert [each.find_parent("details") for each in (first, alone, both)] == [None] * 3
    outputs = [each.text.split() for each in first.select("div.cell > div.cell_output")]
    assert outputs == [["first"], ["picture"]]
    assert first.select_one("div.cell.tag_drawing svg") and not first.select("div.cell_input")
    code = first.find_previous_sibling()
    assert code.select_one("div.cell_input").text.strip() == "first_guess"
    assert not code.select("div.cell_output, details")
    assert "alone" in alone.text and alone.find_previous_sibling("p").text == "One sentence."


def test_what_is_not_hidden_or_shows_nothing_has_no_fold(page: Tag):
    (seen,) = [each for each in page.select("div.cell") if "in_sight" in each.text]
    assert seen.select_one("div.cell_output b") and not seen.find_parent("details")
    (silent,) = [each for each in page.select("div.cell") if "assert silent" in each.text]
    assert silent.find_next_sibling().name == "p"
    assert not [each for each in page.select("div.cell") if not each.text.strip()]


def test_hidden_code_that_shows_nothing_joins_the_fold_behind_it(page: Tag):
    said = [each for each in page.select("p") if each.text == "Three in a row:"]
    both, alone = said[0].find_next_siblings("div", class_="cell")[:2]
    ends = [each.text.split()[-1] for each in both.select("details.hide pre")]
    assert ends == ["1", "2", "three"]
    assert [each.text.split() for each in alone.select("details.hide pre")] == [["four"]]
    assert [each.text for each in (*both.select("b"), *alone.select("b"))] == ["three", "four"]


def test_how_we_know_is_folded_but_for_its_heading(page: Tag):
    section = page.select_one("section#how-we-know")
    heading, folded = section.find_all(recursive=False)
    assert heading.name == "h2" and folded["class"] == ["how-we-know"]
    assert folded.summary.text == "2 entries: seeds, spreads, controls, code"
    assert [each.text[:7] for each in folded.select("h3")] == ["Scaling"] * 2
    assert folded.select_one("p").text == "First a word." and folded.select("span.math")
    assert not page.select_one("section#references").find_parent("details")


def test_the_list_of_sections_has_its_heading_alone(page: Tag):
    listed = [each["href"] for each in page.select(".sphinxsidebar a") if "#" in each["href"]]
    assert {"#how-we-know", "#references"} <= set(listed)
    assert "#scaling-measured" not in listed


def test_a_mark_is_a_link_with_a_name_close_to_what_it_marks(page: Tag):
    (mark,) = page.select("a.how-mark")
    assert (mark["href"], mark["title"]) == ("#scaling-measured", "How we know")
    assert mark.span["aria-label"] == "How we know" and mark.text == "※"
    assert mark.find_previous(string=lambda text: "grow" in text).endswith("grow.")
    assert page.find(id="scaling-measured").find_parent("details")["class"] == ["how-we-know"]


def test_a_page_with_folds_or_marks_has_their_style_and_script(site: Path, page: Tag):
    for shown in (page, read(site / "index.html")):
        assert shown.select("link[href*='lesson.css']") and shown.select("script[src*='lesson.js']")
    assert not read(site / "search.html").select("link[href*='lesson.css']")


# ---- Without a build


def document(*content: nodes.Node) -> nodes.document:
    doctree = new_document("page", get_default_settings())
    doctree += content
    return doctree


def section(*content: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", "근거"), *content, ids=["how-we-know"])


@pytest.mark.parametrize(
    "content, line",
    [
        ([nodes.paragraph("", "One.")], "Seeds, spreads, controls, code"),
        ([nodes.bullet_list("", nodes.list_item())], "1 entry: seeds, spread, controls, code"),
        ([nodes.definition_list("", *(nodes.definition_list_item() for _ in "abc"))], "3 entries"),
        ([nodes.bullet_list("", nodes.list_item()), nodes.section(), nodes.section()], "2 entries"),
    ],
)
def test_entries_are_subsections_or_items(content: list[nodes.Node], line: str):
    doctree = document(section(*content))
    how_we_know.fold_section(doctree)
    title, folded = doctree[0].children
    assert isinstance(title, nodes.title) and folded["line"].startswith(line)
    assert folded.children == content


def hidden(*parts: str, mode: str = "output") -> nodes.container:
    inside = [nodes.container("", nb_element=f"cell_code_{part}") for part in parts]
    return nodes.container("", *inside, nb_element="cell_code", hide_mode=mode)


def test_a_cell_that_is_hidden_as_a_whole_is_left_to_myst_nb():
    doctree = document(hidden("source", "output", mode="all"))
    show.fold_outputs(doctree)
    (cell,) = doctree.children
    assert cell["hide_mode"] == "all" and len(cell.children) == 2
