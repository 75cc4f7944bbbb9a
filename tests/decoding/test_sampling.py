"""Temperature: values by hand, its limits, stability, draws, bad input."""

import math

import pytest
import torch

from bottomup.decoding import sample, softmax_with_temperature
from tests.drawn import seeded

DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
LOGITS = torch.tensor([[0.0, math.log(2), math.log(3)], [math.log(4), -math.inf, 0.0]]).double()


def row(*logits, dtype=torch.float64):
    return torch.tensor(logits, dtype=dtype)


# ---- Probabilities


@pytest.mark.parametrize(
    "temperature, expected",
    [
        (1.0, [[1 / 6, 2 / 6, 3 / 6], [4 / 5, 0, 1 / 5]]),
        (0.5, [[1 / 14, 4 / 14, 9 / 14], [16 / 17, 0, 1 / 17]]),  # every exponential is squared
        (2, [[0.2411809549, 0.3410813774, 0.4177376677], [2 / 3, 0, 1 / 3]]),  # or its root taken
    ],
)
def test_probabilities_by_hand(temperature, expected):
    probabilities = softmax_with_temperature(LOGITS, temperature)
    torch.testing.assert_close(probabilities, torch.tensor(expected).double())


def test_the_roots_of_the_hand_values():
    total = 1 + math.sqrt(2) + math.sqrt(3)
    expected = [1 / total, math.sqrt(2) / total, math.sqrt(3) / total]
    probabilities = softmax_with_temperature(LOGITS, 2.0)[0]
    torch.testing.assert_close(probabilities, torch.tensor(expected).double())


@pytest.mark.parametrize("dtype", DTYPES)
def test_temperature_one_is_the_softmax(dtype, generator, device):
    logits = (3 * torch.randn(2, 5, 7, generator=generator)).to(device, dtype)
    probabilities = softmax_with_temperature(logits, 1.0)
    assert (probabilities.dtype, probabilities.device.type) == (dtype, device.type)
    torch.testing.assert_close(probabilities, logits.softmax(dim=-1))


@pytest.mark.parametrize("temperature", [1e-6, 1e-45, 5e-324])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_tiny_temperature_gives_the_argmax(temperature, dtype):
    logits = row(-3.0, 40.0, 39.0, -math.inf, 0.0, dtype=dtype)
    assert softmax_with_temperature(logits, temperature).tolist() == [0, 1, 0, 0, 0]


def test_a_tiny_temperature_shares_between_equals():
    logits = row(2.0, 7.0, 7.0, -1.0, dtype=torch.float32)
    assert softmax_with_temperature(logits, 1e-6).tolist() == [0, 0.5, 0.5, 0]


@pytest.mark.parametrize("temperature", [1e6, 1e300])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_huge_temperature_is_uniform_over_what_is_possible(temperature, dtype):
    probabilities = softmax_with_temperature(
        row(-3.0, -math.inf, 5.0, 0.0, dtype=dtype), temperature
    )
    expected = row(1 / 3, 0.0, 1 / 3, 1 / 3, dtype=dtype)
    torch.testing.assert_close(probabilities, expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("temperature", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("scale", [1e30, -1e30])
def test_large_logits_do_not_overflow(temperature, scale):
    logits = scale * row(1.0, 2.0, 3.0, dtype=torch.float32)
    best = 2 if scale > 0 else 0
    assert softmax_with_temperature(logits, temperature).tolist() == [
        float(index == best) for index in range(3)
    ]


def test_the_two_ends_of_float64_do_not_overflow():
    logits = row(-1.7e308, 1.7e308)
    assert softmax_with_temperature(logits, 1.0).tolist() == [0, 1]


def test_a_constant_added_to_the_logits_changes_nothing(generator):
    logits = torch.randn(3, 7, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(
        softmax_with_temperature(logits + 11, 0.3), softmax_with_temperature(logits, 0.3)
    )


def test_probabilities_pass_gradcheck(generator):
    logits = torch.randn(2, 5, generator=generator, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: softmax_with_temperature(x, 0.7), (logits,))


def test_logits_stay_as_they_were():
    logits = LOGITS.clone()
    softmax_with_temperature(logits, 0.5)
    assert torch.equal(logits, LOGITS)


# ---- Draws


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_draws_have_the_probabilities(temperature, generator):
    draws, logits = 20_000, row(0.0, 1.0, 2.0, -1.0, -math.inf, 0.5)
    tokens = sample(logits.expand(draws, -1), temperature=temperature, generator=generator)
    counts = tokens.bincount(minlength=6).double()
    expected = draws * softmax_with_temperature(logits, temperature)
    possible = expected > 0
    assert counts[~possible].sum() == 0
    chi_square = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    assert chi_square < 23.5  # 4 degrees of freedom: one seed in ten thousand lies above


def test_the_temperature_of_a_draw_is_one_unless_given(generator):
    logits = torch.randn(1000, 7, generator=generator)
    seeds = [seeded(7) for _ in range(3)]
    default = sample(logits, generator=seeds[0])
    assert torch.equal(default, sample(logits, temperature=1.0, generator=seeds[1]))
    assert not torch.equal(default, sample(logits, temperature=9.0, generator=seeds[2]))


def test_the_same_generator_draws_the_same_and_then_goes_on(device):
    logits = torch.zeros(101, 13, device=device)
    once = torch.Generator(device).manual_seed(5)
    again = torch.Generator(device).manual_seed(5)
    first = sample(logits, generator=once)
    assert torch.equal(first, sample(logits, generator=again))
    assert not torch.equal(first, sample(logits, generator=once))


@pytest.mark.parametrize("leading", [(), (3,), (2, 3, 5)])
def test_one_token_is_drawn_for_each_row(leading, generator, device):
    best = torch.randint(7, leading, generator=generator)
    logits = 100 * torch.nn.functional.one_hot(best, 7).float().to(device).requires_grad_()
    tokens = sample(logits, generator=torch.Generator(device).manual_seed(1))
    assert (tokens.dtype, tokens.device.type) == (torch.int64, device.type)
    assert torch.equal(tokens.cpu(), best)


def test_a_tiny_temperature_draws_the_argmax(generator):
    logits = torch.randn(101, 13, generator=generator)
    tokens = sample(logits, temperature=1e-6, generator=generator)
    assert torch.equal(tokens, logits.argmax(dim=-1))


def test_drawing_leaves_torch_s_own_generator_alone(generator):
    before = torch.get_rng_state()
    sample(torch.zeros(5, 7), generator=generator)
    assert torch.equal(torch.get_rng_state(), before)


# ---- Bad input


@pytest.mark.parametrize("temperature", [0, 0.0, -1.0])
def test_a_temperature_that_is_not_above_zero_is_refused(temperature, generator):
    message = f"temperature: expected a number > 0, got {temperature}; .* argmax, .* `greedy`"
    with pytest.raises(ValueError, match=message):
        softmax_with_temperature(LOGITS, temperature)
    with pytest.raises(ValueError, match=message):
        sample(LOGITS, temperature=temperature, generator=generator)


@pytest.mark.parametrize(
    "temperature, error, message",
    [
        (math.nan, ValueError, "temperature: expected a number < inf, got nan"),
        (math.inf, ValueError, "temperature: expected a number < inf, got inf"),
        ("1", TypeError, "temperature: expected a number, got '1'"),
        (None, TypeError, "temperature: expected a number, got None"),
        (True, TypeError, "temperature: expected a number, got True"),
    ],
)
def test_a_temperature_that_is_no_number_is_refused(temperature, error, message):
    with pytest.raises(error, match=message):
        softmax_with_temperature(LOGITS, temperature)


@pytest.mark.parametrize(
    "logits, error, message",
    [
        (row(0.0, math.nan), ValueError, "logits: expected numbers or -inf, .* maximum nan"),
        (row(0.0, math.inf), ValueError, "logits: expected numbers or -inf, .* maximum inf"),
        (torch.full((2, 3), -math.inf), ValueError, "at least one of them finite .* maximum -inf"),
        (torch.zeros(3, 0), ValueError, "logits: axis vocabulary must not be empty"),
        (torch.tensor(1.0), ValueError, r"logits: expected axes \[..., vocabulary\]"),
        (torch.zeros(3, dtype=torch.int64), TypeError, "logits: expected a floating-point tensor"),
        ([0.0, 1.0], TypeError, "logits: expected a torch.Tensor, got list"),
    ],
)
def test_bad_logits_are_refused(logits, error, message):
    with pytest.raises(error, match=message):
        softmax_with_temperature(logits, 1.0)


def test_a_draw_wants_a_generator():
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got int"):
        sample(LOGITS, generator=7)


def test_a_generator_on_another_device_is_refused(generator):
    logits = torch.zeros(3, device="meta")
    with pytest.raises(ValueError, match="generator: expected the device meta of logits, got cpu"):
        sample(logits, generator=generator)
