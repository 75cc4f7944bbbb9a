"""Chapter 06 on real data: both translators in small, resuming, the curve, scores and claims."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bottomup import experiments
from bottomup.data import make_batch, multi30k
from bottomup.decoding import greedy
from bottomup.experiments import Record, Verdict
from bottomup.experiments.decoding import experiment as decoding
from bottomup.experiments.decoding import training
from bottomup.experiments.decoding.config import PLAIN, PRESETS, Recipe
from bottomup.experiments.decoding.corpus import encode, learn_pieces, load_corpus
from bottomup.experiments.decoding.plain_torch import PlainTransformer
from bottomup.experiments.decoding.translations import translate_by_beam, translate_greedily
from bottomup.metrics import text_bleu
from bottomup.training import fit, inverse_square_root, warmup_then_decay

CPU = torch.device("cpu")
TINY = PRESETS["tiny"]
SMALL = {"vocabulary": 29, "d_model": 12, "layers": 2, "num_heads": 4, "d_ff": 7}

# torch says of norm_first that it forgoes a fast path of evaluation.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")


@pytest.fixture(scope="module")
def tiny() -> Record:
    return decoding.run(TINY, [0], "cpu")


def plain(norm: str = "post") -> PlainTransformer:
    torch.manual_seed(0)
    return PlainTransformer(**SMALL, dropout=0.0, norm=norm, max_length=23).eval()


def test_the_stand_in_corpus_is_text():
    corpus = load_corpus("minilang")
    assert (len(corpus.train), len(corpus.validation), len(corpus.test)) == (180, 10, 10)
    source, target = corpus.train[0]
    assert source.endswith(" .")
    assert target.endswith(" .")


def test_an_unknown_corpus_is_refused():
    with pytest.raises(ValueError, match="corpus: expected one of 'multi30k', 'minilang'"):
        load_corpus("wmt")


def test_multi30k_is_read_where_it_lies(monkeypatch):
    pair = multi30k.TextPair("A dog.", "Ein Hund.")
    sample = multi30k.Multi30k((pair,) * 3, (pair,) * 2, (pair,))
    monkeypatch.setattr(multi30k, "load", lambda: sample)
    load_corpus.cache_clear()
    corpus = load_corpus("multi30k")
    load_corpus.cache_clear()
    assert (len(corpus.train), corpus.test) == (3, (pair,))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_plain_translator_writes_what_its_whole_pass_says(norm):
    model = plain(norm)
    batch = make_batch([([5, 6, 7, 8, 9], [10, 11, 12]), ([13, 14], [15, 16, 17])])
    full = model(batch).logits
    state = model.start(batch.source, batch.source_mask)
    for i in range(4):
        logits, state, weights = model.step(batch.target_in[:, i], state)
        torch.testing.assert_close(logits, full[:, i], rtol=0, atol=1e-5)
        assert weights is None


def test_the_plain_translator_does_not_see_the_future():
    model = plain()
    batch = make_batch([([5, 6, 7], [10, 11, 12, 13])])
    later = replace(batch, target_in=batch.target_in.clone())
    later.target_in[0, 3] = 20
    gap = (model(batch).logits - model(later).logits)[0, :3].abs().max()
    assert gap < 1e-6


def test_the_plain_translators_padding_changes_nothing():
    model = plain()
    short = ([5, 6], [10, 11])
    alone = model(make_batch([short])).logits[0]
    padded = model(make_batch([short, ([5, 6, 7, 8], [10, 11, 12, 13, 14])])).logits[1 - 1, :3]
    torch.testing.assert_close(alone, padded, rtol=0, atol=1e-5)


def test_both_kinds_have_the_same_body():
    recipe = Recipe(**SMALL, norm="post", dropout=0.0)
    counts = [
        sum(p.numel() for p in training.untrained(kind, recipe, max_length=23, seed=0).parameters())
        for kind in ("bottomup", "torch")
    ]
    # nn.Transformer appends a norm to each side even when post-norm: two times scale and shift.
    assert counts[1] - counts[0] == 2 * 2 * SMALL["d_model"]


def test_a_seed_gives_the_parameters():
    recipe = Recipe(**SMALL)
    one, same, other = (
        training.untrained("bottomup", recipe, max_length=23, seed=seed).source_embedding.weight
        for seed in (3, 3, 5)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_the_schedules_are_the_recipes():
    ours = training.schedule(Recipe(steps=100, warmup=10))
    theirs = training.schedule(PLAIN)
    linear, root = warmup_then_decay(warmup=10, steps=100), inverse_square_root(2_000)
    assert [ours(step) for step in (0, 9, 50, 99)] == [linear(step) for step in (0, 9, 50, 99)]
    assert [theirs(step) for step in (0, 1_999, 3_786)] == [
        root(step) for step in (0, 1_999, 3_786)
    ]


def test_translations_come_in_the_order_of_the_sources():
    pieces = learn_pieces("minilang", 300)
    model = training.untrained("bottomup", TINY.bottomup, max_length=128, seed=0).eval()
    sources = [source for source, _ in load_corpus("minilang").test]
    together = translate_greedily(model, pieces, sources, TINY)
    batch = make_batch([(pieces.encode(sources[3]), [])])
    [alone] = greedy(model, batch.source, batch.source_mask, max_length=128).to_lists()
    assert together[3] == pieces.decode(alone)
    assert len(together) == len(sources)


def test_a_beam_of_one_without_a_penalty_is_greedy():
    pieces = learn_pieces("minilang", 300)
    model = training.untrained("bottomup", TINY.bottomup, max_length=128, seed=0).eval()
    sources = [source for source, _ in load_corpus("minilang").test[:3]]
    found, mean = translate_by_beam(model, pieces, sources, TINY, beam=1, penalty=0.0)
    assert found == translate_greedily(model, pieces, sources, TINY)
    assert mean < 0


@pytest.mark.slow
def test_the_record_holds_curve_scores_and_counts(tiny):
    [ours] = tiny.metric("bottomup")
    assert list(ours["curve"]) == ["2", "3"]
    assert 0 < ours["curve"]["2"]["seconds"] < ours["curve"]["3"]["seconds"] <= ours["seconds"]
    assert set(ours["widths"]["plain"]) == {"1", "2"}
    assert set(ours["penalties"]) == {"0", "100"}
    assert ours["steps"] == 3
    counts = tiny.arrays["bottomup/0/greedy_counts"]
    references = [target for _, target in load_corpus("minilang").test]
    again = text_bleu(tiny.arrays["bottomup/0/greedy"].tolist(), references)
    assert (counts == again.statistics).all()
    assert ours["greedy"]["bleu"] == pytest.approx(again.score, abs=1e-6)


@pytest.mark.slow
def test_the_shown_sentences_stand_at_fixed_ranks(tiny):
    shown = tiny.arrays["torch/0/shown"]
    assert len(shown) == 5
    pairs = load_corpus("minilang").test
    assert tiny.arrays["torch/0/shown_pairs"].tolist() == [list(pairs[index]) for index in shown]


def test_an_interrupted_training_goes_on_with_its_curve(tmp_path, monkeypatch):
    def train(path: Path):
        return training.train(TINY, TINY.bottomup, "bottomup", 0, CPU, path)

    whole, expected = train(tmp_path / "whole.pt")

    def fit_two_steps(*args, on_step, **options):
        def stop(step, history):
            on_step(step, history)
            if step == 1:
                raise KeyboardInterrupt

        return fit(*args, on_step=stop, **options)

    path = tmp_path / "stopped.pt"
    with monkeypatch.context() as patch:
        patch.setattr(training, "fit", fit_two_steps)
        with pytest.raises(KeyboardInterrupt):
            train(path)
    before = json.loads((tmp_path / "stopped.curve.json").read_text(encoding="utf-8"))
    resumed, found = train(path)
    assert found["curve"]["2"] == before["2"]
    assert list(found["curve"]) == list(expected["curve"])
    assert found["seconds"] > before["2"]["seconds"]
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)


def test_pieces_of_both_languages_share_one_vocabulary():
    pieces = learn_pieces("minilang", 300)
    pairs = load_corpus("minilang").test[:3]
    for (source, target), (left, right) in zip(pairs, encode(pieces, pairs), strict=True):
        assert (pieces.decode(left), pieces.decode(right)) == (source, target)


def of_counts(tiny: Record, ours: np.ndarray, theirs: np.ndarray, beam: np.ndarray) -> Record:
    """A record with nothing but the counts that the claims read."""
    arrays = {
        "bottomup/0/greedy_counts": ours,
        "torch/0/greedy_counts": theirs,
        "bottomup/0/beam_counts": beam,
    }
    return replace(tiny, arrays=arrays)


@pytest.mark.slow
def test_the_claims_compare_the_counts(tiny):
    good = np.tile([20, 20, 18, 15, 12, 10, 20, 19, 18, 17], (50, 1))
    poor = np.tile([20, 20, 10, 6, 3, 1, 20, 19, 18, 17], (50, 1))
    claims = experiments.claims(of_counts(tiny, good, poor, good))
    assert [claim.id for claim in claims] == ["06.4a", "06.4b"]
    assert [claim.verdict for claim in claims] == [Verdict.HOLDS, Verdict.FAILS]
    claims = experiments.claims(of_counts(tiny, poor, good, good))
    assert [claim.verdict for claim in claims] == [Verdict.FAILS, Verdict.HOLDS]
