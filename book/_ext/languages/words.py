"""The theme's own words in Korean, where Sphinx and the theme have none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.locale import translators

WORDS = {
    "Skip to main content": "본문으로 건너뛰기",
    "Back to top": "맨 위로",
    "Search": "검색",
    "Search this book...": "책에서 찾기",
    "light/dark": "밝게/어둡게",
    "Color mode": "밝게/어둡게",
    "Main": "주 메뉴",
    "Site Navigation": "사이트 이동",
    "Version warning": "판 안내",
    "Link to this heading": "이 제목의 주소",
    "Link to this image": "이 그림의 주소",
    "Link to this table": "이 표의 주소",
    "Link to this term": "이 용어의 주소",
    "Link to this equation": "이 식의 주소",
    "Toggle hidden content": "접은 내용 여닫기",
    "Toggle primary sidebar": "왼쪽 목차 여닫기",
    "Toggle secondary sidebar": "오른쪽 목차 여닫기",
    "Contents": "목차",
    "previous page": "앞 페이지",
    "next page": "다음 페이지",
    "previous": "이전",
    "next": "다음",
    "Fullscreen mode": "전체 화면",
    "Launch on Binder": "Binder에서 열기",
    "Launch on Colab": "Colab에서 열기",
    "Launch interactive content": "실행 환경에서 열기",
    "Source repositories": "소스 저장소",
    "Source repository": "소스 저장소",
    "Repository": "저장소",
    "Report an error": "오류 알리기",
    "Report an error on this page": "이 페이지의 오류 알리기",
    "Open an issue": "오류 알리기",
    "Download this page": "이 페이지 내려받기",
    "Download source file": "소스 파일 내려받기",
    "Download notebook file": "노트북 파일 내려받기",
    "Print to PDF": "PDF로 인쇄",
    "By": "지은이",
    "Bibliography": "참고 문헌",
}
# What the buttons say that copy code. Their script knows some languages, in a table of its own.
COPY_BUTTON, ITS_WORDS = "_static/copybutton.js", "const messages = {"
WORDS_OF_COPY_BUTTON = {
    "copy": "복사",
    "copy_to_clipboard": "클립보드에 복사",
    "copy_success": "복사했다",
    "copy_failure": "복사하지 못했다",
}


def translate(app: Sphinx, config: Config) -> None:
    """Say these words in Korean wherever Sphinx and its extensions ask (``config-inited``)."""
    if config.translated_from:
        for translator in {app.translator, *translators.values()}:
            translator.gettext = korean(translator.gettext)  # type: ignore[method-assign,assignment]
        config.html_theme_options["search_bar_text"] = WORDS["Search this book..."]


def translate_theme(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Do the same for what the theme's templates ask (handler of ``html-page-context``)."""
    if app.config.translated_from and "translate" in context:
        context["translate"] = korean(context["translate"])


def korean(otherwise: Callable[[str], str]) -> Callable[[str], str]:
    """Return what says a word in Korean, and asks `otherwise` for those that are not here."""
    return lambda word: WORDS.get(word) or otherwise(word)


def translate_copy_button(app: Sphinx, error: Exception | None) -> None:
    """Add its words to the script that makes the buttons (handler of ``build-finished``)."""
    if error is None and app.config.translated_from and app.builder.format == "html":
        path = Path(app.outdir, COPY_BUTTON)
        path.write_text(with_words(path.read_text("utf-8"), app.config.language), "utf-8")


def with_words(script: str, language: str) -> str:
    """Return the script of the buttons with their words in a language.

    Raises:
        LookupError: the script keeps its words elsewhere.
    """
    if ITS_WORDS not in script:
        raise LookupError(f"{COPY_BUTTON}: expected {ITS_WORDS!r}")
    row = f"{ITS_WORDS}\n  {language}: {json.dumps(WORDS_OF_COPY_BUTTON, ensure_ascii=False)},"
    return script if row in script else script.replace(ITS_WORDS, row, 1)
