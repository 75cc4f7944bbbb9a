"""Reordered decoding states: each sequence goes on from the one that the index names."""

import pytest
import torch

from bottomup.data import make_batch
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig, Transformer, TransformerConfig
from bottomup.models.rnn_seq2seq import ATTENTIONS
from tests.drawn import global_seed

SOURCES, TARGETS = 17, 13
VOCABULARIES = {"source_vocabulary": SOURCES, "target_vocabulary": TARGETS}
PAIRS = [([5, 6, 7, 8], [4, 5]), ([9], [6, 7]), ([10, 11], [8, 9])]
INDEX = torch.tensor([2, 0, 0, 2, 2])  # one is dropped, one doubled, and there are more


def transformer(**options):
    config = {"d_model": 6, "num_heads": 3, "d_ff": 7, "encoder_layers": 1, "decoder_layers": 2}
    return Transformer(TransformerConfig(**VOCABULARIES, max_length=5, **config, **options))


def recurrent(attention, **options):
    config = {"attention": attention, "d_embedding": 5, "d_state": 6}
    return RNNSeq2Seq(Seq2SeqConfig(**VOCABULARIES, **config, **options))


MODELS = {"transformer": transformer, "learned": lambda: transformer(positions="learned")}
MODELS["shared layers"] = lambda: transformer(share_layers=True)
MODELS |= {name: (lambda name=name: recurrent(name)) for name in ATTENTIONS}
MODELS["input feeding"] = lambda: recurrent("dot", input_feeding=True)
MODELS["local"] = lambda: recurrent("general", span="local_p", half_width=2)
for_every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def built(make):
    with global_seed(2):
        return make().double().eval()


@for_every_model
@torch.no_grad()
def test_a_reordered_state_is_that_of_the_sequences_in_the_other_order(make, device):
    model, batch, index = built(make).to(device), make_batch(PAIRS).to(device), INDEX.to(device)
    state = model.start(batch.source, batch.source_mask)
    other = model.start(batch.source[index], batch.source_mask[index])
    for token in batch.target_in.unbind(dim=1)[:2]:
        _, state, _ = model.step(token, state)
        _, other, _ = model.step(token[index], other)
    state = model.reorder(state, index)
    for token in (index + 4, index * 2):
        logits, state, weights = model.step(token, state)
        expected, other, expected_weights = model.step(token, other)
        torch.testing.assert_close(logits, expected, rtol=0, atol=1e-10)
        assert (weights is None) == (expected_weights is None)
        if weights is not None:
            torch.testing.assert_close(weights, expected_weights, rtol=0, atol=1e-10)


@for_every_model
@torch.no_grad()
def test_two_continuations_of_one_prefix_do_not_touch_each_other(make):
    model, batch = built(make), make_batch(PAIRS[:1])
    start = model.start(batch.source, batch.source_mask)
    state = model.reorder(start, torch.tensor([0, 0]))
    for pair in ([4, 7], [8, 9], [3, 3]):
        logits, state, _ = model.step(torch.tensor(pair), state)
    alone = model.start(batch.source, batch.source_mask)
    for token in (7, 9, 3):
        expected, alone, _ = model.step(torch.tensor([token]), alone)
    torch.testing.assert_close(logits[1:], expected, rtol=0, atol=1e-10)
    assert not torch.allclose(logits[0], logits[1])


@pytest.mark.parametrize("make", [transformer, lambda: recurrent("bahdanau")])
@pytest.mark.parametrize(
    "index, error, message",
    [
        (INDEX + 1, ValueError, "index: expected .* got 3"),
        (INDEX - 1, ValueError, "index: expected .* got -1"),
    ],
)
def test_a_bad_index_is_refused(make, index, error, message):
    model, batch = built(make), make_batch(PAIRS)
    state = model.start(batch.source, batch.source_mask)
    with pytest.raises(error, match=message):
        model.reorder(state, index)
