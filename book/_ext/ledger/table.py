"""The ledger's table: one line a claim, which opens to what it was decided by."""

import re
from collections.abc import Sequence
from dataclasses import replace

from docutils import nodes
from languages.anchors import titles
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from bottomup.experiments import Claim
from bottomup.experiments.engine.entries import FILE
from bottomup.experiments.engine.locked import Column
from bottomup.experiments.engine.registry import NAMES
from bottomup.i18n import _
from bottomup.results.again import Again, again

from .kinds import history, places, source_words, standing_of, standing_words, verdict_words

WIDTHS = (62, 20, 18)  # per cent

# What ledger.js sorts by where a reader presses the head of a column.
SORTED_BY = ("claim", "paper", "verdict")

# The class of the text in which ledger.js looks for a reader's words.
WORDS = "ledger-words"


# A word of which a claim speaks, such as *it*.
MARKED = re.compile(r"\*(\w+)\*")


def chapter_page(env: BuildEnvironment, chapter: str) -> str | None:
    """Return the name of a chapter's page; None where the book has none."""
    pages = sorted(name for name in env.found_docs if name.startswith(f"chapters/{chapter}_"))
    return pages[0] if pages else None


def section_address(env: BuildEnvironment, claim: Claim) -> str | None:
    """Return the address of the section that discusses the claim; None without such a chapter."""
    page = chapter_page(env, claim.chapter)
    if page is None:
        return None
    address = env.app.builder.get_relative_uri(env.docname, page)
    return f"{address}#{nodes.make_id(claim.section)}"


def with_own_section(env: BuildEnvironment, claim: Claim) -> Claim:
    """Return a claim with the heading that its section has in the page's language."""
    page = chapter_page(env, claim.chapter)
    own = {} if page is None else titles(env, page)
    return replace(claim, section=own.get(claim.section, claim.section))


def code(config: Config) -> str:
    """Return where the repository's files lie on the web."""
    theme = config.html_theme_options
    return f"{theme.get('repository_url', '')}/blob/{theme.get('repository_branch') or 'main'}"


def claims_table(rows: Sequence[tuple[Claim, str | None]], code: str = "") -> nodes.table:
    """Return the table; on a phone its style sheet turns each row into a block of its own."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in WIDTHS), cols=len(WIDTHS))
    head = nodes.row("", *map(column_head, heads(), SORTED_BY))
    body = nodes.tbody("", *(claim_row(claim, address, code) for claim, address in rows))
    group += [nodes.thead("", head), body]
    return nodes.table("", group, classes=["ledger", "colwidths-given"])


def heads() -> tuple[str, ...]:
    """Return the names of the columns."""
    return _("Claim"), _("Paper"), _("Verdict")


def column_head(name: str, key: str) -> nodes.entry:
    """Return the head of a column, which says by what the column is sorted."""
    return nodes.entry("", nodes.paragraph("", name), classes=[f"ledger-by-{key}"])


def claim_anchor(number: str) -> str:
    """Return the anchor of a claim's row."""
    return f"claim-{number.replace('.', '-')}"


def claim_row(claim: Claim, address: str | None, code: str = "") -> nodes.row:
    """Return the row of one claim; ledger.js chooses rows by their classes."""
    cells: tuple[list[nodes.Node], ...] = (
        [
            raw("<details><summary>"),
            statement(claim),
            raw("</summary>"),
            details(claim, address, code),
            raw("</details>"),
        ],
        [line(source_words(claim), "ledger-paper", WORDS)],
        [nodes.paragraph("", "", verdict_mark(standing_of(claim)))],
    )
    row = nodes.row("", *(nodes.entry("", *cell) for cell in cells))
    row["ids"] = [claim_anchor(claim.id)]
    row["classes"] = [
        f"chapter-{claim.chapter}",
        f"kind-{claim.kind}",
        f"verdict-{standing_of(claim)}",
    ]
    return row


def statement(claim: Claim) -> nodes.inline:
    """Return the line of a claim that always shows: its number and its sentence."""
    number = nodes.inline("", claim.id, classes=["ledger-number"])
    words = [
        nodes.emphasis("", part) if place % 2 else nodes.Text(part)
        for place, part in enumerate(MARKED.split(claim.sentence))
    ]
    sentence = nodes.inline("", "", *words, classes=["ledger-sentence"])
    parts = [number, nodes.Text(" "), sentence]
    return nodes.inline("", "", *parts, classes=["ledger-claim", WORDS])


def details(claim: Claim, address: str | None, code: str) -> nodes.definition_list:
    """Return what a row opens to: the paper's value, ours, the rule, its past, the record."""
    words = verdict_words()
    value = f"{claim.value_over_runs}: {words[claim.verdict]}"
    items = [
        detail(_("In the paper"), line(claim.paper_value), *source_lines(claim)),
        detail(_("First record"), line(value, "ledger-value"), line(claim.measured, WORDS)),
        detail(_("Rule"), line(rule(claim))),
    ]
    if found := again(claim):
        items.append(detail(_("Run again"), *map(line, told_again(found))))
    if told := history(claim):
        items.append(detail(_("When it was set"), line(" ".join(told))))
    items.append(detail(_("Record"), nodes.paragraph("", "", record_link(claim.record))))
    if module := NAMES.get(claim.record.partition("/")[0]):
        file = f"{code}/src/{module.replace('.', '/')}/{FILE}"
        link = nodes.reference("", FILE, refuri=file)
        items.append(detail(_("Entry"), nodes.paragraph("", "", link)))
    if address is not None:
        where = _("chapter {chapter}, {section}")
        text = where.format(chapter=claim.chapter, section=claim.section)
        link = nodes.reference("", text, refuri=address, internal=True)
        items.append(detail(_("Discussed in"), nodes.paragraph("", "", link)))
    return nodes.definition_list("", *items, classes=["ledger-details"])


def told_again(found: Again) -> list[str]:
    """Return a line for each run under locked rules, and what became of the effect."""
    names = {Column.SAME: _("same setting"), Column.VARIED: _("varied setting")}
    words, lines = verdict_words(), []
    for column, claim in found.columns.items():
        if claim is None:
            lines.append(_("{column}: still to be run").format(column=names[column]))
            continue
        text = _("{column}: {value}: {verdict}").format(
            column=names[column], value=claim.value_over_runs, verdict=words[claim.verdict]
        )
        lines.append(text)
    if found.shrinkage is not None:
        change = _("shrinkage of the distance from the margin, same setting: {percent:.0f} %")
        lines.append(change.format(percent=100 * found.shrinkage).replace("-", "−"))
    return lines


def detail(name: str, *lines: nodes.paragraph) -> nodes.definition_list_item:
    """Return one named detail of a claim."""
    return nodes.definition_list_item("", nodes.term("", name), nodes.definition("", *lines))


def source_lines(claim: Claim) -> list[nodes.paragraph]:
    """Return the paper where no column shows it, and a link to the claim that is asked again."""
    if claim.repeats is None:
        return [line(places(claim.source), "ledger-source")]
    anchor = claim_anchor(claim.repeats)
    link = nodes.reference("", source_words(claim), refid=anchor, internal=True)
    return [line(places(claim.source), WORDS), nodes.paragraph("", "", link)]


def rule(claim: Claim) -> str:
    """Return a claim's rule, with how often chance meets it."""
    found = _("Holds if {rule}.").format(rule=claim.rule.text)
    text = _(
        "If the true value lay exactly on the margin, one run would hold by chance in "
        "{chance:.1f} % of cases."
    )
    return f"{found} {text.format(chance=100 * claim.rule.chance(len(claim.values)))}"


def record_anchor(name: str) -> str:
    """Return the anchor of a record in the list below the table."""
    return str(nodes.make_id(f"record-{name}"))


def record_link(name: str) -> nodes.reference:
    """Return a link to a record in the list below the table."""
    return nodes.reference("", name, refid=record_anchor(name), internal=True)


def verdict_mark(standing: str) -> nodes.inline:
    """Return the word for how a claim stands, with a class that colours it."""
    classes = ["ledger-verdict", f"ledger-{standing}"]
    return nodes.inline("", standing_words()[standing], classes=classes)


def line(text: str, *classes: str) -> nodes.paragraph:
    """Return a paragraph of plain text."""
    return nodes.paragraph("", text, classes=list(classes))


def raw(html: str) -> nodes.raw:
    """Return a piece of HTML."""
    return nodes.raw("", html, format="html")
