import pytest
import torch

from bottomup.blocks import LayerNorm, layer_norm
from tests.drawn import randn

BATCH, N, D_MODEL = 2, 5, 7
# mean 2, deviations (-2, -2, 4), variance 24 / 3 = 8; with epsilon 1 the root is 3
BY_HAND = torch.tensor([0.0, 0.0, 6.0], dtype=torch.float64)


def ones_and_zeros(width: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.ones(width, dtype=torch.float64), torch.zeros(width, dtype=torch.float64)


def test_the_variance_divides_by_d_and_epsilon_stands_inside_the_root():
    expected = torch.tensor([-2, -2, 4], dtype=torch.float64) / 3
    torch.testing.assert_close(layer_norm(BY_HAND, *ones_and_zeros(3), epsilon=1), expected)


def test_gain_and_bias_act_on_each_component_after_the_normalisation():
    gain, bias = torch.tensor([[1.0, 2, 3], [0, 1, -1]], dtype=torch.float64)
    expected = torch.tensor([-2 / 3, -4 / 3 + 1, 4 - 1], dtype=torch.float64)
    torch.testing.assert_close(layer_norm(BY_HAND, gain, bias, epsilon=1), expected)


def test_every_vector_is_normalised_alone():
    x, (gain, bias) = randn(BATCH, N, D_MODEL), ones_and_zeros(D_MODEL)
    whole = layer_norm(x, gain, bias)
    edited = x.clone()
    edited[1, 3] *= 100
    torch.testing.assert_close(layer_norm(x[1, 3], gain, bias), whole[1, 3])
    rest = torch.ones(BATCH, N, dtype=torch.bool)
    rest[1, 3] = False
    assert torch.equal(layer_norm(edited, gain, bias)[rest], whole[rest])


def test_equal_components_give_the_bias_and_finite_gradients():
    gain, bias = randn(2, D_MODEL)
    x = torch.full((N, D_MODEL), 3.0, dtype=torch.float64, requires_grad=True)
    output = layer_norm(x, gain, bias)
    assert torch.equal(output, bias.expand(N, D_MODEL))
    output.sin().sum().backward()
    assert x.grad.isfinite().all()


def test_a_large_shift_does_not_swallow_the_differences():
    x = 10_000 + torch.tensor([-1.0, 0, 1])
    expected = torch.tensor([-1.0, 0, 1]) * 1.5**0.5  # the variance is 2 / 3
    result = layer_norm(x, torch.ones(3), torch.zeros(3))
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-6)


def test_layer_norm_passes_gradcheck():
    x, gain, bias = randn(BATCH, 3, 5), randn(5, seed=1), randn(5, seed=2)
    inputs = tuple(tensor.requires_grad_() for tensor in (x, gain, bias))
    assert torch.autograd.gradcheck(lambda *given: layer_norm(*given, epsilon=0.1), inputs)


def test_the_module_calls_the_function_with_its_parameters(device):
    norm = LayerNorm(D_MODEL, epsilon=0.3).double().to(device)
    with torch.no_grad():
        norm.gain.copy_(randn(D_MODEL, seed=1))
        norm.bias.copy_(randn(D_MODEL, seed=2))
    x = randn(BATCH, N, D_MODEL).to(device)
    output = norm(x)
    assert output.device.type == device.type
    assert torch.equal(output, layer_norm(x, norm.gain, norm.bias, epsilon=0.3))
    assert not torch.allclose(output, layer_norm(x, norm.gain, norm.bias))


def test_the_module_starts_as_the_plain_normalisation():
    norm = LayerNorm(D_MODEL)
    assert {name: tuple(p.shape) for name, p in norm.named_parameters()} == {
        "gain": (D_MODEL,),
        "bias": (D_MODEL,),
    }
    assert (norm.gain == 1).all() and (norm.bias == 0).all()
    assert repr(norm) == "LayerNorm(d_model=7, epsilon=1e-05)"


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"x": torch.zeros(())}, ValueError, r"x: expected axes \[..., d_model\], got shape \(\)"),
        ({"x": torch.zeros(2, 0)}, ValueError, "x: axis d_model must not be empty"),
        ({"x": torch.zeros(3).int()}, TypeError, "x: expected a floating-point tensor"),
        (
            {"gain": torch.ones(5)},
            ValueError,
            r"gain: expected axes \[d_model=3\], got shape \(5,\)",
        ),
        (
            {"bias": torch.ones(2, 3)},
            ValueError,
            r"bias: expected axes \[d_model=3\], got shape \(2, 3\)",
        ),
        ({"bias": torch.ones(3).double()}, TypeError, "bias: expected the dtype torch.float32"),
        ({"epsilon": 0}, ValueError, "epsilon: expected a number > 0 and < inf, got 0"),
        ({"epsilon": None}, TypeError, "epsilon: expected a number, got None"),
    ],
)
def test_a_bad_argument_is_named(changes, error, message):
    arguments = {"x": torch.zeros(2, 3), "gain": torch.ones(3), "bias": torch.zeros(3), **changes}
    with pytest.raises(error, match=message):
        layer_norm(**arguments)


def test_the_module_refuses_bad_sizes_and_other_widths():
    with pytest.raises(ValueError, match="d_model: expected an integer of at least 1, got 0"):
        LayerNorm(0)
    with pytest.raises(ValueError, match="epsilon: expected a number > 0"):
        LayerNorm(3, epsilon=-1)
    with pytest.raises(
        ValueError, match=r"x: expected axes \[..., d_model=7\], got shape \(2, 5\)"
    ):
        LayerNorm(D_MODEL)(torch.zeros(2, 5))
