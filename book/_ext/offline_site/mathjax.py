"""Copy the part of MathJax 3 that the pages load out of an installed package.

The package sphinx-mathjax-offline ships all of MathJax (24 MB). The pages need its core, TeX input,
HTML output, the hidden MathML for screen readers, and the fonts: 1.5 MB, of which a page requests
what it uses. The context menu, a third of the usual bundle, is left out.
"""

import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGE = "sphinx-mathjax-offline"

PARTS = (
    "startup.js",
    "core.js",
    "input/tex.js",
    "input/tex/extensions",
    "output/chtml.js",
    "output/chtml/fonts",
    "a11y/assistive-mml.js",
)


def source_folder() -> Path:
    """Return the folder of MathJax inside the installed package.

    Raises:
        RuntimeError: the package is not installed, or holds no MathJax.
    """
    try:
        found = distribution(PACKAGE).locate_file(f"{PACKAGE}/static/mathjax")
    except PackageNotFoundError:
        raise RuntimeError(f"{PACKAGE} is not installed: run `make setup`") from None
    folder = Path(str(found))
    if not folder.joinpath("startup.js").is_file():
        raise RuntimeError(f"{PACKAGE}: expected MathJax in {folder}, found none")
    return folder


def copy_to(destination: Path) -> None:
    """Copy `PARTS` to `destination`, unless an earlier build already did."""
    source = source_folder()
    for part in PARTS:
        target = destination / part
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.joinpath(part).is_dir():
            shutil.copytree(source / part, target)
        else:
            shutil.copyfile(source / part, target)
