"""Slides are made of a chapter's own parts."""

import re

import nbformat
import pytest

from tools.notebooks.paths import all_chapters, find_notebooks
from tools.slides import exporter, slides_of


def read(path):
    return nbformat.read(path, as_version=4)


def places(notebook, place):
    return [c for c in notebook.cells if c.metadata["slideshow"]["slide_type"] == place]


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem[:3])
def test_each_section_has_a_slide_and_its_text_is_in_the_notes(path):
    chapter = read(path)
    texts = [cell.source for cell in chapter.cells if cell.cell_type == "markdown"]
    sections = re.findall(r"^#{1,2} .+$", "\n".join(texts), re.M)
    sections = [section for section in sections if section != "## References"]
    slides = slides_of(chapter)
    assert [cell.source.split("\n")[0] for cell in places(slides, "slide")] == sections
    assert len(places(slides, "notes")) >= len(sections) / 2


def test_a_heading_in_the_middle_of_a_cell_opens_with_its_own_sentence():
    cell = nbformat.v4.new_markdown_cell("Before. More.\n\n## Title\n\nFirst. Second.\n\n$$a = b$$")
    made = slides_of(nbformat.v4.new_notebook(cells=[cell])).cells
    assert [(c.metadata["slideshow"]["slide_type"], c.source) for c in made] == [
        ("notes", "Before. More."),
        ("slide", "## Title\n\nFirst."),
        ("notes", "First. Second.\n\n$$a = b$$"),
        ("subslide", "$$a = b$$"),
    ]


def shown(*cells):
    made = slides_of(nbformat.v4.new_notebook(cells=list(cells))).cells
    return [(c.metadata["slideshow"]["slide_type"], c.source) for c in made]


def test_a_question_has_a_slide_of_its_own_and_what_answers_it_comes_after_the_code():
    printed = nbformat.v4.new_output("stream", text="7")
    code = nbformat.v4.new_code_cell("print(7)", outputs=[printed])
    made = slides_of(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("It is. How many?"), code])
    ).cells
    assert [c.metadata["slideshow"]["slide_type"] for c in made] == [
        "notes", "subslide", "subslide", "fragment",
    ]  # fmt: skip
    assert made[1].source == "How many?"
    assert [len(c.outputs) for c in made[2:]] == [0, 1]
    assert "remove-input" in made[3].metadata["tags"]


@pytest.mark.parametrize("start", ["Question 1. Over which axis?", "Z. Allen wrote it."])
def test_no_slide_ends_behind_a_number_or_an_initial(start):
    assert shown(nbformat.v4.new_markdown_cell(f"## T\n\n{start} More."))[0] == (
        "slide", f"## T\n\n{start}",
    )  # fmt: skip


def test_slides_ask_no_other_host():
    body, _ = exporter().from_notebook_node(slides_of(read(find_notebooks(["02b"])[0])))
    assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=.https?:[^>]*>", body) == []


def test_a_figure_has_a_slide_of_its_own_and_long_code_is_in_the_notes():
    picture = nbformat.v4.new_output("display_data", data={"image/png": "aGk="})
    short = nbformat.v4.new_code_cell("plot(1)", outputs=[picture])
    long = nbformat.v4.new_code_cell("\n".join(f"plot({n})" for n in range(9)), outputs=[picture])
    made = slides_of(nbformat.v4.new_notebook(cells=[short, long])).cells
    assert [(c.metadata["slideshow"]["slide_type"], c.cell_type) for c in made] == [
        ("subslide", "code"), ("subslide", "code"), ("subslide", "code"), ("notes", "markdown"),
    ]  # fmt: skip
    assert [len(c.outputs) for c in made[:3]] == [0, 1, 1]
    assert all("remove-input" in c.metadata["tags"] for c in made[1:3])
    assert "plot(8)" in made[3].source


def test_what_is_long_together_with_its_code_comes_on_the_next_slide():
    printed = nbformat.v4.new_output("stream", text="7\n" * 19)
    made = slides_of(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("go()", outputs=[printed])])
    ).cells
    assert [c.metadata["slideshow"]["slide_type"] for c in made] == ["subslide", "subslide"]


def test_sections_are_chosen_by_their_addresses():
    text = "# Title\n\n## 1. First\n\nOne.\n\n### Below\n\nMore.\n\n## 2. The second\n\nTwo."
    chapter = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
    slides = places(slides_of(chapter, ["the-second"]), "slide")
    assert [cell.source for cell in slides] == ["## 2. The second\n\nTwo."]
    first = [cell.source for cell in slides_of(chapter, ["first"]).cells]
    assert "### Below\n\nMore." in first
    with pytest.raises(ValueError, match="expected some of title, first, the-second, got third"):
        slides_of(chapter, ["third"])
