"""What the figure of the induction circuit takes, what its table says, and what it refuses."""

import json
import re

import pytest

from bottomup.explorables import induction_builder

TEXT = list("abab")


def test_payload_holds_texts_as_numbers_and_where_the_slider_starts():
    payload = json.loads(induction_builder(["a", "b"], [TEXT, list("bbaa")]).data)
    assert payload["sentences"] == [[0, 1, 0, 1], [1, 1, 0, 0]]
    assert payload["betas"][payload["start"]] == 40


def test_table_shows_what_is_predicted_behind_each_place():
    table = induction_builder(["a", "b"], [TEXT]).fallback
    assert re.findall(r'scope="row"[^>]*>([^<]*)', table) == TEXT
    cells = re.findall(r">([\d.]+)</td>", table)
    assert cells == "0.00 0.00 0.00 0.00 0.00 1.00 1.00 0.00".split()
    assert "beta 40" in table


@pytest.mark.parametrize(
    "symbols, sentences, message",
    [
        (["a"], [TEXT], "symbols: expected 2 to 6, got 1"),
        (["a", "a"], [TEXT], "symbols: expected each once, got 'a' twice"),
        (["a", "four"], [TEXT], "symbols: .* 1 to 3 letters, got 'four'"),
        (["a", "b"], [], "sentences: expected 1 or more, got 0"),
        (["a", "b"], [["a"] * 9], r"sentences\[0\]: expected 4 to 8, got 9"),
        (["a", "b"], [list("abac")], r"\[0\]: expected one of 'a', 'b', got 'c'"),
        (["a", "b"], [TEXT, list("abaab")], r"\[1\]: expected 4 symbols .* got 5"),
    ],
)
def test_what_is_wrong_is_refused_by_name(symbols, sentences, message: str):
    with pytest.raises(ValueError, match=message):
        induction_builder(symbols, sentences)
