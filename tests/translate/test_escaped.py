"""A made-up language finds text that no message covers: whatever stands without its marks."""

import json
import re
from html import unescape

import pytest

from tools.translate.blocks import parser
from tools.translate.pages import Page, all_pages, is_prose, joined

OPEN, CLOSE = "⟦", "⟧"
# What these directives hold is data, or English on purpose.
DATA = {
    "benchmark", "benchmark-reason", "bibliography", "concept-key", "drawing", "exercise-list",
    "fast-path", "ledger", "ledger-again", "ledger-cheapest", "ledger-turned", "ledger-records",
    "ledger-summary", "plans", "raw", "small-translator", "wrong-answer",
}  # fmt: skip
LANGUAGES = {"python", "bash", "shell", "text", "bibtex", "markdown", "console", "powershell"}
PLAIN = re.compile(r"<(code|pre)\b.*?</\1>|<!--.*?-->|<[^>]*>|\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)


def marked(page: Page) -> list[str]:
    """Return the page's Markdown in a language that puts every message between marks."""
    words = {message: f"{OPEN}{message}{CLOSE}" for message in page.messages()}
    text = page.translated(words)
    if not page.is_notebook:
        return [text]
    return [joined(cell) for cell in json.loads(text)["cells"] if is_prose(cell)]


def escaped(text: str) -> list[str]:
    """Return the words of a text that stand outside the marks, in a directive or a paragraph."""
    found = []
    for token in parser().parse(text, {}):
        if token.type in ("fence", "colon_fence"):
            name = re.match(r"\{?([\w-]*)", token.info.strip())[1]
            if name == "glossary":  # its names are English and Korean in every edition
                found += escaped("\n".join(re.findall(r"^ +(.+)$", token.content, re.M)))
            elif name in ("div", "note", "tip", "table", "admonition"):
                found += escaped(token.content)
            elif name not in DATA | LANGUAGES and token.info.strip():
                found.append(f"{token.info}: {token.content[:60]}")
        elif token.type in ("inline", "html_block"):
            outside = re.sub(rf"{OPEN}.*?{CLOSE}", " ", token.content, flags=re.DOTALL)
            plain = unescape(
                PLAIN.sub(" ", re.sub(r"`[^`]*`|^:[\w-]+:.*$", " ", outside, flags=re.M))
            )
            found += [plain.strip()] if re.search(r"[A-Za-z]{3}", plain) else []
    return found


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)
def test_no_text_escapes(page: Page):
    assert [word for text in marked(page) for word in escaped(text)] == []


@pytest.mark.parametrize(
    "text", ["A paragraph.", "```{aside}\nNew.\n```", "<p>Some text.</p>", "- an item"]
)
def test_text_without_marks_is_seen(text: str):
    assert escaped(text)
    assert not escaped(f"{OPEN}A paragraph.{CLOSE}")
