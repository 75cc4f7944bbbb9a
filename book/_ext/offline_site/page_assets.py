"""Leave out of each page the scripts and styles that no page of this book uses."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# Part of a file name or of an inline script -> why the page can do without it.
DROPPED = {
    "thebe": "live code through a remote server; the launch buttons do that job",
    "require.js": "needed by stored widget state only, and stored outputs hold none",
    "require.min.js": "the same, under its remote name",
    "html-manager": "the same",
    "design-tabs.js": "no page has tabs",
}

# Files in the built _static folder that no page requests.
UNUSED_FILES = (
    "**/*.map",
    "scripts/fontawesome.js*",
    "vendor/fontawesome/webfonts/*.ttf",
    "sphinx-thebe.*",
    "design-tabs.js",
)

# What sphinx-thebe appends to the text of every page.
THEBE_MARKUP = ("text/x-thebe-config", "kernelName =")

SOURCE_PAGES = "_modules/"
NAVIGATION = "sbt-sidebar-nav.html"

ISSUE_BUTTON = "source-issues-button"


def is_dropped(asset: Any) -> bool:
    """Say whether a script or style (with Sphinx's `filename` and `attributes`) is left out."""
    body = asset.attributes.get("body") or ""
    text = f"{asset.filename or ''} {body}".lower()
    return any(part in text for part in DROPPED)


def kept(assets: list[Any]) -> list[Any]:
    """Return the scripts or styles that stay, in their order."""
    return [asset for asset in assets if not is_dropped(asset)]


def name_issue_button(buttons: list[dict[str, Any]]) -> None:
    """Let the theme's "Open issue" button say what a reader uses it for."""
    for button in buttons:
        if button.get("label") == ISSUE_BUTTON:
            button.update(text="Report an error", tooltip="Report an error on this page")
        name_issue_button(button.get("buttons", []))


def has_math(doctree: nodes.document | None) -> bool:
    """Say whether a page holds a formula of its own."""
    wanted = (nodes.math, nodes.math_block)
    return doctree is not None and any(isinstance(node, wanted) for node in doctree.findall())


def is_mathjax(asset: Any) -> bool:
    """Say whether a script is MathJax or its configuration."""
    body = asset.attributes.get("body") or ""
    return "mathjax" in f"{asset.filename or ''} {body}".lower()


def adjust_page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Filter a page's assets and name its buttons (handler of ``html-page-context``)."""
    scripts = kept(context["script_files"])
    if not has_math(doctree):
        # Sphinx gives MathJax to every page above one with formulae in the table of contents.
        scripts = [script for script in scripts if not is_mathjax(script)]
    context["script_files"] = scripts
    context["css_files"] = kept(context["css_files"])
    name_issue_button(context.get("header_buttons", []))


def drop_navigation(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Leave the table of contents out of source pages, which lead back to the page that they came
    from (handler of ``html-page-context``). Rendering it took a third of a build.
    """
    if pagename.startswith(SOURCE_PAGES):
        context["sidebars"] = [part for part in context["sidebars"] if part != NAVIGATION]


def drop_thebe_markup(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Remove the configuration of live code from a page (handler of ``doctree-resolved``)."""
    for node in list(doctree.findall(nodes.raw)):
        if any(part in node.astext() for part in THEBE_MARKUP):
            node.parent.remove(node)


def remove_unused_files(static: Path) -> None:
    """Delete the files of `UNUSED_FILES` from the built ``_static`` folder."""
    for pattern in UNUSED_FILES:
        for path in static.glob(pattern):
            path.unlink()
