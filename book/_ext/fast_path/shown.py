"""What the pages show of the fast path: the line below a title, marks, the way on, the list."""

from collections.abc import Iterable, Sequence, Set
from html import escape

from docutils import nodes
from exercise_list.listing import fill
from sphinx.writers.html5 import HTML5Translator

from bottomup.i18n import _

from . import reading
from .reading import Section

ON_PATH = "on-fast-path"  # the class of a section; fast_path.js folds the others
PAPER = "https://doi.org/10.1016/j.jml.2019.104047"


class Mark(nodes.Element):  # type: ignore[misc]  # docutils has no types
    """A mark beside a heading. It holds no text: titles in search and links stay what they are."""


def visit_mark(translator: HTML5Translator, node: Mark) -> None:
    """Write the mark, whose sign the style sheet gives."""
    name = escape(_("on the fast path"))
    translator.body.append(f'<span class="fast-path-mark" role="img" aria-label="{name}"></span>')
    raise nodes.SkipNode


def mark(top: nodes.section, anchors: Set[str], contents: nodes.Element) -> None:
    """Mark the sections with these anchors below the section of a page, and in its contents."""
    top["classes"].append(ON_PATH)
    for section in top.findall(nodes.section):
        if anchors & set(section["ids"]):
            section["classes"].append(ON_PATH)
            section[0] += Mark()
    for link in contents.findall(nodes.reference):
        if link["anchorname"].removeprefix("#") in anchors:
            link += Mark()


def line(sections: Sequence[Section], whole: str) -> nodes.paragraph:
    """Return what stands below the title: links to numbered sections, minutes, the switch."""
    numbered = [
        nodes.reference("", each.number, refid=each.anchor, internal=True, reftitle=each.shown)
        for each in sections
        if each.number
    ]
    one, several = (
        _("{path}: section {sections} in {minutes} minutes. The rest can wait. "),
        _("{path}: sections {sections} in {minutes} minutes. The rest can wait. "),
    )
    text = one if len(numbered) == 1 else several
    said = text.format(path="{path}", sections="{sections}", minutes=reading.minutes(sections))
    parts = {"{path}": link_to(whole), "{sections}": enumeration(numbered, ", ", _(" and "))}
    return nodes.paragraph("", "", *fill(said, parts), switch(), classes=["fast-path"])


def passed_by(whole: str) -> nodes.paragraph:
    """Return what stands below the title of a chapter that is not on the path."""
    text = _("{path}: this page can wait.")
    return nodes.paragraph("", "", *fill(text, {"{path}": link_to(whole)}), classes=["fast-path"])


def lead_on(top: nodes.section, way: nodes.paragraph) -> None:
    """Put a paragraph at the end of the last marked section, above what is below it."""
    *_before, last = (each for each in top.findall(nodes.section) if ON_PATH in each["classes"])
    below = last.first_child_matching_class(nodes.section)
    last.insert(len(last) if below is None else below, way)


def way_on(whole: str, following: tuple[str, str] | None) -> nodes.paragraph:
    """Return what leads from a chapter's last section on the path to the next chapter.

    Args:
        whole: address of the whole path.
        following: number and address of the next chapter; None where the path ends.
    """
    parts: dict[str, nodes.Node] = {"{path}": link_to(whole)}
    if following is None:
        text = _("{path}: this was the last section.")
    else:
        number, address = following
        text = _("{path}: go on with {chapter}.")
        name = _("chapter {number}").format(number=number)
        parts["{chapter}"] = nodes.reference("", name, refuri=address, internal=True)
    return nodes.paragraph("", "", *fill(text, parts), classes=["fast-path"])


def link_to(whole: str) -> nodes.reference:
    """Return the words that lead to the whole path."""
    return nodes.reference("", _("Fast path"), refuri=whole, internal=True)


def switch() -> nodes.raw:
    """Return the button that folds the rest, with its texts; the script shows it."""
    texts = {
        "fold": _("Fold the rest"),
        "all": _("Show all"),
        "show": _("Show"),
        "hide": _("Hide"),
    }
    data = "".join(f' data-{name}="{escape(text)}"' for name, text in texts.items())
    html = f'<button type="button" class="fast-path-switch" hidden{data}></button>'
    return nodes.raw("", html, format="html")


def enumeration(links: Sequence[nodes.Node], between: str, last: str) -> nodes.inline:
    """Return links with a text between them, another one before the last."""
    found = nodes.inline("", "", links[0])
    for link in links[1:]:
        found += [nodes.Text(last if link is links[-1] else between), link]
    return found


def entry(chapter: str, address: str, sections: Sequence[Section]) -> nodes.list_item:
    """Return a chapter's entry in the whole path: title and sections as links, and its minutes."""
    top, *others = sections
    text = _("{chapter}, {minutes} minutes: {sections}.")
    said = text.format(
        chapter="{chapter}", sections="{sections}", minutes=reading.minutes(sections)
    )
    links = [
        nodes.reference("", each.shown, refuri=f"{address}#{each.anchor}", internal=True)
        for each in others
    ]
    page = nodes.reference("", f"{chapter} {top.shown}", refuri=address, internal=True)
    parts: dict[str, nodes.Node] = {
        "{chapter}": page,
        "{sections}": enumeration(links, "; ", "; "),
    }
    return nodes.list_item("", nodes.paragraph("", "", *fill(said, parts)))


def sum_of(chapters: Iterable[Sequence[Section]]) -> nodes.paragraph:
    """Return a sentence with all minutes, and how they were counted."""
    text = _(
        "Together {minutes} minutes. Counted are {words} words a minute, at which adults read "
        "English prose that is no fiction ({paper}), {line} seconds for a line of code, "
        "{formula} for a formula and {picture} for a picture."
    )
    said = text.format(
        minutes=sum(map(reading.minutes, chapters)),
        words=reading.WORDS_A_MINUTE,
        line=reading.SECONDS_A_LINE,
        formula=reading.SECONDS_A_FORMULA,
        picture=reading.SECONDS_A_PICTURE,
        paper="{paper}",
    )
    paper = nodes.reference("", "Brysbaert, 2019", refuri=PAPER)
    return nodes.paragraph("", "", *fill(said, {"{paper}": paper}))
