"""Cut the theme's FontAwesome fonts and their CSS down to the icons that the pages use.

The theme ships about 2,000 icons: 300 kB of fonts and 90 kB of CSS. The book uses some forty.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pydata_sphinx_theme
from fontTools import subset

THEME_STATIC = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
FONTS = "vendor/fontawesome/webfonts"
THEME_CSS = "styles/pydata-sphinx-theme.css"

ICON_CLASS = re.compile(r"\bfa-[a-z0-9-]+")
# One rule per icon, with its aliases: `.fa-map:before{content:"\f279"}`.
ICON_RULE = re.compile(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"[^"]*"\}')
TRUETYPE = re.compile(r',\s*url\([^)]*\.ttf\)\s*format\("truetype"\)')
SOURCE_MAP = re.compile(r"/\*# sourceMappingURL=[^*]*\*/")
ESCAPED = re.compile(r"\\([ef][0-9a-f]{3})")
# FontAwesome numbers its icons in Unicode's private use area.
PRIVATE_USE = re.compile("[\ue000-\uf8ff]")


def used_icons(texts: Iterable[str]) -> set[str]:
    """Return every icon class (``fa-rocket``) that occurs in the given pages and scripts."""
    return {name for text in texts for name in ICON_CLASS.findall(text)}


def shrink_css(css: str, icons: set[str]) -> str:
    """Drop the rules of unused icons, the TrueType fallbacks and the source map's address."""

    def rule_or_nothing(match: re.Match[str]) -> str:
        return match[0] if icons & set(ICON_CLASS.findall(match[1])) else ""

    css = ICON_RULE.sub(rule_or_nothing, css)
    return SOURCE_MAP.sub("", TRUETYPE.sub("", css))


def codepoints(css: str) -> set[int]:
    """Return the private-use characters of a style sheet, escaped (``\\f279``) or literal."""
    escaped = {int(number, 16) for number in ESCAPED.findall(css)}
    return escaped | {ord(character) for character in PRIVATE_USE.findall(css)}


def subset_font(source: Path, destination: Path, characters: set[int]) -> None:
    """Write the WOFF2 font `source` to `destination` with the glyphs of `characters` only."""
    options = subset.Options(flavor="woff2", notdef_outline=True, ignore_missing_unicodes=True)
    with subset.load_font(str(source), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=characters)
        subsetter.subset(font)
        subset.save_font(font, str(destination), options)


def shrink(outdir: Path) -> None:
    """Shrink the fonts and the style sheet of the built site in `outdir`. Safe to repeat."""
    static = outdir / "_static"
    readers = [path for path in outdir.rglob("*.html") if "_sources" not in path.parts]
    readers += [path for path in static.rglob("*.js") if "mathjax" not in path.parts]
    texts = (path.read_text("utf-8") for path in readers if path.name != "fontawesome.js")
    theme_css = static / THEME_CSS
    theme_css.write_text(shrink_css(theme_css.read_text("utf-8"), used_icons(texts)), "utf-8")
    sheets = (path.read_text("utf-8") for path in static.rglob("*.css"))
    wanted = {point for sheet in sheets for point in codepoints(sheet)}
    for font in (THEME_STATIC / FONTS).glob("*.woff2"):
        subset_font(font, static / FONTS / font.name, wanted)
