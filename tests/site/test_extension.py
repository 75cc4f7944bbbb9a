"""The Sphinx extension of the book: what it drops, copies and cuts down."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from fontTools.ttLib import TTFont
from offline_site import icons, page_assets, public_names

CSS = (
    ".fa-lg{font-size:1.25em}"
    '.fa-map:before{content:"\\f279"}'
    '.fa-photo-film:before,.fa-photo-video:before{content:"\\f87c"}'
    '.fa-equals:before{content:"\\="}'
    'a:after{content:"\\f35d"}:root{--pst-icon-check:"\uf058"}'
    '@font-face{src:url(a.woff2) format("woff2"),url(a.ttf) format("truetype")}'
    "/*# sourceMappingURL=a.css.map*/"
)


def asset(filename: str | None, body: str | None = None) -> Any:
    return SimpleNamespace(filename=filename, attributes={"body": body} if body else {})


def test_css_keeps_the_rules_of_icons_in_use_and_what_is_no_icon() -> None:
    texts = ['<i class="fas fa-rocket"></i>', "icon.className = 'fa-solid fa-xmark'"]
    assert icons.used_icons(texts) == {"fa-rocket", "fa-solid", "fa-xmark"}
    css = icons.shrink_css(CSS, {"fa-photo-video"})
    for kept in (".fa-photo-film:before,.fa-photo-video:before", ".fa-lg{font-size:1.25em}",
                 "a:after", 'url(a.woff2) format("woff2")}'):  # fmt: skip
        assert kept in css
    for gone in (".fa-map", ".fa-equals", ".ttf", "sourceMappingURL"):
        assert gone not in css
    assert icons.shrink_css(css, {"fa-photo-video"}) == css
    assert icons.codepoints(CSS) == {0xF279, 0xF87C, 0xF35D, 0xF058}  # escaped and literal


def test_subset_font_holds_the_wanted_glyphs_only(tmp_path: Path) -> None:
    source = icons.THEME_STATIC / icons.FONTS / "fa-solid-900.woff2"
    target = tmp_path / source.name
    icons.subset_font(source, target, {0xF279, 0xE000})
    with TTFont(target) as font:
        assert set(font.getBestCmap()) == {0xF279}
    assert target.stat().st_size < source.stat().st_size / 50
    icons.subset_font(source, target, set())
    with TTFont(target) as font:
        assert font.getGlyphOrder() == [".notdef"]


@pytest.mark.parametrize(
    "dropped",
    [
        asset("sphinx-thebe.js"),
        asset(None, 'const THEBE_JS_URL = "https://host/thebe"'),
        asset("https://host/require.min.js"),
        asset("https://host/embed-amd.js?html-manager"),
        asset("design-tabs.js"),
    ],
    ids=["thebe", "inline thebe", "require", "html-manager", "tabs"],
)
def test_asset_no_page_uses_is_dropped(dropped: Any) -> None:
    used = asset("copybutton.js")
    assert page_assets.kept([used, dropped]) == [used]


def page_with(*children: nodes.Node) -> nodes.document:
    document = new_document("page")
    document.extend(children)
    return document


PLAIN = nodes.paragraph("", "x")
INLINE = nodes.paragraph("", "", nodes.math("x", "x"))


@pytest.mark.parametrize(
    "part, math", [(nodes.math_block("x", "x"), True), (INLINE, True), (PLAIN, False)]
)
def test_page_gets_mathjax_only_with_formulae(part: nodes.Node, math: bool) -> None:
    scripts = [asset("mathjax/startup.js"), asset(None, "window.MathJax = {}"), asset("book.js")]
    context: dict[str, Any] = {"script_files": scripts, "css_files": [asset("sphinx-thebe.css")]}
    page_assets.adjust_page(None, "page", "page.html", context, page_with(part))
    assert context["script_files"] == (scripts if math else scripts[2:])
    assert context["css_files"] == []


def test_configuration_of_live_code_is_removed_from_the_page() -> None:
    live = nodes.raw("", '<script type="text/x-thebe-config">{}</script>', format="html")
    own = nodes.raw("", "<b>x</b>", format="html")
    document = page_with(live, own)
    page_assets.drop_thebe_markup(None, document, "page")
    assert document.children == [own]


def test_unused_files_are_removed_and_others_stay(tmp_path: Path) -> None:
    for name in ("styles/a.css.map", "sphinx-thebe.js", "book.css"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    page_assets.remove_unused_files(tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["book.css"]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("bottomup.data.batching.Batch", ["bottomup.data.Batch"]),
        (
            "bottomup.data.minilang.corpus.Link",
            ["bottomup.data.minilang.Link", "bottomup.data.Link"],
        ),
        ("bottomup.data.Batch", []),
        ("torch.nn.modules.Module", []),
        ("", []),
    ],
)
def test_public_names_of_a_type(target: str, expected: list[str]) -> None:
    assert public_names.public_names(target) == expected
