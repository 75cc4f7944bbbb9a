"""The navigation is made from titles alone, and each page keeps its contents."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from quick_build import titles
from sphinx.addnodes import compact_paragraph, toctree


class Environment:
    """What is asked of Sphinx's environment."""

    def __init__(self) -> None:
        self.tocs = {"page": contents()}


def entry(text: str, *below: nodes.Element) -> nodes.list_item:
    return nodes.list_item("", compact_paragraph("", text), *below)


def contents() -> nodes.bullet_list:
    """A page's contents: its title, below it a heading with further pages and one without."""
    pages = nodes.bullet_list("", toctree(entries=[(None, "page")]))
    return nodes.bullet_list("", entry("title", nodes.bullet_list("", entry("heading", pages))))


def test_headings_go_and_the_pages_below_them_stay():
    whole = contents()
    short = titles.without_headings(whole)
    ((title, below),) = short.children
    assert title.astext() == "title"
    assert [type(node) for node in below.children] == [toctree]
    assert whole.pformat() == contents().pformat()


def test_of_a_page_with_headings_only_the_title_stays():
    below = nodes.bullet_list("", entry("heading"))
    short = titles.without_headings(nodes.bullet_list("", entry("title", below)))
    assert [item.astext() for item in short.children] == ["title"]
    assert len(short.children[0]) == 1


@pytest.mark.parametrize("titles_only", [True, False])
def test_the_headings_are_there_where_they_are_asked_for(titles_only: bool):
    env = Environment()
    whole = env.tocs
    context = {"toctree": lambda **options: "heading" in env.tocs["page"].astext()}
    titles.give_titles(SimpleNamespace(env=env), "page", "", context, None)
    assert context["toctree"](titles_only=titles_only) is not titles_only
    assert env.tocs is whole
