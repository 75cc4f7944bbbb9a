"""Chapter 10, BERT: what is hidden, swapped, counted and told is what its name says."""

from collections import Counter

import pytest
import torch

from bottomup.data import SentencePair
from bottomup.data.vocabulary import EOS
from bottomup.experiments.after_2017.reading import both_sides, pairs
from bottomup.experiments.after_2017.reading import experiment as reading
from bottomup.experiments.representation_analysis.text import load_text

TINY = reading.PRESETS["tiny"]


@pytest.fixture(scope="module")
def text():
    return load_text(TINY.encoder)


@pytest.fixture(scope="module")
def model(text):
    return both_sides.train_masked(TINY, text, "mixed", 0)


def test_both_kinds_choose_the_same_words_and_one_hides_them_all(text):
    mixed, all_masked = (
        both_sides.masked_stream(TINY, text, kind, 5)(1) for kind in both_sides.KINDS
    )
    assert torch.equal(mixed.chosen, all_masked.chosen)
    assert torch.equal(mixed.original, all_masked.original)
    assert (all_masked.corrupted[all_masked.chosen] == text.mask_id).all()
    kept = ~all_masked.chosen
    assert torch.equal(all_masked.corrupted[kept], all_masked.original[kept])


@torch.no_grad()
def test_pseudo_log_likelihood_word_by_word(text, model):
    sentence = torch.tensor([*text.test[0][0], EOS])
    total = 0.0
    for place in range(len(sentence) - 1):
        hidden = sentence.clone()
        hidden[place] = text.mask_id
        said = model(hidden[None]).logits[0, place].log_softmax(dim=-1)
        total += said[sentence[place]].item()
    got = both_sides.pseudo_log_likelihood(model, sentence, text.mask_id)
    assert got == pytest.approx(total, rel=1e-5)


def test_a_twin_has_the_same_words_and_two_in_other_places():
    sentence = torch.tensor([5, 7, 11, 7, 13, 17, EOS])
    for seed in range(20):
        other = both_sides.twin(sentence, torch.Generator().manual_seed(seed))
        assert other is not None
        assert Counter(other.tolist()) == Counter(sentence.tolist())
        moved = (other != sentence).nonzero().flatten()
        assert len(moved) == 2
        assert moved.max() < 5  # neither full stop nor end
    alike = torch.tensor([5, 5, 5, 17, EOS])
    assert both_sides.twin(alike, torch.Generator()) is None


def test_asked_are_words_of_known_classes_that_no_labelled_sentence_has(text):
    rows = both_sides.held_out_rows(text, 9, 3)
    taught, tested = rows[:4], rows[4:]
    asked = both_sides.asked_of(text.words, taught, tested)
    known = {word for row in taught for word in row}
    labels = Counter(both_sides.classes_of(text.words, taught).tolist())
    assert {int(c) for c in asked.classes} == {c for c, count in labels.items() if count > 1}
    truth = both_sides.classes_of(text.words, tested).tolist()
    met = [word for row in tested for word in row]
    expected = [w not in known and labels[c] > 1 for w, c in zip(met, truth, strict=True)]
    assert asked.tested.tolist() == expected


@torch.no_grad()
def test_states_of_words_are_those_of_each_sentence_alone(text, model):
    rows = both_sides.held_out_rows(text, 5, 3)
    expected = torch.cat(
        [model(torch.tensor([[*row, EOS]])).states[-1][0, : len(row)] for row in rows]
    )
    assert torch.allclose(both_sides.states_of_words(model, rows), expected, atol=1e-5)


def test_the_bound_on_words_in_common_by_hand():
    def pair(first: str, second: str, *, follows: bool) -> SentencePair:
        return SentencePair(tuple(first), tuple(second), follows)

    taught = [
        pair("ab", "ab", follows=True),  # 1
        pair("abc", "abd", follows=True),  # 1/2
        pair("abc", "cde", follows=False),  # 1/5
        pair("ab", "cd", follows=False),  # 0
    ]
    assert pairs.by_words(taught, taught) == 1
    swapped = [pair("ab", "ac", follows=True), pair("ac", "ab", follows=False)]
    assert pairs.by_words(taught, swapped) == 0.5
