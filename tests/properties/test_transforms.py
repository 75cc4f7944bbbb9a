"""torch's transforms: an ensemble, forward mode, one gradient a sequence, a graph to export."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, jvp, stack_module_state, vmap

from bottomup.attention import scaled_dot_product_attention
from tests.drawn import randn
from tests.every_module import EVERY, TRANSLATORS, made, tensors

# What torch says of itself: of an import of `jvp`, and of its loops over an ensemble.
pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning"),
]
# torch has neither for its packed sequences; `export` reads no `Batch`.
RECURRENT = {*TRANSLATORS, "HardSeq2Seq"}
SPARSE = {"SparseSelfAttention", "SparseTransformer"}
FOLLOWED = [name for name in EVERY if name not in RECURRENT | SPARSE]
BATCHED = {"Transformer", "Transformer, learned"}
WITHOUT = {"DotAttention", "LocalAttention, monotonic", "SinusoidalPositions"}  # parameters
TABLED = {"RelativeAttention"}  # reads a table that has no axis `batch`
STRAIGHT_THROUGH = {"HardAttention"}  # its gradient is not its derivative


def exact(name: str) -> tuple[nn.Module, tuple[Any, ...]]:
    """In float64, where a kernel and the plain path differ by nothing that counts."""
    module, inputs = made(name)
    return module.double(), tuple(
        x.double() if isinstance(x, Tensor) and x.is_floating_point() else x for x in inputs
    )


def close(got: list[Tensor], wanted: list[Tensor]) -> None:
    assert got
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [n for n in FOLLOWED if n not in WITHOUT])
def test_an_ensemble_of_models_gives_what_each_gives(name):
    (one, inputs), (other, _) = made(name), made(name)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.mul_(1.1)
    parameters, buffers = stack_module_state([one, other])

    def call(parameters: dict[str, Tensor], buffers: dict[str, Tensor]) -> list[Tensor]:
        return tensors(functional_call(one, (parameters, buffers), inputs))

    both = vmap(call)(parameters, buffers)
    close([each[0] for each in both], tensors(one(*inputs)))
    close([each[1] for each in both], tensors(other(*inputs)))


@pytest.mark.parametrize("name", [n for n in FOLLOWED if n not in WITHOUT | STRAIGHT_THROUGH])
def test_forward_mode_gives_the_change_along_a_direction(name):
    module, inputs = exact(name)
    parameters = {n: p.detach() for n, p in module.named_parameters()}
    along = {n: randn(*p.shape, seed=i) * 1e-4 for i, (n, p) in enumerate(parameters.items())}

    def call(parameters: dict[str, Tensor]) -> Tensor:
        return tensors(functional_call(module, parameters, inputs))[0]

    _, change = jvp(call, (parameters,), (along,))
    step = {n: p + along[n] for n, p in parameters.items()}
    back = {n: p - along[n] for n, p in parameters.items()}
    torch.testing.assert_close(change, (call(step) - call(back)) / 2, rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("name", [n for n in FOLLOWED if n not in WITHOUT | BATCHED | TABLED])
def test_each_sequence_has_a_gradient_of_its_own(name):
    module, inputs = exact(name)
    parameters = {n: p.detach() for n, p in module.named_parameters()}

    def loss(parameters: dict[str, Tensor], *row: Tensor) -> Tensor:
        found = tensors(functional_call(module, parameters, tuple(x[None] for x in row)))
        return found[0].square().sum()

    every = vmap(grad(loss), in_dims=(None, *(0 for _ in inputs)))(parameters, *inputs)
    first = grad(loss)(parameters, *(x[0] for x in inputs))
    close([every[n][0] for n in parameters], [first[n] for n in parameters])


@pytest.mark.parametrize("name", [n for n in EVERY if n not in RECURRENT | BATCHED])
def test_a_module_is_exported(name):
    module, inputs = made(name)
    program = torch.export.export(module, inputs)
    close(tensors(program.module()(*inputs)), tensors(module(*inputs)))


def test_an_ensemble_of_masks():
    query, key = randn(5, 3), randn(7, 3, seed=1)
    masks = torch.rand(4, 5, 7) < 0.5
    masks[0, 0] = False

    def attend(mask: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, key, mask)[0]

    close([vmap(attend)(masks)], [torch.stack([attend(mask) for mask in masks])])


@pytest.mark.parametrize("name", sorted(SPARSE))
def test_the_sparse_kernel_says_that_it_is_not_followed(name):
    module, inputs = made(name)
    parameters = {n: p.detach() for n, p in module.named_parameters()}
    with pytest.raises(NotImplementedError, match="sparse attention: expected no transform"):
        grad(lambda p: tensors(functional_call(module, p, inputs))[0].sum())(parameters)
