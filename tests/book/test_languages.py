"""Search finds Korean words with particles; sections of a translated page keep English ids."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sphinx_copybutton
from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import new_document
from languages import anchors, editions, korean_search, unbroken, untranslated, words
from myst_parser.parsers.docutils_ import Parser

from tests.book.conftest import ROOT

PAGES = {
    "chapters/02_a": (
        "셀프 어텐션",
        {"8. 마스크": "masks", "연습문제 2.1: 인과 마스크": "exercise"},
        "키를 읽는다",
    ),
    "chapters/06_b": ("디코딩", {"5. 빔 서치": "beam-search"}, "잔차 스트림의 KV 캐시"),
    "book/glossary": ("용어집", {}, "GRU는 셀이다"),
}
ENTRIES = {"label smoothing": "term-l", "레이블 스무딩": "term-l", "kv 캐시": "term-k"}


def index() -> dict[str, Any]:
    """Return what Sphinx writes of such pages, as far as the search reads it."""
    titles = [title for title, _, _ in PAGES.values()]
    terms: dict[str, list[int]] = {}
    for number, (_, _, text) in enumerate(PAGES.values()):
        for word in dict.fromkeys(korean_search.Korean({}).split(text.lower())):
            terms.setdefault(word, []).append(number)
    headings = {
        heading: [[number, anchor]]
        for number, (_, found, _) in enumerate(PAGES.values())
        for heading, anchor in found.items()
    }
    return {
        "docnames": [*PAGES],
        "filenames": [*PAGES],
        "titles": titles,
        "terms": terms,
        "alltitles": {title: [[number, None]] for number, title in enumerate(titles)} | headings,
        "indexentries": {name: [[2, anchor, True]] for name, anchor in ENTRIES.items()},
    }


def found(query: str) -> list[str]:
    """Return where a query leads, best first."""
    script = korean_search.Korean.js_splitter_code
    run = f"""const Search = {{ _index: {json.dumps(index())} }}; {script};
      const words = splitQuery({json.dumps(query)}.toLowerCase());
      const found = Search.performTermsSearch(new Set(words));
      found.sort((one, other) => other[4] - one[4]);
      console.log(JSON.stringify(found.map(([page, , anchor]) => page + anchor)))"""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    read: list[str] = json.loads(subprocess.check_output([node, "-e", run]))
    return read


@pytest.mark.parametrize(
    "query, first",
    [
        # With and without spaces, with particles, with what only asks.
        ("셀프어텐션", "chapters/02_a"), ("셀프 어텐션이란", "chapters/02_a"),
        ("빔서치를 쓰는 법", "chapters/06_b#beam-search"), ("빔", "chapters/06_b#beam-search"),
        # A heading before an exercise of the same words, unless the exercise has more of them.
        ("마스크", "chapters/02_a#masks"), ("인과마스크", "chapters/02_a#exercise"),
        # Of an entry each name, also in another spelling; languages mix.
        ("라벨 스무딩", "book/glossary#term-l"), ("Label smoothing", "book/glossary#term-l"),
        ("kv캐시", "book/glossary#term-k"),
        # What only a text says.
        ("GRU", "book/glossary"), ("잔차 스트림", "chapters/06_b"), ("키", "chapters/02_a"),
    ],
)  # fmt: skip
def test_a_korean_query_leads_to_what_it_names(query: str, first: str):
    assert found(query)[0] == first


@pytest.mark.parametrize("query", ["", "왜", "을", "컨볼루션", "constructor"])
def test_what_the_book_does_not_name_leads_nowhere(query: str):
    assert found(query) == []


@pytest.mark.parametrize(
    "text, words",
    [
        ("셀프어텐션을 쓴다.", "셀프 프어 어텐 텐션 션을 셀 쓴다 쓴"),
        ("KV 캐시가 2배다", "KV 캐시 시가 캐 2 배다 배"),
        ("키 다중헤드", "키 다중 중헤 헤드 다"),
    ],
)
def test_a_text_is_indexed_by_pairs_of_syllables(text: str, words: str):
    assert korean_search.Korean({}).split(text) == words.split()


def page(*titles: str) -> nodes.document:
    document: Any = new_document("page")
    for number, title in enumerate(titles):
        section = nodes.section("", nodes.title("", title), ids=[f"id{number}"], names=[title])
        section["slug"] = "" if number else nodes.make_id(title)
        document += section
    return document


def test_sections_take_the_english_ids(monkeypatch: pytest.MonkeyPatch):
    english = page("The mask", "1. Heads")
    english[0]["ids"], english[1]["ids"], english[1]["slug"] = ["the-mask"], ["heads"], "heads"
    english[0]["slug"] = "the-mask"
    monkeypatch.setattr(anchors, "english_doctree", lambda env, name: english)
    document = page("마스크", "1. 헤드")
    document.settings.env = env = SimpleNamespace(
        docname="a", metadata={"a": {}}, config=SimpleNamespace(translated_from="..")
    )
    document.settings.language_code = "en"
    transform = anchors.EnglishIds.__new__(anchors.EnglishIds)
    transform.document = document
    transform.apply()
    assert [section["ids"] for section in document.findall(nodes.section)] == [
        ["the-mask"],
        ["heads"],
    ]
    assert env.metadata["a"]["myst_slugs"]["heads"][1:] == ("heads", "1. 헤드")
    document += nodes.section("", nodes.title("", "more"))
    with pytest.raises(Exception, match="expected 2 sections as in English, got 3"):
        transform.apply()


MARKDOWN = """# A title

## A heading

One paragraph
on two lines.

- an item
- another

| head | b |
|---|---|
| a \\| b | c |

<details><summary>A fold</summary>

Inside.

</details>
"""
ENGLISH = ["A heading", "One paragraph on two lines.", "another", "a \\| b", "A fold", "b"]


def test_what_is_still_english_is_marked_and_nothing_else(tmp_path: Path):
    settings = {"report_level": 5, "doctitle_xform": False}
    document = publish_doctree(MARKDOWN, parser=Parser(), settings_overrides=settings)
    tmp_path.joinpath(untranslated.NAMES).write_text(json.dumps({"a": ENGLISH}), "utf-8")

    def marked(page: str, translated_from: str) -> list[str]:
        copy = document.deepcopy()
        config = SimpleNamespace(translated_from=translated_from)
        env = SimpleNamespace(docname=page, srcdir=tmp_path, config=config)
        copy.settings = SimpleNamespace(env=env, language_code="en")
        transform = untranslated.MarkUntranslated.__new__(untranslated.MarkUntranslated)
        transform.document = copy
        transform.apply()
        found = [node for node in copy.findall(nodes.Element) if "classes" in node]
        plain = [node.astext() for node in found if untranslated.CLASS in node["classes"]]
        assert all(text.parent for text in copy.findall(nodes.Text))
        raw = "".join(node.astext() for node in copy.findall(nodes.raw))
        return plain + re.findall(r'<summary class="in-english" lang="en">(.+)</summary>', raw)

    assert marked("a", "..") == [
        "A heading", "One paragraph\non two lines.", "another", "b", "a | b", "A fold"
    ]  # fmt: skip
    assert marked("other", "..") == marked("a", "") == []


@pytest.mark.parametrize(
    ("behind", "kept"),
    [("는 행이다", "는"), ("(키)를 읽는다", "(키)를"), (" 다음", ""), (", 그리고", ""), (".", "")],
)
def test_a_formula_stays_with_the_particle_behind_it(behind: str, kept: str):
    paragraph = nodes.paragraph(
        "", "", nodes.Text("행렬 "), nodes.math("", "W"), nodes.Text(behind)
    )
    before = paragraph.astext()
    unbroken.keep_together(next(paragraph.findall(nodes.math)))
    assert paragraph.astext() == before
    wrapped = [each.astext() for each in paragraph.findall(nodes.inline)]
    assert wrapped == ([f"W{kept}"] if kept else [])


def linked(name: str, *, korean: bool, twins: set[str]) -> dict[str, Any]:
    base = "https://a.github.io/b/"
    config = SimpleNamespace(
        translated_from="../.." if korean else "", html_baseurl=base + "ko/" * korean
    )
    builder = SimpleNamespace(get_target_uri=lambda page: f"{page}.html")
    app: Any = SimpleNamespace(config=config, builder=builder)
    context: dict[str, Any] = {"metatags": "", "body": "text"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editions, "released", lambda app: twins)
        editions.link(app, name, "page.html", context, new_document("a"))
    return context


def test_a_page_leads_to_its_twin_and_names_both():
    english = linked("chapters/01_a", korean=False, twins={"chapters/01_a"})
    korean = linked("chapters/01_a", korean=True, twins={"chapters/01_a"})
    assert english["other_edition"]["url"] == "../ko/chapters/01_a.html"
    assert korean["other_edition"]["url"] == "../../chapters/01_a.html"
    addresses = re.findall(r'hreflang="([\w-]+)" href="([^"]+)"', english["metatags"])
    assert addresses == re.findall(r'hreflang="([\w-]+)" href="([^"]+)"', korean["metatags"])
    assert dict(addresses)["ko"] == "https://a.github.io/b/ko/chapters/01_a.html"


def test_a_page_that_is_not_released_is_english_and_no_twin():
    assert "other_edition" not in linked("book/a", korean=False, twins=set())
    korean = linked("book/a", korean=True, twins=set())
    assert korean["other_edition"]["url"] == "../../book/a.html"
    assert korean["body"] == '<div lang="en">text</div>' and not korean["metatags"]
    assert korean["pageurl"] == "https://a.github.io/b/book/a.html"


def test_words_of_the_theme_are_korean_and_others_are_asked_for():
    say = words.korean(str.upper)
    assert say("Search") == "검색" and say("other") == "OTHER"
    assert Path(ROOT, "book/_templates/language.html").exists()


def test_the_buttons_that_copy_speak_the_language_of_the_page():
    copybutton = Path(sphinx_copybutton.__file__).with_name("_static") / "copybutton.js_t"
    script = words.with_words(copybutton.read_text("utf-8"), "ko")
    assert words.with_words(script, "ko") == script
    table = script[: script.index("let locale")]
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    said = subprocess.check_output([node, "-e", f"{table}; console.log(JSON.stringify(messages))"])
    found = json.loads(said)
    assert found["ko"] == words.WORDS_OF_COPY_BUTTON
    assert found["ko"].keys() == found["en"].keys()


def test_the_words_of_the_buttons_are_looked_for_where_they_are():
    with pytest.raises(LookupError, match="copybutton.js: expected 'const messages = {'"):
        words.with_words("let messages = {}", "ko")
