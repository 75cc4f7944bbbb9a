"""Turns of phrase that readers stumbled over are found in sight, and not in a fold or in code."""

import re

import pytest

from tools.prose import PATTERNS, found

SHOWN = {
    "behind, for after": "An MLP comes behind the head.",
    "stand": "What stands there is a key.",
    "tell": "It told us so.",
    "read, of words and layers": "A layer reads the row.",
    "a share as a noun": "In 0.67 of the rows nothing is left.",
    "a spread of zero": "It is 1.00 ± 0.00 here.",
    "a claim in sight": "It holds (03.2c).",
    "a record that acts": "No record says more.",
    "who, without a head": "Who teaches finds plans.",
    "a set-up without a verb": "The same with two heads:",
    "an aphorism": "One word decides; nothing else does.",
}


def page(text: str) -> str:
    return f'<article class="bd-article"><p>{text}</p></article>'


@pytest.mark.parametrize(("name", "sentence"), SHOWN.items())
def test_each_pattern_finds_its_sentence(name: str, sentence: str) -> None:
    assert (name, sentence) in found(page(f"First. {sentence} Last."))


def test_every_pattern_has_a_sentence_here() -> None:
    assert SHOWN.keys() == PATTERNS.keys()
    assert all(re.compile(pattern) for pattern, _instead in PATTERNS.values())


def test_plain_sentences_have_none() -> None:
    plain = "With six hops, the network names all three words in 92% of the sentences."
    folded = "<details><summary>How we know</summary><p>It stands behind (03.2c).</p></details>"
    assert list(found(page(plain) + folded)) == []
    assert list(found(f'<article class="bd-article">{folded}<p>{plain}</p></article>')) == []
