"""Chapter 02's experiment: its measures by hand, and a tiny run of every part."""

import pytest
import torch

from bottomup import experiments
from bottomup.data import Vocabulary
from bottomup.data.minilang import SentencePair
from bottomup.experiments import Record
from bottomup.experiments.self_attention import experiment as self_attention
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

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def tiny() -> Record:
    return self_attention.run(self_attention.PRESETS["tiny"], SEEDS, "cpu")


def test_a_tiny_run_gives_every_part_and_every_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == {
        "exact", "saturation", "order", "embeddings", "reader_1", "reader_2", "reader_1_long",
        "reader_2_long",
    }  # fmt: skip
    assert [claim.id for claim in experiments.claims(tiny)] == [
        "02.1", "02.2a", "02.2b", "02.3a", "02.3b", "02.4", "02.5a", "02.5b", "02.5c",
        "02.6", "02.7", "02.8a", "02.8b", "02.8c", "02.8d",
    ]  # fmt: skip
    for name in ("accuracy", "accuracy_one", "weight", "noun_weight", "noun_share", "chance"):
        assert all(0 <= value <= 1 for value in tiny.metric(f"reader_2.{name}"))
    excess = zip(
        tiny.metric("reader_1.weight"),
        tiny.metric("reader_1.chance"),
        tiny.metric("reader_1.excess"),
        strict=True,
    )
    assert all(weight - chance == pytest.approx(more, abs=3e-6) for weight, chance, more in excess)


def test_chance_and_margin_are_those_of_the_positions_that_were_told(tiny: Record):
    claim = next(each for each in experiments.claims(tiny) if each.id == "02.2b")
    assert claim.margin == 2 / 5
    assert claim.measured.startswith("share of 5 positions told rightly")
    assert "chance 0.200;" in claim.measured


def test_the_vectors_of_one_seed_are_kept(tiny: Record):
    kept = {name: array.shape for name, array in tiny.arrays.items()}
    assert len(kept) == 2
    assert all(name.startswith("embeddings/0/") for name in kept)
    before, after = (tiny.arrays[f"embeddings/0/{name}"] for name in ("before", "after"))
    assert before.shape == after.shape
    assert (before != after).any()


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


@pytest.mark.slow
def test_in_one_layer_the_reason_cannot_move_the_pronoun(tiny: Record):
    assert all(swing < 1e-6 for swing in tiny.metric("reader_1.swing"))
