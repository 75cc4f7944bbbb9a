"""Where the site says that it is published, and what a shared link shows."""

import re
import struct
from pathlib import Path

import pytest
from offline_site.address import pages_address

from tests.site.pages import book_pages

META = re.compile(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"')


@pytest.mark.parametrize(
    "repository, address",
    [
        ("https://github.com/owner/name", "https://owner.github.io/name/"),
        ("https://github.com/owner/name/", "https://owner.github.io/name/"),
        ("https://code.example/owner/name", ""),
        ("https://github.com/owner", ""),
        ("", ""),
    ],
)
def test_the_address_follows_from_the_repository(repository: str, address: str) -> None:
    assert pages_address(repository) == address


@pytest.mark.parametrize("page", book_pages())
def test_a_shared_link_shows_title_sentence_and_card(built: Path, page: str) -> None:
    html = built.joinpath(f"{page}.html").read_text("utf-8")
    shown = dict(META.findall(html))
    (canonical,) = re.findall(r'<link rel="canonical" href="([^"]*)"', html)
    assert shown["og:url"] == canonical
    assert canonical.endswith(f"/{page}.html")
    assert shown["og:site_name"] == "Transformers from the Bottom Up"
    assert shown["og:title"]
    assert shown["og:description"].endswith((".", "?", ":", "..."))
    assert shown["twitter:card"] == "summary_large_image"
    root = canonical.removesuffix(f"{page}.html")
    assert built.joinpath(shown["og:image"].removeprefix(root)).is_file()


def test_the_card_has_the_size_that_sites_show_uncut(built: Path) -> None:
    head = built.joinpath("_static/social_card.png").read_bytes()[:24]
    assert struct.unpack(">II", head[16:24]) == (1200, 630)
