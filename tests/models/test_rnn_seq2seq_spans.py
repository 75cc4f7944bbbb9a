"""Spans and input feeding in every combination: looped = whole, padding, gradients, training."""

from itertools import product

import pytest
import torch

from bottomup.attention import LocalAttention
from bottomup.data import SequenceTask, make_batch
from bottomup.decoding import greedy
from bottomup.models import (
    InputFeedingDecoder,
    LuongDecoder,
    RNNSeq2Seq,
    Seq2SeqConfig,
)
from bottomup.models.rnn_seq2seq import SPANS
from bottomup.training import fit, token_cross_entropy

SOURCE, TARGET = 17, 19
# the second target is longer than its source by more than a window's half width of 1
PAIRS = [([5, 6, 7, 8, 9], [4, 5, 6]), ([10, 11], [7, 8, 9, 10, 11]), ([12, 13, 14], [12])]
COMBINATIONS = list(product(("dot", "general", "location"), SPANS, (False, True)))
combinations = pytest.mark.parametrize("attention, span, input_feeding", COMBINATIONS)


def make_model(attention, span="global", input_feeding=False, **options):
    with torch.random.fork_rng():
        torch.manual_seed(3)
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


@combinations
def test_the_config_builds_what_it_names(attention, span, input_feeding):
    decoder = make_model(attention, span, input_feeding).decoder
    assert type(decoder) is (InputFeedingDecoder if input_feeding else LuongDecoder)
    local = decoder.attention
    score = local if span == "global" else local.score
    assert type(score).__name__ == f"{attention.capitalize()}Attention"
    if span != "global":
        assert isinstance(local, LocalAttention)
        assert local.predicted == (span == "local_p") and local.half_width == 1


@combinations
def test_all_steps_at_once_equal_one_step_at_a_time(attention, span, input_feeding):
    model, batch = make_model(attention, span, input_feeding), make_batch(PAIRS)
    logits, weights = model(batch)
    memory = model.encoder(batch.source, batch.source_mask)
    looped_logits, looped_weights = model.decoder.unroll(batch.target_in, memory)
    assert torch.allclose(logits, looped_logits, rtol=1e-12, atol=1e-12)
    assert torch.allclose(weights, looped_weights, rtol=1e-12, atol=1e-12)


@combinations
def test_a_sentence_gets_the_same_logits_alone_and_in_a_padded_batch(
    attention, span, input_feeding
):
    model, batch = make_model(attention, span, input_feeding), make_batch(PAIRS)
    together = model(batch)
    for row, pair in enumerate(PAIRS):
        alone = model(make_batch([pair]))
        target, source = alone.logits.shape[1], len(pair[0]) + 1
        assert torch.allclose(together.logits[row, :target], alone.logits[0], rtol=1e-10)
        own = together.weights[row, :target]
        assert torch.allclose(own[:, :source], alone.weights[0], rtol=1e-10)
        assert (own[:, source:] == 0).all()


@combinations
def test_every_parameter_gets_a_finite_gradient(attention, span, input_feeding):
    model, batch = make_model(attention, span, input_feeding), make_batch(PAIRS)
    model(batch).logits.logsumexp(-1).sum().backward()
    silent = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert silent == []
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


@combinations
def test_empty_source_gives_finite_logits_and_gradients(attention, span, input_feeding):
    model, batch = make_model(attention, span, input_feeding), make_batch(PAIRS[:1])
    batch.source_mask[:] = False
    logits, weights = model(batch)
    logits.sum().backward()
    assert logits.isfinite().all() and (weights == 0).all()
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


@combinations
def test_model_runs_on_every_device(attention, span, input_feeding, device):
    model, batch = make_model(attention, span, input_feeding), make_batch(PAIRS)
    expected = model(batch).logits
    logits = model.to(device)(batch.to(device)).logits
    assert logits.device.type == device.type
    assert torch.allclose(logits.cpu(), expected, rtol=1e-8)


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
    with torch.random.fork_rng():
        torch.manual_seed(0)
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
    with torch.random.fork_rng():
        torch.manual_seed(11)
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
        Seq2SeqConfig(**(good | changes))


def test_a_source_longer_than_the_location_score_knows_is_named():
    model = make_model("location", max_source=5)
    model(make_batch([([5, 6, 7, 8], [4])]))  # four words and the end symbol
    with pytest.raises(ValueError, match="key_count: expected at most 5 source"):
        model(make_batch(PAIRS[:1]))
