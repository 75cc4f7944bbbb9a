"""What a page asks of its reader, counted on a page written here."""

import pytest

from tools.lesson import Lesson, glossary_terms, lesson

PAGE = """<html><body><nav>Not this.</nav><article class="bd-article">
<h1>Two heads<a class="headerlink">#</a></h1>
<p>One head mixes all words. Its <strong>rank</strong> is 3 (03.2c), or 0.50 ± 0.02.</p>
<div class="cell docutils"><div class="cell_input"><pre>x = 1</pre></div>
<div class="cell_output"><div class="output stream">0.1 ± 0.2</div></div></div>
<svg class="drawing"><text>words in a picture</text></svg>
<p>Here <span class="math">(d_k)</span> is a width of section 4.</p>
<div class="math">[x = y]</div>
<details><summary>How we know</summary><p>Five words are hidden here. 1 ± 1</p></details>
</article></body></html>"""


def test_what_is_in_sight_is_counted_and_what_a_fold_holds_is_not() -> None:
    assert lesson(PAGE, ["rank", "head"]) == Lesson(
        words=2 + 13 + 8 + 3,
        whole=2 + 13 + 8 + 3 + 7,
        numbers=round(100 * 3 / 26, 1),  # 3, 0.50 and 0.02; a section's number points somewhere
        marks=3,  # 03.2c, and ± in the prose and in the output
        gap=2 + 13,
        long=0,
        terms=4,  # head, rank, width, and the claim
    )


OUTPUT = '<div class="cell docutils"><div class="cell_output">{}</div></div>'
PICTURE = OUTPUT.format('<svg class="drawing"><text>seen</text></svg>')
PRINTED = OUTPUT.format('<div class="output stream">0.1 ± 0.2 (02.1a)</div>')


def page(*parts: str) -> str:
    return f'<article class="bd-article">{"".join(parts)}</article>'


def test_what_is_shown_when_it_is_asked_for_is_not_in_sight() -> None:
    show = f'<details class="show"><summary>Show</summary>{PRINTED}{PICTURE}</details>'
    asked = page("<p>Five words before the fold.</p>", show, "<p>Four words behind it.</p>")
    found = lesson(asked)
    assert (found.words, found.whole, found.gap) == (10, 10, 10)  # no picture parts the words
    assert (found.marks, found.numbers) == (0, 0)
    opened = lesson(asked.replace('class="show"', 'class="show" open'))
    assert (opened.words, opened.gap, opened.marks) == (10, 6, 2)


@pytest.mark.parametrize("claim", ["02.4", "03.2c", "01b.3a", "10.5a", "10b.12m", "05.8는"])
def test_the_number_of_a_claim_is_a_mark(claim: str) -> None:
    found = lesson(page(f"<p>It did not ({claim}).</p>"))
    assert (found.marks, found.numbers) == (1, 0)


@pytest.mark.parametrize("number", ["10.5", "11.3", "0.25", "10.5n", "102.4", "1.02.3"])
def test_a_decimal_number_is_no_mark(number: str) -> None:
    assert lesson(page(f"<p>They lost {number} points.</p>")).marks == 0


def test_the_glossary_gives_its_english_names() -> None:
    found = glossary_terms()
    assert "query" in found and len(found) > 100
    assert not any("가" <= letter <= "힣" for term in found for letter in term)
