"""Drawings of chapter 09: two heads by hand, cuts and patches."""

import re

import numpy as np
import pytest
import torch

from bottomup import analysis
from bottomup.drawings import circuits as drawings
from bottomup.models import InductionByHand
from tests.drawings.words import written


def test_the_circuit_by_hand_says_what_the_model_says():
    found, words = drawings.continued(), list(dict.fromkeys(drawings.TEXT))
    tokens = torch.tensor([[words.index(word) for word in drawings.TEXT]])
    model = InductionByHand(vocabulary=len(words), length=len(drawings.TEXT), begin=0)
    said = model(tokens)
    assert words[int(said.logits[0, -1].argmax())] == found.answer == "ate"
    looked_at = said.weights[1][0, 0, -1].argmax()
    assert drawings.TEXT[int(looked_at)] == found.answer
    assert int(np.argmax(found.weights)) == int(looked_at)
    assert found.after == ("BOS", "BOS", "cat", "ate", "meat")


@pytest.mark.parametrize("name, score", [("copies", 1), ("passes on", 0), ("suppresses", -1)])
def test_the_copying_score_is_the_library_s(name, score):
    table = drawings.heads_of_three_words()[name]
    same = torch.eye(3, dtype=torch.float64)
    library = analysis.copying_score(torch.tensor(table), same, same)
    assert drawings.copying(table) == pytest.approx(score, abs=1e-6)
    assert float(library) == pytest.approx(score, abs=1e-5)


def test_one_of_two_parts_is_broken_or_repaired():
    answers = {"lost", "restored", "not lost", "not restored"}
    both, either = (panel.words for panel in drawings.two_gates().panels)
    assert [word for word in both if word in answers] == [
        "lost", "not restored",
    ]  # fmt: skip
    assert [word for word in either if word in answers] == [
        "not lost", "restored",
    ]  # fmt: skip


def test_a_question_mark_is_below_each_letter_that_can_be_known():
    says, words = drawings.a_part_twice().says, written(drawings.a_part_twice())
    parts = re.findall(r"the part (\w+) comes twice", says)
    for part, text in zip(parts, re.findall(r"In (\w+) the part", says), strict=True):
        assert text.count(part) == 2 and f"{part}{part}" in text
    assert words.count("?") == sum(len(part) - 1 for part in parts)


def test_the_shares_of_a_logit_add_up():
    *shares, whole = [float(word.replace("−", "-"))
                      for word in written(drawings.logit_of_parts())
                      if re.fullmatch(r"−?\d\.\d", word)]  # fmt: skip
    assert sum(shares) == pytest.approx(whole, abs=0.11)
