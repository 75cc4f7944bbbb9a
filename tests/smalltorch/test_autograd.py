"""The way back of the small torch, against torch's: graphs, hooks, modes, own functions."""

import pytest
import torch

from tests.smalltorch.both import held, same

X = torch.linspace(-2, 3, 35, dtype=torch.float64).reshape(5, 7)
Y = torch.linspace(0.5, 4, 7, dtype=torch.float64)


def leaf(x):
    return x.detach().requires_grad_()


def test_gradients_of_a_chain():
    same(lambda torch, x, y: ((x * y).exp() / (1 + y)).sum(0), X, Y, gradients=True)


@held(X)
def test_second_derivatives(torch, x):
    x = leaf(x)
    (first,) = torch.autograd.grad((x**3 * x.exp()).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), x)
    return first, second


@held(X)
def test_grad_is_added_up_in_place(torch, x):
    x = leaf(x)
    (x * 2).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    return first, x.grad, first is x.grad


@held(X, Y)
def test_backward_for_some_inputs(torch, x, y):
    x, y = leaf(x), leaf(y)
    middle = x * y
    middle.sum().backward(inputs=[y, middle])
    return x.grad, y.grad, middle.grad


@held(X)
def test_hooks_and_kept_gradients(torch, x):
    x, seen = leaf(x), []
    middle = x * 2
    middle.retain_grad()
    handle = middle.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: seen.append(g))
    (middle * middle).sum().backward(retain_graph=True)
    handle.remove()
    (middle * middle).sum().backward()
    return x.grad, middle.grad, seen


@held(X, Y)
def test_only_what_leads_to_an_input_is_passed(torch, x, y):
    x, y = leaf(x), leaf(y)
    a, b = x.exp(), y.exp()
    a_sum, called = a.sum(), []
    b.register_hook(called.append)
    b *= 2  # its old numbers are gone: going back there would raise
    (found,) = torch.autograd.grad(a_sum + b.sum(), x)
    return found, len(called)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: torch.autograd.grad(x.sum(), x),
        lambda torch, x: torch.autograd.grad(leaf(x), x),
        lambda torch, x: leaf(x).backward(),
        lambda torch, x: leaf(x).sum().backward(torch.ones(2)),
        lambda torch, x: torch.autograd.grad(leaf(x).sum(), leaf(x)),
        lambda torch, x: torch.autograd.grad(leaf(x).sum(), leaf(x), allow_unused=True),
        lambda torch, x: torch.autograd.grad(leaf(x).sum(), leaf(x), materialize_grads=True),
        lambda torch, x: torch.autograd.grad(leaf(x).sum(), []),
        lambda torch, x: leaf(x).sum().backward(inputs=[]),
        lambda torch, x: leaf(x).sum().backward(1.0),
        lambda torch, x: torch.autograd.grad([leaf(x).sum()] * 2, leaf(x), [torch.ones(())]),
        lambda torch, x: x.retain_grad(),
        lambda torch, x: x.register_hook(print),
        lambda torch, x: (leaf(x) * 2).requires_grad_(False),
        lambda torch, x: torch.arange(3).requires_grad_(),
        lambda torch, x: setattr(leaf(x), "grad", torch.ones(2)),
        lambda torch, x: setattr(leaf(x), "grad", 3),
    ],
)
def test_errors(lines):
    same(lines, X)


@pytest.mark.parametrize("function", ["exp", "sum", "detach"])
def test_going_back_twice(function):
    def lines(torch, x):
        x = leaf(x)
        y = getattr(x, function)()
        value = (y + x).sum()
        value.backward()
        value.backward()
        return x.grad

    same(lines, X)


@held(X)
def test_a_value_that_was_overwritten(torch, x):
    y = leaf(x).exp()
    y *= 2
    y.sum().backward()


@held(X)
def test_modes(torch, x):
    x = leaf(x)

    @torch.no_grad()
    def plain(x):
        return x * 2

    @torch.no_grad
    def bare(x):
        return x * 2

    @torch.set_grad_enabled(False)
    def off(x):
        return x * 2

    recorded = [plain(x).requires_grad, bare(x).requires_grad, off(x).requires_grad]
    with torch.no_grad():
        recorded.append((x * 2).requires_grad)
        with torch.enable_grad():
            recorded.append((x * 2).requires_grad)
        recorded.append((x * 2).requires_grad)
        with torch.inference_mode(False):
            recorded.append((x * 2).requires_grad)
    with torch.set_grad_enabled(False):
        recorded.append((x * 2).requires_grad)
    torch.set_grad_enabled(False)
    recorded.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    return [*recorded, torch.is_grad_enabled()]


@pytest.mark.parametrize(
    "use",
    [
        lambda x, w: x * w,
        lambda x, w: x + w,
        lambda x, w: w.add_(1),
        lambda x, w: w.requires_grad_(),
        lambda x, w: w.clone() * x,
    ],
)
def test_what_was_made_in_inference_mode(use):
    def lines(torch, x):
        with torch.inference_mode():
            weight = torch.ones(7, dtype=torch.float64)
        return use(leaf(x), weight)

    same(lines, X)


# ---- Functions of one's own


def cube(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x)
            ctx.scale = scale
            return scale * x**3

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return gradient * 3 * ctx.scale * x**2, None

    return Cube


@held(X)
def test_own_function(torch, x):
    x = leaf(x)
    y = cube(torch).apply(x, 2)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return y, first, second, y.grad_fn.name(), y.grad_fn.scale, y.grad_fn.needs_input_grad


@held(X)
def test_own_function_by_name_and_twice(torch, x):
    x = leaf(x)
    y = cube(torch).apply(scale=3, x=x)
    y.sum().backward()
    yield_ = x.grad.clone()
    y.sum().backward()
    return yield_


@pytest.mark.parametrize(
    "returned",
    [
        lambda torch, g: g,
        lambda torch, g: (g, None, None),
        lambda torch, g: (g, g),
        lambda torch, g: (3, None),
        lambda torch, g: (torch.ones(2), None),
        lambda torch, g: (g.sum(), None),
        lambda torch, g: (None, None),
        lambda torch, g: (g.float(), None),
        lambda torch, g: (g.expand(2, 5, 7), None),
    ],
)
def test_what_backward_returns(returned):
    def lines(torch, x):
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                return x * factor

            @staticmethod
            def backward(ctx, gradient):
                return returned(torch, gradient)

        x = leaf(x)
        Own.apply(x, 2).sum().backward()
        return x.grad

    same(lines, X)


@held(X)
def test_no_backward(torch, x):
    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    Own.apply(leaf(x)).sum().backward()


# ---- What is kept, and computed again


@held(X)
def test_hooks_of_saved_tensors(torch, x):
    x, kept = leaf(x), []

    def pack(tensor):
        kept.append(tensor.detach().clone())
        return len(kept) - 1

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda place: kept[place] * 2):
        y = (x.exp() * x).sum()
    y.backward()
    return kept, x.grad


@pytest.mark.parametrize("use_reentrant", [True, False])
@pytest.mark.parametrize("preserve", [True, False])
def test_checkpoint(use_reentrant, preserve):
    def lines(torch, x):
        from importlib import import_module

        module = "torch" if torch.__name__ == "torch" else "smalltorch"
        checkpoint = import_module(f"{module}.utils.checkpoint").checkpoint
        x, runs = leaf(x), []

        def function(x):
            runs.append(None)
            return torch.nn.functional.dropout(x.exp(), 0.5).sin()

        torch.manual_seed(3)
        y = checkpoint(function, x, use_reentrant=use_reentrant, preserve_rng_state=preserve)
        torch.rand(2)
        y.sum().backward()
        return y, x.grad, len(runs), torch.rand(3)

    same(lines, X)


@held(X, Y)
def test_own_function_with_several_results(torch, x, y):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y, x + y, (x > y).to(x.dtype)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.mark_non_differentiable(output[2])

        @staticmethod
        def backward(ctx, product, total, _mask):
            x, y = ctx.saved_tensors
            return product * y + total, (product * x + total).sum(0)

    x, y = leaf(x), leaf(y)
    product, total, mask = Both.apply(x, y)
    product.sum().backward()
    return product, total, mask, x.grad, y.grad


@held(X)
def test_once_differentiable(torch, x):
    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, gradient):
            return gradient * 2

    x = leaf(x)
    (first,) = torch.autograd.grad(Own.apply(x).square().sum(), x, create_graph=True)
    first.sum().backward()


@held(X[0, :3])
def test_jacobian(torch, x):
    return torch.autograd.functional.jacobian(lambda x: x.exp() * x.sum(), x)


@held(X[0, :3], Y[:2])
def test_jacobian_of_several(torch, x, y):
    return torch.autograd.functional.jacobian(lambda a, b: (a * b.sum(), b.exp()), (x, y))


@held(X, Y)
def test_vmap(torch, x, y):
    row = torch.vmap(lambda a, b: (a * b).sum() + a)
    return row(x, x + 1), torch.vmap(lambda a, b: a * b, in_dims=(1, None), out_dims=1)(x, x[:, 0])


# ---- What watches


@held(X.clone())
def test_a_mode_sees_methods_operators_and_properties(torch, x):
    class Count(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                numbers.append(result.numel())
            return result

    numbers = []
    with Count():
        y = x.T @ x + 1
        torch.nn.functional.softmax(y, -1).sum().mul(torch.ones(3))
        x[0].exp_()
    return numbers


def test_torch_is_the_one_that_is_compared_with():
    assert torch.__version__.startswith("2.13")
