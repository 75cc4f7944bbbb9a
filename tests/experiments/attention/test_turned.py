"""Chapter 01's encoder of one direction: what its states know."""

import torch

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
