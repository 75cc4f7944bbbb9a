"""Chapter 09's minimal pairs and what is measured on them: kinds, numbers by hand."""

import pytest
import torch

from bottomup.analysis import kept, patched
from bottomup.data import Vocabulary
from bottomup.data.minilang import SentencePair, load
from bottomup.data.minilang.corpus import Link
from bottomup.experiments.circuits.translator import effects
from bottomup.experiments.circuits.translator.pairs import (
    KINDS,
    MinimalPair,
    draw,
    kind_of,
    minimal_pairs,
)
from bottomup.experiments.shared.translation import Data
from bottomup.models import Transformer, TransformerConfig
from tests.drawn import global_seed

CPU = torch.device("cpu")


def sentence(source: str, target: str, *sure: tuple[int, int]) -> SentencePair:
    """Sure links as pairs of target and source position."""
    links = tuple(Link(t, s, True) for t, s in sure)
    return SentencePair(tuple(source.split()), tuple(target.split()), links)


WORDS = ((0, 1), (2, 3), (4, 2))
CAT = sentence("the cat ate meat .", "고양이 -는 고기 -를 먹 -었 -다 .", *WORDS)
OTHERS = {
    "subject": sentence("the dog ate meat .", "개 -는 고기 -를 먹 -었 -다 .", *WORDS),
    "object": sentence("the cat ate fish .", "고양이 -는 물고기 -를 먹 -었 -다 .", *WORDS),
    "verb": sentence("the cat liked meat .", "고양이 -는 고기 -를 좋아하 -었 -다 .", *WORDS),
    "verb_tense": sentence("the cat eats meat .", "고양이 -는 고기 -를 먹 -느 -다 .", *WORDS),
    "article": sentence("a cat ate meat .", "고양이 -가 고기 -를 먹 -었 -다 .", *WORDS),
    "plural": sentence(
        "the cats ate meat .", "고양이 -들 -은 고기 -를 먹 -었 -다 .", (0, 1), (3, 3), (5, 2)
    ),
}


# ---- Minimal pairs


def differing(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return next(i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)


def test_each_kind_is_told():
    for kind, other in OTHERS.items():
        word, token = differing(CAT.source, other.source), differing(CAT.target, other.target)
        assert kind_of(CAT, other, word, token) == kind
        assert kind_of(other, CAT, word, token) == kind


def test_pairs_differ_in_one_word_and_each_comes_once():
    found = list(minimal_pairs([CAT, *OTHERS.values()]))
    with_cat = {pair.kind for pair in found if CAT in (pair.clean, pair.corrupted)}
    assert with_cat == set(OTHERS)
    for pair in found:
        clean, corrupted = pair.clean.source, pair.corrupted.source
        assert [i for i in range(5) if clean[i] != corrupted[i]] == [pair.word]
        assert pair.clean.target[: pair.token] == pair.corrupted.target[: pair.token]
        assert pair.answers == (pair.clean.target[pair.token], pair.corrupted.target[pair.token])
        assert pair.answers[0] != pair.answers[1]


def test_no_sentence_was_trained_on_and_none_comes_twice():
    found = draw(3_000, 1, 3)
    trained = {pair.source for pair in load(3_000, seed=0).train}
    sources = [side.source for pair in found for side in (pair.clean, pair.corrupted)]
    assert not trained & set(sources)
    assert len(set(sources)) == len(sources)
    kinds = [pair.kind for pair in found]
    assert kinds == sorted(kinds, key=KINDS.index)
    assert max(kinds.count(kind) for kind in KINDS) == 3


# ---- Measures


def runs_of(pairs: list[MinimalPair]) -> tuple[Transformer, effects.Runs]:
    sentences = [side for pair in pairs for side in (pair.clean, pair.corrupted)]
    words = Vocabulary.build(each.source for each in sentences)
    tokens = Vocabulary.build(each.target for each in sentences)
    config = TransformerConfig(
        source_vocabulary=len(words),
        target_vocabulary=len(tokens),
        d_model=6,
        encoder_layers=1,
        decoder_layers=2,
        num_heads=3,
        d_ff=7,
    )
    with global_seed(0):
        model = Transformer(config).double().eval()
    return model, effects.Runs.of(pairs, Data((), words, tokens, []), CPU)


@pytest.fixture(scope="module")
def made() -> tuple[Transformer, effects.Runs]:
    found = [p for p in minimal_pairs([CAT, *OTHERS.values()]) if CAT in (p.clean, p.corrupted)]
    return runs_of(sorted(found, key=lambda pair: KINDS.index(pair.kind)))


def test_logits_are_those_at_the_first_difference(made):
    model, runs = made
    logits = model(runs.clean).logits
    for row, pair in enumerate(runs.pairs):
        assert torch.equal(runs.logits(model, runs.clean)[row], logits[row, pair.token])
        assert int(runs.clean.target_mask[row].sum()) == pair.token + 1  # after BOS
    found = runs.difference(logits[:, 0])
    expected = logits[0, 0, runs.answers[0, 0]] - logits[0, 0, runs.answers[0, 1]]
    assert found[0] == expected


def test_the_memory_at_all_positions_is_the_whole_effect(made):
    model, runs = made
    found = effects.memory_effects(model, runs)
    with torch.no_grad(), kept(model, ["encoder_norm"]) as clean:
        high = runs.difference(runs.logits(model, runs.clean))
    with torch.no_grad():
        low = runs.difference(runs.logits(model, runs.corrupted))
        where = torch.zeros_like(runs.clean.source_mask)
        where[torch.arange(len(runs.pairs)), runs.word] = True
        with patched(model, clean, where=where):
            part = runs.difference(runs.logits(model, runs.corrupted))
    expected = runs.by_kind((part - low) / (high - low))
    assert found["word"] == pytest.approx(expected)
    assert set(found) == {"word", "rest", "stop", "end", "others", "word_lost"}


def test_means_count_real_positions_alone(made):
    model, runs = made
    head = effects.crossing_heads(model)[0]
    with torch.no_grad(), kept(model, [head]) as outputs:
        model(runs.clean)
    rows = [outputs[head][row, place]
            for row in range(len(runs.pairs)) for place in range(outputs[head].shape[1])
            if runs.clean.target_mask[row, place]]  # fmt: skip
    mean = effects.means(model, runs, [head])[head]
    assert torch.allclose(mean, torch.stack(rows).mean(dim=0))
    with torch.no_grad(), effects.without(model, {head: mean}, [head]), kept(model, [head]) as off:
        model(runs.clean)
    assert torch.allclose(off[head], mean.expand_as(off[head]))


def test_agreement_by_hand():
    assert effects.agreement([0.1, 0.2, 0.4], [1, 2, 3])["rank"] == pytest.approx(1)
    found = effects.agreement([0.4, 0.2, 0.1], [1, 3, 2])
    assert found["rank"] == pytest.approx(-0.5)
    assert found["top"] == 0.0
    assert effects.agreement([0.4, 0.2, 0.1], [3, 1, 1])["top"] == 1.0
    assert effects.agreement([0.2, 0.2], [1, 2]) == {"rank": 0.0, "linear": 0.0, "top": 0.0}


def test_largest_weights_by_hand(made):
    model, runs = made
    heads = effects.crossing_heads(model)
    found = effects.largest_weights(model, runs, dict.fromkeys(runs.kinds, heads[4]))
    with torch.no_grad():
        cross = model(runs.clean, need_weights=True).weights.cross
    for row, pair in enumerate(runs.pairs):
        read = torch.stack([layer[row, :, pair.token] for layer in cross])  # [layer, head, source]
        mean = read.mean(dim=(0, 1)).argmax().item() == pair.word
        assert found["mean"][pair.kind] == float(mean)
        assert found["best"][pair.kind] == float(read[1, 1].argmax().item() == pair.word)
        assert found["chance"][pair.kind] == pytest.approx(1 / 6)


def test_parts_that_are_everything_bring_everything_back_and_attributions_add_up(made):
    model, runs = made
    heads = effects.crossing_heads(model)
    assert heads[4] == "decoder_layers.1.cross_attention:1"
    assert effects.label(heads[4]) == "cross_1_head_1"
    assert effects.label("decoder_layers.0.feed_forward") == "feed_forward_0"
    found = effects.part_effects(model, runs, ["encoder_norm", *heads])
    assert torch.allclose(found["encoder_norm"], torch.ones(len(runs.pairs)).double())
    found = effects.attribution(model, runs, CPU)
    assert found["off"] < 1e-9
    with torch.no_grad():
        truth = runs.difference(runs.logits(model, runs.clean))
    assert found["truth"] == pytest.approx(truth.mean().item())
    assert list(runs.by_kind(truth).values()) == truth.tolist()  # one pair of each
