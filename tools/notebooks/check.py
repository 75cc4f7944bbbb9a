"""What every stored chapter must satisfy. Each rule returns sentences that say what to change."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import nbformat
from nbformat import NotebookNode

from tools.notebooks import drawings, explorables, sources
from tools.notebooks.closure import parse_cell
from tools.notebooks.fingerprint import is_executed
from tools.notebooks.normalise import is_widget
from tools.notebooks.paths import chapter_number

MAX_BYTES = 700_000
MAX_SETUP_LINES = 10
MAX_MEDIAN_LINES = 6
MAX_LINES = 20
MAX_COLUMNS = 76  # what the page shows between its two side bars without scrolling
FIGURE = re.compile(r'class="bottomup-(drawing|explorable)"')
MAX_WORDS_BEFORE, MAX_WORDS_BETWEEN = 900, 1200  # of prose, the first picture, and two pictures
MIN_WORDS = 2000
HIDDEN = "hide-output"  # folded on the page, under *Show*
IGNORED = "nbval-ignore-output"
PROOFS = re.compile(r"## (?:\d+\. )?How we know$", re.MULTILINE)  # folded, and looked up

Rule = Callable[[NotebookNode], Iterator[str]]


def check(path: Path) -> list[str]:
    """Return what is wrong with a stored notebook; an empty list means nothing."""
    notebook = nbformat.read(path, as_version=4)
    problems = [problem for rule in RULES for problem in rule(notebook)]
    problems += list(size(path))
    problems += list(as_executed(notebook, path))
    return [f"{path.name}: {problem}" for problem in problems]


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the code cells that hold code."""
    cells = notebook.cells
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def lines(cell: NotebookNode) -> int:
    """Count the lines of a cell that are not blank."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def tags(cell: NotebookNode) -> list[str]:
    """Return the tags of a cell."""
    return list(cell.metadata.get("tags", []))


def size(path: Path) -> Iterator[str]:
    """The file is small enough to be read on a code host."""
    bytes_ = path.stat().st_size
    if bytes_ > MAX_BYTES:
        yield f"{bytes_} bytes, at most {MAX_BYTES}: lower the dpi of its figures"


def as_executed(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """No code cell was edited after the last run."""
    if not is_executed(notebook):
        number = chapter_number(path)
        yield f"its code changed after it was executed: run `make chapters CH={number}`"


def executed(notebook: NotebookNode) -> Iterator[str]:
    """Every code cell ran, once and in order: nbval passes over a cell that has no count."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if not counts:
        yield "it has no code cells"
    elif counts != list(range(1, len(counts) + 1)):
        yield f"cells were not executed once and in order: counts are {counts}"


def outputs(notebook: NotebookNode) -> Iterator[str]:
    """No error that was not meant, no warning, no widget."""
    if "widgets" in notebook.metadata:
        yield "its metadata holds widget state"
    for number, cell in enumerate(code_cells(notebook), start=1):
        kinds = {output.output_type for output in cell.outputs}
        streams = {output.get("name") for output in cell.outputs}
        if "error" in kinds and "raises-exception" not in tags(cell):
            yield f"code cell {number} shows an error and is not tagged raises-exception"
        if "stderr" in streams:
            yield f"code cell {number} writes to stderr: a warning or a progress bar"
        if any(is_widget(output) for output in cell.outputs):
            yield f"code cell {number} stores a widget"


def set_up(notebook: NotebookNode) -> Iterator[str]:
    """The first code cell sets up, is short, and is folded on the page."""
    for cell in code_cells(notebook)[:1]:
        if lines(cell) > MAX_SETUP_LINES:
            yield f"the set-up cell has {lines(cell)} lines, at most {MAX_SETUP_LINES}"
        if "hide-input" not in tags(cell):
            yield "the first code cell sets up and needs the tag hide-input"


def short_cells(notebook: NotebookNode) -> Iterator[str]:
    """Code comes in pieces that can be read at one look."""
    lengths = [len(cell.source.splitlines()) for cell in code_cells(notebook)]
    if lengths and median(lengths) > MAX_MEDIAN_LINES:
        yield f"the median code cell has {median(lengths):g} lines, at most {MAX_MEDIAN_LINES}"
    for number, length in enumerate(lengths, start=1):
        if length > MAX_LINES:
            yield f"code cell {number} has {length} lines, at most {MAX_LINES}"
    for number, cell in enumerate(code_cells(notebook)[1:], start=2):
        longest = max(cell.source.splitlines(), key=len)
        if len(longest) > MAX_COLUMNS:
            yield f"code cell {number}: {longest!r} is over {MAX_COLUMNS} columns wide"


def prose(notebook: NotebookNode) -> Iterator[str]:
    """The argument is carried by prose."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    words = count_words("\n".join(cells))
    if words < MIN_WORDS:
        yield f"{words} words of prose, at least {MIN_WORDS}"


def walls(notebook: NotebookNode) -> Iterator[str]:
    """A reader meets a picture before long, and never reads long without one.

    A picture that is hidden until it is asked for is none. What is looked up is not counted.
    """
    words, most = 0, MAX_WORDS_BEFORE
    for cell, text in read_through(notebook):
        if cell.cell_type == "markdown":
            words += count_words(text)
        elif shows_picture(cell) and HIDDEN not in tags(cell):
            words, most = 0, MAX_WORDS_BETWEEN
        if words > most:
            yield f"more than {most} words without a picture, up to {text[:50]!r}"
            words, most = 0, MAX_WORDS_BETWEEN


def read_through(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, str]]:
    """Yield the cells with their text, without the section *How we know*."""
    looked_up = False
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            if not looked_up:
                yield cell, cell.source
            continue
        kept = ""
        for part in re.split(r"^(?=## )", cell.source, flags=re.MULTILINE):
            if part.startswith("## "):
                looked_up = PROOFS.match(part) is not None
            kept += "" if looked_up else part
        yield cell, kept


def hidden_outputs(notebook: NotebookNode) -> Iterator[str]:
    """What the page hides until it is asked for, JupyterLab hides until the cell is run."""
    for number, cell in enumerate(code_cells(notebook), start=1):
        in_lab = cell.metadata.get("jupyter", {}).get("outputs_hidden") is True
        if in_lab and HIDDEN not in tags(cell):
            yield f"code cell {number} has outputs_hidden, but not the tag {HIDDEN}"
        if HIDDEN in tags(cell) and not in_lab:
            yield f"code cell {number} is tagged {HIDDEN}: set jupyter.outputs_hidden to true, too"


def shows_picture(cell: NotebookNode) -> bool:
    """Say whether a code cell shows a drawing, a plot or an interactive figure."""
    return any(
        "image/png" in data or FIGURE.search(data.get("text/html", ""))
        for data in (output.get("data", {}) for output in cell.outputs)
    )


def count_words(markdown: str) -> int:
    """Count words of prose: no code, no formulas, no comments, no tags, no addresses of links."""
    not_prose = (
        r"```.*?```|:::\{?|<!--.*?-->|\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]*`|<[^>\n]+>|\]\([^)\n]*\)"
    )
    text = re.sub(not_prose, " ", markdown, flags=re.DOTALL)
    return len(re.findall(r"[^\W\d_][\w'’-]*", text))


def ignored_outputs(notebook: NotebookNode) -> Iterator[str]:
    """A number that nbval does not compare is held in a band by an assertion.

    The assertion stands in the same cell or the next. What is drawn for the reader has no number
    to hold, a drawing, an explorable, nor has code.
    """
    cells = code_cells(notebook)
    for number, cell in enumerate(cells, start=1):
        if "nbval-skip" in tags(cell):
            yield f"code cell {number} is tagged nbval-skip: it would never run under test"
        free = {explorables.TAG, sources.TAG, drawings.TAG} & set(tags(cell))
        if IGNORED not in tags(cell) or free or number == 1:
            continue
        if not any(
            re.search(r"^\s*assert\b", near.source, re.M) for near in cells[number - 1 :][:2]
        ):
            yield f"code cell {number} is tagged nbval-ignore-output, but no assert follows it"


def shown_sources(notebook: NotebookNode) -> Iterator[str]:
    """A cell that shows code of the package shows it as it is."""
    for call in sources.outdated(notebook):
        yield f"{call} has changed: run `make refresh`"


def shown_drawings(notebook: NotebookNode) -> Iterator[str]:
    """A cell that shows a drawing shows it as it is."""
    for call in drawings.outdated(notebook):
        yield f"{call} has changed: run `make refresh`"
    drawn = [cell.source for cell in code_cells(notebook) if drawings.TAG in tags(cell)]
    others = [parse_cell(cell.source) for cell in code_cells(notebook) if cell.source not in drawn]
    used = {node.id for tree in others for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for source in drawn:
        bound = {alias.asname or alias.name for node in ast.walk(ast.parse(source))
                 if isinstance(node, ast.ImportFrom) for alias in node.names}  # fmt: skip
        for name in sorted(bound & used):
            yield f"a drawing's cell imports {name}, a name that other cells use: import it `as`"


def shown_figures(notebook: NotebookNode) -> Iterator[str]:
    """What a cell shows to be touched is on the page too, as the package has it."""
    for number, cell in enumerate(code_cells(notebook), start=1):
        if re.search(r"\bipywidgets\b", cell.source):
            yield f"code cell {number} shows a widget, nothing on the page: use `knobs`"
        if re.search(r"^knobs\(", cell.source, re.M) and not shows_picture(cell):
            yield f"code cell {number} turns knobs, but stores no figure: execute it"
    for name in explorables.outdated(notebook):
        yield f"{name}: script or style changed: run `make refresh`"


def figures(notebook: NotebookNode) -> Iterator[str]:
    """Every picture says in words what is seen, for readers who do not see it."""
    for number, cell in enumerate(code_cells(notebook), start=1):
        pictures = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        if pictures and not cell.metadata.get("mystnb", {}).get("image", {}).get("alt"):
            yield f"code cell {number} draws a picture without metadata mystnb.image.alt"


def semicolons(notebook: NotebookNode) -> Iterator[str]:
    """No output is held back by a semicolon: nbval runs cells without history and shows it."""
    for number, cell in enumerate(code_cells(notebook), start=1):
        if cell.source.rstrip().endswith(";") and IGNORED not in tags(cell):
            yield f"code cell {number} ends in a semicolon: assign the value to _ instead"


def seeds(notebook: NotebookNode) -> Iterator[str]:
    """Only the first cell seeds the global generators."""
    seeding = r"\b(torch\.(random\.)?manual_seed|random\.seed)\("
    for number, cell in enumerate(code_cells(notebook), start=1):
        if number > 1 and re.search(seeding, cell.source) and "fork_rng" not in cell.source:
            yield f"code cell {number} seeds globally: only the set-up cell does"


RULES: tuple[Rule, ...] = (
    executed,
    outputs,
    set_up,
    short_cells,
    prose,
    walls,
    hidden_outputs,
    ignored_outputs,
    shown_sources,
    shown_drawings,
    shown_figures,
    figures,
    semicolons,
    seeds,
)
