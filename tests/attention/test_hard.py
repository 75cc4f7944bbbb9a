"""Hard attention: values by hand on three source words, draws, gradients, masks, bad input."""

import math

import pytest
import torch

from bottomup.attention import (
    NOWHERE,
    DotAttention,
    GeneralAttention,
    HardAttention,
    expected_log_likelihood,
    gumbel_straight_through,
    masked_softmax,
    one_hot_positions,
    position_log_probability,
    sample_positions,
)
from tests.drawn import global_seed, randn

BATCH, QUERY, KEY, D_QUERY, D_KEY = 2, 3, 5, 7, 11
WEIGHTS = torch.tensor([[0.2, 0.3, 0.5]], dtype=torch.float64)
LOG_LIKELIHOOD = torch.tensor([[-1.0, -2.0, -4.0]], dtype=torch.float64)


def on(device, seed=5):
    return torch.Generator(device=device).manual_seed(seed)


def test_the_objective_by_hand():
    # .2 · (-1) + .3 · (-2) + .5 · (-4)
    found = expected_log_likelihood(WEIGHTS, LOG_LIKELIHOOD)
    torch.testing.assert_close(found, torch.tensor([-2.8], dtype=torch.float64))


def test_the_exact_gradient_by_hand():
    # By the score: p_j (r_j - L) = .2 · 1.8, .3 · .8, .5 · (-1.2). By r_j: p_j.
    scores = WEIGHTS.log().requires_grad_()
    reward = LOG_LIKELIHOOD.clone().requires_grad_()
    expected_log_likelihood(masked_softmax(scores), reward).sum().backward()
    by_hand = torch.tensor([[0.36, 0.24, -0.6]], dtype=torch.float64)
    torch.testing.assert_close(scores.grad, by_hand)
    torch.testing.assert_close(reward.grad, WEIGHTS)


def test_the_objective_lies_below_the_log_likelihood_of_the_mixture():
    mixture = (WEIGHTS * LOG_LIKELIHOOD.exp()).sum().log()
    assert expected_log_likelihood(WEIGHTS, LOG_LIKELIHOOD).item() < mixture.item()


def test_the_objective_passes_gradcheck():
    scores = randn(BATCH, QUERY, KEY).requires_grad_()
    reward = randn(BATCH, QUERY, KEY, seed=2).requires_grad_()
    mask = torch.ones(BATCH, 1, KEY, dtype=torch.bool)
    mask[0, :, 3:] = False
    mask[1] = False

    def objective(scores, reward):
        return expected_log_likelihood(masked_softmax(scores, mask), reward)

    assert torch.autograd.gradcheck(objective, (scores, reward))


def test_draws_follow_the_weights(device):
    count = 20_000
    rows = torch.tensor([[0.2, 0.3, 0.5]], device=device).expand(count, 3)
    drawn = sample_positions(rows, generator=on(device))
    assert drawn.shape == (count,) and drawn.dtype == torch.int64
    share = torch.bincount(drawn, minlength=3).double().cpu() / count
    error = (WEIGHTS[0] * (1 - WEIGHTS[0]) / count).sqrt()
    assert ((share - WEIGHTS[0]).abs() < 5 * error).all()


def test_the_same_generator_draws_the_same_positions():
    weights = masked_softmax(randn(BATCH, QUERY, KEY))
    first = sample_positions(weights, generator=on("cpu"))
    assert first.shape == (BATCH, QUERY)
    assert torch.equal(first, sample_positions(weights, generator=on("cpu")))
    assert not torch.equal(
        sample_positions(weights.expand(50, -1, -1, -1), generator=on("cpu", 6)),
        sample_positions(weights.expand(50, -1, -1, -1), generator=on("cpu", 7)),
    )


def test_without_a_generator_the_default_one_draws():
    weights = masked_softmax(randn(BATCH, QUERY, KEY))
    with global_seed(5):
        drawn = sample_positions(weights, generator=None)
    assert torch.equal(drawn, sample_positions(weights, generator=on("cpu", 5)))


def test_a_key_of_weight_zero_is_never_drawn_and_an_empty_row_reads_nowhere():
    weights = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]).expand(500, 2, 3)
    drawn = sample_positions(weights, generator=on("cpu"))
    assert (drawn[:, 0] == 1).all()
    assert (drawn[:, 1] == NOWHERE).all()


def test_positions_as_weights():
    found = one_hot_positions(torch.tensor([[2, NOWHERE], [0, 1]]), 3)
    assert found.tolist() == [[[0, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 1, 0]]]
    assert found.dtype == torch.float32
    assert one_hot_positions(torch.tensor([0]), 1, dtype=torch.float64).dtype == torch.float64


def test_the_log_probability_of_positions_by_hand():
    weights = torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]], requires_grad=True)
    found = position_log_probability(weights, torch.tensor([1, NOWHERE]))
    torch.testing.assert_close(found, torch.tensor([math.log(0.75), 0.0]))
    found.sum().backward()
    torch.testing.assert_close(weights.grad, torch.tensor([[0, 4 / 3, 0], [0, 0, 0]]))


# ---- Gumbel straight-through


def test_straight_through_by_hand():
    # softmax of (0, ln 3) / 2 is (1, √3) / (1 + √3); its Jacobian times (1, 5), over 2
    scores = torch.tensor([[0.0, math.log(3)]], dtype=torch.float64, requires_grad=True)
    weights = gumbel_straight_through(scores, temperature=2.0, generator=None, noise=False)
    assert weights.tolist() == [[0.0, 1.0]]
    (weights @ torch.tensor([1.0, 5.0], dtype=torch.float64)).sum().backward()
    one, other = 1 / (1 + math.sqrt(3)), math.sqrt(3) / (1 + math.sqrt(3))
    slope = one * other * (5 - 1) / 2
    by_hand = torch.tensor([[-slope, slope]], dtype=torch.float64)
    torch.testing.assert_close(scores.grad, by_hand)


@pytest.mark.parametrize("temperature", [1e-6, 0.3, 1.0, 1e6])
def test_straight_through_draws_from_the_softmax_at_any_temperature(temperature, device):
    count = 20_000
    scores = WEIGHTS.log().float().to(device).expand(count, 1, 3)
    found = gumbel_straight_through(scores, temperature=temperature, generator=on(device))
    assert ((found == 0) | (found == 1)).all()
    assert (found.sum(-1) == 1).all()
    share = found.mean(dim=(0, 1)).double().cpu()
    error = (WEIGHTS[0] * (1 - WEIGHTS[0]) / count).sqrt()
    assert ((share - WEIGHTS[0]).abs() < 5 * error).all()


def test_without_noise_the_strongest_key_is_read():
    scores = randn(BATCH, QUERY, KEY)
    found = gumbel_straight_through(scores, temperature=1.0, generator=None, noise=False)
    assert torch.equal(found.argmax(-1), scores.argmax(-1))


@pytest.mark.parametrize("temperature", [1e-6, 1.0, 1e6])
def test_a_fully_masked_row_is_zero_and_every_gradient_finite(temperature):
    scores = (300 * randn(BATCH, QUERY, KEY)).requires_grad_()
    mask = torch.tensor([[[True, False, True, False, False]], [[False] * KEY]])
    found = gumbel_straight_through(scores, mask, temperature=temperature, generator=on("cpu"))
    assert (found[0].sum(-1) == 1).all()
    assert (found[0, :, [1, 3, 4]] == 0).all()
    assert (found[1] == 0).all()
    (found * randn(BATCH, QUERY, KEY, seed=3)).sum().backward()
    assert scores.grad.isfinite().all()
    assert (scores.grad[1] == 0).all() and (scores.grad[0, :, [1, 3, 4]] == 0).all()


def test_a_mask_of_all_true_changes_nothing():
    scores = randn(BATCH, QUERY, KEY)
    mask = torch.ones(KEY, dtype=torch.bool)
    options = {"temperature": 0.7}
    without = gumbel_straight_through(scores, generator=on("cpu"), **options)
    assert torch.equal(
        without, gumbel_straight_through(scores, mask, generator=on("cpu"), **options)
    )


def test_straight_through_is_biased():
    """Its mean gradient over many draws is another than the exact one, far beyond chance."""
    count = 20_000
    value = torch.tensor([[-1.0], [0.5], [3.0]], dtype=torch.float64)
    exact_scores = WEIGHTS.log().requires_grad_()
    reward = torch.nn.functional.logsigmoid(value).T  # log p(y | z = j), one for each position
    expected_log_likelihood(masked_softmax(exact_scores), reward).sum().backward()
    scores = WEIGHTS.log().expand(count, 1, 3).clone().requires_grad_()
    weights = gumbel_straight_through(scores, temperature=1.0, generator=on("cpu"))
    torch.nn.functional.logsigmoid(weights @ value).sum().backward()
    drawn = scores.grad[:, 0]
    error = drawn.std(dim=0) / math.sqrt(count)
    assert ((drawn.mean(dim=0) - exact_scores.grad[0]).abs() > 10 * error).any()


# ---- The module


def make_module(temperature=1.0):
    with global_seed(2):
        return HardAttention(GeneralAttention(D_QUERY, D_KEY), temperature=temperature).double()


def test_in_evaluation_the_strongest_position_is_read(device):
    module = make_module().to(device).eval()
    query, key = randn(BATCH, QUERY, D_QUERY).to(device), randn(BATCH, KEY, D_KEY).to(device)
    output, weights = module(query, key, key)
    position = module.score(query, key).argmax(-1)
    assert torch.equal(weights.argmax(-1), position)
    assert torch.equal(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert torch.equal(output[1, 2], key[1, position[1, 2]])
    again, _ = module(query, key, key)
    assert torch.equal(output, again)


def test_in_training_a_position_is_drawn_and_the_score_learns():
    module = make_module().train()
    query, key = randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    with global_seed(3):
        output, weights = module(query, key, key)
        others = [module(query, key, key)[1] for _ in range(20)]
    assert ((weights == 0) | (weights == 1)).all() and (weights.sum(-1) == 1).all()
    assert any(not torch.equal(weights, other) for other in others)
    output.square().sum().backward()
    assert module.scored.W_a.grad.abs().sum() > 0


def test_the_distribution_is_the_soft_attention():
    module = make_module()
    query, key = randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    mask = torch.tensor([[[True] * 3 + [False] * 2], [[False] * KEY]])
    _, soft = module.scored(query, key, key, mask)
    assert torch.equal(module.distribution(query, key, mask), soft)
    output, weights = module(query, key, key, mask)
    assert (output[1] == 0).all() and (weights[1] == 0).all()
    assert (weights[0, :, 3:] == 0).all()


def test_a_batch_of_one_query_and_one_key_reads_that_key():
    module = HardAttention(DotAttention()).train()
    query, key = randn(1, 1, D_KEY), randn(1, 1, D_KEY, seed=2)
    output, weights = module(query, key, key)
    assert torch.equal(output, key)
    assert weights.tolist() == [[[1.0]]]


# ---- Bad input


@pytest.mark.parametrize("temperature", [0, -1.0, math.nan, math.inf])
def test_a_temperature_that_is_not_above_zero_is_named(temperature):
    with pytest.raises(ValueError, match="temperature: expected a number > 0 and < inf, got"):
        gumbel_straight_through(torch.zeros(1, 2), temperature=temperature, generator=None)
    with pytest.raises(ValueError, match="temperature"):
        HardAttention(DotAttention(), temperature=temperature)


def test_bad_shapes_and_kinds_are_named():
    with pytest.raises(ValueError, match=r"log_likelihood: expected axes \[\.\.\., query=1, key=3"):
        expected_log_likelihood(WEIGHTS, LOG_LIKELIHOOD[:, :2])
    with pytest.raises(ValueError, match=r"log_likelihood: expected the leading axes \(\)"):
        expected_log_likelihood(WEIGHTS, LOG_LIKELIHOOD[None])
    with pytest.raises(TypeError, match="log_likelihood: expected the dtype"):
        expected_log_likelihood(WEIGHTS, LOG_LIKELIHOOD.float())
    with pytest.raises(ValueError, match=r"weights: expected axes \[\.\.\., query, key\]"):
        sample_positions(WEIGHTS[0], generator=None)
    with pytest.raises(ValueError, match="weights: expected finite numbers of at least 0"):
        sample_positions(-WEIGHTS, generator=None)
    with pytest.raises(ValueError, match="weights: expected finite numbers of at least 0"):
        sample_positions(WEIGHTS * math.nan, generator=None)
    with pytest.raises(ValueError, match=r"positions: expected numbers in \[-1, 3\), got 3"):
        one_hot_positions(torch.tensor([0, 3]), 3)
    with pytest.raises(ValueError, match=r"positions: expected numbers in \[-1, 3\), got -2"):
        position_log_probability(WEIGHTS, torch.tensor([-2]))
    with pytest.raises(TypeError, match="positions: expected dtype torch.int64"):
        one_hot_positions(torch.tensor([0.0]), 3)
    with pytest.raises(ValueError, match="positions: axis query must not be empty"):
        one_hot_positions(torch.zeros(0, dtype=torch.int64), 3)
    with pytest.raises(ValueError, match=r"positions: expected axes \[\.\.\., query=1\]"):
        position_log_probability(WEIGHTS, torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="mask: expected a shape that broadcasts"):
        gumbel_straight_through(
            WEIGHTS, torch.ones(2, dtype=torch.bool), temperature=1.0, generator=None
        )
    with pytest.raises(TypeError, match="scored: expected a ScoredAttention, got Linear"):
        HardAttention(torch.nn.Linear(2, 3))
    with pytest.raises(ValueError, match=r"value: expected axes \[\.\.\., key=3, d_value\]"):
        HardAttention(DotAttention())(randn(2, 5), randn(3, 5), randn(2, 5))
    with pytest.raises(ValueError, match=r"query: expected axes \[\.\.\., query, d_query=7\]"):
        make_module()(randn(2, 5), randn(3, D_KEY), randn(3, 5))


def test_a_generator_of_another_device_is_named():
    weights = torch.ones(1, 2, device="meta")
    with pytest.raises(ValueError, match="generator: expected the device meta of scores, got cpu"):
        gumbel_straight_through(weights, temperature=1.0, generator=on("cpu"))
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got int"):
        sample_positions(torch.ones(1, 2), generator=5)
