"""The theme's own words in Korean, where the theme has none."""

from sphinx.application import Sphinx
from sphinx.locale import get_translator

WORDS = {
    "Skip to main content": "본문으로 건너뛰기",
    "Back to top": "맨 위로",
    "Search": "검색",
    "Search the docs ...": "검색어 입력 ...",
    "Search this book...": "책에서 검색 ...",
    "light/dark": "밝게/어둡게",
    "Light": "밝게",
    "Dark": "어둡게",
    "System Settings": "시스템 설정",
    "Color mode": "색상 모드",
    "Site Navigation": "사이트 이동",
    "On this page": "이 쪽의 내용",
    "previous page": "앞 쪽",
    "next page": "다음 쪽",
    "previous": "이전",
    "next": "다음",
    "Contents": "목차",
    "Fullscreen mode": "전체 화면",
    "Toggle primary sidebar": "왼쪽 목차 열고 닫기",
    "Toggle secondary sidebar": "오른쪽 목차 열고 닫기",
    "Launch on": "실행:",
    "Launch interactive content": "실행 환경 열기",
    "Source repositories": "소스 저장소",
    "Source repository": "소스 저장소",
    "Repository": "저장소",
    "Open an issue": "오류 알리기",
    "Download this page": "이 쪽 내려받기",
    "Download source file": "소스 파일 내려받기",
    "Download notebook file": "노트북 파일 내려받기",
    "Print to PDF": "PDF로 인쇄",
    "Close": "닫기",
    "By": "지은이",
    "Copyright": "저작권",
    "Theme by the": "테마:",
}


def translate(app: Sphinx) -> None:
    """Add the words to what Sphinx and its extensions say (handler of ``builder-inited``)."""
    if app.config.language == "ko":
        said = getattr(get_translator(), "_catalog", None)
        if said is not None:
            for word, korean in WORDS.items():
                said.setdefault(word, korean)
