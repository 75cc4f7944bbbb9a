"""The two editions of a page: addresses, links in the head, and the link in the header."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

OTHER = "ko"
NAMES = {"en": "English", OTHER: "한국어"}
SHORT = {"en": "EN", OTHER: "한국어"}  # beside six buttons on a phone
RELEASED = f"locale/{OTHER}/released.txt"
ALTERNATE = '<link rel="alternate" hreflang="{language}" href="{address}" />\n'


def root(app: Sphinx) -> Path:
    """Return the folder of the English source, in both editions."""
    return Path(app.srcdir, app.config.translated_from)


def released(app: Sphinx) -> set[str]:
    """Return the pages that are released in Korean."""
    path = root(app) / RELEASED
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def set_address(app: Sphinx, config: Config) -> None:
    """Let pages of the Korean edition know where they are published (``config-inited``)."""
    if config.translated_from and config.html_baseurl:
        config.html_baseurl = config.ogp_site_url = f"{config.html_baseurl}{OTHER}/"


def link(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Link a page with its twin (handler of ``html-page-context``)."""
    korean, twins = bool(app.config.translated_from), released(app)
    if doctree is None or not (korean or pagename in twins):
        return
    file = app.builder.get_target_uri(pagename)
    up = "../" * (pagename.count("/") + korean)
    other = "en" if korean else OTHER
    context["other_edition"] = {
        "language": other,
        "name": NAMES[other],
        "short": SHORT[other],
        "url": up + file if korean else f"{up}{OTHER}/{file}",
    }
    base = app.config.html_baseurl.removesuffix(f"{OTHER}/" if korean else "")
    if pagename not in twins:
        context["body"] = f'<div lang="en">{context["body"]}</div>'
        context["pageurl"] = base + file if base else context.get("pageurl")
    elif base:
        places = {"en": base + file, OTHER: f"{base}{OTHER}/{file}", "x-default": base + file}
        context["metatags"] += "".join(
            ALTERNATE.format(language=language, address=address)
            for language, address in places.items()
        )
