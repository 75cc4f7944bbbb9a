import pytest
import torch
from torch import nn

from bottomup.attention import MultiHeadAttention, from_torch, to_torch
from tests.attention.test_multi_head import layer_of
from tests.drawn import global_seed

D_MODEL, HEADS = 6, 3


def theirs_of(**options) -> nn.MultiheadAttention:
    with global_seed(2):
        return nn.MultiheadAttention(D_MODEL, HEADS, **{"batch_first": True, **options})


@pytest.mark.parametrize("bias", [True, False])
def test_there_and_back_gives_the_same_weights(bias):
    ours = layer_of(HEADS, D_MODEL, d_head=2, d_value=2, bias=bias)
    back = from_torch(to_torch(ours))
    assert list(back.state_dict()) == list(ours.state_dict())
    for name, value in ours.state_dict().items():
        assert torch.equal(back.state_dict()[name], value), name


def test_torch_stacks_the_three_maps():
    theirs = theirs_of()
    ours = from_torch(theirs)
    stacked = torch.cat([ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight])
    assert torch.equal(stacked, theirs.in_proj_weight)
    assert torch.equal(ours.W_O.weight, theirs.out_proj.weight)


def test_weights_are_copies():
    theirs = theirs_of()
    ours = from_torch(theirs)
    with torch.no_grad():
        theirs.in_proj_weight.zero_()
    assert ours.W_Q.weight.abs().min() > 0


@pytest.mark.parametrize("convert", [from_torch, lambda theirs: to_torch(from_torch(theirs))])
def test_dropout_dtype_and_training_mode_are_kept(convert, device):
    theirs = theirs_of(dropout=0.25, dtype=torch.float64).to(device).eval()
    converted = convert(theirs)
    assert (converted.dropout, converted.training) == (0.25, False)
    kinds = {(p.dtype, p.device) for p in theirs.parameters()}
    assert {(p.dtype, p.device) for p in converted.parameters()} == kinds


@pytest.mark.parametrize(
    "options, message",
    [
        ({"add_bias_kv": True}, "expected add_bias_kv=False, got add_bias_kv=True"),
        ({"add_zero_attn": True}, "expected add_zero_attn=False, got add_zero_attn=True"),
        ({"kdim": 5}, "expected kdim=6, got kdim=5"),
        ({"vdim": 7}, "expected vdim=6, got vdim=7"),
    ],
)
def test_what_has_no_counterpart_here_is_refused(options, message):
    with pytest.raises(ValueError, match=f"module: {message}"):
        from_torch(theirs_of(**options))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"d_head": 3}, "expected d_head = d_model / num_heads = 6 / 3, got d_head=3"),
        ({"d_value": 5}, "expected d_value = d_model / num_heads = 6 / 3, got d_value=5"),
    ],
)
def test_what_has_no_counterpart_there_is_refused(options, message):
    with pytest.raises(ValueError, match=f"module: {message}"):
        to_torch(MultiHeadAttention(6, 3, **options))


def test_other_modules_are_refused():
    linear = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="module: expected an nn.MultiheadAttention, got Linear"):
        from_torch(linear)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="module: expected a MultiHeadAttention, got Linear"):
        to_torch(linear)  # type: ignore[arg-type]
