"""Chapter 02's experiment: its measures by hand."""

import pytest
import torch

from bottomup.data import Vocabulary
from bottomup.data.minilang import SentencePair
from bottomup.experiments import Record
from bottomup.experiments.self_attention.embeddings import geometry
from bottomup.experiments.self_attention.exact import (
    agreeing_digits,
    measure_exact,
    softmax_jacobian_norms,
)
from bottomup.experiments.self_attention.pronouns import (
    candidates,
    label_antecedents,
    minimal_pairs,
    stands_for,
)

NAME = "self_attention"
CPU = torch.device("cpu")


def test_agreeing_digits_by_hand():
    one = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert agreeing_digits(one, one) == 17
    assert agreeing_digits(one, one + torch.tensor([0.0, 1e-3])) == pytest.approx(3)
    assert agreeing_digits(one, one + 100) == pytest.approx(-2)


def test_a_leaky_mask_would_be_noticed(monkeypatch):
    honest = measure_exact(0, CPU)
    assert honest["past_changed"] == 0
    everything = torch.ones(11, 11, dtype=torch.bool)
    monkeypatch.setattr(
        "bottomup.experiments.self_attention.exact.causal_mask", lambda n, device: everything
    )
    leaky = measure_exact(0, CPU)
    assert leaky["past_changed"] > 0.9
    assert leaky["shuffled_causal_digits"] > 12


def test_the_norm_of_a_softmax_jacobian_is_that_of_the_matrix():
    weights = torch.randn(5, 7, generator=torch.Generator().manual_seed(0)).double().softmax(-1)
    matrices = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]
    assert torch.allclose(softmax_jacobian_norms(weights), matrices.flatten(1).norm(dim=1))
    assert softmax_jacobian_norms(torch.tensor([[0.0, 1.0]])).item() == 0
    # two keys, half each: [[1, -1], [-1, 1]] / 4
    assert softmax_jacobian_norms(torch.tensor([[0.5, 0.5]])).item() == pytest.approx(0.5)


def test_geometry_by_hand():
    words = ["<pad>", "<bos>", "<eos>", "<unk>", "big", "small", "dog", "old", "young"]
    table = torch.zeros(9, 2)
    table[4:] = torch.tensor([[1.0, 0.0], [-1.0, 1.0], [3.0, 1.0], [2.0, -1.0], [0.5, 2.0]])
    found = geometry(table, words)
    young = 4.25**0.5  # its length
    opposites = [-(2**-0.5), -1 / (5**0.5 * young)]  # big small, old young
    others = [2 / 5**0.5, 0.5 / young, -3 / 10**0.5, 1.5 / (2**0.5 * young)]
    assert found["antonyms"] == pytest.approx(sum(opposites) / 2)
    assert found["antonyms_negative"] == 1
    assert found["same_words"] == pytest.approx(sum(others) / 4)
    assert found["same_class"] == pytest.approx(sum(opposites + others) / 6)
    # nearest by dot product: dog for big, young for small, old for dog, dog for old and young;
    # by cosine: dog for big, young for small, big for dog and old, dog for young
    assert found["neighbours_differ"] == pytest.approx(2 / 5)
    assert found["neighbour_class"] == pytest.approx(2 / 5)


def pair(text: str, *antecedents: tuple[int, int]) -> SentencePair:
    return SentencePair(tuple(text.split()), (), (), antecedents)


CAT = pair("the cat ate the meat because it was hungry .", (6, 1))
MEAT = pair("the cat ate the meat because it was fresh .", (6, 4))


def test_a_pronoun_is_labelled_with_its_noun():
    words = Vocabulary(["the", "cat", "ate", "meat", "because", "it", "was", "hungry", "."])
    tokens, labels = label_antecedents([CAT], words)[0]
    assert labels == {6: words.encode(["cat"])[0]}
    assert words.decode(tokens) == list(CAT.source)


def test_candidates_are_the_nouns_a_pronoun_was_seen_to_stand_for():
    known = stands_for([CAT, MEAT])
    assert known == {("it", "cat"), ("it", "meat")}
    assert candidates(CAT, known) == [1, 4]
    assert candidates(pair("the man fed the cat because he was kind .", (6, 1)), known) == []


def test_minimal_pairs_differ_after_the_pronoun_and_in_the_noun():
    other = pair("the cat ate the meat because it was thirsty .", (6, 1))
    assert minimal_pairs([CAT, other, MEAT]) == [(CAT, MEAT)]
    assert minimal_pairs([CAT, other]) == []


def test_in_one_layer_the_reason_cannot_move_the_pronoun(tiny: Record):
    assert all(swing < 1e-6 for swing in tiny.metric("reader_1.swing"))
