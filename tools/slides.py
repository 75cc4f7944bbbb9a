"""Slides of a chapter, from its own headings, formulae, drawings and short cells.

``make slides CH=03`` writes ``_build/slides/03_….slides.html``: a slide for each section
with the sentence that opens it, below it a slide for each formula, table, drawing, figure, and code
of at most eight lines; what it prints comes after it. A figure has a slide of its own: longer code
that draws it is in the speaker's notes (key s), and so is the whole text of a section. What a text
asks last has a slide of its own. ``SECTIONS=the-mlp,cut-a-part`` makes slides of these sections
alone, by their addresses on the page.
Printed with ``?print-pdf`` behind the address. reveal.js and MathJax lie beside the slides, where
`make slides` puts them, so that they need no network.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from copy import copy

import nbformat
from docutils import nodes
from nbconvert import SlidesExporter
from nbformat import NotebookNode
from traitlets.config import Config

from tools.notebooks.paths import ROOT, find_notebooks

FOLDER = ROOT / "_build/slides"
LONGEST = 8  # lines of code on a slide
ROOM = 16  # lines of code and of what it prints, together
HEADING = re.compile(r"^(#{1,3} .+)$", re.M)
FORMULA = re.compile(r"^\$\$\n?.+?\$\$$", re.M | re.S)
SHOWN = re.compile(rf"{FORMULA.pattern}|(?:^\|[^\n]+\n?)+", re.M | re.S)  # or a table
NO_TEXT = re.compile(r"<details.*?</details>|^```.*?^```|<!--.*?-->|^\|.+$", re.M | re.S)
END = re.compile(r"(?<=[.?!:])(?<![\s*]\d\.)(?<!\b[A-Z]\.) (?=[A-Z*$`])")
LEFT_OUT = re.compile(r"#+ (References|Check yourself)$")
STYLE = """<style>
.reveal h1, .reveal h2, .reveal h3 { text-transform: none; }
.reveal .jp-OutputArea svg, .reveal .jp-OutputArea img { zoom: 1.5; max-height: 370px; }
.reveal .jp-OutputArea svg:not(:only-of-type) { zoom: 1; max-height: 250px; }
</style>
"""
NO_MERMAID = "data:text/javascript,export default {initialize() {}}"  # no chapter draws with it
WITHOUT_CODE = {"remove-input", "hide-input"}
FOLDED = {"hide-input", "source", "explorable"}
EXERCISES = ("check(", "catch(", "hint(", "diagnose(")


def slides_of(notebook: NotebookNode, sections: Sequence[str] = ()) -> NotebookNode:
    """Return a notebook whose cells say how they stand on slides.

    Args:
        notebook: a chapter.
        sections: addresses of those to show, such as "the-mlp"; all if there are none.

    Raises:
        ValueError: the chapter has no section of that address.
    """
    made = copy(notebook)
    cells = _of_sections(notebook.cells, sections) if sections else notebook.cells
    made.cells = [each for cell in cells for each in _slides(cell)]
    return made


def _of_sections(cells: Sequence[NotebookNode], sections: Sequence[str]) -> list[NotebookNode]:
    """Return the cells of some sections; a cell that goes over a heading is cut there."""
    kept: dict[str, list[NotebookNode]] = {}
    address = ""
    for cell in cells:
        if cell.cell_type == "code":
            kept.setdefault(address, []).append(cell)
            continue
        for part in re.split(r"^(?=#{1,2} )", cell.source, flags=re.M):
            if heading := re.match("#{1,2} (.+)", part):
                address = nodes.make_id(heading[1])
            kept.setdefault(address, []).append(_markdown(part, ""))
    if missing := [each for each in sections if each not in kept]:
        names = ", ".join(filter(None, kept))
        raise ValueError(f"sections: expected some of {names}, got {', '.join(missing)}")
    return [cell for each in kept if each in sections for cell in kept[each]]


def _slides(cell: NotebookNode) -> Iterator[NotebookNode]:
    if cell.cell_type == "code":
        if _is_shown(cell):
            yield from _shown(cell)
        return
    above, *rest = HEADING.split(cell.source)
    yield from _said(above)
    for heading, text in zip(rest[::2], rest[1::2], strict=True):
        if LEFT_OUT.match(heading):
            continue
        opening = FORMULA.sub("", NO_TEXT.sub("", text)).strip().split("\n\n")[0]
        if not heading.endswith("Summary"):
            opening = END.split(opening)[0]
        yield _markdown(f"{heading}\n\n{opening}", "slide" if heading[2] != "#" else "subslide")
        yield from _said(text)


def _said(text: str) -> Iterator[NotebookNode]:
    """Yield the text for the speaker, its formulae and tables, and what its last paragraph asks."""
    spoken = NO_TEXT.sub("", text).strip()
    if spoken:
        yield _markdown(spoken, "notes")
    for shown in SHOWN.findall(text):
        yield _markdown(shown.strip(), "subslide")
    asked = [each for each in END.split(spoken.split("\n\n")[-1]) if each.endswith("?")]
    if asked:
        yield _markdown(" ".join(asked), "subslide")


def _shown(cell: NotebookNode) -> Iterator[NotebookNode]:
    """Yield a cell; where its code is seen and short, first without what it prints.

    What it prints comes below the code if there is room, else on the next slide, as a figure does.
    """
    tags = set(cell.metadata.get("tags", ()))
    seen = not tags & (WITHOUT_CODE | FOLDED | {"drawing"})
    below = seen and not _is_figure(cell) and _lines(cell) <= ROOM
    printed = _placed(cell, "fragment" if below else "subslide")
    printed.metadata["tags"] = sorted(tags | {"remove-input"})
    if seen and not _is_long(cell):
        code = _placed(cell, "subslide")
        code.outputs = []
        printed.id = f"{cell.id}-printed"
        yield code
    yield printed
    if seen and _is_long(cell):
        yield _markdown(f"```python\n{cell.source}\n```", "notes")


def _is_shown(cell: NotebookNode) -> bool:
    tags = set(cell.metadata.get("tags", ()))
    if "drawing" in tags or _is_figure(cell):
        return True
    asks = any(name in cell.source for name in EXERCISES)
    return bool(cell.outputs) and not tags & FOLDED and not _is_long(cell) and not asks


def _is_figure(cell: NotebookNode) -> bool:
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def _lines(cell: NotebookNode) -> int:
    """Return how many lines of code and of printed text a cell has."""
    texts = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.outputs
    ]
    return sum(text.count("\n") + 1 for text in (cell.source, *texts))


def _is_long(cell: NotebookNode) -> bool:
    return len([line for line in cell.source.splitlines() if line.strip()]) > LONGEST


def _markdown(source: str, place: str) -> NotebookNode:
    return _placed(nbformat.v4.new_markdown_cell(source), place)


def _placed(cell: NotebookNode, place: str) -> NotebookNode:
    made = copy(cell)
    made.metadata = NotebookNode(cell.metadata, slideshow={"slide_type": place})
    return made


def exporter() -> SlidesExporter:
    """Return nbconvert's exporter with the scripts that lie beside the slides."""
    scripts = "node_modules"
    return SlidesExporter(
        config=Config(TagRemovePreprocessor={"enabled": True, "remove_input_tags": WITHOUT_CODE}),
        reveal_url_prefix=f"{scripts}/reveal.js",
        reveal_theme="white",  # its fonts lie in the package
        reveal_scroll=True,
        mathjax_url=f"{scripts}/mathjax/MathJax.js?config=TeX-AMS_CHTML-full,Safe",
        require_js_url=f"{scripts}/requirejs/require.js",
        jquery_url=f"{scripts}/jquery/dist/jquery.js",
        mermaid_js_url=NO_MERMAID,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )


def main() -> None:
    """Write the slides of the chapters that are named, or of all."""
    parser = argparse.ArgumentParser(description="Slides of a chapter, into _build/slides.")
    parser.add_argument("names", nargs="*", help="chapters, such as 03; all if none is named")
    parser.add_argument("--sections", default="", help="such as layernorm,the-mlp; else all")
    options = parser.parse_args()
    sections = [each for each in options.sections.split(",") if each]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in find_notebooks(options.names):
        chapter = nbformat.read(path, as_version=4)
        body, _ = exporter().from_notebook_node(slides_of(chapter, sections))
        target = FOLDER / f"{path.stem}.slides.html"
        target.write_text(body.replace("</head>", f"{STYLE}</head>", 1), encoding="utf-8")
        print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
