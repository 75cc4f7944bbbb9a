"""The exercises of chapter 02b: the library's own functions, and what a report says."""

import pytest
import torch
from torch import Tensor, nn

from bottomup import attention
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded

LSTMN_STEP = catalog()["lstmn-step"]
ALIGN_BOTH_WAYS = catalog()["align-both-ways"]
TEMPORAL_WEIGHTS = catalog()["temporal-weights"]
INTRA_DECODER = catalog()["intra-decoder-attention"]
ALL = (LSTMN_STEP, ALIGN_BOTH_WAYS, TEMPORAL_WEIGHTS, INTRA_DECODER)


def randn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=seeded(3), dtype=torch.float64)


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.slug)
@pytest.mark.parametrize(
    "said", ["in the dtype|same shape and dtype", "a gradient must flow back", "in place"]
)
def test_the_stub_says_what_is_asked(exercise, said: str):
    stub = " ".join(exercise.stub.split())
    assert any(words in stub for words in said.split("|"))


# ---- One step of the LSTMN


def test_steps_from_the_first_word_on_are_the_library_s_network():
    network = attention.LSTMN(d_word=3, d_state=5, d_attention=7).double()
    words = randn(2, 4, 3)
    with torch.no_grad():
        states, weights = network(words)
        hidden = cell = torch.zeros(2, 0, 5, dtype=torch.float64)
        gates = network.cell.gates
        for t in range(4):
            given = words[:, t], weights[:, t, :t], hidden, cell, gates.weight, gates.bias
            hidden, cell = LSTMN_STEP.solution(*given)
    torch.testing.assert_close(hidden, states)


def test_with_the_last_state_alone_it_is_an_lstm_cell():
    lstm = nn.LSTMCell(3, 5).double()
    word, h, c = randn(2, 3), randn(2, 5), randn(2, 5).flip(0)
    i, f, g, o = torch.cat([lstm.weight_hh, lstm.weight_ih], dim=1).chunk(4)
    b_i, b_f, b_g, b_o = (lstm.bias_hh + lstm.bias_ih).chunk(4)
    W, b = torch.cat([i, f, o, g]), torch.cat([b_i, b_f, b_o, b_g])
    one = torch.ones(2, 1, dtype=torch.float64)
    hidden, cell = LSTMN_STEP.solution(word, one, h[:, None], c[:, None], W, b)
    for ours, theirs in zip((hidden, cell), lstm(word, (h, c)), strict=True):
        torch.testing.assert_close(ours[:, 1], theirs)


def test_which_tape_differs_is_said():
    def without_the_first(*inputs):
        return tuple(tape[:, 1:] for tape in LSTMN_STEP.solution(*inputs))

    report = examine(LSTMN_STEP, without_the_first)
    assert report.message.startswith("In hidden: The result has shape")


def in_numpy(*inputs):
    return tuple(tape.numpy() for tape in LSTMN_STEP.solution(*(x.detach() for x in inputs)))


def test_tapes_of_numpy_are_told_to_stay_in_torch():
    assert "compute with torch throughout" in examine(LSTMN_STEP, in_numpy).message


# ---- The library's functions


def alignment(first_features, second_features, first, second):
    scores = attention.decomposable_scores(first_features, second_features)
    return attention.decomposable_alignment(scores, first, second)[0]


@pytest.mark.parametrize(
    "slug, function",
    [
        ("align-both-ways", alignment),
        ("intra-attention", lambda *inputs: attention.intra_attention(*inputs)[0]),
        (
            "temporal-weights",
            lambda scores: attention.temporal_attention(scores, torch.zeros_like(scores).mT)[1],
        ),
        ("temporal-weights", lambda scores: attention.temporal_scores(scores).softmax(dim=-1)),
        (
            "intra-decoder-attention",
            lambda *inputs: attention.intra_decoder_attention(*inputs)[0],
        ),
        ("lin-penalty", attention.overlap_penalty),
    ],
)
def test_the_library_s_function_passes(slug, function):
    assert examine(catalog()[slug], function).passed
