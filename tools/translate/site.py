"""What the site says besides its pages: titles in the table of contents, settings, the map."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import yaml

from tools.notebooks.paths import ROOT
from tools.translate.pages import LOCALE, contents, entries

# Where a text stands in ``_config.yml``.
SETTINGS = (
    ("title",),
    ("author",),
    ("sphinx", "config", "nb_code_prompt_show"),
    ("sphinx", "config", "nb_code_prompt_hide"),
    ("sphinx", "config", "ogp_site_name"),
    ("sphinx", "config", "ogp_image_alt"),
    ("sphinx", "config", "html_theme_options", "toc_title"),
    ("sphinx", "config", "html_theme_options", "logo", "alt_text"),
)
MAP = ROOT / "book" / "_static" / "course_map.svg"
WORDS_OF_MAP = re.compile(r'(?<=">)[^<>]+(?=</(?:text|title|desc)>)|(?<=aria-label=")[^"]+')


def catalogue(language: str) -> Path:
    """Return where these messages lie."""
    return LOCALE / language / "site.po"


def settings() -> dict[str, Any]:
    """Return what ``_config.yml`` holds."""
    read: dict[str, Any] = yaml.safe_load(ROOT.joinpath("_config.yml").read_text("utf-8"))
    return read


def messages() -> list[tuple[str, str]]:
    """Return every message once, with the file in which it stands first."""
    found: dict[str, str] = {}
    for entry in entries(contents()):
        for kind in ("caption", "title"):
            if kind in entry:
                found.setdefault(entry[kind], "_toc.yml")
    for path in SETTINGS:
        text: Any = settings()
        for key in path:
            text = text[key]
        found.setdefault(text, "_config.yml")
    for words in WORDS_OF_MAP.findall(MAP.read_text("utf-8")):
        found.setdefault(unescape(words), "book/_static/course_map.svg")
    return list(found.items())
