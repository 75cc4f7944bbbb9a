"""Which claims a chapter names: in its prose, its stored outputs, and its code."""

import re
from collections.abc import Iterable
from string import ascii_lowercase

from nbformat import NotebookNode

# the leading zero tells a claim from a decimal number, from chapter 10 on the letter behind it
NUMBER = r"(?:0\d[a-z]?\.\d+|1\d[a-z]?\.\d+(?=[a-m](?!\w)))"
LETTER = r"[a-z](?!\w|\.\w)"  # not the first of "e.g."
MORE = rf"(?:,|,?\s+and|,?\s+to)\s+(?:(?P=number))?{LETTER}"  # ", c", " to c", " and 08.3c"
REFERENCE = re.compile(
    r"(?<![\w.])(?<![Ss]ection\s)(?<![Ss]ections\s)"
    rf"(?P<number>{NUMBER})(?P<letters>{LETTER}(?:{MORE})*)?(?!\w|\.\d)"
)
STEP = re.compile(rf"(?P<word>,|and|to)\s+(?:{NUMBER})?(?P<letter>[a-z])\b")
LITERAL = re.compile(rf"""["']({NUMBER}[a-z]?)["']""")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def names_in(text: str) -> list[str]:
    """Return the claims that a text names, shorthand written out: ``08.3a to c`` is three names.

    A number without a letter, ``08.2``, is returned as it stands: `claims_of` knows what it means.
    """
    found = REFERENCE.finditer(COMMENT.sub("", text))
    return [name for each in found for name in _written_out(each["number"], each["letters"])]


def _written_out(number: str, letters: str | None) -> list[str]:
    if not letters:
        return [number]
    found = letters[0]
    for step in STEP.finditer(letters):
        # Letters stand in their order, so the "a" of "08.1c, a claim that" is an article.
        after = ord(found[-1]) + 1
        first = after if step["word"] == "to" else max(after, ord(step["letter"]))
        found += "".join(map(chr, range(first, ord(step["letter"]) + 1)))
    return [number + letter for letter in found]


def claims_of(name: str, ids: Iterable[str]) -> set[str]:
    """Return the claims that a name stands for: the one with this id, or all with this number."""
    return {each for each in ids if name in (each, each.rstrip(ascii_lowercase))}


def names_shown(notebook: NotebookNode) -> list[str]:
    """Return the claims that a reader of a chapter sees named, in its prose and its outputs."""
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    printed = [each.get("text") or each.get("data", {}).get("text/plain", "") for each in outputs]
    return names_in("\n\n".join(prose + printed))


def names_in_code(notebook: NotebookNode) -> list[str]:
    """Return the claims and numbers of claims that a chapter's code looks up in the ledger."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return [name for source in code for name in LITERAL.findall(source)]
