"""torch's transforms: an ensemble, forward mode, one gradient a sequence, a graph to export."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import Dim
from torch.func import functional_call, grad, grad_and_value, jvp, stack_module_state, vmap

from bottomup.analysis import dimensions_per_feature, patching_effect
from bottomup.attention import (
    local_attention,
    one_hot_positions,
    position_log_probability,
    scaled_dot_product_attention,
)
from bottomup.decoding import keep_top_k, keep_top_p, softmax_with_temperature
from bottomup.masks import padding_mask
from bottomup.training import smoothed_cross_entropy, token_cross_entropy
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


# Each asks for its sizes in a way of its own.
OPEN = ["LocationAttention", "LocalAttention, predicted", "IntraAttention", "DecoderOnly, grouped",
        "AttentionOnly"]  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_a_graph_leaves_batch_and_length_open(name):
    module, inputs = made(name)
    axes = tuple({0: Dim.DYNAMIC, 1: Dim.AUTO} for _ in inputs)
    program = torch.export.export(module, inputs, dynamic_shapes=axes).module()
    doubled = tuple(torch.cat([x, x]).repeat(1, 2, *[1] * (x.dim() - 2)) for x in inputs)
    close(tensors(program(*doubled)), tensors(module(*doubled)))


@pytest.mark.parametrize("name", ["LSTMN", "XLNet"])
def test_a_graph_leaves_the_batch_open_alone(name):  # a loop over positions; an order of them
    module, inputs = made(name)
    axes = tuple({0: Dim.DYNAMIC} for _ in inputs)
    program = torch.export.export(module, inputs, dynamic_shapes=axes).module()
    fewer = tuple(x[:2] for x in inputs)
    close(tensors(program(*fewer)), tensors(module(*fewer)))


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`:UserWarning")
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("name", sorted(SPARSE))
def test_the_sparse_kernel_is_one_graph_and_can_be_exported_with_open_sizes(name):
    module, inputs = made(name)
    axes = ({0: Dim.AUTO, 1: Dim.AUTO},)
    program = torch.export.export(module, inputs, dynamic_shapes=axes).module()
    whole = torch.compile(module, fullgraph=True, backend="eager")
    close(tensors(program(*inputs)), tensors(module(*inputs)))
    close(tensors(whole(*inputs)), tensors(module(*inputs)))


def test_what_is_planned_without_numbers_does_not_stay():
    module, inputs = made("SparseSelfAttention")
    with FakeTensorMode():
        sizes = EVERY["SparseSelfAttention"][0]()(torch.empty(3, 7, 12))[0].shape
    output = tensors(module(*inputs))[0]
    assert type(output) is Tensor and output.shape == (3, *sizes)


LOSSES = {
    "token": token_cross_entropy,
    **{
        convention: partial(smoothed_cross_entropy, convention=convention)
        for convention in ("all", "others", "no_padding")
    },
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_each_batch_of_several_has_a_loss_and_a_gradient_of_its_own(loss):
    logits, target = randn(3, 2, 5, 11), torch.arange(30).reshape(3, 2, 5) % 10 + 1
    mask = torch.ones(3, 2, 5, dtype=torch.bool)
    mask[0, 1, 2:] = False
    target[~mask], logits[~mask] = 0, torch.nan  # what is not real is not read
    every, slopes = vmap(grad_and_value(loss))(logits, target, mask)[::-1]
    for i, each in enumerate(logits.clone().requires_grad_()):
        one = loss(each, target[i], mask[i])
        slope = torch.autograd.grad(one, each)[0]
        close([every[i], slopes[i]], [one, slope])
    whole = torch.compile(loss, fullgraph=True, backend="eager")
    close([whole(logits[0], target[0], mask[0])], [every[0]])


PLACES = torch.arange(12).reshape(3, 4) % 5
MAPPED = {
    "keep_top_k": (partial(keep_top_k, k=3), randn(3, 4, 7)),
    "keep_top_p": (partial(keep_top_p, p=0.7), randn(3, 4, 7)),
    "temperature": (partial(softmax_with_temperature, temperature=0.5), randn(3, 4, 7)),
    "padding_mask": (partial(padding_mask, width=7), PLACES),
    "one_hot_positions": (partial(one_hot_positions, keys=5), PLACES),
    "log_probability": (position_log_probability, randn(3, 4, 5).softmax(-1), PLACES),
    "local_attention": (
        partial(local_attention, half_width=2), randn(3, 4, 5), randn(3, 5, 2), PLACES.double(),
    ),
    "dimensions": (dimensions_per_feature, randn(3, 2, 5)),
    "patching": (patching_effect, randn(3, 4), randn(3, 4, seed=1), randn(3, 4, seed=2)),
}  # fmt: skip


@pytest.mark.parametrize("name", MAPPED)
def test_a_function_that_checks_numbers_can_be_mapped(name):
    function, *inputs = MAPPED[name]
    both = vmap(function)(*inputs)
    every = [function(*(x[i] for x in inputs)) for i in range(3)]
    for i, one in enumerate(every):
        wanted = one if isinstance(one, tuple) else (one,)
        got = both if isinstance(both, tuple) else (both,)
        close([x[i] for x in got], list(wanted))
