"""The section *How we know*: folded but for its heading. And the marks that lead into it.

It is known by its id, which is made of its English heading, in every language. Its entries are its
subsections, or the items of its lists where it has none.
"""

from html import escape

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

from bottomup.i18n import _

from .fold import fold

ID = KIND = "how-we-know"
SIGN = "※"
MARK = "how-mark"  # class of a link


class Sign(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils is untyped
    """The text of a mark, which has a name."""


def fold_section(doctree: nodes.document) -> None:
    """Fold what the section holds below its heading."""
    for section in [each for each in doctree.findall(nodes.section) if ID in each["ids"]]:
        title, *content = section.children
        section[:] = [title, fold(KIND, line_for(entries(content)), *content)]


def entries(content: list[nodes.Node]) -> int:
    """Count the entries."""
    subsections = sum(isinstance(node, nodes.section) for node in content)
    lists = [node for node in content if isinstance(node, nodes.Sequential)]
    return subsections or sum(len(each.children) for each in lists)


def line_for(count: int) -> str:
    """Return the line of the fold."""
    one, several, unknown = (
        _("1 entry: seeds, spread, controls, code"),
        _("{count} entries: seeds, spreads, controls, code"),
        _("Seeds, spreads, controls, code"),
    )
    return {0: unknown, 1: one}.get(count, several).format(count=count)


def make_marks(doctree: nodes.document) -> None:
    """Make a mark of each link that is the sign alone."""
    for link in [each for each in doctree.findall(nodes.reference) if each.astext() == SIGN]:
        link["classes"].append(MARK)
        link["reftitle"] = _("How we know")
        link[:] = [Sign()]
        close_up(link)


def close_up(link: nodes.reference) -> None:
    """Take out the space between a mark and what is said; comments may be between, too."""
    paragraph = link.parent
    for before in reversed(paragraph.children[: paragraph.index(link)]):
        if isinstance(before, nodes.Text):
            paragraph.replace(before, nodes.Text(before.rstrip()))
        if before.astext().strip() and not before.astext().startswith("<!--"):
            return


def visit_sign(translator: HTML5Translator, node: Sign) -> None:
    """Write the sign. It holds no text, so that a search for the name finds the section alone."""
    name = escape(_("How we know"))
    translator.body.append(f'<span role="img" aria-label="{name}">{SIGN}</span>')
    raise nodes.SkipNode
