"""Find links, anchors and images of a built site that lead nowhere, without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

GENERATED = ("_sources", "_static")  # copies of what authors wrote, and scripts

# A file named in prose becomes a link where its ending is also that of a country, as with Moldova.
FILE_NAME = re.compile(r"[^/]+\.(md|py|sh)", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """The addresses a page refers to, and the anchors it offers."""

    addresses: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.addresses += [values[name] for name in ("href", "src", "poster") if name in values]
        self.addresses += _choices(values.get("srcset", ""))
        self.anchors |= {values[name] for name in ("id", "name") if name in values}


def _choices(srcset: str) -> list[str]:
    """Return the addresses of ``srcset="small.png 1x, large.png 2x"``."""
    return [choice.split()[0] for choice in re.split(r",\s+", srcset) if choice.strip()]


@cache
def read_page(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text("utf-8"))
    return page


def html_pages(root: Path) -> Iterator[Path]:
    """Yield the pages of a built site that authors answer for."""
    for path in sorted(root.rglob("*.html")):
        if not set(path.relative_to(root).parts) & set(GENERATED):
            yield path


def broken_links(root: Path) -> list[str]:
    """Return one line for each internal address that leads nowhere."""
    return [
        f"{path.relative_to(root)}: {address} ({problem})"
        for path in html_pages(root)
        for address in read_page(path).addresses
        if (problem := _problem(path, address)) is not None
    ]


def _problem(path: Path, address: str) -> str | None:
    parts = urlsplit(address)
    if FILE_NAME.fullmatch(parts.netloc) and parts.path in ("", "/"):
        return "the name of a file"
    if parts.scheme or parts.netloc:
        return None
    if parts.path.startswith("/"):  # a site on a code host lies in a folder
        return "leaves the site"
    target = path.parent.joinpath(unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return "no such file"
    wants_anchor = parts.fragment and target.suffix == ".html"
    if wants_anchor and unquote(parts.fragment) not in read_page(target).anchors:
        return "no such anchor"
    return None
