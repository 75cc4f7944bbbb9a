"""Sphinx extension that makes the built site light and free of remote requests.

Each step is a module of its own:

- `page_assets` leaves out scripts that come from another host or that no page uses;
- `mathjax` copies the parts of MathJax that a page needs out of an installed package;
- `icons` cuts the theme's icon fonts and their CSS down to the icons in use;
- `address` tells each page where it will be published, and social cards where their picture is;
- `figures` has pictures loaded when a reader comes near;
- `archive` packs the built site into one file to take along;
- `public_names` links types in signatures to the names readers import.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from . import address, archive, figures, icons, mathjax, page_assets, public_names


def finish_site(app: Sphinx, error: Exception | None) -> None:
    """Copy MathJax, cut the icons down and pack all, where pages were written."""
    if error is None and app.builder.format == "html":
        static = Path(app.outdir, "_static")
        mathjax.copy_to(static / "mathjax")
        icons.shrink(Path(app.outdir))
        page_assets.remove_unused_files(static)
        archive.pack(Path(app.outdir), app.config.html_baseurl)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.connect("config-inited", address.set_address)
    # Late in each event: other extensions (500 and 501) still add buttons, scripts and markup.
    app.connect("html-page-context", page_assets.adjust_page, priority=900)
    # Early: the theme (500) renders each part of a page to see which is empty.
    app.connect("html-page-context", page_assets.drop_navigation, priority=100)
    app.connect("doctree-resolved", page_assets.drop_thebe_markup, priority=900)
    app.connect("doctree-resolved", figures.adjust_figures)
    app.connect("build-finished", finish_site)
    app.connect("missing-reference", public_names.resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
