"""The bold terms of the chapters and the entries of the glossary to which the site links them."""

import re
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from myst_parser.parsers.docutils_ import Parser
from sphinx.addnodes import pending_xref
from term_links import bold, entries, link_terms, matching

from tools.notebooks.paths import ROOT, all_chapters, chapter_number
from tools.records import prose_of

CHAPTERS = {chapter_number(path): path for path in all_chapters()}
# Bold words that are no terms, by chapter: what they are, in small letters, and the reason.
EMPHASIS = {
    "07": {
        "union": "what a sentence is about: one of three, the union of sets",
    },
    "09": {
        "clean": "names one of two sentences, for denoising and noising",
        "corrupted": "names the other one",
    },
    "11": {
        disease: "a disease of the clinic"
        for disease in (
            "a schedule stepped per epoch",
            "no root of d_k",
            "padding in the loss",
            "test sentences in training",
        )
    },
}
HANGUL = re.compile(r"[가-힣]")
NAMES = {"attention", "soft attention", "key", "loss"}


def page(markdown: str) -> nodes.document:
    """Return Markdown as Sphinx sees it, without the roles and directives that Sphinx adds."""
    settings = {
        "report_level": 5,
        "doctitle_xform": False,  # as in Sphinx: the first heading stays a section
        "myst_enable_extensions": ["dollarmath"],
    }
    doctree = publish_doctree(markdown, parser=Parser(), settings_overrides=settings)
    assert isinstance(doctree, nodes.document)
    return doctree


@cache
def glossary() -> dict[tuple[str, ...], str]:
    """Return the definitions of the glossary by the names of each."""
    text = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    found = re.search(r"^```\{glossary\}\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    split = [entry.split("\n  ", 1) for entry in found[1].split("\n\n")]
    return {tuple(names.splitlines()): definition for names, definition in split}


@cache
def names() -> frozenset[str]:
    return frozenset(name.casefold() for entry in glossary() for name in entry)


@cache
def bold_words(chapter: str) -> frozenset[str]:
    """Return what a chapter prints bold and the site may link, in small letters."""
    doctree = page(prose_of(CHAPTERS[chapter]))
    return frozenset(" ".join(node.astext().split()).casefold() for node in bold.terms(doctree))


def bold_on(markdown: str) -> list[str]:
    return [node.astext() for node in bold.terms(page(markdown))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("attention", "attention"),
        ("Attention", "attention"),
        ("soft\nattention", "soft attention"),
        ("keys", "key"),
        ("Soft", "soft attention"),
        ("loss", "loss"),
        ("los", None),
        ("donkeys", None),
        ("clipped", None),
    ],
)
def test_words_find_the_name_of_an_entry(text: str, name: str | None):
    assert matching.entry_name(text, NAMES) == name


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("This is **attention**, and this is **a mask**.", ["attention", "a mask"]),
        ("- **One seed.** A key.\n- **key**: what is found.", ["key"]),
        ("One question is left. **Which key should it read?**", []),
        ("**1. Does** *it* **read** $x$**?**\n\nA **key**.", ["key"]),
        ("# The **key**\n\n## 2. A **value**\n\nText.", []),
        ("[the **key**](https://example.org) and a **value**", ["value"]),
        ("<details><summary>Hint</summary>\n\nThe **key**.\n\n</details>", ["key"]),
        ("Plain and *slanted*.", []),
    ],
)
def test_a_sentence_a_question_a_heading_and_a_link_hold_no_terms(markdown: str, found: list[str]):
    assert bold_on(markdown) == found


def entry(*parts: nodes.Node) -> nodes.document:
    """Return a glossary with one entry, of the two names *key* and its Korean one."""
    terms = [
        nodes.term("", name, ids=[f"term-{place}"]) for place, name in enumerate(("key", "키"))
    ]
    definition = nodes.definition("", nodes.paragraph("", "", *parts))
    doctree = page("")
    doctree += nodes.definition_list("", nodes.definition_list_item("", *terms, definition))
    return doctree


def test_every_name_of_an_entry_has_its_first_sentence_without_citations():
    cited = pending_xref("", nodes.inline("", "vaswani2017attention"))
    doctree = entry(nodes.Text("What is found, 0.5 of it "), cited, nodes.Text(". It is more."))
    sentence = "What is found, 0.5 of it."
    assert entries.sentences(doctree) == {"term-0": sentence, "term-1": sentence}


@pytest.mark.parametrize(
    ("before", "formula", "after", "sentence"),
    [
        ("The size of ", "k", ", not more.", "The size of k, not more."),
        ("The size of ", r"\sqrt{d}", ", not more.", None),
        ("A vector: a row. It has ", r"\sqrt{d}", " numbers.", "A vector: a row."),
    ],
)
def test_a_first_sentence_may_hold_a_letter_and_no_longer_formula(
    before: str, formula: str, after: str, sentence: str | None
):
    doctree = entry(nodes.Text(before), nodes.math("", formula), nodes.Text(after))
    assert entries.sentences(doctree).get("term-0") == sentence


def environment() -> SimpleNamespace:
    """Return what the extension asks of Sphinx, for a glossary of one entry."""
    place = ("book/glossary", "term-0", 1)
    objects = [("Key", "Key", "term", *place), ("key", "key", "label", "other", "other", 1)]
    return SimpleNamespace(
        get_domain=lambda name: SimpleNamespace(get_objects=lambda: objects),
        get_doctree=lambda name: entry(nodes.Text("What is found.")),
        found_docs={"chapters/00_warm_up", "book/glossary", "book/index"},
    )


def linked(markdown: str, docname: str) -> Iterator[nodes.reference]:
    app = SimpleNamespace(builder=SimpleNamespace(get_relative_uri=relative), env=environment())
    doctree = page(markdown)
    link_terms(app, doctree, docname)
    yield from doctree.findall(nodes.reference)


def relative(source: str, target: str) -> str:
    return f"../{target}.html"


def test_a_term_of_a_chapter_becomes_a_link_to_its_entry():
    (link,) = linked("Two **keys** and a **door**.", "chapters/00_warm_up")
    assert (link["refuri"], link["reftitle"]) == ("../book/glossary.html#term-0", "What is found.")
    assert link["classes"] == ["term-link"]
    (strong,) = link.children
    assert isinstance(strong, nodes.strong)
    assert strong.astext() == "keys"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_bold_word_of_a_chapter_has_an_entry_or_is_emphasis_with_a_reason(chapter: str):
    strays = {word for word in bold_words(chapter) if matching.entry_name(word, names()) is None}
    assert strays == set(EMPHASIS.get(chapter, {}))


def test_every_alias_is_printed_bold_somewhere_and_leads_to_an_entry():
    everything = {word for chapter in CHAPTERS for word in bold_words(chapter)}
    assert set(matching.ALIASES) - everything == set()
    assert set(matching.ALIASES) & names() == set()
    assert set(matching.ALIASES.values()) - names() == set()


def test_every_entry_has_an_english_and_a_korean_name_and_a_definition():
    for entry_names, definition in glossary().items():
        korean = [name for name in entry_names if HANGUL.search(name)]
        assert korean, f"{entry_names}: a Korean name is missing above the definition"
        assert len(korean) < len(entry_names), entry_names
        assert definition.endswith("."), entry_names


def test_no_two_entries_share_a_name_and_they_stand_in_the_order_of_the_alphabet():
    assert len(names()) == sum(map(len, glossary()))
    first = [entry_names[0].casefold() for entry_names in glossary()]
    assert first == sorted(first)
