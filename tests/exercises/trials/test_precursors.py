"""Four exercises of chapter 02b: values by hand, the library's own functions, typical slips."""

import math

import pytest
import torch
from torch import Tensor, nn

from bottomup import attention
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

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


def test_the_new_states_of_the_first_case():
    hidden, cell = expected_of(LSTMN_STEP, 0)
    c = 0.75 * 0.2 + 0.5 * 0.8  # f times the reading 1/5, and i times tanh(log 3) = 4/5
    torch.testing.assert_close(cell, torch.tensor([[[0.8], [0.0], [c]]]))
    torch.testing.assert_close(hidden, torch.tensor([[[0.5], [0.5], [0.5 * math.tanh(c)]]]))


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


def step(word, weights, hidden, cell, W, b, *, order="ifog", tapes=None, gates=None, new=None):
    """A step as a reader writes it, in one of whose parts something is wrong."""
    if tapes is None:
        h = torch.einsum("bp,bpd->bd", weights, hidden)
        c = torch.einsum("bp,bpd->bd", weights, cell)
    else:
        h, c = tapes(weights, hidden, cell)
    mapped = torch.cat([h, word], dim=1) @ W.T + b if gates is None else gates(h, word, W, b)
    parts = dict(zip(order, mapped.split(hidden.shape[-1], dim=1), strict=True))
    i, f, o = (torch.sigmoid(parts[name]) for name in "ifo")
    c = f * c + i * torch.tanh(parts["g"])
    h = o * torch.tanh(c) if new is None else new(o, c)
    return torch.cat([hidden, h.unsqueeze(1)], dim=1), torch.cat([cell, c.unsqueeze(1)], dim=1)


def with_parts(**parts):
    return lambda *inputs: step(*inputs, **parts)


def last(weights, hidden, cell):
    if hidden.shape[1] == 0:
        return hidden.sum(1), cell.sum(1)
    return hidden[:, -1], cell[:, -1]


def heaviest(weights, hidden, cell):
    if hidden.shape[1] == 0:
        return hidden.sum(1), cell.sum(1)
    rows, best = torch.arange(len(hidden)), weights.argmax(1)
    return hidden[rows, best], cell[rows, best]


def hidden_twice(weights, hidden, cell):
    return (weights[..., None] * hidden).sum(1), (weights[..., None] * hidden).sum(1)


def mean_of_products(weights, hidden, cell):
    return tuple((weights[..., None] * tape).mean(1) for tape in (hidden, cell))


def in_list(word, weights, hidden, cell, W, b):
    return list(LSTMN_STEP.solution(word, weights, hidden, cell, W, b))


def with_four_matrices(word, weights, hidden, cell, W, b):
    h, c = weights[:, None] @ hidden, weights[:, None] @ cell  # [batch, 1, d_state]
    both = torch.cat([h, word[:, None]], dim=2)
    maps = zip(W.view(4, -1, W.shape[1]), b.view(4, -1), strict=True)
    i, f, o, g = (both @ matrix.mT + bias for matrix, bias in maps)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.hstack([hidden, torch.sigmoid(o) * torch.tanh(c)]), torch.hstack([cell, c])


@pytest.mark.parametrize("answer", [in_list, with_four_matrices, with_parts()])
def test_right_steps_in_other_words_pass(answer):
    assert report_on(LSTMN_STEP, answer).passed


def new_states_alone(*inputs):
    hidden, cell = LSTMN_STEP.solution(*inputs)
    return hidden[:, -1], cell[:, -1]


def last_replaced(word, weights, hidden, cell, W, b):
    new_hidden, new_cell = LSTMN_STEP.solution(word, weights, hidden, cell, W, b)
    return (
        torch.cat([hidden[:, :-1], new_hidden[:, -1:]], dim=1),
        torch.cat([cell[:, :-1], new_cell[:, -1:]], dim=1),
    )


@wrong_answers(
    {
        "last-states-read": with_parts(tapes=last),
        "hidden-tape-read-twice": with_parts(tapes=hidden_twice),
        "divided-by-the-length": with_parts(tapes=mean_of_products),
        "weights-unused": with_parts(tapes=lambda w, h, c: (h.mean(1), c.mean(1))),
        "gates-in-another-order": [with_parts(order="ifgo"), with_parts(order="fiog")],
        "word-before-the-reading": with_parts(
            gates=lambda h, x, W, b: torch.hstack([x, h]) @ W.T + b
        ),
        "bias-missing": with_parts(gates=lambda h, x, W, b: torch.hstack([h, x]) @ W.T),
        "last-tanh-missing": with_parts(new=lambda o, c: o * c),
        "only-the-new-states": new_states_alone,
    }
)
def test_a_slip_in_the_step_is_named(wrong, mistake: str):
    assert named(LSTMN_STEP, wrong) == mistake


@pytest.mark.parametrize("wrong", [with_parts(tapes=heaviest), last_replaced])
def test_what_is_no_named_mistake_of_the_step_is_counted(wrong):
    report = report_on(LSTMN_STEP, wrong)
    assert report.misconception is None
    assert "cases agree with the solution" in report.message


def test_which_tape_differs_is_said():
    report = report_on(LSTMN_STEP, last_replaced)
    assert report.message.startswith("In hidden: The result has shape")


def in_numpy(*inputs):
    return tuple(tape.numpy() for tape in LSTMN_STEP.solution(*(x.detach() for x in inputs)))


def test_tapes_of_numpy_are_told_to_stay_in_torch():
    assert "compute with torch throughout" in report_on(LSTMN_STEP, in_numpy).message


# ---- Two sentences that read each other


def test_readings_of_the_first_case():
    reads_second, reads_first = expected_of(ALIGN_BOTH_WAYS, 0)
    # rows 3:1, 1:3, 1:3 of the words 1 and 5; columns 3:1:1 and 1:3:3 of 10, 20 and 30
    torch.testing.assert_close(reads_second, torch.tensor([[[2.0], [4.0], [4.0]]]))
    torch.testing.assert_close(reads_first, torch.tensor([[[16.0], [160 / 7]]]))


def library_alignment(first_features, second_features, first, second):
    scores = attention.decomposable_scores(first_features, second_features)
    return attention.decomposable_alignment(scores, first, second)[0]


def by_turning_the_table_first(F_a, F_b, a, b):
    e = torch.bmm(F_a, F_b.transpose(1, 2))
    return torch.bmm(e.softmax(2), b), torch.bmm(e.transpose(1, 2).softmax(2), a)


@pytest.mark.parametrize("answer", [library_alignment, by_turning_the_table_first])
def test_right_alignments_in_other_words_pass(answer):
    assert report_on(ALIGN_BOTH_WAYS, answer).passed


def one_softmax(F_a, F_b, a, b):
    alpha = torch.bmm(F_a, F_b.transpose(1, 2)).softmax(dim=2)
    return torch.bmm(alpha, b), torch.bmm(alpha.transpose(1, 2), a)


def turned_and_over_the_wrong_axis(F_a, F_b, a, b):
    e = F_a @ F_b.mT
    return e.softmax(1) @ b, e.mT.softmax(1) @ a


def divided_by_the_root(F_a, F_b, a, b):
    root = F_a.shape[-1] ** 0.25
    return library_alignment(F_a / root, F_b / root, a, b)


def words_scored(F_a, F_b, a, b):
    return library_alignment(a, b, a, b)


def in_itself(F_a, F_b, a, b):
    def read(F, words):
        return (F @ F.mT).softmax(-1) @ words

    return read(F_a, a), read(F_b, b)


def over_all_pairs(F_a, F_b, a, b):
    e = F_a @ F_b.mT
    weights = e.exp() / e.exp().sum(dim=(1, 2), keepdim=True)
    return weights @ b, weights.mT @ a


def without_turning(F_a, F_b, a, b):
    e = F_a @ F_b.mT
    return e.softmax(-1) @ b, e.softmax(-2) @ a


@wrong_answers(
    {
        "row-weights-turned": one_softmax,
        "softmaxes-swapped": turned_and_over_the_wrong_axis,
        "scaled": divided_by_the_root,
        "F-unused": words_scored,
        "each-reads-itself": in_itself,
        "whole-table": over_all_pairs,
        "table-not-turned": without_turning,
        "readings-in-the-wrong-order": lambda *inputs: library_alignment(*inputs)[::-1],
    }
)
def test_a_slip_in_the_alignment_is_named(wrong, mistake: str):
    assert named(ALIGN_BOTH_WAYS, wrong) == mistake


def best_match_alone(F_a, F_b, a, b):
    e = F_a @ F_b.mT
    rows = nn.functional.one_hot(e.argmax(2), e.shape[2]).to(a)
    columns = nn.functional.one_hot(e.argmax(1), e.shape[1]).to(a)
    return rows @ b, columns @ a


def with_the_weights(F_a, F_b, a, b):
    return attention.decomposable_alignment(F_a @ F_b.mT, a, b)


@pytest.mark.parametrize("wrong", [best_match_alone, with_the_weights])
def test_what_is_no_named_mistake_of_the_alignment_is_not_named(wrong):
    report = report_on(ALIGN_BOTH_WAYS, wrong)
    assert not report.passed
    assert report.misconception is None


# ---- Temporal attention


def test_weights_of_the_first_case():
    # exponentials 1, 2, 3, then 2, 2, 3 divided by them: 2, 1, 1
    expected = torch.tensor([[[1 / 6, 2 / 6, 3 / 6], [2 / 4, 1 / 4, 1 / 4]]])
    torch.testing.assert_close(expected_of(TEMPORAL_WEIGHTS, 0), expected)


def library_weights(scores):
    return attention.temporal_attention(scores, torch.zeros_like(scores).mT)[1]


def from_the_library_s_scores(scores):
    return attention.temporal_scores(scores).softmax(dim=-1)


def mean_of_the_past(scores):
    """A mean for the sum: the number of steps before cancels in each row."""
    past = scores.logcumsumexp(1)[:, :-1]
    past = past - torch.arange(1, scores.shape[1]).log()[:, None].to(scores)
    return torch.cat([scores[:, :1], scores[:, 1:] - past], 1).softmax(-1)


def with_padding_before(scores):
    past = nn.functional.pad(scores.logcumsumexp(1), (0, 0, 1, -1))
    return nn.functional.softmax(scores - past, dim=2)


@pytest.mark.parametrize(
    "answer", [library_weights, from_the_library_s_scores, mean_of_the_past, with_padding_before]
)
def test_right_temporal_weights_in_other_words_pass(answer):
    assert report_on(TEMPORAL_WEIGHTS, answer).passed


def as_written(scores):
    e = scores.exp()
    rows = [e[:, 0] / e[:, 0].sum(-1, keepdim=True)]
    for t in range(1, scores.shape[1]):
        row = e[:, t] / e[:, :t].sum(1)
        rows.append(row / row.sum(-1, keepdim=True))
    return torch.stack(rows, dim=1)


def from_a_sum_of_ones(scores):
    past, rows = torch.ones_like(scores[:, 0]), []
    for step in scores.unbind(1):
        row = step.exp() / past
        rows.append(row / row.sum(-1, keepdim=True))
        past = past + step.exp()
    return torch.stack(rows, 1)


def added_before_it_is_used(scores):
    past, rows = torch.zeros_like(scores[:, 0]), []
    for step in scores.unbind(1):
        past = past + step.exp()
        row = step.exp() / past
        rows.append(row / row.sum(-1, keepdim=True))
    return torch.stack(rows, 1)


def coverage(scores):
    """The weights so far are what divides, as a coverage vector would."""
    rows = [scores[:, 0].softmax(-1)]
    for t in range(1, scores.shape[1]):
        row = scores[:, t].exp() / torch.stack(rows).sum(0)
        rows.append(row / row.sum(-1, keepdim=True))
    return torch.stack(rows, 1)


def less_the_row_s_maximum(scores):
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    rows = [e[:, 0]] + [e[:, t] / e[:, :t].sum(1) for t in range(1, scores.shape[1])]
    return torch.stack([row / row.sum(-1, keepdim=True) for row in rows], 1)


def softmax_at_the_end(scores):
    e = scores.exp()
    rows = [e[:, 0]] + [e[:, t] / e[:, :t].sum(1) for t in range(1, scores.shape[1])]
    return torch.stack(rows, 1).softmax(-1)


def by_the_step_before(scores):
    rows = [scores[:, 0]] + [scores[:, t] - scores[:, t - 1] for t in range(1, scores.shape[1])]
    return torch.stack(rows, 1).softmax(-1)


def over_the_whole_column(scores):
    e = scores.exp() / scores.exp().sum(dim=1, keepdim=True)
    return e / e.sum(-1, keepdim=True)


@wrong_answers(
    {
        "overflow": as_written,
        "one-in-the-sum": from_a_sum_of_ones,
        "own-step-in-the-sum": added_before_it_is_used,
        "softmax-in-the-sum": coverage,
        "each-step-shifted": less_the_row_s_maximum,
        "softmax-of-the-quotients": softmax_at_the_end,
        "only-the-step-before": by_the_step_before,
        "all-steps-in-the-sum": over_the_whole_column,
    }
)
def test_a_slip_in_temporal_attention_is_named(wrong, mistake: str):
    assert named(TEMPORAL_WEIGHTS, wrong) == mistake


def test_a_share_of_a_coverage_that_is_subtracted_is_not_named():
    def answer(scores):
        covered = scores.softmax(-1).cumsum(1) - scores.softmax(-1)
        return (scores - covered).softmax(-1)

    report = report_on(TEMPORAL_WEIGHTS, answer)
    assert not report.passed
    assert report.misconception is None


# ---- A decoder that reads its own past


def test_what_the_steps_of_the_first_case_read():
    # step 3 scores 0 with (4, 0) and log 3 with (0, 1): one quarter and three quarters
    expected = torch.tensor([[[0.0, 0.0], [4.0, 0.0], [1.0, 0.75]]])
    torch.testing.assert_close(expected_of(INTRA_DECODER, 0), expected)


def library_contexts(states, W_d):
    return attention.intra_decoder_attention(states, W_d)[0]


def nan_replaced(states, W_d):
    hidden = torch.ones(states.shape[1], states.shape[1]).triu() == 1
    scores = states @ W_d @ states.mT
    return scores.masked_fill(hidden, -math.inf).softmax(-1).nan_to_num() @ states


def a_slice_at_a_time(states, W_d):
    rows = [states.new_zeros(len(states), 1, states.shape[2])]
    for t in range(1, states.shape[1]):
        scores = states[:, t : t + 1] @ W_d @ states[:, :t].mT
        rows.append(scores.softmax(-1) @ states[:, :t])
    return torch.cat(rows, 1)


@pytest.mark.parametrize("answer", [library_contexts, nan_replaced, a_slice_at_a_time])
def test_right_readings_of_the_past_in_other_words_pass(answer):
    report = report_on(INTRA_DECODER, answer)
    assert report.passed, report


def masked(states, W_d, *, diagonal=0, fill=-math.inf):
    scores = states @ W_d @ states.mT
    hidden = torch.ones(scores.shape[1:]).triu(diagonal).bool()
    return scores.masked_fill(hidden, fill).softmax(-1) @ states


def weights_masked(states, W_d):
    return (states @ W_d @ states.mT).softmax(-1).tril(-1) @ states


def asked_by_the_key(states, W_d):
    return library_contexts(states, W_d.T)


def values_through_the_map(states, W_d):
    _, weights = attention.intra_decoder_attention(states, W_d)
    return weights @ (states @ W_d.T)


def from_the_second_step(states, W_d):
    return library_contexts(states, W_d)[:, 1:]


def infinity_added(states, W_d):
    steps = states.shape[1]
    past = torch.full((steps, steps), -math.inf, dtype=states.dtype).triu()
    return (states @ W_d @ states.mT + past).softmax(-1).nan_to_num() @ states


def infinity_times_the_mask(states, W_d):
    later = torch.ones(states.shape[1], states.shape[1]).triu()
    return (states @ W_d @ states.mT + later * -math.inf).softmax(-1) @ states


def first_row_opened(states, W_d):
    scores = states @ W_d @ states.mT
    hidden = torch.ones(scores.shape[1:]).triu().bool()
    hidden[0, 0] = False
    return scores.masked_fill(hidden, -1e9).softmax(-1) @ states


@wrong_answers(
    {
        "first-step-nan": masked,
        "nan-on-the-way-back": infinity_added,
        "nan-everywhere": infinity_times_the_mask,
        "itself-read": lambda states, W_d: masked(states, W_d, diagonal=1),
        "first-step-reads-all": lambda states, W_d: masked(states, W_d, fill=-1e9),
        "masked-after-the-softmax": weights_masked,
        "matrix-transposed": asked_by_the_key,
        "mapped-states-read": values_through_the_map,
        "first-step-left-out": from_the_second_step,
        "first-step-reads-itself": first_row_opened,
        "scaled": lambda states, W_d: library_contexts(states, W_d / states.shape[-1] ** 0.5),
    }
)
def test_a_slip_in_reading_one_s_own_past_is_named(wrong, mistake: str):
    assert named(INTRA_DECODER, wrong) == mistake


def test_output_and_weights_together_are_not_what_is_asked():
    report = report_on(INTRA_DECODER, attention.intra_decoder_attention)
    assert not report.passed
    assert report.misconception is None
