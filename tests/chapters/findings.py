"""Findings that a chapter tells in plain words, each followed by the claim that it tells.

In a notebook's prose stands ``... and nearly all of them did. <!-- finding: 02.3c -->``. What is
told is the text before the comment, back to the comment before it or to the paragraph's beginning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

APPENDIX = "## How we know"
MARK = "※"
COMMENT = re.compile(r"<!-- finding: (?P<id>[\w.]+) -->")
ANY_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FOLD = re.compile(r"<details.*?</details>", re.DOTALL)
MEASURED = re.compile(r"<!-- record: \S+ (?!config\.)")
# What a sentence must say, and what it may not, by the verdict of its claim.
SAYS = {
    "holds": re.compile(r""),
    "undecided": re.compile(r"\b(?:cannot say|undecided|could not tell)\b"),
    "fails": re.compile(
        r"\b(?:did not|does not|do not|is not|was not|not the|not of|no further|were wrong|fails?"
        r"|failed)\b"
    ),
}
ONLY_UNDECIDED = SAYS["undecided"]


@dataclass(frozen=True)
class Finding:
    """What is told of a claim."""

    claim: str
    told: str


def in_sight(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the cells before the appendix, or none where a chapter has no appendix."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and cell.source.startswith(APPENDIX):
            return list(notebook.cells[:number])
    return []


def paragraphs(notebook: NotebookNode) -> Iterator[str]:
    """Yield the paragraphs in sight; what a fold holds is not."""
    for cell in in_sight(notebook):
        if cell.cell_type == "markdown":
            yield from re.split(r"\n\n|\n(?=- )", FOLD.sub("", cell.source))


def findings(paragraph: str) -> list[Finding]:
    """Return the findings of a paragraph."""
    parts = COMMENT.split(paragraph)  # text, id, text, id, ..., text
    found: list[Finding] = []
    for before, claim in zip(parts[::2], parts[1::2], strict=False):
        told = " ".join(ANY_COMMENT.sub("", before).split())
        if not told and found:  # one sentence tells several claims
            told = found[-1].told
        found.append(Finding(claim, told))
    return found


def problem(finding: Finding, verdict: str) -> str | None:
    """Return what is wrong with how a claim is told, if anything."""
    if not SAYS[verdict].search(finding.told):
        return f"{finding.claim} is {verdict}: {finding.told!r} does not say so"
    if verdict != "undecided" and ONLY_UNDECIDED.search(finding.told):
        return f"{finding.claim} is {verdict}: {finding.told!r} says that we do not know"
    return None


def printed(notebook: NotebookNode) -> Iterator[str]:
    """Yield the texts that cells in sight print where a reader sees them at once."""
    for cell in in_sight(notebook):
        hidden = {"hide-output", "remove-output", "remove-cell", "hide-cell"}
        if cell.cell_type == "code" and not hidden & set(cell.metadata.get("tags", [])):
            for output in cell.outputs:
                yield output.get("text") or output.get("data", {}).get("text/plain", "")
