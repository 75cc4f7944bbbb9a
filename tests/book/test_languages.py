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
from languages import anchors, editions, korean_search, untranslated, words
from myst_parser.parsers.docutils_ import Parser

from tests.book.conftest import ROOT

TEXTS = [
    "셀프 어텐션을 쓴다.",
    "키를 읽고 값이 남는다",
    "KV 캐시가 2배다",
    "다중헤드 GRU는",
    "중첩",
]


def asked(texts: list[str]) -> list[list[str]]:
    """Return how the page's script splits what a reader types."""
    script = korean_search.Korean.js_splitter_code
    run = f"{script}; console.log(JSON.stringify({json.dumps(texts)}.map(splitQuery)))"
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    found: list[list[str]] = json.loads(subprocess.check_output([node, "-e", run]))
    return found


@pytest.mark.parametrize(
    "query, text",
    [
        ("어텐션", "셀프어텐션을 쓴다"), ("셀프 어텐션", "셀프어텐션에서"), ("키", "키를 읽는다"),
        ("잔차 스트림", "잔차 스트림의"), ("GRU", "GRU는 셀이다"), ("빔 서치", "빔서치로"),
    ],
)  # fmt: skip
def test_a_word_is_found_with_its_particles_and_in_compounds(query: str, text: str):
    (parts,) = asked([query])
    assert set(parts) <= set(korean_search.Korean({}).split(text))


def test_another_word_is_not_found():
    (parts,) = asked(["희소 어텐션"])
    assert not set(parts) <= set(korean_search.Korean({}).split("셀프 어텐션의 희망"))


def test_the_script_splits_as_the_index_does():
    splitter = korean_search.Korean({})
    for text, parts in zip(TEXTS, asked(TEXTS), strict=True):
        assert set(parts) <= set(splitter.split(text))


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
