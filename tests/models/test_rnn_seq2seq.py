"""The translators, with every attention and span: looped = vectorised, padding, bad input."""

from dataclasses import replace
from itertools import product

import pytest
import torch

from bottomup.attention import LocalAttention, additive_attention
from bottomup.data import SequenceTask, make_batch
from bottomup.decoding import greedy
from bottomup.models import (
    BidirectionalEncoder,
    InputFeedingDecoder,
    LuongDecoder,
    RNNSeq2Seq,
    Seq2SeqConfig,
)
from bottomup.models.rnn_seq2seq import ATTENTIONS, SPANS
from bottomup.training import fit, token_cross_entropy
from tests.drawn import global_seed

SOURCE, TARGET = 17, 19
# the second target is longer than its source by more than a window's half width of 1
PAIRS = [([5, 6, 7, 8, 9], [4, 5, 6]), ([10, 11], [7, 8, 9, 10, 11]), ([12, 13, 14], [12])]
COMBINATIONS = list(product(("dot", "general", "location"), SPANS, (False, True)))
PLAIN = [(attention, "global", False) for attention in ATTENTIONS]
combinations = pytest.mark.parametrize("options", COMBINATIONS, ids=str)
every_translator = pytest.mark.parametrize("options", dict.fromkeys(PLAIN + COMBINATIONS), ids=str)


def make_model(attention, span="global", input_feeding=False, **options):
    with global_seed(3):
        config = Seq2SeqConfig(
            source_vocabulary=SOURCE,
            target_vocabulary=TARGET,
            attention=attention,
            d_embedding=5,
            d_state=6,
            span=span,
            input_feeding=input_feeding,
            **({"half_width": 1} | options),
        )
        return RNNSeq2Seq(config).double()


@every_translator
def test_all_steps_at_once_equal_one_step_at_a_time(options):
    model, batch = make_model(*options), make_batch(PAIRS)
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
    model, batch = make_model(*options), make_batch(PAIRS)
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
    model, batch = make_model(*options), make_batch(PAIRS[1:2])
    before = model(batch).logits
    batch.target_in[0, 3] = 18
    after = model(batch).logits
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3], after[:, 3])


@every_translator
def test_every_parameter_gets_a_finite_gradient(options):
    model, batch = make_model(*options), make_batch(PAIRS)
    model(batch).logits.logsumexp(-1).sum().backward()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert silent == []
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


@every_translator
def test_model_runs_on_every_device(options, device):
    model, batch = make_model(*options), make_batch(PAIRS)
    expected = model(batch).logits
    logits = model.to(device)(batch.to(device)).logits
    assert logits.device.type == device.type
    assert torch.allclose(logits.cpu(), expected, rtol=1e-8)


def test_encoder_equals_two_gru_passes_by_hand():
    encoder = make_model("none").encoder
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
    encoder = make_model("none").encoder
    mask = torch.tensor([[True, True, False], [False, False, False]])
    memory = encoder(torch.tensor([[5, 6, 0], [0, 0, 0]]), mask)
    assert memory.states.shape == (2, 3, 6)
    assert memory.states[0, 2].tolist() == [0.0] * 6
    assert memory.states[1].abs().sum() == 0
    assert memory.summary[1].abs().sum() == 0
    assert memory.summary[0].abs().sum() > 0


@every_translator
def test_empty_source_gives_finite_logits_and_gradients(options):
    model, batch = make_model(*options), make_batch(PAIRS[:1])
    batch.source_mask[:] = False
    logits, weights = model(batch)
    logits.sum().backward()
    assert logits.isfinite().all() and (weights is None or (weights == 0).all())
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


def test_bahdanau_attends_with_the_state_before_the_step():
    model, batch = make_model("bahdanau"), make_batch(PAIRS[:1])
    state = model.start(batch.source, batch.source_mask)
    _, _, weights = model.step(batch.target_in[:, 0], state)
    parameters = dict(model.decoder.attention.named_parameters())
    states = state.memory.states
    expected = additive_attention(state.hidden[:, None], states, states, **parameters)[1]
    assert torch.allclose(weights, expected[:, 0], rtol=1e-12)


def test_bahdanau_step_is_the_paper_s_equations_by_hand():
    model, batch = make_model("bahdanau"), make_batch(PAIRS[:1])
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


def test_context_reaches_the_next_state_in_bahdanau_s_order_only():
    for attention, moves in {"bahdanau": True, "dot": False}.items():
        model, batch = make_model(attention), make_batch(PAIRS[:1])
        state = model.start(batch.source, batch.source_mask)
        other = replace(state, memory=replace(state.memory, states=-state.memory.states))
        _, after, _ = model.step(batch.target_in[:, 0], state)
        _, after_other, _ = model.step(batch.target_in[:, 0], other)
        assert torch.equal(after.hidden, after_other.hidden) != moves


def test_each_name_builds_its_attention():
    kinds = {name: type(make_model(name).decoder).__name__ for name in ATTENTIONS}
    assert kinds.pop("none") == "FixedVectorDecoder"
    assert kinds.pop("bahdanau") == "BahdanauDecoder"
    assert set(kinds.values()) == {"LuongDecoder"}
    scores = {name: type(make_model(name).decoder.attention).__name__ for name in kinds}
    assert scores == {name: f"{name.capitalize()}Attention" for name in kinds}


def test_luong_attends_with_the_state_after_the_step():
    model, batch = make_model("dot"), make_batch(PAIRS[:1])
    state = model.start(batch.source, batch.source_mask)
    _, after, weights = model.step(batch.target_in[:, 0], state)
    scores = (state.memory.states @ after.hidden[..., None])[..., 0]
    assert torch.allclose(weights, scores.softmax(-1), rtol=1e-12)


def test_step_advances_without_changing_the_state_it_was_given():
    model, batch = make_model("bahdanau"), make_batch(PAIRS[:1])
    state = model.start(batch.source, batch.source_mask)
    kept = state.hidden.clone()
    first, _, _ = model.step(batch.target_in[:, 0], state)
    second, _, _ = model.step(batch.target_in[:, 0], state)
    assert torch.equal(state.hidden, kept)
    assert torch.equal(first, second)


def test_decoder_takes_any_attention_with_other_key_width():
    class MeanAttention(torch.nn.Module):
        def forward(self, query, key, value, mask=None):
            weights = mask.expand(-1, query.shape[1], -1).double()
            weights = weights / weights.sum(-1, keepdim=True)
            return weights @ value, weights

    decoder = LuongDecoder(TARGET, MeanAttention(), d_embedding=5, d_state=6).double()
    batch = make_batch(PAIRS)
    memory = make_model("none").encoder(batch.source, batch.source_mask)
    _, weights = decoder(batch.target_in, memory)
    assert torch.allclose(weights[1, 0, :3], torch.full((3,), 1 / 3, dtype=torch.float64))


# ---- Spans and input feeding


@combinations
def test_the_config_builds_what_it_names(options):
    attention, span, input_feeding = options
    decoder = make_model(*options).decoder
    assert type(decoder) is (InputFeedingDecoder if input_feeding else LuongDecoder)
    local = decoder.attention
    score = local if span == "global" else local.score
    assert type(score).__name__ == f"{attention.capitalize()}Attention"
    if span != "global":
        assert isinstance(local, LocalAttention)
        assert local.predicted == (span == "local_p") and local.half_width == 1


@pytest.mark.parametrize("input_feeding", [False, True])
def test_local_m_reads_around_the_target_s_own_position(input_feeding):
    weights = make_model("dot", "local_m", input_feeding)(make_batch(PAIRS[1:2])).weights[0]
    # source: two words and the end symbol; D = 1; the queries 0 to 5 have their centres there
    seen = [[1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert (weights > 0).int().tolist() == seen
    assert torch.allclose(weights[:4].sum(-1), torch.ones(4).double())


def test_local_p_weights_do_not_sum_to_one():
    sums = make_model("dot", "local_p")(make_batch(PAIRS)).weights[0].sum(-1)
    assert ((sums > 0) & (sums < 1)).all()


@pytest.mark.parametrize("span", SPANS)
def test_greedy_decoding_knows_the_position_of_each_query(span):
    model = make_model("dot", span, True)
    batch = make_batch(PAIRS[:1])
    decoded = greedy(model, batch.source, batch.source_mask, max_length=5)
    tokens = decoded.tokens[0, : decoded.lengths[0]].tolist()
    weights = model(make_batch([(PAIRS[0][0], tokens)])).weights
    assert len(tokens) > 2
    assert torch.allclose(decoded.weights, weights[:, : len(tokens)], rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("span", SPANS)
def test_a_few_steps_of_training_lower_the_loss(span):
    task = SequenceTask("sort", symbols=7, min_length=2, max_length=4, batch_size=8)
    with global_seed(0):
        size = len(task.vocabulary)
        config = Seq2SeqConfig(
            source_vocabulary=size,
            target_vocabulary=size,
            attention="general",
            d_embedding=8,
            d_state=16,
            span=span,
            half_width=2,
            input_feeding=True,
        )
        model = RNNSeq2Seq(config)
    history = fit(
        model,
        task,
        steps=30,
        loss=lambda model, batch: token_cross_entropy(
            model(batch).logits, batch.target_out, batch.target_mask
        ),
        optimizer=torch.optim.Adam(model.parameters(), lr=0.02),
    )
    losses = history.loss
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


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


def test_unused_settings_draw_no_other_parameters():
    plain, other = make_model("dot"), make_model("dot", half_width=9, max_source=99)
    assert all(
        torch.equal(ours, theirs)
        for ours, theirs in zip(
            plain.state_dict().values(), other.state_dict().values(), strict=True
        )
    )


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"attention": "cosine"}, ValueError, "attention: expected one of 'none', 'bahdanau'"),
        ({"source_vocabulary": 0}, ValueError, "source_vocabulary: .* of at least 1, got 0"),
        ({"d_state": 7}, ValueError, "d_state: expected an even width"),
        ({"d_embedding": 0}, ValueError, "d_embedding: expected an integer of at least 1, got 0"),
        ({"attention": "none", "span": "local_m"}, ValueError,
         "span: expected 'global' with attention 'none', got 'local_m'"),
        ({"attention": "bahdanau", "span": "local_p"}, ValueError,
         "span: expected 'global' with attention 'bahdanau', got 'local_p'"),
        ({"attention": "none", "input_feeding": True}, ValueError,
         "input_feeding: expected False with attention 'none', got True"),
        ({"attention": "bahdanau", "input_feeding": True}, ValueError,
         "input_feeding: expected False with attention 'bahdanau', got True"),
        ({"span": "local-m"}, ValueError, "span: expected one of 'global', 'local_m', 'local_p'"),
        ({"half_width": 0}, ValueError, "half_width: expected an integer of at least 1, got 0"),
        ({"max_source": 0}, ValueError, "max_source: expected an integer of at least 1, got 0"),
        ({"input_feeding": 1}, TypeError, "input_feeding: expected True or False, got 1"),
    ],
)  # fmt: skip
def test_config_names_what_is_wrong(changes, error, message):
    good = {"source_vocabulary": 5, "target_vocabulary": 5, "attention": "dot"}
    with pytest.raises(error, match=message):
        RNNSeq2Seq(Seq2SeqConfig(**(good | changes)))


def test_a_source_longer_than_the_location_score_knows_is_named():
    model = make_model("location", max_source=5)
    model(make_batch([([5, 6, 7, 8], [4])]))  # four words and the end symbol
    with pytest.raises(ValueError, match="key_count: expected at most 5 source"):
        model(make_batch(PAIRS[:1]))


def test_bad_batches_are_named():
    model = make_model("bahdanau")
    good = torch.ones(2, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"source: expected token numbers in \[0, 17\), got 17"):
        model.start(torch.full((2, 3), 17), good)
    with pytest.raises(TypeError, match="source_mask: expected a torch.Tensor, got NoneType"):
        model.start(torch.ones(2, 3, dtype=torch.int64), None)
    with pytest.raises(TypeError, match="source_mask: expected a boolean mask"):
        model.start(torch.ones(2, 3, dtype=torch.int64), good.int())
    with pytest.raises(ValueError, match=r"source_mask: expected axes \[batch=2, source=3\]"):
        model.start(torch.ones(2, 3, dtype=torch.int64), good[:1])
    with pytest.raises(ValueError, match="source_mask: expected padding on the right only"):
        model.start(torch.ones(1, 3, dtype=torch.int64), torch.tensor([[False, True, True]]))
    state = model.start(torch.ones(2, 3, dtype=torch.int64), good)
    with pytest.raises(ValueError, match=r"token: expected token numbers in \[0, 19\), got 19"):
        model.step(torch.tensor([0, 19]), state)
    with pytest.raises(ValueError, match="d_state: expected an even width"):
        BidirectionalEncoder(5, d_embedding=3, d_state=5)
