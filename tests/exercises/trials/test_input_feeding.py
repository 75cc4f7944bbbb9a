"""Input feeding: two steps by hand, the library's decoder, and slips in what goes where."""

import math

import torch

from bottomup.attention import DotAttention
from bottomup.exercises import catalog
from bottomup.models.input_feeding import InputFeedingDecoder
from bottomup.models.rnn_encoder import Memory
from tests.drawn import global_seed
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

EXERCISE = catalog()["input-feeding"]


def test_two_steps_by_hand():
    # states 1 + 1 = 2 and 2 + 2 + fed; the context is half the state
    first = math.tanh(0.2 * 1 + 0.1 * 2)
    state = 4 + first
    second = math.tanh(0.2 * state / 2 + 0.1 * state)
    found = expected_of(EXERCISE, 0)
    torch.testing.assert_close(found, torch.tensor([[[first], [second]]]))


def test_the_solution_decodes_like_the_library():
    with global_seed(0):
        decoder = InputFeedingDecoder(13, DotAttention(), d_embedding=3, d_state=5).double()
        states, summary = torch.randn(2, 7, 5).double(), torch.randn(2, 5).double()
    torch.nn.init.zeros_(decoder.readout.hidden.bias)  # which the paper does not print
    tokens = torch.tensor([[1, 4, 12, 7], [2, 9, 0, 5]])
    mask = torch.ones(2, 1, 7, dtype=torch.bool)
    memory = Memory(states=states, mask=mask, summary=summary)

    def attend(query, states):
        return decoder.attention(query[:, None], states, states)[0][:, 0]

    found = EXERCISE.solution(
        decoder.embedding(tokens),
        decoder.start(memory).hidden,
        states,
        decoder.cell,
        attend,
        decoder.readout.hidden.weight,
    )
    torch.testing.assert_close(decoder.readout.logits(found), decoder(tokens, memory)[0])


def reader(
    *,
    feeds=lambda old, new, c, mixed: mixed,
    carries=lambda old, new, c, mixed: new,
    keeps=lambda old, new, c, mixed: mixed,
    asks=lambda old, new: new,
    joins=lambda word, fed: torch.cat([word, fed], 1),
    mixes=lambda c, new, W: (W @ torch.cat([c, new], 1).T).T.tanh(),
    first=lambda state, h: torch.zeros(state.shape, dtype=state.dtype),
    stacks=lambda rows: torch.stack(rows).transpose(0, 1),
):
    """A reader's answer with an index for the steps, and one thing changed."""

    def answer(words, state, h, cell, attend, W):
        fed, rows = first(state, h), []
        for i in range(words.shape[1]):
            new = cell(joins(words[:, i], fed), state)
            c = attend(asks(state, new), h)
            step = state, new, c, mixes(c, new, W)
            fed, state = feeds(*step), carries(*step)
            rows.append(keeps(*step))
        return stacks(rows)

    return answer


def test_a_right_answer_of_another_kind_passes():
    assert report_on(EXERCISE, reader()).passed


def with_bahdanau_s_step(words, state, h, cell, attend, W):
    """The context enters the state, which is all that is returned."""
    rows = []
    for word in words.unbind(1):
        state = cell(torch.cat([word, attend(state, h)], 1), state)
        rows.append(state)
    return torch.stack(rows, 1)


@wrong_answers(
    {
        "nothing-fed": [
            reader(feeds=lambda old, new, c, mixed: 0 * mixed),
            reader(joins=lambda word, fed: word),
        ],
        "context-fed": [
            reader(feeds=lambda old, new, c, mixed: c),
            reader(
                feeds=lambda old, new, c, mixed: c, first=lambda state, h: torch.zeros_like(h[:, 0])
            ),
        ],
        "state-fed": reader(feeds=lambda old, new, c, mixed: new),
        "old-state-asks": reader(asks=lambda old, new: old),
        "attentional-state-for-state": reader(carries=lambda old, new, c, mixed: mixed),
        "state-not-carried": reader(carries=lambda old, new, c, mixed: old),
        "order-under-the-tanh": reader(
            mixes=lambda c, new, W: (torch.cat([new, c], 1) @ W.T).tanh()
        ),
        "order-of-the-input": reader(joins=lambda word, fed: torch.hstack([fed, word])),
        "word-and-fed-added": reader(joins=torch.add),
        "tanh-missing": reader(mixes=lambda c, new, W: torch.hstack([c, new]) @ W.T),
        "tanh-inside": reader(mixes=lambda c, new, W: torch.hstack([c, new]).tanh() @ W.T),
        "states-returned": reader(keeps=lambda old, new, c, mixed: new),
        "last-step-only": reader(stacks=lambda rows: rows[-1]),
        "steps-first": reader(stacks=lambda rows: torch.stack(rows, dim=0)),
        "fed-detached": reader(feeds=lambda old, new, c, mixed: mixed.detach()),
    }
)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_a_fed_vector_without_gradient_has_right_values():
    report = report_on(EXERCISE, reader(feeds=lambda old, new, c, mixed: mixed.detach()))
    assert "The values are right, but not the gradient of " in report.evidence.difference


def test_bahdanau_s_step_has_no_name_here():
    report = report_on(EXERCISE, with_bahdanau_s_step)
    assert report.misconception is None
    assert report.status == "failed"
