"""A Transformer's layers from torch's own module and to it: same weights."""

from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup import attention
from bottomup.attention import MultiHeadAttention
from bottomup.blocks.feed_forward import ACTIVATIONS
from bottomup.checks import check_weights
from bottomup.models.transformer import Transformer
from bottomup.models.transformer_config import TransformerConfig

# A layer's parts, by our name and by torch's, which numbers norms in the order
# of the sublayers.
BOTH = {
    "attention": "self_attn",
    "feed_forward.W_in": "linear1",
    "feed_forward.W_out": "linear2",
    "around_attention.norm": "norm1",
}
ENCODER = {**BOTH, "around_feed_forward.norm": "norm2"}
DECODER = {
    **BOTH,
    "cross_attention": "multihead_attn",
    "around_cross_attention.norm": "norm2",
    "around_feed_forward.norm": "norm3",
}


def from_torch(
    module: nn.Transformer,
    *,
    source_vocabulary: int,
    target_vocabulary: int,
    shared: str = "target",
    positions: str = "sinusoidal",
    max_length: int = 256,
) -> Transformer:
    """Return a `Transformer` whose layers have copies of torch's weights.

    torch's module holds layers and final norms alone. Tables of tokens and of
    positions are drawn as for a new model, and the keywords say which there
    are; they mean what they mean in `TransformerConfig`. Dropout, dtype, device
    and training mode are kept.

    torch appends a LayerNorm to each side, after layers with
    ``norm_first=False`` too, where the paper has none. It is copied like the
    rest; a module whose norms were taken away
    (``module.encoder.norm = module.decoder.norm = None``) gives a model
    without.

    The module has torch's own layers, at least one on each side and all with
    the same options, biases, and relu or gelu. The batch comes first in ours,
    whatever `batch_first` says. Of a module that is given as `activation`, such
    as ``nn.GELU()``, torch's copies of a decoder layer know nothing: they
    compute with relu. Give a function.

    Chapter 05 compares the two modules.

    Example:
        >>> module = nn.Transformer(12, 2, 1, 1, 7, batch_first=True)
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> from_torch(module, **sizes).config.norm
        'post'
    """
    if not isinstance(module, nn.Transformer):
        raise TypeError(
            f"module: expected an nn.Transformer, got {type(module).__name__}"
        )
    _check_options(module)
    layer = module.encoder.layers[0]  # its options are those of all
    config = TransformerConfig(
        source_vocabulary=source_vocabulary,
        target_vocabulary=target_vocabulary,
        d_model=module.d_model,
        encoder_layers=len(module.encoder.layers),
        decoder_layers=len(module.decoder.layers),
        num_heads=module.nhead,
        d_ff=layer.linear1.out_features,
        norm="pre" if layer.norm_first else "post",
        activation=_activation_name(layer.activation),
        dropout=layer.dropout.p,
        positions=positions,
        max_length=max_length,
        shared=shared,
        final_norm=module.encoder.norm is not None,
        epsilon=layer.norm1.eps,
    )
    with torch.device("meta"):  # shapes without numbers
        plain = _new_torch_module(config)
    check_weights("module", module.state_dict(), plain.state_dict())
    device = layer.linear1.weight.device
    ours = Transformer(config).to(device, _dtype(module))
    for mine, its in _pairs(ours, module):
        if isinstance(its, nn.MultiheadAttention):
            its = attention.from_torch(its)
        _copy(mine, its)
    return ours.train(module.training)


def to_torch(model: Transformer) -> nn.Transformer:
    """Return an ``nn.Transformer`` (batch first) with copies of the weights.

    The inverse of `from_torch`. Embeddings, positions and unembedding stay
    behind: torch's module maps the streams that the first layers read to the
    stream that the unembedding reads. Where the model has no final norms, those
    of torch's module are taken away. Layers that are one object in the model
    become copies. Layers in which a part or an option was exchanged are
    refused.

    torch's boolean masks say where a query may *not* attend.

    Chapter 05 compares the two modules.

    Example:
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> module = to_torch(model)
        >>> len(module.encoder.layers), module.d_model
        (1, 16)
    """
    if not isinstance(model, Transformer):
        raise TypeError(
            f"model: expected a Transformer, got {type(model).__name__}"
        )
    _check_as_configured(model)
    with torch.random.fork_rng(devices=[]):  # what is drawn is overwritten
        theirs = _new_torch_module(model.config)
    theirs.to(model.target_embedding.weight.device, _dtype(model))
    for mine, its in _pairs(model, theirs):
        if isinstance(mine, MultiHeadAttention):
            mine = attention.to_torch(mine)
        _copy(its, mine)
    return theirs.train(model.training)


def _new_torch_module(config: TransformerConfig) -> nn.Transformer:
    width, heads, epsilon = config.d_model, config.num_heads, config.epsilon
    sizes = (width, heads, config.d_ff, float(config.dropout))
    options: dict[str, Any] = {
        "activation": _for_torch(config.activation),
        "layer_norm_eps": epsilon,
        "batch_first": True,
        "norm_first": config.norm == "pre",
    }

    def final_norm() -> nn.LayerNorm | None:
        ends = config.ends_in_norm
        return nn.LayerNorm(width, epsilon) if ends else None

    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*sizes, **options),
        config.encoder_layers,
        final_norm(),
        enable_nested_tensor=False,  # pre-norm cannot, and torch would warn
    )
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(*sizes, **options),
        config.decoder_layers,
        final_norm(),
    )
    return nn.Transformer(
        width,
        heads,
        custom_encoder=encoder,
        custom_decoder=decoder,
        batch_first=True,
    )


def _for_torch(name: str) -> str | Callable[[Tensor], Tensor]:
    """Return an activation as torch's layers take it: it knows two by name."""
    return name if name in ("relu", "gelu") else ACTIVATIONS[name]


def _pairs(
    ours: Transformer, theirs: nn.Transformer
) -> Iterator[tuple[nn.Module, nn.Module]]:
    """Yield attentions, maps and norms that correspond, ours and torch's."""
    sides = (
        (ENCODER, ours.encoder_layers, theirs.encoder.layers),
        (DECODER, ours.decoder_layers, theirs.decoder.layers),
    )
    for names, our_layers, torch_layers in sides:
        for mine, its in zip(our_layers, torch_layers, strict=True):
            for our_name, torch_name in names.items():
                part = its.get_submodule(torch_name)
                yield mine.get_submodule(our_name), part
    if ours.config.ends_in_norm:
        yield ours.encoder_norm, theirs.encoder.norm
        yield ours.decoder_norm, theirs.decoder.norm


def _copy(to: nn.Module, of: nn.Module) -> None:
    """Copy parameters; of a map or a norm, both have the bias last."""
    with torch.no_grad():
        pairs = zip(to.parameters(), of.parameters(), strict=True)
        for target, source in pairs:
            target.copy_(source)


def _dtype(module: nn.Module) -> torch.dtype:
    """Return a dtype in which no number of a module is rounded."""
    return reduce(torch.promote_types, (p.dtype for p in module.parameters()))


def _check_as_configured(model: Transformer) -> None:
    """Refuse a model in which something was exchanged after it was made."""
    with torch.device("meta"):  # shapes without numbers
        plain = Transformer(model.config)
    check_weights("model", model.state_dict(), plain.state_dict())
    parts = ((name, part) for name, part in plain.named_modules() if name)
    for name, part in parts:
        wanted, got = _choices(part), _choices(model.get_submodule(name))
        if got != wanted:
            raise ValueError(
                f"model: expected {name} as its configuration says, {wanted}, "
                f"got {got}"
            )


def _choices(part: nn.Module) -> str:
    return f"{type(part).__name__}({part.extra_repr()})"


def _check_options(module: nn.Transformer) -> None:
    """Refuse a module that has no counterpart here."""
    for name, stack, kind in (
        ("encoder", nn.TransformerEncoder, nn.TransformerEncoderLayer),
        ("decoder", nn.TransformerDecoder, nn.TransformerDecoderLayer),
    ):
        side = getattr(module, name)
        if type(side) is not stack or any(
            type(layer) is not kind for layer in side.layers
        ):
            raise ValueError(
                f"module: expected torch's own {name} and layers, "
                "got custom ones"
            )
        if len(side.layers) == 0:
            raise ValueError(
                f"module: expected at least one {name} layer, got none"
            )
    first = _options(module.encoder.layers[0])
    if not first["bias"]:
        raise ValueError("module: expected bias=True, got bias=False")
    sides = {"encoder": module.encoder, "decoder": module.decoder}
    for name, side in sides.items():
        for number, layer in enumerate(side.layers):
            _check_alike(f"{name}.layers.{number}", _options(layer), first)
    norms = [side.norm is not None for side in (module.encoder, module.decoder)]
    if norms[0] != norms[1]:
        raise ValueError(
            "module: expected a final norm on both sides or on neither, "
            f"got encoder {norms[0]}, decoder {norms[1]}"
        )
    wanted = {"layer_norm_eps": first["layer_norm_eps"]}
    for name, side in sides.items():
        norm = side.norm
        if norm is not None and not isinstance(norm, nn.LayerNorm):
            got = type(norm).__name__
            raise ValueError(
                f"module: expected a LayerNorm at the end of {name}, got {got}"
            )
        if norm is not None:
            _check_alike(f"{name}.norm", {"layer_norm_eps": norm.eps}, wanted)


def _options(layer: Any) -> dict[str, Any]:
    """Return what a layer of torch's does, under the names of its arguments."""
    dropouts = {m.p for m in layer.modules() if isinstance(m, nn.Dropout)}
    epsilons = {m.eps for m in layer.modules() if isinstance(m, nn.LayerNorm)}
    attentions = [
        m for m in layer.modules() if isinstance(m, nn.MultiheadAttention)
    ]
    dropouts |= {m.dropout for m in attentions}
    widths = {m.num_heads for m in attentions}
    return {
        "bias": layer.linear1.bias is not None,
        "layer_norm_eps": _one(epsilons),
        "nhead": _one(widths),
        "dim_feedforward": layer.linear1.out_features,
        "norm_first": layer.norm_first,
        "activation": _activation_name(layer.activation),
        "dropout": _one(dropouts),
    }


def _one(values: set[Any]) -> Any:
    """Return what all have in common, or all of them, as a list."""
    return values.pop() if len(values) == 1 else sorted(values)


def _check_alike(name: str, got: dict[str, Any], first: dict[str, Any]) -> None:
    for option, wanted in first.items():
        if isinstance(got[option], list):
            raise ValueError(
                f"module: expected one {option} in a layer, "
                f"got {got[option]} in {name}"
            )
        if got[option] != wanted:
            raise ValueError(
                f"module: expected {option}={wanted!r} in all layers, as in "
                f"the encoder's first, got {got[option]!r} in {name}"
            )


def _activation_name(activation: Callable[[Tensor], Tensor]) -> str:
    if activation is F.relu or isinstance(activation, nn.ReLU):
        return "relu"
    approximate = None
    if activation is F.gelu:
        approximate = "none"
    elif isinstance(activation, nn.GELU):
        approximate = activation.approximate
    elif isinstance(activation, partial) and activation.func is F.gelu:
        approximate = activation.keywords.get("approximate", "none")
    names = {"none": "gelu", "tanh": "gelu_tanh"}
    if approximate not in names:
        wanted = "the activation relu or gelu"
        raise ValueError(f"module: expected {wanted}, got {activation!r}")
    return names[approximate]
