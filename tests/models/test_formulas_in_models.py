"""What a model holds beside its checkpoint is a formula: no loading, cast or copy changes it."""

import copy
import io

import pytest
import torch
from torch import nn
from torch.func import functional_call

from bottomup.blocks import SinusoidalPositions, rotary_waves, sinusoidal_positions
from bottomup.models import InductionByHand, TransformerXL, TransformerXLConfig
from tests.drawn import global_seed
from tests.every_module import MODELS, tensors, tokens

SIZES = {"vocabulary": 11, "d_model": 12, "num_heads": 2, "d_ff": 13}
ALL = MODELS | {
    "induction by hand": (lambda: InductionByHand(vocabulary=11, length=7), tokens),
    "restarted": (
        lambda: TransformerXL(TransformerXLConfig(**SIZES, positions="restarted")),
        tokens,
    ),
}
models = pytest.mark.parametrize("name", ALL)


def built(name):
    with global_seed(2):
        return ALL[name][0]().eval()


def output_of(model, name):
    wide = torch.float64 in {p.dtype for p in (*model.parameters(), *model.buffers())}
    given = [
        x.double() if wide and torch.is_tensor(x) and x.is_floating_point() else x
        for x in ALL[name][1]()
    ]
    with torch.no_grad():
        return tensors(model.eval()(*given))


def same(model, expected, name):
    found = output_of(model, name)
    return all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.fixture
def garbage():
    """What memory held: torch fills what is empty with NaN."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@models
@pytest.mark.parametrize("assign", [True, False])
def test_a_checkpoint_makes_a_model_from_nothing(name, assign, garbage):
    model = built(name)
    with torch.device("meta"):
        empty = ALL[name][0]()
    if not assign:
        empty.to_empty(device="cpu")
    empty.load_state_dict(model.state_dict(), assign=assign)
    assert same(empty, output_of(model, name), name)


@models
def test_a_cast_forth_and_back_rounds_parameters_alone(name):
    model = built(name)
    there = copy.deepcopy(model).to(torch.bfloat16).float()
    there.load_state_dict(model.state_dict())
    assert same(there, output_of(model, name), name)


@models
def test_float64_is_float64_throughout(name):
    model = built(name).double()
    torch.set_default_dtype(torch.float64)
    try:
        exact = ALL[name][0]()
        exact.load_state_dict(model.state_dict())
        expected = output_of(exact, name)
    finally:
        torch.set_default_dtype(torch.float32)
    assert {each.dtype for each in expected} == {torch.float64}
    assert same(model, expected, name)


@models
def test_a_copy_a_file_and_a_call_with_other_tensors_compute_the_same(name):
    model = built(name)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    expected = output_of(model, name)
    assert same(copy.deepcopy(model), expected, name)
    assert same(torch.load(file, weights_only=False), expected, name)
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    shell: nn.Module = copy.deepcopy(model).to("meta").eval()
    with torch.no_grad():
        found = tensors(functional_call(shell, state, ALL[name][1]()))
    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_the_table_is_rounded_once(dtype):
    positions = SinusoidalPositions(max_length=11, d_model=14)
    expected = sinusoidal_positions(11, 14, dtype=dtype)
    assert torch.equal(positions.to(dtype).table, expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_a_stream_of_another_dtype_gets_a_table_of_its_own(dtype):
    positions, x = SinusoidalPositions(max_length=11, d_model=14), torch.ones(3, 7, 14, dtype=dtype)
    output = positions(x, first=2)
    assert output.dtype == dtype
    assert torch.equal(output, x + sinusoidal_positions(7, 14, first=2, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_tables_have_torch_s_default_dtype(dtype):
    torch.set_default_dtype(dtype)
    try:
        tables = [sinusoidal_positions(3, 4), *rotary_waves(3, 4)]
        tables.append(SinusoidalPositions(max_length=3, d_model=4).table)
    finally:
        torch.set_default_dtype(torch.float32)
    assert {table.dtype for table in tables} == {dtype}
    exact = sinusoidal_positions(3, 4, dtype=torch.float64)
    assert torch.equal(tables[0], exact.to(dtype))
