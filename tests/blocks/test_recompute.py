"""Recomputation: the same values and gradients, fewer tensors kept, two runs in place of one."""

import functools

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import dropout

from bottomup.blocks import EncoderLayer, recompute
from bottomup.masks import causal_mask
from tests.drawn import global_seed, seeded

BATCH, N, D_MODEL = 2, 5, 14


def randn(*shape: int, seed: int = 0, device: torch.device | str = "cpu") -> torch.Tensor:
    return torch.randn(shape, generator=seeded(seed)).to(device)


def stack(device: torch.device | str = "cpu") -> nn.ModuleList:
    """Three layers with dropout in every place that has it."""
    with global_seed(3):
        layers = [EncoderLayer(D_MODEL, 7, 11, dropout=0.3) for _ in range(3)]
    return nn.ModuleList(layers).to(device)


def gradients(wrap, device: torch.device | str = "cpu") -> list[torch.Tensor]:
    """The output of three layers, the gradient of their input, and those of their parameters."""
    layers, x = stack(device), randn(BATCH, N, D_MODEL, device=device).requires_grad_()
    mask = causal_mask(N, device=device)
    with global_seed(5):
        stream = x
        for layer in layers:
            stream, _ = wrap(layer)(stream, mask=mask)
        (stream * randn(BATCH, N, D_MODEL, seed=1, device=device)).sum().backward()
    return [stream, x.grad, *(parameter.grad for parameter in layers.parameters())]


def plain(function):
    return function


def test_values_and_gradients_are_the_same_bit_for_bit_with_dropout(device):
    kept, again = gradients(plain, device), gradients(recompute, device)
    assert len(kept) == len(again) == 2 + 3 * 16
    assert all(torch.equal(one, other) for one, other in zip(kept, again, strict=True))
    assert not torch.equal(kept[0], gradients(lambda layer: layer.eval(), device)[0])


def test_the_random_numbers_after_the_call_are_those_without_it():
    drawn = []
    for wrap in (plain, recompute):
        with global_seed(7):
            x = torch.ones(13, requires_grad=True)
            y = wrap(dropout)(x, 0.5)
            drawn.append(torch.rand(3))
            y.sum().backward()
            drawn.append(torch.rand(3))
    assert torch.equal(drawn[0], drawn[2])
    assert torch.equal(drawn[1], drawn[3])


def kept_bytes(wrap) -> int:
    """Bytes of the tensors that the backward pass finds ready, each storage once."""
    layers, x, kept = stack(), randn(BATCH, N, D_MODEL).requires_grad_(), {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    own = {parameter.untyped_storage().data_ptr() for parameter in layers.parameters()}
    with saved_tensors_hooks(note, lambda tensor: tensor):
        for layer in layers:
            x, _ = wrap(layer)(x)
    return sum(size for place, size in kept.items() if place not in own)


def test_fewer_bytes_are_kept():
    assert kept_bytes(recompute) < kept_bytes(plain) / 4


def test_a_call_keeps_what_it_was_given_and_not_what_it_made():
    made = []

    def double_exp(x: torch.Tensor) -> torch.Tensor:
        y = x.exp()  # kept for the gradient of either exp
        made.append(y.untyped_storage().data_ptr())
        return y.exp()

    x, kept = randn(11).requires_grad_(), []
    with saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        double_exp(x)
    assert made[0] in [tensor.untyped_storage().data_ptr() for tensor in kept]
    kept.clear()
    with saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        recompute(double_exp)(x)
    assert made[1] not in [tensor.untyped_storage().data_ptr() for tensor in kept]


def counted():
    calls = []

    @recompute
    def square(x: torch.Tensor, *, times: int = 1) -> torch.Tensor:
        """Square it."""
        calls.append(torch.is_grad_enabled())
        return times * x.sin() ** 2

    return square, calls


def test_the_function_runs_twice_once_each_way():
    square, calls = counted()
    x = randn(7).requires_grad_()
    y = square(x, times=3).sum()
    assert calls == [True]
    y.backward()
    assert calls == [True, True]
    torch.testing.assert_close(x.grad, 3 * (2 * x).sin().detach())


def test_without_gradients_it_runs_once_and_plainly():
    square, calls = counted()
    with torch.no_grad():
        square(randn(7).requires_grad_())
    assert calls == [False]
    assert not square(randn(7)).requires_grad
    assert calls == [False, True]


def test_tensors_given_by_name_get_their_gradients_whatever_the_name():
    @recompute
    def product(x, *, use_reentrant, debug):
        return x * use_reentrant.exp() + debug

    x, w = randn(5).requires_grad_(), randn(5, seed=1).requires_grad_()
    product(x, use_reentrant=w, debug=2.0).sum().backward()
    torch.testing.assert_close(x.grad, w.exp().detach())
    torch.testing.assert_close(w.grad, (x * w.exp()).detach())


def test_it_wraps_methods_of_a_class_and_methods_that_are_bound():
    class Layer(nn.Linear):
        @recompute
        def twice(self, x: torch.Tensor) -> torch.Tensor:
            """Apply it twice."""
            return self(self(x))

    with global_seed(1):
        layer = Layer(7, 7)
    x, found = randn(3, 7), []
    for call in (layer.twice, recompute(layer.twice), lambda x: layer(layer(x))):
        layer.zero_grad()
        call(x).square().sum().backward()
        found.append(layer.weight.grad.clone())
    assert torch.equal(found[0], found[2])
    assert torch.equal(found[1], found[2])
    assert (Layer.twice.__name__, Layer.twice.__doc__) == ("twice", "Apply it twice.")


def test_a_wrapped_module_does_not_copy_the_modules_state():
    layer = nn.Linear(5, 3)
    assert set(vars(recompute(layer))) == {"__wrapped__"}
    assert recompute(layer).__wrapped__ is layer


def test_names_and_attributes_of_a_function_stay():
    square, _ = counted()
    assert (square.__name__, square.__doc__) == ("square", "Square it.")
    assert recompute(functools.partial(square, times=5))(torch.ones(())).ndim == 0


def test_several_results_and_results_that_are_no_tensors_come_through():
    x = randn(3, 5).requires_grad_()
    first, rest = recompute(lambda x, y: (x.exp(), {"y": y}))(x, None)
    assert rest == {"y": None}
    first.sum().backward()
    assert torch.equal(x.grad, x.exp().detach())


def test_an_error_of_the_function_comes_through():
    with pytest.raises(ValueError, match="d_model=14"):
        recompute(stack()[0])(randn(2, 5, 3))


@pytest.mark.parametrize("wrong", [3, None, "layer"])
def test_what_cannot_be_called_is_refused(wrong):
    with pytest.raises(TypeError, match="function: expected something that can be called, got"):
        recompute(wrong)
