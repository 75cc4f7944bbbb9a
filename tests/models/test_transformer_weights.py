from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.models import Transformer, from_torch, to_torch
from tests.drawn import global_seed
from tests.models.test_transformer import model_of

D_MODEL, HEADS, D_FF = 6, 2, 11
# torch says so of modules with uncommon options
without_nested_tensors = pytest.mark.filterwarnings(
    "ignore:enable_nested_tensor is True:UserWarning"
)
WORDS = {"source_vocabulary": 17, "target_vocabulary": 13}


def theirs_of(**options) -> nn.Transformer:
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 3, "dim_feedforward": D_FF}
    with global_seed(2):
        return nn.Transformer(D_MODEL, HEADS, **{"batch_first": True, **sizes, **options})


def ours_of(theirs: nn.Transformer, **options) -> Transformer:
    with global_seed(3):
        return from_torch(theirs, **WORDS, **options)


def layers_of(model: Transformer) -> dict[str, Tensor]:
    return {key: value for key, value in model.state_dict().items() if "embedding" not in key}


# ---- There and back


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("final_norm", [True, False])
def test_there_and_back_gives_the_same_layers(final_norm, norm):
    model = model_of(norm=norm, final_norm=final_norm, activation="gelu")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.linspace(-1, 1, parameter.numel()).reshape(parameter.shape))
    back = ours_of(to_torch(model), max_length=7)
    assert back.config == model.config
    expected = layers_of(model)
    assert list(layers_of(back)) == list(expected)
    for name, value in layers_of(back).items():
        assert torch.equal(value, expected[name]), name


def test_the_configuration_is_read_off_the_module():
    config = ours_of(theirs_of(dropout=0.25, activation="gelu")).config
    sizes = (config.d_model, config.num_heads, config.d_ff)
    assert sizes == (D_MODEL, HEADS, D_FF)
    assert (config.encoder_layers, config.decoder_layers) == (2, 3)
    assert (config.norm, config.activation, config.dropout) == ("post", "gelu", 0.25)


def test_torch_s_extra_norm_is_kept_and_named():
    theirs = theirs_of()
    assert ours_of(theirs).config.final_norm is True
    theirs.encoder.norm = theirs.decoder.norm = None
    assert ours_of(theirs).config.final_norm is False


@pytest.mark.parametrize(
    "activation, name",
    [
        (F.gelu, "gelu"),
        (partial(F.gelu, approximate="tanh"), "gelu_tanh"),
        (nn.ReLU(), "relu"),
        (nn.GELU("tanh"), "gelu_tanh"),
    ],
)
@without_nested_tensors
def test_activations_have_names(activation, name):
    theirs = theirs_of(activation=activation)
    for layer in theirs.decoder.layers if isinstance(activation, nn.Module) else ():
        vars(layer).pop("activation", None)  # torch's copies forget it, and compute with relu
    ours = ours_of(theirs)
    assert ours.config.activation == name
    assert ours_of(to_torch(ours)).config.activation == name


def test_weights_are_copies():
    theirs = theirs_of()
    ours = ours_of(theirs)
    back = to_torch(ours)
    before = ours.encoder_layers[0].feed_forward.W_in.weight.clone()
    with torch.no_grad():
        for module in (theirs, back):
            for parameter in module.parameters():
                parameter.zero_()
    assert torch.equal(ours.encoder_layers[0].feed_forward.W_in.weight, before)
    assert before.abs().max() > 0


def test_shared_layers_become_copies():
    theirs = to_torch(model_of(share_layers=True))
    first, second = theirs.encoder.layers
    assert first.linear1.weight is not second.linear1.weight
    assert torch.equal(first.linear1.weight, second.linear1.weight)


@pytest.mark.parametrize("convert", [ours_of, lambda theirs: to_torch(ours_of(theirs))])
def test_dtype_device_and_training_mode_are_kept(convert, device):
    theirs = theirs_of(dtype=torch.float64).to(device).eval()
    converted = convert(theirs)
    assert not converted.training
    kinds = {(p.dtype, p.device) for p in theirs.parameters()}
    assert {(p.dtype, p.device) for p in converted.parameters()} == kinds


# ---- What is refused


def one_norm() -> nn.Transformer:
    theirs = theirs_of()
    theirs.decoder.norm = None
    return theirs


def custom_layer() -> nn.Transformer:
    class Own(nn.TransformerDecoderLayer):
        pass

    theirs = theirs_of()
    theirs.decoder.layers[1] = Own(D_MODEL, HEADS, D_FF, batch_first=True)
    return theirs


def no_layers() -> nn.Transformer:
    theirs = theirs_of()
    theirs.encoder.layers = nn.ModuleList()
    return theirs


@without_nested_tensors
@pytest.mark.parametrize(
    "make, message",
    [
        (one_norm, "module: expected a final norm on both sides or on neither, got encoder True"),
        (custom_layer, "module: expected torch's own decoder and layers, got custom ones"),
        (lambda: theirs_of(custom_encoder=nn.Identity()), "expected torch's own encoder and lay"),
        (no_layers, "module: expected at least one encoder layer, got none"),
        (lambda: theirs_of(activation=torch.tanh), "expected the activation relu or gelu, got"),
        (lambda: theirs_of(activation=nn.GELU("tanh")), "expected activation='gelu_tanh' in all"),
    ],
)
def test_modules_without_a_counterpart_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        ours_of(make())


@without_nested_tensors
def test_layers_without_biases_are_refused():
    with pytest.raises(ValueError, match="module: expected bias=True, got bias=False"):
        ours_of(theirs_of(bias=False))


@without_nested_tensors
def test_weights_do_not_depend_on_which_axis_is_the_batch():
    theirs = theirs_of(batch_first=False)
    ours, upright = ours_of(theirs), theirs_of(batch_first=True)
    upright.load_state_dict(theirs.state_dict())
    expected = ours_of(upright)
    for name in ("encoder_layers.0.attention.W_K.weight", "decoder_layers.0.attention.W_O.bias"):
        assert torch.equal(ours.state_dict()[name], expected.state_dict()[name])


def test_other_kinds_are_refused():
    with pytest.raises(TypeError, match="module: expected an nn.Transformer, got Linear"):
        from_torch(nn.Linear(2, 3), **WORDS)
    with pytest.raises(TypeError, match="model: expected a Transformer, got Linear"):
        to_torch(nn.Linear(2, 3))
