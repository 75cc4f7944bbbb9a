"""Local attention: windows and centres by hand, gradients, edges, one query at a time."""

import copy
import math

import pytest
import torch

from bottomup.attention import (
    DotAttention,
    GeneralAttention,
    LocalAttention,
    LocationAttention,
    gaussian_around,
    local_attention,
    local_m_weights,
    local_p_weights,
    masked_softmax,
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


def test_window_takes_whole_numbers_too():
    centers = torch.tensor([[0, 3], [1, 4]])
    assert torch.equal(window_around(centers, KEY, 1), window_around(centers.float(), KEY, 1))


def test_gaussian_by_hand():
    # D = 2, sigma = 1: the exponents are -(s - 1)^2 / 2
    gaussian = gaussian_around(torch.tensor([1.0]), 4, 2)
    assert torch.allclose(gaussian, torch.tensor([[E**-0.5, 1.0, E**-0.5, E**-2]]))
    # D = 1, sigma = 1/2, a centre between two words: -(1/2)^2 / (2 / 4) = -1/2
    gaussian = gaussian_around(torch.tensor([0.5]), 3, 1)
    assert torch.allclose(gaussian, torch.tensor([[E**-0.5, E**-0.5, E**-4.5]]))


def test_gaussian_of_whole_numbers_is_that_of_the_same_real_numbers():
    assert torch.equal(
        gaussian_around(torch.tensor([2]), KEY, 1), gaussian_around(torch.tensor([2.0]), KEY, 1)
    )


def test_predicted_center_by_hand():
    # tanh(0) = 0 puts the centre in the middle; v · tanh(W h) = ln 3 puts it at 3/4 of the sentence
    W_p, v_p = torch.tensor([[1.0, 0.0]]), torch.tensor([math.log(3) / math.tanh(1)])
    query = torch.tensor([[0.0, 5.0], [1.0, 5.0], [-1.0, 5.0]])
    centers = predicted_center(query, torch.tensor([3]), W_p, v_p)
    assert torch.allclose(centers, torch.tensor([1.5, 2.25, 0.75]))


def test_predicted_center_scales_with_each_sentence_s_length():
    query, W_p, v_p = randn(BATCH, QUERY, D_QUERY), randn(D_POSITION, D_QUERY), randn(D_POSITION)
    centers = predicted_center(query, torch.tensor([[4], [20]]), W_p, v_p)
    again = predicted_center(query, torch.tensor([[1, 1, 1], [1, 1, 1]]), W_p, v_p)
    assert centers.shape == (BATCH, QUERY)
    assert torch.allclose(centers, torch.tensor([[4.0], [20.0]]) * again)
    assert ((again > 0) & (again < 1)).all()
    assert predicted_center(query, torch.zeros(BATCH, 1, dtype=torch.int64), W_p, v_p).sum() == 0


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


def test_local_p_is_the_softmax_times_the_gaussian_in_loops():
    scores, centers, half_width = randn(BATCH, QUERY, KEY), 5 * randn(BATCH, QUERY).sigmoid(), 2
    weights = local_p_weights(scores, centers, half_width)
    for batch in range(BATCH):
        for query in range(QUERY):
            p = float(centers[batch, query])
            inside = [s for s in range(KEY) if abs(s - p) <= half_width]
            total = sum(math.exp(scores[batch, query, s]) for s in inside)
            for s in range(KEY):
                share = math.exp(scores[batch, query, s]) / total if s in inside else 0.0
                expected = share * math.exp(-((s - p) ** 2) / 2)
                assert weights[batch, query, s].item() == pytest.approx(expected, rel=1e-12)


def test_a_logarithm_added_to_the_scores_is_another_variant():
    scores, centers = randn(QUERY, KEY), torch.tensor([0.5, 2.0, 4.2]).double()
    log_gaussian = gaussian_around(centers, KEY, 2).log()
    variant = masked_softmax(scores + log_gaussian, window_around(centers, KEY, 2))
    weights = local_p_weights(scores, centers, 2)
    assert torch.allclose(weights / weights.sum(-1, keepdim=True), variant, rtol=1e-12)
    assert not torch.allclose(weights, variant, rtol=1e-2)


def test_a_window_over_everything_is_global_attention():
    scores = randn(BATCH, QUERY, KEY)
    weights = local_m_weights(scores, torch.arange(QUERY), KEY)
    assert torch.equal(weights, masked_softmax(scores))


def test_one_row_of_centers_serves_every_sentence():
    scores = randn(BATCH, QUERY, KEY)
    shared = local_p_weights(scores, torch.tensor([0.0, 1.5, 4.0]).double(), 1)
    spelled = local_p_weights(scores, torch.tensor([[0.0, 1.5, 4.0]] * BATCH).double(), 1)
    assert torch.equal(shared, spelled)


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


def test_predicted_center_passes_gradcheck():
    query, W_p = randn(QUERY, D_QUERY).requires_grad_(), randn(D_POSITION, D_QUERY).requires_grad_()
    v_p = randn(D_POSITION).requires_grad_()
    lengths = torch.tensor([KEY])
    assert torch.autograd.gradcheck(
        lambda query, W_p, v_p: predicted_center(query, lengths, W_p, v_p), (query, W_p, v_p)
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


def test_monotonic_queries_behind_the_sentence_read_zeros():
    # three words, D = 1: t = 3 still sees the last word, t = 4 and later see none
    attention = LocalAttention(DotAttention(), half_width=1)
    key = torch.ones(3, 2)
    output, weights = attention(torch.ones(7, 2), key, key)
    by_hand = [[1 / 2, 1 / 2, 0], [1 / 3] * 3, [0, 1 / 2, 1 / 2], [0, 0, 1], *[[0] * 3] * 3]
    assert torch.allclose(weights, torch.tensor(by_hand, dtype=torch.float32))
    assert output.sum(-1).tolist() == [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0]


def test_predicted_module_is_its_functions_together():
    attention, query, key = module("predicted"), randn(1, QUERY, D_QUERY), randn(1, KEY, D_KEY)
    mask = torch.tensor([[[True] * 4 + [False]]])
    output, weights = attention(query, key, key, mask)
    centers = predicted_center(query, torch.tensor([[4]]), attention.W_p, attention.v_p)
    expected = local_p_weights(attention.score.score(query, key), centers, 1, mask)
    assert torch.equal(weights, expected)
    assert torch.allclose(output, expected @ key)
    assert torch.equal(attention.center_of(query, torch.tensor([[4]])), centers)


def test_monotonic_module_is_local_m():
    attention, query, key = module("monotonic"), randn(1, QUERY, D_QUERY), randn(1, KEY, D_KEY)
    output, weights = attention(query, key, key, first_query=2)
    centers = torch.tensor([2.0, 3.0, 4.0], dtype=torch.float64)
    scores = attention.score.score(query, key)
    expected = local_attention(scores, key, centers, half_width=1)
    assert torch.equal(output, expected[0]) and torch.equal(weights, expected[1])
    assert torch.equal(attention.center_of(query, torch.tensor([[5]]), first_query=2)[0], centers)


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


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_alone_equal_the_batch(kind):
    attention, query, key = module(kind), randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    together = attention(query, key, key)[0]
    alone = [attention(query[row : row + 1], key[row : row + 1], key[row : row + 1])[0]
             for row in range(BATCH)]  # fmt: skip
    assert torch.allclose(torch.cat(alone), together, rtol=1e-12)
    unbatched = attention(query[1], key[1], key[1])[0]
    assert torch.allclose(unbatched, together[1], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_module_runs_on_every_device(kind, device):
    attention, query, key = module(kind), randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    mask = torch.tensor([[[True] * 5], [[True, True, True, False, False]]])
    expected = attention(query, key, key, mask)
    moved = copy.deepcopy(attention).to(device)
    got = moved(query.to(device), key.to(device), key.to(device), mask.to(device))
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.device.type == device.type
        assert torch.allclose(ours.cpu(), theirs, rtol=1e-8, atol=1e-10)


def test_every_parameter_learns_and_a_monotonic_center_has_none():
    attention, query, key = module("predicted"), randn(QUERY, D_QUERY), randn(KEY, D_KEY)
    attention(query, key, key)[0].square().sum().backward()
    names = {name for name, p in attention.named_parameters() if p.grad.abs().sum() > 0}
    assert names == {"score.W_a", "W_p", "v_p"}
    assert [name for name, _ in module("monotonic").named_parameters()] == ["score.W_a"]
    assert "half_width=1, center='predicted'" in repr(attention)
    assert "center='monotonic'" in repr(module("monotonic"))


def test_a_location_score_can_be_windowed_too():
    attention = LocalAttention(LocationAttention(D_QUERY, KEY), half_width=1).double()
    weights = attention(randn(QUERY, D_QUERY), randn(KEY, D_KEY), randn(KEY, D_KEY))[1]
    assert (weights > 0).tolist() == window_around(torch.arange(QUERY), KEY, 1).tolist()


# ---- Bad input


@pytest.mark.parametrize("half_width, error", [(0, ValueError), (-2, ValueError), (1.5, TypeError)])
def test_a_window_narrower_than_one_is_refused(half_width, error):
    message = f"half_width: expected an integer.*, got {half_width}"
    scores, value, center = randn(QUERY, KEY), randn(KEY, D_VALUE), torch.arange(QUERY)
    for weigh in (local_m_weights, local_p_weights):
        with pytest.raises(error, match=message):
            weigh(scores, center, half_width)
    with pytest.raises(error, match=message):
        local_attention(scores, value, center, half_width=half_width)
    with pytest.raises(error, match=message):
        gaussian_around(center, KEY, half_width)
    with pytest.raises(error, match=message):
        window_around(center, KEY, half_width)
    with pytest.raises(error, match=message):
        LocalAttention(DotAttention(), half_width=half_width)


@pytest.mark.parametrize(
    "center, message",
    [
        ([0, 1, 5], r"\[0, 4\], got 5 for query 2"),  # whole: one of the five words
        ([0, -1, 2], r"\[0, 4\], got -1 for query 1"),
        ([0.0, 1.0, 5.5], r"\[0, 5\], got 5.5 for query 2"),  # real: the range of S sigmoid(.)
        ([-0.5, 1.0, 2.0], r"\[0, 5\], got -0.5 for query 0"),
        ([0.0, math.nan, 2.0], r"\[0, 5\], got nan for query 1"),
    ],
)
def test_a_given_center_outside_the_sentence_is_refused(center, message):
    scores, value = randn(QUERY, KEY), randn(KEY, D_VALUE)
    center = torch.tensor(center)
    center = center.double() if center.is_floating_point() else center
    with pytest.raises(ValueError, match=f"center: expected positions inside .* in {message}"):
        local_attention(scores, value, center, half_width=2)


def test_a_given_center_may_lie_anywhere_in_the_sentence():
    scores, value = randn(QUERY, KEY), randn(KEY, D_VALUE)
    for center in (torch.tensor([0, 2, 4]), torch.tensor([0.0, 2.5, 5.0]).double()):
        weights = local_attention(scores, value, center, half_width=1)[1]
        assert torch.allclose(weights.sum(-1), torch.ones(QUERY).double())


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
    with pytest.raises(TypeError, match=r"center: expected a torch.Tensor, got list"):
        window_around([0.0], KEY, 1)
    with pytest.raises(TypeError, match="center: expected .*, got dtype torch.bool"):
        window_around(torch.tensor([True]), KEY, 1)
    with pytest.raises(ValueError, match=r"center: expected axes \[..., query\], got shape \(\)"):
        window_around(torch.tensor(1.0), KEY, 1)
    with pytest.raises(ValueError, match="key_count: expected an integer of at least 1, got 0"):
        window_around(torch.tensor([1.0]), 0, 1)
    with pytest.raises(ValueError, match=r"center: expected a shape that broadcasts to \(3,\)"):
        local_m_weights(scores, torch.arange(2), 1)
    with pytest.raises(ValueError, match="center: expected the device cpu of scores, got meta"):
        local_p_weights(scores, torch.arange(3, device="meta"), 1)


def test_lengths_that_do_not_fit_are_refused():
    query, W_p, v_p = randn(BATCH, QUERY, D_QUERY), randn(D_POSITION, D_QUERY), randn(D_POSITION)
    for lengths in (torch.tensor([4, 5]), torch.tensor([[4, 4], [5, 5]])):
        with pytest.raises(ValueError, match=r"lengths: expected axes \[\.\.\., #query=3\]"):
            predicted_center(query, lengths, W_p, v_p)
    with pytest.raises(ValueError, match=r"lengths: expected the leading axes \(2,\) of query"):
        predicted_center(query, torch.tensor([[4]]), W_p, v_p)
    with pytest.raises(TypeError, match="lengths: expected dtype torch.int64, got torch.float32"):
        predicted_center(query, torch.tensor([[4.0], [5.0]]), W_p, v_p)
    with pytest.raises(ValueError, match=r"lengths: expected lengths of at least 0, got \[\[4\]"):
        predicted_center(query, torch.tensor([[4], [-1]]), W_p, v_p)
    with pytest.raises(ValueError, match="lengths: expected the device cpu of query, got meta"):
        predicted_center(query, torch.zeros(2, 1, dtype=torch.int64, device="meta"), W_p, v_p)
    with pytest.raises(ValueError, match=r"W_p: expected axes \[d_position, d_query=7\]"):
        predicted_center(query, torch.tensor([[4], [5]]), W_p.T, v_p)


def test_bad_modules_and_calls_are_named():
    with pytest.raises(TypeError, match="score: expected a ScoredAttention, got Linear"):
        LocalAttention(torch.nn.Linear(2, 2), half_width=1)
    with pytest.raises(ValueError, match="center: expected one of 'monotonic', 'predicted'"):
        LocalAttention(DotAttention(), half_width=1, center="m")
    with pytest.raises(TypeError, match="d_query: expected an integer, got None"):
        LocalAttention(DotAttention(), half_width=1, center="predicted")
    attention, query, key = module("monotonic"), randn(QUERY, D_QUERY), randn(KEY, D_KEY)
    with pytest.raises(ValueError, match="first_query: expected an integer of at least 0, got -1"):
        attention(query, key, key, first_query=-1)
    with pytest.raises(ValueError, match=r"value: expected axes \[\.\.\., key=5, d_value\]"):
        attention(query, key, key[1:])
    with pytest.raises(ValueError, match=r"key: expected axes \[\.\.\., key, d_key=11\]"):
        attention(query, query, key)
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        attention(query, key, key, torch.ones(QUERY, KEY))
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(3, 5\)"):
        attention(query, key, key, torch.ones(KEY, QUERY, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"scores: expected axes \[\.\.\., query, key\]"):
        local_m_weights(torch.zeros(KEY), torch.tensor([1]), 1)
    predicted = LocalAttention(DotAttention(), half_width=1, center="predicted", d_query=3)
    with pytest.raises(ValueError, match=r"query: expected axes \[\.\.\., query, d_query=3\]"):
        predicted(torch.ones(2, 5), torch.ones(4, 5), torch.ones(4, 5))
