"""The Sphinx extension of the book: what it drops, copies and cuts down."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from fontTools.ttLib import TTFont
from offline_site import icons, mathjax, page_assets, public_names

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


def test_used_icons_are_read_from_classes() -> None:
    texts = ['<i class="fas fa-rocket"></i>', "icon.className = 'fa-solid fa-xmark'"]
    assert icons.used_icons(texts) == {"fa-rocket", "fa-solid", "fa-xmark"}


def test_shrunk_css_keeps_the_rule_of_an_icon_in_use_under_either_name() -> None:
    css = icons.shrink_css(CSS, {"fa-photo-video"})
    assert ".fa-photo-film:before,.fa-photo-video:before" in css
    assert ".fa-map" not in css
    assert ".fa-equals" not in css


def test_shrunk_css_keeps_what_is_no_icon_and_drops_unused_files() -> None:
    css = icons.shrink_css(CSS, set())
    assert ".fa-lg{font-size:1.25em}" in css
    assert "a:after" in css
    assert 'url(a.woff2) format("woff2")}' in css
    assert ".ttf" not in css
    assert "sourceMappingURL" not in css


def test_shrinking_twice_changes_nothing() -> None:
    once = icons.shrink_css(CSS, {"fa-map"})
    assert icons.shrink_css(once, {"fa-map"}) == once


def test_codepoints_are_found_escaped_and_literal() -> None:
    assert icons.codepoints(CSS) == {0xF279, 0xF87C, 0xF35D, 0xF058}


def test_subset_font_holds_the_wanted_glyphs_only(tmp_path: Path) -> None:
    source = icons.THEME_STATIC / icons.FONTS / "fa-solid-900.woff2"
    target = tmp_path / source.name
    icons.subset_font(source, target, {0xF279, 0xE000})
    with TTFont(target) as font:
        assert set(font.getBestCmap()) == {0xF279}
    assert target.stat().st_size < source.stat().st_size / 50


def test_subset_font_of_no_glyphs_is_still_a_font(tmp_path: Path) -> None:
    source = icons.THEME_STATIC / icons.FONTS / "fa-brands-400.woff2"
    icons.subset_font(source, tmp_path / "empty.woff2", set())
    with TTFont(tmp_path / "empty.woff2") as font:
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


def test_issue_button_is_renamed_inside_a_group() -> None:
    inner = {"label": "source-issues-button", "text": "Open issue", "tooltip": "Open an issue"}
    other = {"label": "download-buttons", "text": "Download", "buttons": []}
    page_assets.name_issue_button([{"label": "source-buttons", "buttons": [inner]}, other])
    assert inner["text"] == "Report an error"
    assert other["text"] == "Download"


def page_with(*children: nodes.Node) -> nodes.document:
    document = new_document("page")
    document.extend(children)
    return document


def test_math_is_seen_in_a_paragraph_and_as_a_block() -> None:
    inline = nodes.paragraph("", "", nodes.math("x", "x"))
    assert page_assets.has_math(page_with(inline))
    assert page_assets.has_math(page_with(nodes.math_block("x", "x")))
    assert not page_assets.has_math(page_with(nodes.paragraph("", "x")))
    assert not page_assets.has_math(None)


@pytest.mark.parametrize("math", [True, False])
def test_page_gets_mathjax_only_with_formulae(math: bool) -> None:
    scripts = [asset("mathjax/startup.js"), asset(None, "window.MathJax = {}"), asset("book.js")]
    context: dict[str, Any] = {"script_files": scripts, "css_files": [asset("sphinx-thebe.css")]}
    document = page_with(nodes.math_block("x", "x")) if math else page_with()
    page_assets.adjust_page(None, "page", "page.html", context, document)
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


def test_mathjax_is_copied_without_its_menu(tmp_path: Path) -> None:
    mathjax.copy_to(tmp_path)
    for part in mathjax.PARTS:
        assert tmp_path.joinpath(part).exists(), part
    assert not tmp_path.joinpath("ui/menu.js").exists()
    megabytes = sum(path.stat().st_size for path in tmp_path.rglob("*.*") if path.is_file()) / 1e6
    assert megabytes < 3


def test_missing_mathjax_is_named_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mathjax, "PACKAGE", "no-such-package")
    with pytest.raises(RuntimeError, match="no-such-package is not installed: run `make setup`"):
        mathjax.source_folder()


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
