"""The numbers of claims in prose, and the rows of the ledger that they lead to."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledger import links
from ledger.table import statement
from myst_parser.parsers.docutils_ import Parser

from bottomup import results

CLAIMS = dict.fromkeys(("01b.3", "05.6a", "05.6b", "07.6a", "07.6b", "07.6c", "08.3a"), "")


def named(text: str) -> list[tuple[str, str]]:
    """Return the parts of a text that name a claim, with its number."""
    found = list(links.pieces(text, CLAIMS))
    assert "".join(part for part, _ in found) == text
    return [(part, number) for part, number in found if number is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No number.", []),
        ("It holds (07.6a).", [("07.6a", "07.6a")]),
        ("Claim 01b.3 fails.", [("01b.3", "01b.3")]),
        ("(07.6a, b)", [("07.6a", "07.6a"), ("b", "07.6b")]),
        ("(07.6a, b and c)", [("07.6a", "07.6a"), ("b", "07.6b"), ("c", "07.6c")]),
        ("07.6a to c hold", [("07.6a", "07.6a"), ("c", "07.6c")]),
        ("(07.6a, b; 05.6b)", [("07.6a", "07.6a"), ("b", "07.6b"), ("05.6b", "05.6b")]),
        ("claims 05.6 hold", [("05.6", "05.6a")]),  # all of them: the first
        ("(05.6a, but not here)", [("05.6a", "05.6a")]),
        ("(05.6a, z)", [("05.6a", "05.6a")]),  # no claim, a letter
        ("(07.9a)", [("07.9a", "07.9a")]),  # no claim: the page is told
        ("07.6a, c는 성립한다", [("07.6a", "07.6a"), ("c", "07.6c")]),
        ("0.05 of 17.82, version 1.07.6, doi 10.1109/05.6", []),
    ],
)
def test_numbers_are_found_with_the_letters_that_follow(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert named(text) == expected


def test_links_headings_and_code_keep_their_numbers() -> None:
    text = "# Claim 07.6a\n\nIt holds (*07.6b*), [07.6c](x), `05.6a`, $05.6$.\n\n    05.6b\n"
    doctree = publish_doctree(
        text,
        parser=Parser(),
        settings_overrides={
            "report_level": 5,
            "doctitle_xform": False,
            "myst_enable_extensions": ["dollarmath"],
        },
    )
    found = "".join(each.astext() for each in links.prose(doctree))
    assert links.NUMBER.findall(found) == ["07.6b"]


def test_a_word_of_which_a_claim_speaks_shows_without_its_marks() -> None:
    (claim,) = (each for each in results.ledger() if each.id == "12.8a")
    shown = statement(claim)
    assert [node.astext() for node in shown.findall(nodes.emphasis)] == ["it"]
    assert "*" not in shown.astext() + links.tooltips([claim])["12.8a"]
