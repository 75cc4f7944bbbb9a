"""Chapter 06 on real data: both translators in small."""

from dataclasses import replace

import pytest
import torch

from bottomup.data import make_batch
from bottomup.decoding import greedy
from bottomup.experiments.decoding import training
from bottomup.experiments.decoding.config import PRESETS, Recipe
from bottomup.experiments.decoding.corpus import learn_pieces, load_corpus
from bottomup.experiments.decoding.plain_torch import PlainTransformer
from bottomup.experiments.decoding.translations import translate_by_beam, translate_greedily
from bottomup.metrics import text_bleu

CPU = torch.device("cpu")
NAME = "decoding"
TINY = PRESETS["tiny"]
SMALL = {"vocabulary": 29, "d_model": 12, "layers": 2, "num_heads": 4, "d_ff": 7}

# torch says of norm_first that it forgoes a fast path of evaluation.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")


def plain(norm: str = "post") -> PlainTransformer:
    torch.manual_seed(0)
    return PlainTransformer(**SMALL, dropout=0.0, norm=norm, max_length=23).eval()


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


def test_both_kinds_have_the_same_body():
    recipe = Recipe(**SMALL, norm="post", dropout=0.0)
    counts = [
        sum(p.numel() for p in training.untrained(kind, recipe, max_length=23, seed=0).parameters())
        for kind in ("bottomup", "torch")
    ]
    # nn.Transformer appends a norm to each side even when post-norm: two times scale and shift.
    assert counts[1] - counts[0] == 2 * 2 * SMALL["d_model"]


def test_a_beam_of_one_without_a_penalty_is_greedy():
    pieces = learn_pieces("minilang", 300)
    model = training.untrained("bottomup", TINY.bottomup, max_length=128, seed=0).eval()
    sources = [source for source, _ in load_corpus("minilang").test[:3]]
    found, mean = translate_by_beam(model, pieces, sources, TINY, beam=1, penalty=0.0)
    assert found == translate_greedily(model, pieces, sources, TINY)
    assert mean < 0
    batch = make_batch([(pieces.encode(sources[2]), [])])
    [alone] = greedy(model, batch.source, batch.source_mask, max_length=128).to_lists()
    assert found[2] == pieces.decode(alone)
    with pytest.raises(ValueError, match="corpus: expected one of 'multi30k', 'minilang'"):
        load_corpus("wmt")


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
