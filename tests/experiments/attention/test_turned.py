"""Chapter 01's encoder of one direction: what its states know, and a tiny run."""

import torch

from bottomup import experiments
from bottomup.data import make_batch
from bottomup.experiments.attention.turned import experiment as turned
from bottomup.models import Seq2SeqConfig

SIZES = {"source_vocabulary": 11, "target_vocabulary": 9, "d_embedding": 5, "d_state": 6}


def test_a_state_knows_nothing_of_later_words_and_the_vector_is_the_last_state():
    torch.manual_seed(0)
    model = turned.OneDirection(Seq2SeqConfig(attention="none", **SIZES))
    batch = make_batch([([4, 5, 6, 7], [4]), ([4, 5, 6, 8], [4]), ([4, 5], [4])])
    memory = model.encoder(batch.source, batch.source_mask)
    one, other, short = memory.states
    assert memory.states.shape == (3, batch.source.shape[1], 6)
    torch.testing.assert_close(one[:3], other[:3])
    assert not torch.allclose(one[3], other[3])
    last = batch.source_mask.sum(dim=1) - 1
    torch.testing.assert_close(memory.summary, memory.states[torch.arange(3), last])
    torch.testing.assert_close(short[:2], one[:2])


def test_both_orders_start_from_the_same_parameters_and_end_the_source_with_its_end():
    (source, _target), (backwards, _same) = (
        data.train[0]
        for data in (turned.load_data(400, 0), turned.turned(turned.load_data(400, 0)))
    )
    forward, turned_round = make_batch([(source, [4])]), make_batch([(backwards, [4])])
    words = len(source)
    assert forward.source[0, :words].tolist() == turned_round.source[0, :words].tolist()[::-1]
    assert torch.equal(forward.source[:, words:], turned_round.source[:, words:])


def test_a_tiny_run_gives_every_measure_and_claim():
    tiny = turned.run(turned.PRESETS["tiny"], (0, 1, 2), "cpu")
    assert tiny.metric("forward.parameters") == tiny.metric("turned.parameters")
    assert all(0 <= value <= 100 for value in tiny.metric("turned.bleu_by_length.10-20"))
    assert [claim.id for claim in experiments.claims(tiny)] == ["01.1i", "01.1j"]
