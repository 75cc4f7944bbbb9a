"""Chapter 03's experiment: its measures by hand."""

import pytest
import torch
from torch import Tensor

from bottomup import experiments
from bottomup.attention import from_torch
from bottomup.data import Vocabulary, make_labelled_batch
from bottomup.data.minilang import SentencePair
from bottomup.experiments import Record
from bottomup.experiments.multi_head_attention import exact
from bottomup.experiments.multi_head_attention.exact import measure_exact
from bottomup.experiments.multi_head_attention.hops import HopReader, label_content_words, shape
from bottomup.experiments.multi_head_attention.pruning import (
    greedy_order,
    head_mask,
    removal_curve,
    short_and_varied,
    tolerated,
)
from bottomup.experiments.multi_head_attention.readers import Questions, Score
from bottomup.models import AttentionOnlyOutput

NAME = "multi_head_attention"
CPU = torch.device("cpu")


def test_counts_by_hand():
    found = measure_exact(3, CPU)
    n, d = 24, 64
    # four maps of d x d with a bias each; four products of n x d by d x d, two of n x d by d x n
    assert set(found["parameters"].values()) == {4 * d * d + 4 * d}
    assert set(found["flops"].values()) == {2 * (4 * n * d * d + 2 * n * n * d)}
    assert found["entries"] == {heads: heads * n * n for heads in (1, 2, 4, 8, 16)}
    assert (found["cost_range"], found["entries_off"]) == (0, 0)


def test_a_mask_that_is_not_applied_would_be_noticed(monkeypatch):
    honest = measure_exact(0, CPU)
    assert honest["parity_digits"] == min(honest["parity"].values()) > 12
    everything = torch.ones(5, 5, dtype=torch.bool)

    def leaky(theirs):
        ours = from_torch(theirs)
        return lambda query, key, value, mask: ours(
            query, key, value, mask if mask is None else everything
        )

    monkeypatch.setattr(exact, "from_torch", leaky)
    parity = measure_exact(0, CPU)["parity"]
    assert {name for name, digits in parity.items() if digits > 12} == {"none", "cross"}


def test_the_shape_of_hops_by_hand():
    weights = torch.tensor([[[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]], [[1.0, 0, 0], [0, 0, 1.0]]])
    found = shape(weights)
    assert found["overlap"] == pytest.approx((0.5 + 0.0) / 2)
    assert found["largest"] == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    # of the first sentence: (0.5 - 1)^2 and twice 0.5^2
    assert found["penalty"] == pytest.approx((0.25 + 0.5) / 2)
    assert shape(weights[:, :1])["overlap"] == 0


def pair(text: str, *antecedents: tuple[int, int]) -> SentencePair:
    return SentencePair(tuple(text.split()), (), (), antecedents)


CAT = pair("the cat ate the meat because it was hungry .", (6, 1))
MEAT = pair("the cat ate the meat when it was fresh and warm .", (6, 4))
BOOK = pair("he read the book .")
DOG = pair("a dog barked because it was big .", (4, 1))
WORDS = Vocabulary.build([each.source for each in (CAT, MEAT, BOOK, DOG)])


def test_content_words_are_labelled_where_there_are_three():
    labelled = label_content_words([CAT, BOOK, DOG], WORDS)
    assert len(labelled) == 1  # the cat's sentence has four, the book's two
    tokens, labels = labelled[0]
    assert WORDS.decode(tokens) == list(DOG.source)
    named = {1: "dog", 2: "barked", 6: "big"}
    assert {place: WORDS.decode([label])[0] for place, label in labels.items()} == named


def test_a_hop_reader_reads_real_words_alone():
    batch = make_labelled_batch(label_content_words([DOG], WORDS))
    model = HopReader(vocabulary=len(WORDS), d_model=6, d_attention=5, hops=2)
    padded = torch.nn.functional.pad(batch.source, (0, 3))
    with torch.no_grad():
        logits, weights = model(padded, padded != 0)
        alone, _ = model(batch.source, batch.source_mask)
    assert logits.shape == (1, 3, len(WORDS))
    assert weights.shape == (1, 2, batch.source.shape[1] + 3)
    assert weights[..., -3:].abs().max() == 0
    torch.testing.assert_close(logits, alone)


def test_questions_are_scored_by_hand():
    questions = Questions([BOOK, CAT, DOG], WORDS, CPU)
    assert questions.pairs == [CAT, DOG]
    cat, meat = WORDS.encode(["cat", "meat"])
    logits = torch.zeros(2, len(CAT.source), len(WORDS))
    logits[0, 6, cat], logits[1, 4, meat] = 2.0, 2.0  # the second names a wrong noun

    def model(source: Tensor, mask: Tensor, *, head_mask: Tensor | None) -> AttentionOnlyOutput:
        assert mask.shape == (2, 1, len(CAT.source))
        return AttentionOnlyOutput(logits, logits, ())

    found = questions.score(model)
    total = torch.tensor(len(WORDS) - 1 + torch.e**2).log().item()
    assert found.accuracy == 0.5
    assert found.loss == pytest.approx(total - 1, rel=1e-5)


HEADS = [(0, 0), (0, 1), (1, 0), (1, 1)]
WORTH = {(0, 0): 0.4, (0, 1): 0.0, (1, 0): 0.1, (1, 1): 0.3}


def additive(mask: Tensor) -> Score:
    """A network to which each head adds its worth; equal accuracies differ in the loss."""
    worth = sum(WORTH[head] for head in HEADS if mask[head])
    return Score(accuracy=round(worth, 6), loss=float(mask[0, 0]))


def test_greedy_orders_and_their_curves_by_hand():
    best = greedy_order(additive, HEADS, best=True)
    assert best == [(0, 1), (1, 0), (1, 1), (0, 0)]
    assert greedy_order(additive, HEADS, best=False) == [(0, 0), (1, 1), (1, 0), (0, 1)]
    assert removal_curve(additive, best) == pytest.approx([0.8, 0.8, 0.7, 0.4, 0.0])


def test_heads_are_tolerated_up_to_the_first_fall():
    assert tolerated([0.9, 0.89, 0.86, 0.84, 0.9]) == 2
    assert tolerated([0.9, 0.9]) == 1
    assert tolerated([0.9, 0.1]) == 0
    assert head_mask(HEADS, [(1, 0)]).tolist() == [[True, True], [False, True]]


def test_shown_sentences_are_short_have_several_nouns_and_ask_for_different_ones():
    other = pair("the cat ate the big meat because it was very tired .", (7, 1))
    questions = Questions([MEAT, other, CAT, DOG], WORDS, CPU)
    assert short_and_varied(questions, 1) == [2]  # the dog's sentence has one noun
    assert short_and_varied(questions, 9) == [2, 0]


def test_the_gallery_of_one_seed_is_kept(tiny: Record):
    kept = {name.removeprefix("pruning/0/"): array for name, array in tiny.arrays.items()}
    for words, maps in zip(kept["sentences"], kept["weights"].astype(float), strict=True):
        length = int((words != "").sum())
        assert maps[:, :, :length].sum(-1) == pytest.approx(1, abs=1e-2)
        assert maps[:, :, length:].max(initial=0) == maps[..., length:].max(initial=0) == 0
    assert kept["layer_off"][:, 0] == pytest.approx(tiny.metric("pruning.accuracy")[0], abs=1e-6)
    assert (kept["layer_off"][:, [1, 2]] == kept["alone_off"]).all()  # bits 01 and 10: one head


def test_what_is_exact_holds_in_a_tiny_run(tiny: Record):
    assert tiny.metric("exact.pruned_digits")[0] > 12
    for claim in experiments.claims(tiny)[:4]:
        assert all(map(claim.rule.is_met_by, claim.values))
