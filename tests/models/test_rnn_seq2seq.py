"""The translators, with every attention and span: looped = vectorised, padding, bad input."""

from itertools import product

import pytest
import torch

from bottomup.attention import LocalAttention
from bottomup.data import make_batch
from bottomup.decoding import greedy
from bottomup.models import (
    InputFeedingDecoder,
    LuongDecoder,
    RNNSeq2Seq,
    Seq2SeqConfig,
)
from bottomup.models.rnn_seq2seq import ATTENTIONS, SPANS
from tests.drawn import global_seed
from tests.models.recurrent import PAIRS, TARGET, translator

COMBINATIONS = list(product(("dot", "general", "location"), SPANS, (False, True)))
PLAIN = [(attention, "global", False) for attention in ATTENTIONS]
combinations = pytest.mark.parametrize("options", COMBINATIONS, ids=str)
every_translator = pytest.mark.parametrize("options", dict.fromkeys(PLAIN + COMBINATIONS), ids=str)


@every_translator
def test_all_steps_at_once_equal_one_step_at_a_time(options):
    model, batch = translator(*options), make_batch(PAIRS)
    logits, weights = model(batch)
    memory = model.encoder(batch.source, batch.source_mask)
    looped_logits, looped_weights = model.decoder.unroll(batch.target_in, memory)
    assert logits.shape == (3, batch.target_in.shape[1], TARGET)
    assert torch.allclose(logits, looped_logits, rtol=1e-12, atol=1e-12)
    if options[0] == "none":
        assert weights is None and looped_weights is None
    else:
        assert torch.allclose(weights, looped_weights, rtol=1e-12, atol=1e-12)


@every_translator
def test_a_sentence_gets_the_same_logits_alone_and_in_a_padded_batch(options):
    model, batch = translator(*options), make_batch(PAIRS)
    together = model(batch)
    for row, pair in enumerate(PAIRS):
        alone = model(make_batch([pair]))
        target, source = alone.logits.shape[1], len(pair[0]) + 1
        assert torch.allclose(together.logits[row, :target], alone.logits[0], rtol=1e-10)
        if together.weights is not None:
            own = together.weights[row, :target]
            assert torch.allclose(own[:, :source], alone.weights[0], rtol=1e-10)
            assert (own[:, source:] == 0).all()


@every_translator
def test_logits_do_not_depend_on_later_target_tokens(options):
    model, batch = translator(*options), make_batch(PAIRS[1:2])
    before = model(batch).logits
    batch.target_in[0, 3] = 18
    after = model(batch).logits
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3], after[:, 3])


@every_translator
def test_every_parameter_gets_a_finite_gradient(options):
    model, batch = translator(*options), make_batch(PAIRS)
    model(batch).logits.logsumexp(-1).sum().backward()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert silent == []
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_encoder_equals_two_gru_passes_by_hand():
    encoder = translator("none").encoder
    source = torch.tensor([[5, 6, 7]])
    memory = encoder(source, torch.ones(1, 3, dtype=torch.bool))
    backward = torch.nn.GRU(5, 3, batch_first=True).double()
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    backward.load_state_dict({name: getattr(encoder.gru, f"{name}_reverse") for name in names})
    states, last = backward(encoder.embedding(source).flip(1))
    assert torch.allclose(memory.states[..., 3:], states.flip(1), rtol=1e-12)
    assert torch.allclose(memory.summary[:, 3:], last[0], rtol=1e-12)
    assert torch.equal(memory.summary[:, :3], memory.states[:, -1, :3])


def test_encoder_gives_zeros_on_padding_and_for_an_empty_sentence():
    encoder = translator("none").encoder
    mask = torch.tensor([[True, True, False], [False, False, False]])
    memory = encoder(torch.tensor([[5, 6, 0], [0, 0, 0]]), mask)
    assert memory.states.shape == (2, 3, 6)
    assert memory.states[0, 2].tolist() == [0.0] * 6
    assert memory.states[1].abs().sum() == 0
    assert memory.summary[1].abs().sum() == 0
    assert memory.summary[0].abs().sum() > 0


@every_translator
def test_empty_source_gives_finite_logits_and_gradients(options):
    model, batch = translator(*options), make_batch(PAIRS[:1])
    batch.source_mask[:] = False
    logits, weights = model(batch)
    logits.sum().backward()
    assert logits.isfinite().all() and (weights is None or (weights == 0).all())
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


def test_bahdanau_step_is_the_paper_s_equations_by_hand():
    model, batch = translator("bahdanau"), make_batch(PAIRS[:1])
    decoder = model.decoder
    state = model.start(batch.source, batch.source_mask)
    first = torch.tanh(decoder.bridge.weight @ state.memory.summary[0] + decoder.bridge.bias)
    assert torch.allclose(state.hidden[0], first, rtol=1e-12)
    token = batch.target_in[:, 0]
    logits, after, weights = model.step(token, state)
    context = weights @ state.memory.states[0]
    embedded = decoder.embedding(token)
    hidden = decoder.cell(torch.cat([embedded, context], dim=-1), state.hidden)
    assert torch.allclose(after.hidden, hidden, rtol=1e-12)
    inner = torch.tanh(decoder.readout.hidden(torch.cat([hidden, context, embedded], dim=-1)))
    assert torch.allclose(logits, decoder.readout.logits(inner), rtol=1e-12)


def test_luong_attends_with_the_state_after_the_step():
    model, batch = translator("dot"), make_batch(PAIRS[:1])
    state = model.start(batch.source, batch.source_mask)
    _, after, weights = model.step(batch.target_in[:, 0], state)
    scores = (state.memory.states @ after.hidden[..., None])[..., 0]
    assert torch.allclose(weights, scores.softmax(-1), rtol=1e-12)


# ---- Spans and input feeding


@combinations
def test_the_config_builds_what_it_names(options):
    attention, span, input_feeding = options
    decoder = translator(*options).decoder
    assert type(decoder) is (InputFeedingDecoder if input_feeding else LuongDecoder)
    local = decoder.attention
    score = local if span == "global" else local.score
    assert type(score).__name__ == f"{attention.capitalize()}Attention"
    if span != "global":
        assert isinstance(local, LocalAttention)
        assert local.predicted == (span == "local_p") and local.half_width == 1


@pytest.mark.parametrize("input_feeding", [False, True])
def test_local_m_reads_around_the_target_s_own_position(input_feeding):
    weights = translator("dot", "local_m", input_feeding)(make_batch(PAIRS[1:2])).weights[0]
    # source: two words and the end symbol; D = 1; the queries 0 to 5 have their centres there
    seen = [[1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert (weights > 0).int().tolist() == seen
    assert torch.allclose(weights[:4].sum(-1), torch.ones(4).double())


@pytest.mark.parametrize("span", SPANS)
def test_greedy_decoding_knows_the_position_of_each_query(span):
    model = translator("dot", span, True)
    batch = make_batch(PAIRS[:1])
    decoded = greedy(model, batch.source, batch.source_mask, max_length=5)
    tokens = decoded.tokens[0, : decoded.lengths[0]].tolist()
    weights = model(make_batch([(PAIRS[0][0], tokens)])).weights
    assert len(tokens) > 2
    assert torch.allclose(decoded.weights, weights[:, : len(tokens)], rtol=1e-10)


# ---- Configurations


# Measured before spans, location and input feeding came: number of tensors; the decoder's first
# embedding entry, the first two output biases, and the sum of all parameters' sizes.
FRESH = {
    "none": (20, [-1.77227, 0.11707, -0.10471, 223.216]),
    "bahdanau": (23, [-1.77227, 0.19733, 0.01133, 237.622]),
    "dot": (20, [-1.77227, 0.33638, 0.27181, 198.792]),
    "general": (21, [-0.54689, 0.10477, -0.40603, 202.883]),
    "concat": (22, [-0.30792, -0.03665, 0.04824, 213.482]),
    "additive": (23, [-0.30792, -0.03665, 0.04824, 217.428]),
}


@pytest.mark.parametrize("attention", FRESH)
def test_a_model_of_chapter_01_draws_the_parameters_it_always_drew(attention):
    # Records and checkpoints were made with them: the order of the draws must stay.
    with global_seed(11):
        config = Seq2SeqConfig(
            source_vocabulary=7, target_vocabulary=11, attention=attention, d_embedding=5, d_state=6
        )
        parameters = RNNSeq2Seq(config).state_dict()
    count, drawn = FRESH[attention]
    first = parameters["decoder.embedding.weight"][0, 0]
    biases = parameters["decoder.readout.logits.bias"][:2]
    size = sum(parameter.double().abs().sum() for parameter in parameters.values())
    assert len(parameters) == count
    assert [float(value) for value in (first, *biases, size)] == pytest.approx(drawn, abs=1e-3)


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"d_state": 7}, ValueError, "d_state: expected an even width"),
        ({"attention": "bahdanau", "span": "local_p"}, ValueError,
         "span: expected 'global' with attention 'bahdanau', got 'local_p'"),
        ({"attention": "bahdanau", "input_feeding": True}, ValueError,
         "input_feeding: expected False with attention 'bahdanau', got True"),
    ],
)  # fmt: skip
def test_config_names_what_is_wrong(changes, error, message):
    good = {"source_vocabulary": 5, "target_vocabulary": 5, "attention": "dot"}
    with pytest.raises(error, match=message):
        RNNSeq2Seq(Seq2SeqConfig(**(good | changes)))


def test_a_source_longer_than_the_location_score_knows_is_named():
    model = translator("location", max_source=5)
    model(make_batch([([5, 6, 7, 8], [4])]))  # four words and the end symbol
    with pytest.raises(ValueError, match="key_count: expected at most 5 source"):
        model(make_batch(PAIRS[:1]))


def test_bad_batches_are_named():
    model = translator("bahdanau")
    good = torch.ones(2, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match="source_mask: expected padding on the right only"):
        model.start(torch.ones(1, 3, dtype=torch.int64), torch.tensor([[False, True, True]]))
    state = model.start(torch.ones(2, 3, dtype=torch.int64), good)
    with pytest.raises(ValueError, match=r"token: expected token numbers in \[0, 19\), got 19"):
        model.step(torch.tensor([0, 19]), state)
