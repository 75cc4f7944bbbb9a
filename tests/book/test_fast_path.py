"""The fast path: what is counted, which sections it names, what a chapter's page shows of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fast_path
import nbformat
import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document
from fast_path import reading, shown
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.site.pages import ROOT, book_pages

PAGES = fast_path.sections_by_page(ROOT)
MINUTE = 60 / reading.WORDS_A_MINUTE  # seconds for a word
TITLES = ["First things", "A part"]


def printed(**data: str) -> Any:
    return new_output(
        "display_data", data={name.replace("_", "/"): it for name, it in data.items()}
    )


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """A chapter with two sections, of which the first has two parts."""
    drawing = printed(text_plain="<Figure>", image_png="aaaa")
    cells = [
        new_markdown_cell("# A chapter\n\nThree words here.\n\n## 1. First things\n\nTwo words."),
        new_code_cell("a = 1\n\nb = 2", outputs=[new_output("stream", text="printed words\n")]),
        new_code_cell("c = 3", metadata={"tags": ["hide-input"]}, outputs=[drawing]),
        new_code_cell("show()", outputs=[printed(text_markdown="```\ndef f():\n    ...\n```")]),
        new_markdown_cell("### A part\n\n$$\nx = y\n$$\n\n[one link](https://a.b/c_d) 3<!-- r -->"),
        new_markdown_cell("### Another part\n\n## 2. Last things"),
    ]
    path = tmp_path / "chapters/01_toy.ipynb"
    path.parent.mkdir()
    nbformat.write(new_notebook(cells=cells), path)
    return path


def test_words_lines_pictures_and_formulae_are_counted_by_section(notebook: Path):
    top, first, part, another, last = reading.sections(notebook)
    assert (top.title, top.number, top.level) == ("A chapter", None, 0)
    assert top.seconds == pytest.approx(3 * MINUTE)
    assert (first.title, first.number, first.anchor) == ("First things", "1", "first-things")
    lines = 2 + 1 + 4  # two that show, one that prints four
    drawn = reading.SECONDS_A_PICTURE + lines * reading.SECONDS_A_LINE
    assert first.seconds == pytest.approx(4 * MINUTE + drawn)
    assert (part.title, part.level) == ("A part", 2)
    assert part.seconds == pytest.approx(3 * MINUTE + reading.SECONDS_A_FORMULA)
    assert (another.seconds, last.seconds) == (0, 0)


def test_how_we_know_is_looked_up_and_not_read(notebook: Path):
    before = reading.sections(notebook)
    stored = nbformat.read(notebook, as_version=4)
    proofs = "Two words.\n\n## 3. How we know\n\nWhy.\n\n### A part\n\nAs a part above."
    stored.cells += [
        new_markdown_cell(proofs),
        new_code_cell("proven()"),
        new_markdown_cell("More.\n\n## References\n\nOne."),
    ]
    nbformat.write(stored, notebook)
    *same, last, references = reading.sections(notebook)
    assert same == before[:-1] and last.seconds == pytest.approx(2 * MINUTE)
    assert (references.title, references.seconds) == ("References", pytest.approx(MINUTE))
    assert [section.title for section in reading.on_path(notebook, TITLES)][1:] == TITLES


@pytest.mark.parametrize(
    "titles, problem",
    [
        (["Third things"], "0 sections 'Third things'"),
        (["A part"], "'A part' without 'First things'"),
    ],
)
def test_a_section_that_is_not_there_is_an_error(notebook: Path, titles: list[str], problem: str):
    with pytest.raises(ValueError, match=problem):
        reading.on_path(notebook, titles)


# ---- The book's own path


def test_the_path_follows_the_book_and_takes_an_evening():
    assert list(PAGES) == [page for page in book_pages() if page in PAGES]
    path = [reading.on_path(ROOT / f"{page}.ipynb", titles) for page, titles in PAGES.items()]
    assert 100 <= sum(map(reading.minutes, path)) <= 130
    for name in ("index", "how_to_use"):
        assert "about two hours of reading" in (ROOT / f"book/{name}.md").read_text("utf-8")


# ---- On a page


def section(title: str, *content: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", title), *content, ids=[nodes.make_id(title)])


@pytest.fixture
def doctree() -> nodes.document:
    first = section("1. First things", section("A part"), section("Another part"))
    found = new_document("page", get_default_settings())
    found += section("A chapter", nodes.paragraph("", "Text."), first, section("2. Last things"))
    return found


@pytest.fixture
def app(notebook: Path) -> Any:
    """What the extension asks of Sphinx, in a book with one chapter."""
    root = notebook.parents[1]
    root.joinpath("book").mkdir()
    data = f"chapters/01_toy: {TITLES}\nchapters/02b_last: []"
    root.joinpath(fast_path.SECTIONS).write_text(data, "utf-8")
    links = [
        nodes.reference("", name, anchorname=f"#{nodes.make_id(name)}")
        for name in ("First things", "A part", "Another part", "Last things")
    ]
    env = SimpleNamespace(
        docname="chapters/01_toy",
        metadata={"chapters/01_toy": {}, "chapters/00_other": {}},
        srcdir=root,
        doc2path=lambda page: str(root / f"{page}.ipynb"),
        tocs={"chapters/01_toy": nodes.bullet_list("", *links)},
        config=SimpleNamespace(translated_from=""),
    )
    builder = SimpleNamespace(get_relative_uri=lambda source, target: f"../{target}.html")
    return SimpleNamespace(env=env, builder=builder, srcdir=root)


def test_sections_on_the_path_are_marked_and_keep_their_titles(app: Any, doctree: nodes.document):
    fast_path.mark_chapter(app, doctree)
    marked = {
        each[0].astext(): bool(list(each[0].findall(shown.Mark)))
        for each in doctree.findall(nodes.section)
        if shown.ON_PATH in each["classes"]
    }
    assert marked == {"A chapter": False, "1. First things": True, "A part": True}
    contents = app.env.tocs["chapters/01_toy"].findall(nodes.reference)
    assert [bool(list(link.findall(shown.Mark))) for link in contents] == [True, True, False, False]


def test_the_last_section_on_the_path_ends_with_a_link_to_the_next_chapter(
    app: Any, doctree: nodes.document
):
    doctree[0][2][1] += nodes.paragraph("", "Its text.")
    doctree[0][2][1] += section("Below it")
    fast_path.mark_chapter(app, doctree)
    part = doctree[0][3][1]
    _title, _text, way, _below = part
    assert way.astext() == "Fast path: go on with chapter 02b."
    whole, chapter = way.findall(nodes.reference)
    assert whole["refuri"] == "../book/how_to_use.html#one-evening"
    assert chapter["refuri"] == "../chapters/02b_last.html"


def test_a_line_below_the_title_leads_to_the_sections_and_says_their_minutes(
    app: Any, doctree: nodes.document
):
    fast_path.mark_chapter(app, doctree)
    line = doctree[0][1]
    text = "".join(node.astext() for node in line.children if not isinstance(node, nodes.raw))
    assert text == "Fast path: section 1 in 1 minutes. The rest can wait. "
    whole, first = line.findall(nodes.reference)
    assert whole["refuri"] == "../book/how_to_use.html#one-evening"
    assert (first["refid"], first["reftitle"]) == ("first-things", "First things")
    assert "hidden" in line[-1].astext()  # without its script the button does nothing


def test_a_chapter_off_the_path_says_so_and_has_no_button(app: Any, doctree: nodes.document):
    app.env.docname = "chapters/00_other"
    fast_path.mark_chapter(app, doctree)
    assert doctree[0][1].astext() == "Fast path: this page can wait."
    assert not list(doctree.findall(shown.Mark))


def test_a_chapter_is_listed_with_its_minutes_and_all_are_added_up(notebook: Path):
    path = reading.on_path(notebook, TITLES)
    listed = shown.entry("01", "01.html", path)
    assert listed.astext() == "01 A chapter, 1 minutes: First things; A part."
    links = [link["refuri"] for link in listed.findall(nodes.reference)]
    assert links == ["01.html", "01.html#first-things", "01.html#a-part"]
    assert shown.sum_of([path, path]).astext().startswith("Together 2 minutes.")
