"""One step of the decoder: a state by hand, torch's cell, the library's attention, and slips."""

import math

import pytest
import torch

from bottomup.attention import additive_attention, additive_scores
from bottomup.exercises import catalog
from tests.drawn import global_seed
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

EXERCISE = catalog()["bahdanau-step"]


def test_the_state_of_the_first_case():
    # the context ends in 4 / 4 + 8 * 3 / 4 = 7; the word is 5
    assert expected_of(EXERCISE, 0).tolist() == [pytest.approx([1 + 50 + 700, 50 + 700])]


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
    text = repr(report_on(EXERCISE, lambda state, *others: state))
    assert "score:\n  'the dot product of query and key'" in text
    assert "cell:\n  'state + 10 * first number" in text


def weigh(scores, states):
    return (scores.softmax(-1).unsqueeze(-1) * states).sum(1)


def with_a_matrix_product(state, word, states, score, cell):
    a = torch.softmax(score(state, states), 1)
    c = (a[:, None, :] @ states)[:, 0]
    return cell(torch.cat((word, c), 1), state)


def with_matmul_of_the_transpose(state, word, states, score, cell):
    a = torch.nn.functional.softmax(score(state, states), dim=-1)
    c = torch.matmul(states.mT, a[:, :, None]).squeeze(-1)
    return cell(torch.cat([word, c], dim=1), state)


@pytest.mark.parametrize("answer", [with_a_matrix_product, with_matmul_of_the_transpose])
def test_right_answers_of_other_kinds_pass(answer):
    assert report_on(EXERCISE, answer).passed


def of_context(context):
    """A reader's answer with another context."""

    def answer(state, word, states, score, cell):
        return cell(torch.cat([word, context(score(state, states), states)], dim=-1), state)

    return answer


@wrong_answers(
    {
        "mean-of-the-states": [
            lambda scores, h: h.mean(dim=1),
            lambda scores, h: weigh(torch.zeros_like(scores), h),
        ],
        "last-state-only": lambda scores, h: h[:, -1, :],
        "largest-only": [
            lambda scores, h: torch.stack(
                [row[i] for row, i in zip(h, scores.argmax(1), strict=True)]
            ),
            lambda scores, h: weigh(1e6 * scores, h),
        ],
        "softmax-missing": lambda scores, h: torch.einsum("bs,bsd->bd", scores, h),
        "softmax-over-the-batch": lambda scores, h: (scores.softmax(0)[..., None] * h).sum(1),
        "scores-scaled": lambda scores, h: weigh(scores / math.sqrt(h.shape[-1]), h),
        "summed-over-the-width": lambda scores, h: (scores.softmax(1)[..., None] * h).sum(2),
        "sentences-mixed": lambda scores, h: torch.einsum("bs,csd->bd", scores.softmax(1), h),
    }
)
def test_a_slip_in_the_context_is_named(wrong, mistake: str):
    assert named(EXERCISE, of_context(wrong)) == mistake


def in_luong_s_order(state, word, states, score, cell):
    new = cell(word, state)
    context = weigh(score(new, states), states)
    return cell(torch.cat([word, context], dim=-1), new)


def with_the_word_as_query(state, word, states, score, cell):
    return cell(torch.cat([word, weigh(score(word, states), states)], -1), state)


def into_the_cell(join):
    def answer(state, word, states, score, cell):
        return join(cell, word, weigh(score(state, states), states), state)

    return answer


@wrong_answers(
    {
        "new-state-asks": in_luong_s_order,
        "word-asks": with_the_word_as_query,
        "context-missing": into_the_cell(lambda cell, word, c, s: cell(word, s)),
        "word-missing": into_the_cell(lambda cell, word, c, s: cell(c, s)),
        "order-of-the-input": into_the_cell(
            lambda cell, word, c, s: cell(torch.hstack([c, word]), s)
        ),
        "word-and-context-added": into_the_cell(lambda cell, word, c, s: cell(c + word, s)),
        "old-state-lost": [
            into_the_cell(lambda cell, word, c, s: cell(torch.hstack([word, c]), 0 * s)),
            into_the_cell(lambda cell, word, c, s: cell(torch.hstack([word, c]), c)),
        ],
        "context-returned": into_the_cell(lambda cell, word, c, s: c),
    }
)
def test_a_slip_in_the_wiring_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_a_context_without_gradient_is_told_that_a_model_could_not_learn():
    report = report_on(EXERCISE, of_context(lambda scores, h: weigh(scores, h).detach()))
    assert report.misconception is None
    assert "no gradient leads back from them to states" in report.message
