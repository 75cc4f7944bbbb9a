"""The translator with hard attention: enumeration, draws, gradients, resuming, bad input."""

import itertools

import pytest
import torch

from bottomup.data import SequenceTask, make_batch
from bottomup.models import (
    HardSeq2Seq,
    baseline_reinforce_loss,
    exact_loss,
    hard_decoder,
    plain_reinforce_loss,
)
from bottomup.training import fit, token_cross_entropy
from tests.drawn import global_seed
from tests.models.recurrent import PAIRS, translator


def make_model(attention="general", **options):
    return translator(attention, kind=HardSeq2Seq, **options)


def test_its_distribution_is_the_weights_of_the_soft_model():
    batch = make_batch(PAIRS)
    weights, _log_likelihood = make_model().enumerate_positions(batch)
    assert torch.equal(weights, translator("general")(batch).weights)


@pytest.mark.parametrize("attention", ["dot", "general", "concat", "additive"])
def test_in_evaluation_all_steps_at_once_equal_one_step_at_a_time(attention):
    model, batch = make_model(attention=attention).eval(), make_batch(PAIRS)
    logits, weights = model(batch)
    memory = model.encoder(batch.source, batch.source_mask)
    looped_logits, looped_weights = model.decoder.unroll(batch.target_in, memory)
    torch.testing.assert_close(logits, looped_logits, rtol=1e-12, atol=1e-12)
    assert torch.equal(weights, looped_weights)
    assert (weights.sum(-1) == 1).all() and (weights.max(-1).values == 1).all()


def test_enumerated_positions_are_what_reading_each_of_them_gives():
    model, batch = make_model(), make_batch(PAIRS)
    _weights, log_likelihood = model.enumerate_positions(batch)
    memory = model.encoder(batch.source, batch.source_mask)
    hidden, _ = model.decoder.gru(
        model.decoder.embedding(batch.target_in), model.decoder.start(memory).hidden[None]
    )
    assert log_likelihood.shape == (3, batch.target_in.shape[1], batch.source.shape[1])
    for sentence, step, position in [(0, 0, 0), (1, 5, 2), (2, 1, 3)]:
        logits = model.decoder.readout(memory.states[sentence, position], hidden[sentence, step])
        expected = logits.log_softmax(-1)[batch.target_out[sentence, step]]
        torch.testing.assert_close(log_likelihood[sentence, step, position], expected)


def test_the_exact_loss_is_the_mean_over_real_tokens():
    model = make_model()
    sums = [exact_loss(model, make_batch([pair])) * (len(pair[1]) + 1) for pair in PAIRS]
    count = sum(len(target) + 1 for _source, target in PAIRS)
    torch.testing.assert_close(exact_loss(model, make_batch(PAIRS)), sum(sums) / count)


def gradients(loss, model):
    found = torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)
    return [torch.zeros(()) if gradient is None else gradient for gradient in found]


@pytest.mark.parametrize("baseline", [None, -2.0])
def test_reinforce_over_all_draws_is_exactly_the_exact_gradient(baseline, monkeypatch):
    """A source of one word and end, a target of one word and end: four ways to read."""
    model, batch = make_model(), make_batch([([5], [7])])
    loss = plain_reinforce_loss
    if baseline is not None:
        loss = baseline_reinforce_loss
        model.baseline.value.fill_(baseline)
        monkeypatch.setattr(model.baseline, "update", lambda log_likelihood: None)
    exact = gradients(exact_loss(model, batch), model)
    weights, _log_likelihood = model.enumerate_positions(batch)
    mean = [torch.zeros(()).double()] * len(exact)
    for drawn in itertools.product(range(2), repeat=2):
        positions = torch.tensor([drawn])
        monkeypatch.setattr(
            hard_decoder, "sample_positions", lambda weights, generator, p=positions: p
        )
        probability = weights[0, [0, 1], list(drawn)].prod().detach()
        found = gradients(loss(model, batch), model)
        mean = [total + probability * one for total, one in zip(mean, found, strict=True)]
    assert any(gradient.abs().sum() > 0 for gradient in exact)
    for one, other in zip(mean, exact, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-12)


def test_a_draw_reads_one_position_and_pays_its_probability():
    model, batch = make_model(), make_batch(PAIRS)
    weights, everywhere = model.enumerate_positions(batch)
    with global_seed(1):
        log_likelihood, log_probability = model.draw_positions(batch)
    for step in range(batch.target_in.shape[1]):
        (same,) = (everywhere[1, step] - log_likelihood[1, step]).abs().lt(1e-12).nonzero()[:1]
        torch.testing.assert_close(log_probability[1, step], weights[1, step, same[0]].log())


def test_the_moving_baseline_follows_the_log_likelihood():
    model, batch = make_model(), make_batch(PAIRS)
    with global_seed(1):
        log_likelihood, _log_probability = model.draw_positions(batch)
        torch.manual_seed(1)
        baseline_reinforce_loss(model, batch)
    expected = 0.1 * log_likelihood[batch.target_mask].mean()
    torch.testing.assert_close(model.baseline.value, expected.detach())


def straight_through_loss(model, batch):
    return token_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)


LOSSES = [straight_through_loss, exact_loss, plain_reinforce_loss, baseline_reinforce_loss]


class StopError(Exception):
    """Ends a run from outside, as a crash would."""


def stop(step, history):
    if step == 4:
        raise StopError


@pytest.mark.parametrize("loss", [straight_through_loss, baseline_reinforce_loss])
def test_a_training_that_was_stopped_ends_like_one_never_stopped(loss, tmp_path, device):
    task = SequenceTask("reverse", symbols=3, min_length=2, max_length=3, batch_size=4)

    def train(path=None, on_step=None):
        model = make_model().to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        options = {"checkpoint": path, "checkpoint_every": 3, "on_step": on_step}
        history = fit(model, task, steps=7, loss=loss, optimizer=optimizer, seed=5, **options)
        return model.state_dict(), history

    with pytest.raises(StopError):
        train(tmp_path / "run.pt", stop)
    resumed, history = train(tmp_path / "run.pt")
    state, expected = train()
    torch.testing.assert_close(resumed, state, rtol=0, atol=0)
    assert history == expected
    assert len(set(history.loss)) == 7


def test_every_parameter_learns_from_every_loss():
    for loss in LOSSES:
        model = make_model()
        with global_seed(2):
            loss(model, make_batch(PAIRS)).backward()
        assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters()), loss


@pytest.mark.parametrize("attention", ["none", "bahdanau"])
def test_an_attention_of_another_kind_is_named(attention):
    with pytest.raises(
        ValueError, match=f"config: expected a score .* got attention '{attention}'"
    ):
        make_model(attention=attention)


@pytest.mark.parametrize("options", [{"input_feeding": True}, {"span": "local_m"}])
def test_a_decoder_whose_steps_are_not_apart_or_whose_weights_are_no_softmax_is_named(options):
    with pytest.raises(ValueError, match="config: expected a score in Luong's order without input"):
        make_model(**options)


def test_a_soft_model_is_refused():
    for loss in (exact_loss, plain_reinforce_loss, baseline_reinforce_loss):
        with pytest.raises(TypeError, match="model: expected a HardSeq2Seq, got RNNSeq2Seq"):
            loss(translator("general"), make_batch(PAIRS))
