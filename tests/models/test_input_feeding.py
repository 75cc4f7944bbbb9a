"""Input feeding: the paper's equations by hand, what is fed, and what reaches the next state."""

from dataclasses import replace

import pytest
import torch

from bottomup.attention import dot_scores
from bottomup.data import make_batch
from bottomup.models import InputFeedingDecoder
from tests.models.recurrent import D_STATE, PAIRS, translator


def test_two_steps_are_the_paper_s_equations_by_hand():
    model, batch = translator(input_feeding=True), make_batch(PAIRS[:1])
    decoder, state = model.decoder, model.start(batch.source, batch.source_mask)
    states = state.memory.states
    hidden, fed = state.hidden, torch.zeros(1, D_STATE, dtype=torch.float64)
    assert torch.equal(state.attentional, fed)
    for token in batch.target_in[:, :2].unbind(1):
        hidden = decoder.cell(torch.cat([decoder.embedding(token), fed], dim=-1), hidden)
        weights = dot_scores(hidden[:, None], states).softmax(-1)
        context = (weights @ states)[:, 0]
        fed = torch.tanh(decoder.readout.hidden(torch.cat([context, hidden], dim=-1)))
        logits, state, step_weights = model.step(token, state)
        assert torch.allclose(step_weights, weights[:, 0], rtol=1e-12)
        assert torch.allclose(state.hidden, hidden, rtol=1e-12)
        assert torch.allclose(state.attentional, fed, rtol=1e-12)
        assert torch.allclose(logits, decoder.readout.logits(fed), rtol=1e-12)


def test_what_was_attended_to_reaches_the_next_state_one_step_later():
    moved = {}
    for input_feeding in (True, False):
        model, batch = translator(input_feeding=input_feeding), make_batch(PAIRS[:1])
        state = model.start(batch.source, batch.source_mask)
        other = replace(state, memory=replace(state.memory, states=-state.memory.states))
        moved[input_feeding] = []
        for token in batch.target_in[:, :2].unbind(1):
            _, state, _ = model.step(token, state)
            _, other, _ = model.step(token, other)
            moved[input_feeding].append(not torch.equal(state.hidden, other.hidden))
    assert moved == {True: [False, True], False: [False, False]}


def test_without_what_is_fed_it_is_luong_s_decoder():
    fed, plain, batch = translator(input_feeding=True), translator(), make_batch(PAIRS)
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    cell = {name: getattr(plain.decoder.gru, f"{name}_l0") for name in names}
    shared = {name: p for name, p in plain.state_dict().items() if ".gru." not in name}
    fed.load_state_dict(shared, strict=False)
    fed.encoder.load_state_dict(plain.encoder.state_dict())
    no_weights = torch.zeros(3 * D_STATE, D_STATE, dtype=torch.float64)
    cell["weight_ih"] = torch.cat([cell["weight_ih"], no_weights], dim=1)
    fed.decoder.cell.load_state_dict(cell)
    assert torch.allclose(fed(batch).logits, plain(batch).logits, rtol=1e-12)


def test_a_state_of_another_decoder_is_refused():
    fed, plain, batch = translator(input_feeding=True), translator(), make_batch(PAIRS)
    assert isinstance(fed.decoder, InputFeedingDecoder)
    state = plain.start(batch.source, batch.source_mask)
    with pytest.raises(ValueError, match="state: expected one that InputFeedingDecoder.start"):
        fed.step(batch.target_in[:, 0], state)
