"""Local attention: windows and centres by hand, gradients, edges, one query at a time."""

import math

import pytest
import torch

from bottomup.attention import (
    GeneralAttention,
    LocalAttention,
    gaussian_around,
    local_attention,
    local_m_weights,
    local_p_weights,
    predicted_center,
    window_around,
)
from tests.drawn import global_seed, randn

BATCH, QUERY, KEY, D_QUERY, D_KEY, D_POSITION, D_VALUE = 2, 3, 5, 7, 11, 13, 17
E = math.e


def module(kind, *, half_width=1, seed=3):
    with global_seed(seed):
        score = GeneralAttention(D_QUERY, D_KEY)
        attention = LocalAttention(score, half_width=half_width, center=kind, d_query=D_QUERY)
    return attention.double()


KINDS = ("monotonic", "predicted")

# ---- The window and its centre


@pytest.mark.parametrize(
    "center, half_width, window",
    [
        (0.0, 1, [True, True, False, False, False]),
        (2.0, 1, [False, True, True, True, False]),
        (4.0, 1, [False, False, False, True, True]),
        (2.5, 1, [False, False, True, True, False]),  # 1.5 <= s <= 3.5: two words, not three
        (1.2, 2, [True, True, True, True, False]),
        (5.0, 1, [False, False, False, False, True]),  # the centre is behind the last word
        (6.0, 1, [False] * 5),
        (-1.5, 1, [False] * 5),
        (3.0, 9, [True] * 5),
    ],
)
def test_window_holds_its_ends_and_is_cut_at_the_edges(center, half_width, window):
    assert window_around(torch.tensor([center]), KEY, half_width).tolist() == [window]


def test_gaussian_by_hand():
    # D = 2, sigma = 1: the exponents are -(s - 1)^2 / 2
    gaussian = gaussian_around(torch.tensor([1.0]), 4, 2)
    assert torch.allclose(gaussian, torch.tensor([[E**-0.5, 1.0, E**-0.5, E**-2]]))
    # D = 1, sigma = 1/2, a centre between two words: -(1/2)^2 / (2 / 4) = -1/2
    gaussian = gaussian_around(torch.tensor([0.5]), 3, 1)
    assert torch.allclose(gaussian, torch.tensor([[E**-0.5, E**-0.5, E**-4.5]]))


def test_predicted_center_by_hand():
    # tanh(0) = 0 puts the centre in the middle; v · tanh(W h) = ln 3 puts it at 3/4 of the sentence
    W_p, v_p = torch.tensor([[1.0, 0.0]]), torch.tensor([math.log(3) / math.tanh(1)])
    query = torch.tensor([[0.0, 5.0], [1.0, 5.0], [-1.0, 5.0]])
    centers = predicted_center(query, torch.tensor([3]), W_p, v_p)
    assert torch.allclose(centers, torch.tensor([1.5, 2.25, 0.75]))


# ---- Weights on three source words

SCORES = torch.tensor([[0.0, math.log(3), math.log(2)]], dtype=torch.float64)


def test_local_m_weights_of_three_words_by_hand():
    # D = 1. t = 0 sees words 0 and 1, t = 1 all three, t = 2 words 1 and 2
    weights = local_m_weights(SCORES.expand(3, 3), torch.arange(3), 1)
    by_hand = torch.tensor([[1 / 4, 3 / 4, 0], [1 / 6, 3 / 6, 2 / 6], [0, 3 / 5, 2 / 5]])
    assert torch.allclose(weights, by_hand.double())


def test_local_p_weights_of_three_words_by_hand():
    # D = 1, sigma = 1/2: the factor at distance x is e^(-2 x^2), so e^-2 at the window's ends
    weights = local_p_weights(SCORES.expand(2, 3), torch.tensor([1.0, 1.5]).double(), 1)
    by_hand = [[E**-2 / 6, 3 / 6, E**-2 * 2 / 6], [0, E**-0.5 * 3 / 5, E**-0.5 * 2 / 5]]
    assert torch.allclose(weights, torch.tensor(by_hand, dtype=torch.float64))
    assert torch.allclose(weights.sum(-1), torch.tensor([(3 + 3 * E**-2) / 6, E**-0.5]).double())


def test_local_attention_of_three_words_by_hand():
    value = torch.tensor([[60.0, 0.0], [0.0, 10.0], [30.0, 1.0]], dtype=torch.float64)
    output, weights = local_attention(SCORES, value, torch.tensor([1]), half_width=1)
    assert torch.allclose(weights, torch.tensor([[1 / 6, 3 / 6, 2 / 6]]).double())
    assert torch.allclose(output, torch.tensor([[20.0, 5 + 1 / 3]]).double())
    output, weights = local_attention(SCORES, value, torch.tensor([1]), half_width=1, gaussian=True)
    assert torch.allclose(output, torch.tensor([[20 * E**-2, 5 + E**-2 / 3]]).double())
    assert torch.equal(weights, local_p_weights(SCORES, torch.tensor([1]), 1))


def test_padding_in_the_window_is_not_read():
    scores, mask = randn(1, 2, KEY), torch.tensor([[[True, True, True, False, False]]])
    weights = local_m_weights(scores, torch.tensor([2, 4]), 1, mask)
    assert (weights[..., 3:] == 0).all()
    assert weights[0, 0, 1:3].sum().item() == pytest.approx(1)
    assert (weights[0, 1] == 0).all()  # a window of padding alone


# ---- Gradients


def test_weights_pass_gradcheck():
    scores, value = randn(QUERY, KEY).requires_grad_(), randn(KEY, D_VALUE).requires_grad_()
    centers = torch.tensor([0.3, 1.7, 4.4], dtype=torch.float64, requires_grad=True)

    def attend(scores, value, centers):
        return local_attention(scores, value, centers, half_width=1, gaussian=True)

    assert torch.autograd.gradcheck(attend, (scores, value, centers))
    assert torch.autograd.gradcheck(
        lambda scores, value: local_attention(scores, value, centers.detach(), half_width=1),
        (scores, value),
    )


def test_the_gradient_reaches_the_center_through_the_gaussian_alone():
    scores, value = randn(QUERY, KEY).requires_grad_(), randn(KEY, D_VALUE)
    centers = torch.tensor([0.3, 1.7, 4.4], dtype=torch.float64, requires_grad=True)
    output, _ = local_attention(scores, value, centers, half_width=1)
    output.sum().backward()
    assert centers.grad is None
    assert scores.grad.abs().sum() > 0
    local_attention(scores, value, centers, half_width=1, gaussian=True)[0].sum().backward()
    assert (centers.grad != 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_fully_masked_rows_are_zero_with_finite_gradients(kind):
    attention, query, key = module(kind), randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    mask = torch.tensor([[[True, True, False, False, False]], [[False] * KEY]])
    output, weights = attention(query.requires_grad_(), key.requires_grad_(), key, mask)
    assert output[1].abs().sum() == 0 and weights[1].abs().sum() == 0
    assert output[0].abs().sum() > 0
    output.square().sum().backward()
    learned = [query, key, *attention.parameters()]
    assert all(tensor.grad.isfinite().all() for tensor in learned)
    assert (query.grad[1] == 0).all() and query.grad[0].abs().sum() > 0


# ---- The module


@pytest.mark.parametrize("kind", KINDS)
def test_one_query_at_a_time_equals_all_at_once(kind):
    attention, query, key = module(kind), randn(BATCH, 7, D_QUERY), randn(BATCH, KEY, D_KEY)
    mask = torch.tensor([[[True] * 5], [[True, True, True, False, False]]])
    output, weights = attention(query, key, key, mask)
    for t in range(7):
        one = attention(query[:, t : t + 1], key, key, mask, first_query=t)
        assert torch.allclose(one[0][:, 0], output[:, t], rtol=1e-12)
        assert torch.allclose(one[1][:, 0], weights[:, t], rtol=1e-12)


def test_a_sentence_gets_the_same_weights_alone_and_padded():
    attention, query, key = module("predicted"), randn(1, QUERY, D_QUERY), randn(1, KEY, D_KEY)
    mask = torch.tensor([[[True, True, True, False, False]]])
    padded = attention(query, key, key, mask)[1]
    alone = attention(query, key[:, :3], key[:, :3])[1]
    assert torch.allclose(padded[..., :3], alone, rtol=1e-12)
    assert (padded[..., 3:] == 0).all()


def test_every_parameter_learns_and_a_monotonic_center_has_none():
    attention, query, key = module("predicted"), randn(QUERY, D_QUERY), randn(KEY, D_KEY)
    attention(query, key, key)[0].square().sum().backward()
    names = {name for name, p in attention.named_parameters() if p.grad.abs().sum() > 0}
    assert names == {"score.W_a", "W_p", "v_p"}
    assert [name for name, _ in module("monotonic").named_parameters()] == ["score.W_a"]
    assert "half_width=1, center='predicted'" in repr(attention)
    assert "center='monotonic'" in repr(module("monotonic"))


# ---- Bad input


@pytest.mark.parametrize(
    "center, message",
    [
        ([0, 1, 5], r"\[0, 4\], got 5 for query 2"),  # whole: one of the five words
        ([0, -1, 2], r"\[0, 4\], got -1 for query 1"),
        ([0.0, 1.0, 5.5], r"\[0, 5\], got 5.5 for query 2"),  # real: the range of S sigmoid(.)
    ],
)
def test_a_given_center_outside_the_sentence_is_refused(center, message):
    scores, value = randn(QUERY, KEY), randn(KEY, D_VALUE)
    center = torch.tensor(center)
    center = center.double() if center.is_floating_point() else center
    with pytest.raises(ValueError, match=f"center: expected positions inside .* in {message}"):
        local_attention(scores, value, center, half_width=2)


def test_a_given_center_in_the_padding_is_outside_the_sentence():
    scores, value = randn(BATCH, 1, KEY), randn(BATCH, KEY, D_VALUE)
    mask = torch.tensor([[[True] * 5], [[True, True, True, False, False]]])
    with pytest.raises(ValueError, match=r"in \[0, 2\], got 3 for query 0"):
        local_attention(scores, value, torch.tensor([3]), mask, half_width=1)
    mask[1] = False  # nothing to be inside of: the row reads zeros
    output, _ = local_attention(scores, value, torch.tensor([3]), mask, half_width=1)
    assert output[1].abs().sum() == 0 and output[0].abs().sum() > 0


def test_centers_that_are_no_positions_are_refused():
    scores = randn(QUERY, KEY)
    with pytest.raises(TypeError, match="center: expected .*, got dtype torch.bool"):
        window_around(torch.tensor([True]), KEY, 1)
    with pytest.raises(ValueError, match=r"center: expected a shape that broadcasts to \(3,\)"):
        local_m_weights(scores, torch.arange(2), 1)


def test_lengths_that_do_not_fit_are_refused():
    query, W_p, v_p = randn(BATCH, QUERY, D_QUERY), randn(D_POSITION, D_QUERY), randn(D_POSITION)
    for lengths in (torch.tensor([4, 5]), torch.tensor([[4, 4], [5, 5]])):
        with pytest.raises(ValueError, match=r"lengths: expected axes \[\.\.\., #query=3\]"):
            predicted_center(query, lengths, W_p, v_p)
    with pytest.raises(ValueError, match=r"lengths: expected the leading axes \(2,\) of query"):
        predicted_center(query, torch.tensor([[4]]), W_p, v_p)
    with pytest.raises(ValueError, match=r"lengths: expected lengths of at least 0, got \[\[4\]"):
        predicted_center(query, torch.tensor([[4], [-1]]), W_p, v_p)


def test_bad_modules_and_calls_are_named():
    with pytest.raises(TypeError, match="score: expected a ScoredAttention, got Linear"):
        LocalAttention(torch.nn.Linear(2, 2), half_width=1)
    attention, query, key = module("monotonic"), randn(QUERY, D_QUERY), randn(KEY, D_KEY)
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(3, 5\)"):
        attention(query, key, key, torch.ones(KEY, QUERY, dtype=torch.bool))
