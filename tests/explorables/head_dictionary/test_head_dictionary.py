"""What the head's dictionary takes and refuses, and the script that computes its answers."""

import base64
import gzip
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from bottomup.experiments.pretrained.head_words import HeadWords, head_words
from bottomup.experiments.pretrained.opened import opened
from bottomup.explorables import head_dictionary
from bottomup.explorables.head_dictionary import script
from bottomup.models import pretrained_folder
from bottomup.results.pretrained import HeadAnswers, head_answers
from tests.explorables.demo import HEAD_ANSWERS, WORDS

MOST_BYTES = 40_000  # of what is recorded, in a notebook
MOST_LOADED = 300_000  # compressed, on demand
LEAST_ALIKE = 0.95  # of the first answers, with 8 bits and with all


def payload(answers: HeadAnswers, *examples: str) -> dict:
    return json.loads(head_dictionary(answers, examples=examples or ["jordan"]).data)


def test_payload_holds_both_ways_with_one_digit():
    found = json.loads(WORDS.data)
    assert found["recorded"]["jordan"] == ["michael 8.3 andy 6.7", "king 6.2 sri -1.1"]
    assert (found["start"], found["typical"], found["most"]) == ("jordan", [5.4, 5.6], 9)


def test_table_shows_the_examples_and_the_site_finds_it():
    html = WORDS._repr_html_()
    assert html.count('data-live="dictionary"') == 1
    assert re.findall(r'scope="row"[^>]*>([^<]*)', html) == ["jordan", "king"]
    assert "michael 8.3" in html and "made for a test" in html


@pytest.mark.parametrize(
    "answers, error, message",
    [
        ([], TypeError, "answers.answers: expected a mapping"),
        ({"jordan": ([("a", 1.0)] * 2,)}, TypeError, r"\['jordan'\]: expected \(looks for, is loo"),
        ({"jordan": ([("a", 1.0)], [])}, ValueError, r"\['jordan'\]: expected 2 or more, got 1"),
        (
            {"jordan": ([("a", 1.0), ("b", 2.0)], [("a", 1.0)] * 2)},
            ValueError,
            r"expected the best answer first, got \[1.0, 2.0\]",
        ),
        ({"a" * 16: ([], [])}, ValueError, "answers.answers: .* 1 to 15 letters"),
    ],
)
def test_wrong_answers_are_refused_by_name(answers, error, message: str):
    with pytest.raises(error, match=message):
        payload(replace(HEAD_ANSWERS, answers=answers))


def test_examples_are_recorded_words():
    with pytest.raises(ValueError, match="examples: expected recorded words, got 'queen'"):
        payload(HEAD_ANSWERS, "jordan", "queen")


def test_what_chapter_12_shows_is_light():
    found = head_answers()
    made = head_dictionary(found, examples=["jordan", "cat"])
    assert len(made.data) < MOST_BYTES
    assert json.loads(made.data)["recorded"]["jordan"][0].startswith("michael 8.3 andy 6.7 ")


def scores_of(found: dict) -> np.ndarray:
    """The scores that a page computes."""
    query, key = (
        np.frombuffer(base64.b64decode(found[name]), "i1").reshape(-1, len(found["scale"]))
        for name in ("query", "key")
    )
    return (query * np.array(found["scale"])) @ key.T.astype(float)


def test_eight_bits_keep_every_number_to_half_a_step():
    draw = torch.Generator().manual_seed(3)
    query, key = (torch.randn(5, 7, generator=draw) * 10 ** torch.arange(7) for _ in range(2))
    words = HeadWords(list("abcde"), query, key)
    found = script.words_payload(words)
    assert found["words"] == "a b c d e"
    worst = (query.abs().amax(0) * key.abs().amax(0)).sum() / 7**0.5 / 127
    assert np.abs(scores_of(found) - words.scores.numpy()).max() < worst


def test_where_the_model_is_not_installed_a_notebook_shows_what_is_recorded(monkeypatch):
    monkeypatch.setattr(script, "words_script", lambda: None)
    assert WORDS._repr_mimebundle_() == {
        "text/html": WORDS._repr_html_(),
        "text/plain": repr(WORDS),
    }
    monkeypatch.setattr(script, "words_script", lambda: "globalThis.one = 1;")
    shown = WORDS._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert shown["text/html"] == WORDS._repr_html_()


@pytest.mark.slow
@pytest.mark.skipif(pretrained_folder() is None, reason="all-MiniLM-L6-v2 is not installed")
def test_first_answers_with_eight_bits_are_those_with_all():
    known = head_words(opened(trained=True))
    whole, short = known.scores.numpy(), scores_of(script.words_payload(known))
    for way in (0, 1):
        assert (whole.argmax(way) == short.argmax(way)).mean() >= LEAST_ALIKE
    text = script.words_script()
    assert text is not None and text.startswith("// Derived from all-MiniLM-L6-v2 (Apache License")
    assert "<" not in text
    assert len(gzip.compress(text.encode())) <= MOST_LOADED
    recorded = head_answers()
    assert len(known.words) == recorded.count
    for word, (looks_for, _looked_for) in recorded.answers.items():
        row = np.sort(whole[known.words.index(word)])[::-1][: len(looks_for)]
        assert np.allclose(row, [score for _, score in looks_for], atol=0.006)
