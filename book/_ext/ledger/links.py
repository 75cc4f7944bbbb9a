"""The numbers of claims in prose, such as "(06.1a)", which lead to their rows."""

import re
from collections.abc import Iterable, Iterator, Mapping

from docutils import nodes
from sphinx.environment import BuildEnvironment

from bottomup.experiments import Claim

from .kinds import standing_of, standing_words
from .table import MARKED

KEPT_AS = (
    "claims"  # in Sphinx's metadata of the page with the table: number -> what a pointer shows
)

# The leading 0 tells a number of a claim from one with decimals, from chapter 10 on the letter.
# A Korean particle may follow at once: "07.6a는".
NUMBER = re.compile(
    r"(?<![\w./-])(?:0\d[a-z]?\.\d+[a-z]?|1\d[a-z]?\.\d+[a-m])(?![A-Za-z0-9_]|\.\d)"
)
# What goes on with letters alone: "07.6a, b", "08.3a to c", "05.8a and d".
MORE = re.compile(r"((?:, |, and | and | to )|–)([b-z])(?![A-Za-z0-9_])")

# Texts that are links already, no prose, or a heading, which the navigation repeats.
LEFT_OUT = (
    nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block,
    nodes.raw, nodes.comment,
)  # fmt: skip


def tooltips(claims: Iterable[Claim]) -> dict[str, str]:
    """Return what a pointer shows over a claim's number: its sentence and how it stands."""
    words = standing_words()
    told = {claim: MARKED.sub(r"\1", claim.sentence) for claim in claims}
    return {claim.id: f"{said} ({words[standing_of(claim)]})" for claim, said in told.items()}


def table_page(env: BuildEnvironment) -> str | None:
    """Return the page with the table of claims; None where there is none."""
    return next((page for page, kept in sorted(env.metadata.items()) if KEPT_AS in kept), None)


def prose(doctree: nodes.Element) -> list[nodes.Text]:
    """Return the texts of a page in which a claim's number is to be a link."""
    return [text for text in doctree.findall(nodes.Text) if not stands_in(text, LEFT_OUT)]


def stands_in(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    """Say whether a node stands in one of these kinds."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def pieces(text: str, claims: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield the parts of a text in their order, each with the number of the claim it names.

    A number without its letter, "claims 05.6", names the first of them. A number of no claim comes
    with itself.
    """
    end = 0
    for found in NUMBER.finditer(text):
        yield text[end : found.start()], None
        yield found[0], meant(found[0], claims)
        end = found.end()
        while (more := MORE.match(text, end)) and (
            number := found[0].rstrip("abcdefghijklmnopqrstuvwxyz") + more[2]
        ) in claims:
            yield more[1], None
            yield more[2], number
            end = more.end()
    yield text[end:], None


def meant(number: str, claims: Mapping[str, str]) -> str:
    """Return the claim that a number names: itself, or the first of its letters."""
    lettered = (each for each in claims if re.fullmatch(rf"{re.escape(number)}[a-z]", each))
    return number if number in claims else next(lettered, number)
