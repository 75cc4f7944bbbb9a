"""One step of the decoder: torch's cell, the library's attention, and words of a report."""

import torch

from bottomup.attention import additive_attention, additive_scores
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import global_seed

EXERCISE = catalog()["bahdanau-step"]


def test_the_solution_steps_like_the_library_s_attention_and_torch_s_cell():
    with global_seed(0):
        cell = torch.nn.GRUCell(2 + 5, 3, dtype=torch.float64)
        state, word = torch.randn(7, 3).double(), torch.randn(7, 2).double()
        states = torch.randn(7, 11, 5).double()
        maps = {"W_a": torch.randn(13, 3), "U_a": torch.randn(13, 5), "v_a": torch.randn(13)}
    maps = {name: value.double() for name, value in maps.items()}

    def score(query, key):
        return additive_scores(query[:, None], key, **maps)[:, 0]

    context, _weights = additive_attention(state[:, None], states, states, **maps)
    theirs = cell(torch.cat([word, context[:, 0]], dim=-1), state)
    torch.testing.assert_close(EXERCISE.solution(state, word, states, score, cell), theirs)


def test_a_report_shows_the_functions_by_their_texts():
    text = repr(examine(EXERCISE, lambda state, *others: state))
    assert "score:\n  'the dot product of query and key'" in text
    assert "cell:\n  'state + 10 * first number" in text


def test_a_context_without_gradient_is_told_that_a_model_could_not_learn():
    def detached(state, word, states, score, cell):
        weights = score(state, states).softmax(-1)
        context = (weights.unsqueeze(-1) * states).sum(1).detach()
        return cell(torch.cat([word, context], dim=-1), state)

    report = examine(EXERCISE, detached)
    assert report.mistake is None
    assert "no gradient leads back from them to states" in report.message
