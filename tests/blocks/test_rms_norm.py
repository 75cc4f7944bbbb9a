import pytest
import torch

from bottomup.blocks import RMSNorm, layer_norm, rms_norm
from tests.drawn import randn

BATCH, N, D_MODEL = 2, 5, 7


def ones(width: int) -> torch.Tensor:
    return torch.ones(width, dtype=torch.float64)


def test_the_mean_square_stands_under_the_root_with_epsilon():
    x = torch.tensor([1.0, 2, 4], dtype=torch.float64)  # mean square 21 / 3 = 7
    expected = torch.tensor([1, 2, 4], dtype=torch.float64) / 3
    torch.testing.assert_close(rms_norm(x, ones(3), epsilon=2), expected)


def test_the_gain_acts_on_each_component():
    x, gain = torch.tensor([[1.0, 1, 1], [2, 0, -3]], dtype=torch.float64)
    expected = torch.tensor([2, 0, -3], dtype=torch.float64) / 2
    torch.testing.assert_close(rms_norm(x, gain, epsilon=3), expected)


def test_of_a_centred_vector_it_is_layer_norm_without_bias():
    x, gain = randn(BATCH, N, D_MODEL), randn(D_MODEL, seed=1)
    centred = x - x.mean(dim=-1, keepdim=True)
    expected = layer_norm(x, gain, 0 * gain)
    torch.testing.assert_close(rms_norm(centred, gain), expected, rtol=0, atol=1e-14)


def test_a_shift_of_all_components_changes_it():
    x = randn(BATCH, N, D_MODEL)
    away = (rms_norm(x + 1, ones(D_MODEL)) - rms_norm(x, ones(D_MODEL))).abs()
    assert away.amax(dim=-1).min() > 0.1


def test_every_vector_is_normalised_alone():
    x, gain = randn(BATCH, N, D_MODEL), randn(D_MODEL, seed=1)
    torch.testing.assert_close(rms_norm(x[1, 3], gain), rms_norm(x, gain)[1, 3])


def test_zeros_stay_zeros_with_finite_gradients():
    x = torch.zeros(N, D_MODEL, dtype=torch.float64, requires_grad=True)
    output = rms_norm(x, ones(D_MODEL))
    assert not output.any()
    output.sum().backward()
    assert x.grad.isfinite().all()


def test_it_passes_gradcheck():
    inputs = tuple(t.requires_grad_() for t in (randn(BATCH, 3, 5), randn(5, seed=1)))
    assert torch.autograd.gradcheck(lambda *given: rms_norm(*given, epsilon=0.1), inputs)


def test_the_module_is_the_function_with_its_gain(device):
    module = RMSNorm(D_MODEL, epsilon=0.01).double().to(device)
    assert [name for name, _ in module.named_parameters()] == ["gain"]
    with torch.no_grad():
        module.gain.copy_(randn(D_MODEL, seed=1))
    x = randn(BATCH, N, D_MODEL).to(device)
    torch.testing.assert_close(module(x), rms_norm(x, module.gain, epsilon=0.01))
    assert repr(module) == "RMSNorm(d_model=7, epsilon=0.01)"


@pytest.mark.parametrize("epsilon", [0, -1.0, float("inf")])
def test_an_epsilon_out_of_range_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon: expected a number"):
        rms_norm(randn(3), ones(3), epsilon=epsilon)
    with pytest.raises(ValueError, match="epsilon: expected a number"):
        RMSNorm(3, epsilon=epsilon)


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match=r"d_model.*7"):
        RMSNorm(D_MODEL).double()(randn(N, 5))
    with pytest.raises(TypeError, match="x: expected"):
        rms_norm(torch.ones(3, dtype=torch.int64), ones(3))
