"""What the reader sees after a check: plain text in a terminal, HTML in a notebook."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Literal

from bottomup.exercises.engine.edits import NEWLINE, Edit
from bottomup.exercises.engine.show import side_by_side
from bottomup.i18n import _

Status = Literal["passed", "failed", "unsolved", "unchecked"]

# Borders only: text and background are the page's own, so a report reads well in light and dark.
_BORDERS = {
    "passed": "#2a9d5c",
    "failed": "#d9822b",
    "unsolved": "#7a7f87",
    "unchecked": "#7a7f87",
}
_FRAME = (
    "color: inherit; background: transparent; padding: 0.2em 1em; border-left: 4px solid {border}"
)
_LINE = 76  # characters; what is longer stands in two blocks
_PAGE = 100  # characters; blocks that are wider together stand one below the other
_BLOCK = "color: inherit; background: transparent; margin: 0.3em 0; white-space: pre-wrap"


@dataclass(frozen=True)
class Evidence:
    """One case on which an answer fails.

    Args:
        case: the case's name; empty where the inputs are the reader's own.
        inputs: name and text of each input.
        got: text of what the answer returned, or None where it returned nothing.
        expected: text of the expected value.
        difference: one sentence on how the two differ; empty where the message says it.
        printed: what the answer printed on this case, capped.
    """

    case: str
    inputs: tuple[tuple[str, str], ...]
    got: str | None
    expected: str
    difference: str = ""
    printed: str = ""


@dataclass(frozen=True, repr=False)
class Report:
    """The result of a check. The text holds no times and no addresses, so it is the same each time.

    Args:
        slug: the exercise.
        title: the exercise's name for the reader.
        status: "passed", "failed", "unsolved", or "unchecked" where the check itself failed.
        message: what was found, in a few sentences.
        mistake: slug of the mistake that was recognised, or None.
        see: where the book explains it, or None.
        evidence: a failing case to look at, where there is one.
        edit: how the answer differs from the solution, where it behaves like an edit of it. It
            gives the place away, so that it is folded in a notebook and left out of the text.
        cases: how many cases the answer was run on.
        agreeing: on how many of them it agrees with the solution.
    """

    slug: str
    title: str
    status: Status
    message: str
    mistake: str | None = None
    see: str | None = None
    evidence: Evidence | None = None
    edit: Edit = ()
    cases: int = 0
    agreeing: int = 0

    @property
    def score(self) -> float:
        """Which share of the cases agrees, from 0 to 1; 0 where none was run."""
        return self.agreeing / self.cases if self.cases else 0.0

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status == "passed"

    @property
    def case(self) -> str | None:
        """Name of the case that is shown, or None."""
        return self.evidence.case if self.evidence else None

    @property
    def heading(self) -> str:
        """The exercise's title and the verdict."""
        verdict = {
            "passed": _("passed"),
            "failed": _("not right yet"),
            "unsolved": _("not solved yet"),
            "unchecked": _("not checked"),
        }[self.status]
        return f"{self.title}: {verdict}"

    def __repr__(self) -> str:
        paragraphs = [self.heading, self.message]
        if self.see:
            paragraphs.append(self.see)
        if self.evidence:
            paragraphs.append(evidence_text(self.evidence))
        return "\n".join(paragraphs)

    def _repr_html_(self) -> str:
        parts = [paragraph(text) for text in (self.message, self.see) if text]
        if self.evidence:
            parts.append(evidence_html(self.evidence))
        if self.edit:
            parts.append(edit_html(self.edit))
        return framed(self.status, self.heading, parts)


def framed(status: Status, heading: str, parts: Iterable[str]) -> str:
    """Return a report as HTML: a line on the left in the colour of its status."""
    style = _FRAME.format(border=_BORDERS[status])
    inside = "".join((f"<strong>{escape(heading)}</strong>", *parts))
    return f'<div class="bottomup-report bottomup-{status}" style="{style}">{inside}</div>'


def _intro(evidence: Evidence) -> str:
    if not evidence.case:
        return _("Its last call, and what a right answer returns:")
    return _("A small failing case: {case}").format(case=evidence.case)


def _indented(text: str) -> str:
    return "\n".join(f"  {part}" for line in text.splitlines() for part in _fitted(line))


def _fitted(line: str) -> list[str]:
    """Break a line between the entries of a list; one that fits stays as it is."""
    if len(line) <= _LINE:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 1)
    whole = re.sub("(?<!,) ", "\0", line)  # what stands between two commas is not torn apart
    lines = wrap(
        whole, _LINE, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [each.replace("\0", " ") for each in lines]


def _printed_label() -> str:
    return _("printed by your function")


def evidence_text(evidence: Evidence) -> str:
    """Return a case as plain text."""
    lines = [_intro(evidence)]
    if evidence.difference:
        lines.append(evidence.difference)
    for name, text in evidence.inputs:
        lines += [f"{name}:", _indented(text)]
    if evidence.got is None:
        lines.append(_block(_("expected"), evidence.expected))
    else:
        lines.append(_got_and_expected(evidence.got, evidence.expected))
    if evidence.printed:
        lines += [f"{_printed_label()}:", _indented(evidence.printed)]
    return "\n".join(lines)


def _got_and_expected(got: str, expected: str) -> str:
    line = f"{_('got')}: {got}    {_('expected')}: {expected}"
    if "\n" not in line and len(line) <= _LINE:
        return line
    blocks = _block(_("got"), got), _block(_("expected"), expected)
    beside = side_by_side(*blocks)
    return beside if max(map(len, beside.splitlines())) <= _PAGE else "\n".join(blocks)


def _block(label: str, text: str) -> str:
    return f"{label}:\n{_indented(text)}"


def paragraph(text: str) -> str:
    """Return a paragraph of HTML; what stands in backticks is code."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return f'<p style="margin: 0.3em 0">{marked}</p>'


def edit_html(edit: Edit) -> str:
    """Return in a fold with which edit of the solution the answer behaves alike."""
    changes = "".join(f"<li>{_code(each.place)} → {_code(each.new)}</li>" for each in edit)
    sentence = _("Your answer behaves like the solution with this edit:")
    return (
        f"<details><summary>{_('Where it may lie')}</summary>{paragraph(sentence)}"
        f'<ul style="margin: 0.3em 0">{changes}</ul></details>'
    )


def _code(source: str) -> str:
    """Return source on one line as HTML."""
    lines = filter(None, (part.strip() for part in source.split(NEWLINE)))
    return f"<code>{escape('; '.join(lines))}</code>" if source else _("(nothing)")


def evidence_html(evidence: Evidence) -> str:
    """Return a case as HTML."""
    blocks = [_cell(name, text) for name, text in evidence.inputs]
    results = [] if evidence.got is None else [_cell(_("got"), evidence.got)]
    results.append(_cell(_("expected"), evidence.expected))
    printed = [_cell(_printed_label(), evidence.printed)] if evidence.printed else []
    rows = [_row(cells) for cells in (blocks, results, printed) if cells]
    sentences = [paragraph(text) for text in (_intro(evidence), evidence.difference) if text]
    return "".join(sentences + rows)


def _row(cells: list[str]) -> str:
    return f'<div style="display: flex; flex-wrap: wrap; gap: 0 2em">{"".join(cells)}</div>'


def _cell(label: str, text: str) -> str:
    return f'<div>{escape(label)}<pre style="{_BLOCK}">{escape(text)}</pre></div>'
