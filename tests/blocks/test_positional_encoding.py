"""Positional encodings: values by hand, what a shift does to them, modules, bad input."""

import math

import pytest
import torch

from bottomup.blocks import (
    LearnedPositions,
    SinusoidalPositions,
    rotate_positions,
    sinusoidal_positions,
)
from tests.drawn import global_seed, randn

LENGTH, D_MODEL, BATCH, D_HEAD = 11, 14, 3, 6
SIN1, COS1 = 0.8414709848078965, 0.5403023058681398  # of one radian
SIN2, COS2 = 0.9092974268256817, -0.4161468365471424


# ---- Sinusoids


def test_sinusoids_of_width_four_by_hand():
    # frequencies 1 and 10000^(-2/4) = 1/100
    expected = [
        [0.0, 1.0, 0.0, 1.0],
        [SIN1, COS1, 0.009999833334166664, 0.9999500004166653],
        [SIN2, COS2, 0.01999866669333308, 0.9998000066665778],
    ]
    table = sinusoidal_positions(3, 4, dtype=torch.float64)
    torch.testing.assert_close(table, torch.tensor(expected, dtype=torch.float64))


def test_another_base_gives_other_frequencies():
    table = sinusoidal_positions(2, 4, base=25.0, dtype=torch.float64)
    expected = [SIN1, COS1, math.sin(1 / 5), math.cos(1 / 5)]
    torch.testing.assert_close(table[1], torch.tensor(expected, dtype=torch.float64))


def test_every_row_has_norm_root_of_half_the_width():
    norms = sinusoidal_positions(LENGTH, D_MODEL, dtype=torch.float64).norm(dim=-1)
    torch.testing.assert_close(norms, torch.full((LENGTH,), math.sqrt(7), dtype=torch.float64))


@pytest.mark.parametrize("step", [1, 5])
def test_a_step_is_the_same_rotation_at_every_position(step):
    frequencies = 10_000.0 ** (-torch.arange(0, D_MODEL, 2, dtype=torch.float64) / D_MODEL)
    blocks = [
        torch.tensor([[w.cos(), w.sin()], [-w.sin(), w.cos()]], dtype=torch.float64)
        for w in step * frequencies
    ]
    rotation = torch.block_diag(*blocks)
    table = sinusoidal_positions(LENGTH + step, D_MODEL, dtype=torch.float64)
    torch.testing.assert_close(table[:LENGTH] @ rotation.T, table[step:])
    torch.testing.assert_close(rotation @ rotation.T, torch.eye(D_MODEL, dtype=torch.float64))


def test_rows_compare_by_their_distance_alone():
    table = sinusoidal_positions(LENGTH, D_MODEL, dtype=torch.float64)
    products = table @ table.T
    for distance in range(LENGTH):
        diagonal = products.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal))
    assert products[0, 1] < products[0, 0]


@pytest.mark.parametrize("first", [0, 4])
def test_a_later_first_position_continues_the_table(first):
    whole = sinusoidal_positions(LENGTH, D_MODEL)
    part = sinusoidal_positions(LENGTH - first, D_MODEL, first=first)
    assert torch.equal(part, whole[first:])


def test_far_positions_keep_their_digits_in_float32():
    far = sinusoidal_positions(2, 4, first=1_000_000)
    angle = 1_000_001.0
    assert far[1, 0].item() == pytest.approx(math.sin(angle), abs=1e-6)
    assert far[1, 3].item() == pytest.approx(math.cos(angle / 100), abs=1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_dtype_and_device_are_those_asked_for(dtype, device):
    table = sinusoidal_positions(LENGTH, D_MODEL, device=device, dtype=dtype)
    assert (table.dtype, table.device.type) == (dtype, device.type)
    exact = sinusoidal_positions(LENGTH, D_MODEL, dtype=torch.float64)
    torch.testing.assert_close(table.cpu(), exact.to(dtype), rtol=0, atol=0)


def test_the_default_device_is_torch_s():
    with torch.device("meta"):
        assert sinusoidal_positions(LENGTH, D_MODEL).device.type == "meta"


@pytest.mark.parametrize("d_model", [1, 7, 255])
def test_an_odd_width_is_refused(d_model):
    expected = "d_model: expected an (even width|integer of at least 2).*got " + str(d_model)
    with pytest.raises(ValueError, match=expected):
        sinusoidal_positions(LENGTH, d_model)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"length": 0}, ValueError, "length: expected an integer of at least 1, got 0"),
        ({"length": 2.0}, TypeError, "length: expected an integer, got 2.0"),
        ({"d_model": 0}, ValueError, "d_model: expected an integer of at least 2, got 0"),
        ({"base": 1.0}, ValueError, "base: expected a number > 1 and < inf, got 1.0"),
        ({"base": math.inf}, ValueError, "base: expected a number > 1 and < inf, got inf"),
        ({"first": -1}, ValueError, "first: expected an integer of at least 0, got -1"),
        ({"dtype": torch.int64}, TypeError, "dtype: expected a floating-point dtype"),
        ({"dtype": "float32"}, TypeError, "dtype: expected a floating-point dtype"),
    ],
)
def test_bad_sinusoids_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        sinusoidal_positions(**{"length": LENGTH, "d_model": D_MODEL, **options})


# ---- Rotary


def test_a_rotation_of_one_pair_by_hand():
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 3.0]], dtype=torch.float64)
    expected = torch.tensor([[1.0, 0.0], [COS1, SIN1], [-3 * SIN2, 3 * COS2]], dtype=torch.float64)
    torch.testing.assert_close(rotate_positions(x), expected)


def test_the_second_pair_turns_by_its_own_frequency():
    x = torch.tensor([[0.0, 0.0, 1.0, 0.0]], dtype=torch.float64)
    turned = rotate_positions(x, base=25.0, first=1)
    expected = [[0.0, 0.0, math.cos(1 / 5), math.sin(1 / 5)]]
    torch.testing.assert_close(turned, torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("first", [0, 13])
def test_scores_of_rotated_vectors_depend_on_the_distance_alone(first):
    query, key = randn(D_HEAD).expand(LENGTH, -1), randn(D_HEAD, seed=2).expand(LENGTH, -1)
    scores = rotate_positions(query, first=first) @ rotate_positions(key, first=first).T
    for distance in range(1 - LENGTH, LENGTH):
        diagonal = scores.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal))
    assert (scores[0, 1:] - scores[0, 0]).abs().min() > 1e-3
    assert not torch.allclose(scores, scores.T)


def test_a_rotation_keeps_norms_and_inverts_with_the_angle():
    x = randn(BATCH, LENGTH, D_HEAD)
    turned = rotate_positions(x)
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(turned[:, 0], x[:, 0])
    assert not torch.allclose(turned[:, 1], x[:, 1])


def test_rotation_continues_at_a_later_position_and_keeps_leading_axes():
    x = randn(BATCH, 2, LENGTH, D_HEAD, dtype=torch.float32)
    whole = rotate_positions(x)
    assert (whole.shape, whole.dtype) == (x.shape, torch.float32)
    assert torch.equal(rotate_positions(x[..., 4:, :], first=4), whole[..., 4:, :])
    assert torch.equal(rotate_positions(x[1, 1]), whole[1, 1])


def test_a_sinusoidal_row_is_the_first_row_rotated_backwards():
    # (sin, cos) starts at (0, 1) and runs clockwise, the rotary pair the other way round
    table = sinusoidal_positions(LENGTH, D_MODEL, dtype=torch.float64)
    swapped = table.reshape(LENGTH, -1, 2).flip(-1).reshape(LENGTH, D_MODEL)  # (cos, sin)
    torch.testing.assert_close(rotate_positions(swapped[:1].expand(LENGTH, -1)), swapped)


def test_rotation_passes_gradcheck():
    assert torch.autograd.gradcheck(rotate_positions, (randn(2, 3, 4).requires_grad_(),))


@pytest.mark.parametrize(
    "x, error, message",
    [
        (torch.zeros(3, 5), ValueError, "d_head: expected an even width, .* got 5"),
        (torch.zeros(4), ValueError, r"x: expected axes \[..., position, d_head\]"),
        (torch.zeros(3, 4, dtype=torch.int64), TypeError, "x: expected a floating-point tensor"),
    ],
)
def test_a_bad_input_to_the_rotation_is_refused(x, error, message):
    with pytest.raises(error, match=message):
        rotate_positions(x)


# ---- Modules

MODULES = [SinusoidalPositions, LearnedPositions]


def make(module):
    with global_seed(3):
        return module(max_length=LENGTH, d_model=D_MODEL)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_adds_its_rows(module, device):
    positions, x = make(module).to(device), randn(BATCH, 7, D_MODEL, dtype=torch.float32).to(device)
    output = positions(x)
    assert output.device.type == device.type
    assert torch.equal(output, x + positions.table[:7])
    assert torch.equal(positions(x[:, 5:], first=5), output[:, 5:])
    assert torch.equal(positions(x[1]), output[1])


@pytest.mark.parametrize("module", MODULES)
def test_a_module_serves_its_whole_table_and_no_more(module):
    positions = make(module)
    assert positions(torch.zeros(BATCH, LENGTH, D_MODEL)).shape == (BATCH, LENGTH, D_MODEL)
    message = "x: expected positions below max_length=11, got positions 0 to 11"
    with pytest.raises(ValueError, match=message):
        positions(torch.zeros(BATCH, LENGTH + 1, D_MODEL))
    with pytest.raises(ValueError, match="got positions 9 to 11"):
        positions(torch.zeros(BATCH, 3, D_MODEL), first=9)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_refuses_another_width_or_dtype(module):
    positions = make(module)
    with pytest.raises(ValueError, match=r"x: expected axes \[..., position, d_model=14\]"):
        positions(torch.zeros(BATCH, LENGTH, D_MODEL + 2))
    if module is LearnedPositions:  # sinusoids are computed in the dtype of x
        with pytest.raises(TypeError, match="x: expected the dtype torch.float32 of table"):
            positions(torch.zeros(BATCH, LENGTH, D_MODEL, dtype=torch.float64))
    with pytest.raises(TypeError, match="x: expected a floating-point tensor, got dtype"):
        positions(torch.zeros(BATCH, LENGTH, D_MODEL, dtype=torch.int64))
    with pytest.raises(TypeError, match="x: expected a torch.Tensor, got list"):
        positions([0.0] * D_MODEL)
    with pytest.raises(ValueError, match="first: expected an integer of at least 0, got -1"):
        positions(torch.zeros(BATCH, LENGTH, D_MODEL), first=-1)


def test_the_sinusoidal_module_has_the_function_s_table_and_nothing_to_store():
    positions = SinusoidalPositions(max_length=LENGTH, d_model=D_MODEL, base=25.0)
    assert torch.equal(positions.table, sinusoidal_positions(LENGTH, D_MODEL, base=25.0))
    assert list(positions.parameters()) == []
    assert positions.state_dict() == {}
    assert positions.double().table.dtype == torch.float64


def test_learned_positions_are_stored_and_get_a_gradient_where_they_are_used():
    positions = make(LearnedPositions)
    positions(torch.zeros(BATCH, 4, D_MODEL)).sum().backward()
    assert list(positions.state_dict()) == ["table"]
    assert (positions.table.grad[:4] == BATCH).all()
    assert (positions.table.grad[4:] == 0).all()


def test_learned_positions_start_standard_normal():
    with global_seed(5):
        table = LearnedPositions(max_length=101, d_model=103).table.detach()
    assert abs(table.mean()) < 4 / math.sqrt(table.numel())
    assert abs(table.std() - 1) < 4 / math.sqrt(2 * table.numel())


@pytest.mark.parametrize("module", MODULES)
def test_a_module_without_positions_is_refused(module):
    with pytest.raises(ValueError, match="max_length: expected an integer of at least 1, got 0"):
        module(max_length=0, d_model=D_MODEL)
