"""What a page asks of its reader, counted on a page written here."""

import pytest

from tools.lesson import Lesson, article, glossary_terms, lesson

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


def test_a_long_sentence_is_counted() -> None:
    sentence = " ".join(["word"] * 26) + "."
    page = f'<article class="bd-article"><p>{sentence} Short. {sentence[5:]}</p></article>'
    assert lesson(page).long == 1


def test_a_page_without_an_article_is_refused() -> None:
    with pytest.raises(ValueError, match="html: expected an element article"):
        article("<p>nothing</p>")


def test_the_glossary_gives_its_english_names() -> None:
    found = glossary_terms()
    assert "query" in found and len(found) > 100
    assert not any("가" <= letter <= "힣" for term in found for letter in term)
