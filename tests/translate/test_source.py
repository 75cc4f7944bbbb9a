"""The Korean source of a page: the same code, and a banner where a page is not released."""

import json
from pathlib import Path

import pytest

from tools.translate import source
from tools.translate.pages import Page, all_pages, contents, entries

PAGE = next(page for page in all_pages() if page.name == "chapters/02_self_attention")
BOOK = next(page for page in all_pages() if page.name == "book/how_to_use")


def made(page: Page, monkeypatch: pytest.MonkeyPatch, *, released: bool) -> str:
    monkeypatch.setattr(source, "released", lambda language: {page.name} if released else set())
    said = {message: f"⟦{message}⟧" for message in page.messages() if "\n" not in message}
    monkeypatch.setattr(source.catalogue, "translations", lambda read: said)
    return source.of_page(page, "ko", {"not solved yet": "아직 풀지 않음"})


def test_code_tags_and_number_of_cells_are_the_same(monkeypatch: pytest.MonkeyPatch):
    cells = json.loads(made(PAGE, monkeypatch, released=True))["cells"]
    english = PAGE.notebook()["cells"]
    changed = []
    for new, old in zip(cells, english, strict=True):
        if "image" in old["metadata"].get("mystnb", {}):  # what is said of a plot
            alt = new["metadata"]["mystnb"]["image"].pop("alt")
            assert alt.startswith("⟦") and old["metadata"]["mystnb"]["image"].pop("alt") != alt
        assert new["metadata"] == old["metadata"] and new["cell_type"] == old["cell_type"]
        if new["cell_type"] == "code" and new["source"] != old["source"]:
            changed.append(("".join(new["source"]), "".join(old["source"])))
    ((first, before),) = changed  # the language is chosen before the package is imported
    assert first == source.CHOICE.format(language="ko") + before
    assert 'os.environ["BOTTOMUP_LANGUAGE"] = "ko"' in first and "import bottomup" in before
    reports = [
        "".join(output["data"]["text/html"])
        for cell in cells
        for output in cell.get("outputs", ())
        if "bottomup-unsolved" in "".join(output.get("data", {}).get("text/html", ""))
    ]
    assert any("아직 풀지 않음" in report for report in reports)
    assert not any("not solved yet" in report for report in reports)


def test_a_page_that_is_not_released_is_english_below_a_banner(monkeypatch: pytest.MonkeyPatch):
    text = "".join(json.loads(made(PAGE, monkeypatch, released=False))["cells"][0]["source"])
    assert text.startswith("# Self-attention\n") and source.BANNER in text
    assert "⟦" not in text


def behind(page: Page, monkeypatch: pytest.MonkeyPatch, *english: str) -> str:
    """Return the source of a released page on which these messages are not translated."""
    said = {message: f"⟦{message}⟧" for message in page.messages() if message not in english}
    monkeypatch.setattr(source, "released", lambda language: {page.name})
    monkeypatch.setattr(source.catalogue, "translations", lambda read: said)
    return source.of_page(page, "ko", {})


@pytest.mark.parametrize("page", [PAGE, BOOK], ids=lambda page: page.name)
def test_a_page_says_how_many_of_its_messages_are_still_english(
    page: Page, monkeypatch: pytest.MonkeyPatch
):
    assert "not-translated" not in behind(page, monkeypatch)
    two = page.messages()[3:5]
    text = behind(page, monkeypatch, *two)
    assert json.dumps(source.STILL_ENGLISH.format(count=2), ensure_ascii=False)[1:-1] in text
    assert source.untranslated(page, "ko") == two


def test_a_page_of_which_nothing_is_translated_is_as_the_english_one_below_a_line(
    monkeypatch: pytest.MonkeyPatch,
):
    text = behind(BOOK, monkeypatch, *BOOK.messages())
    said = source.still_english(len(BOOK.messages()))
    line = f'\n<div class="not-translated" lang="ko">{said}</div>\n'
    assert line in text
    assert text.replace(line, "") == source._to_english_api(BOOK.path.read_text("utf-8"))


def test_a_message_counts_where_it_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text(
        "# Title\n\nOne.\n\n- One.\n- Two.\n\n```{glossary}\nkey\n키\n  Three.\n```\n", "utf-8"
    )
    page = Page("a", path)
    assert page.untranslated({}) == ["Title", "One.", "One.", "Two.", "Three."]
    assert page.untranslated({"One.": "하나.", "Two.": "", "Title": "제목"}) == ["Two.", "Three."]
    monkeypatch.setattr(source, "released", lambda language: set())
    assert source.untranslated(page, "ko") == []


def test_links_to_the_api_lead_to_the_english_one(monkeypatch: pytest.MonkeyPatch):
    for released in (False, True):
        assert "{external+english:doc}`API <book/api/index>`" in made(
            BOOK, monkeypatch, released=released
        )


def test_contents_and_settings_are_those_of_the_language():
    toc = source._contents({"Start": "시작"})
    files = [entry["file"] for entry in entries(toc) if "file" in entry]
    assert files == [page.name for page in all_pages() if page.name != contents()["root"]]
    assert "시작" in [entry.get("caption") for entry in entries(toc)]
    settings = source._settings("ko", {"Show the code": "코드 보기"})["sphinx"]
    assert settings["config"]["language"] == "ko"
    assert settings["config"]["nb_code_prompt_show"] == "코드 보기"
    assert not source.WITHOUT & set(settings["extra_extensions"])
