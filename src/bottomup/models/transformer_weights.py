"""A Transformer's layers from torch's own module and to it: same weights."""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup import attention
from bottomup.attention import MultiHeadAttention
from bottomup.blocks.normalization import EPSILON
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

    The module has torch's own layers, at least one on each side, biases, the
    default layer_norm_eps, relu or exact gelu, and ``batch_first=True``.

    Chapter 05 compares the two modules.
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
    )
    ours = Transformer(config).to(layer.linear1.weight)
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
    become copies.

    torch's boolean masks say where a query may *not* attend.

    Chapter 05 compares the two modules.
    """
    if not isinstance(model, Transformer):
        raise TypeError(
            f"model: expected a Transformer, got {type(model).__name__}"
        )
    with torch.random.fork_rng(devices=[]):  # what is drawn is overwritten
        theirs = _new_torch_module(model.config)
    theirs.to(model.target_embedding.weight)
    for mine, its in _pairs(model, theirs):
        if isinstance(mine, MultiHeadAttention):
            mine = attention.to_torch(mine)
        _copy(its, mine)
    return theirs.train(model.training)


def _new_torch_module(config: TransformerConfig) -> nn.Transformer:
    width, heads, dropout = config.d_model, config.num_heads, config.dropout
    sizes = (width, heads, config.d_ff, float(dropout))
    options = {"batch_first": True, "norm_first": config.norm == "pre"}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*sizes, config.activation, **options),
        config.encoder_layers,
        nn.LayerNorm(width) if config.ends_in_norm else None,
        enable_nested_tensor=False,  # pre-norm cannot, and torch would warn
    )
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(*sizes, config.activation, **options),
        config.decoder_layers,
        nn.LayerNorm(width) if config.ends_in_norm else None,
    )
    return nn.Transformer(
        width,
        heads,
        custom_encoder=encoder,
        custom_decoder=decoder,
        batch_first=True,
    )


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
    layer = module.encoder.layers[0]
    for option, value, wanted in (
        ("batch_first", module.batch_first, True),
        ("bias", layer.linear1.bias is not None, True),
        ("layer_norm_eps", layer.norm1.eps, EPSILON),
    ):
        if value != wanted:
            raise ValueError(
                f"module: expected {option}={wanted}, got {option}={value}"
            )
    norms = [side.norm is not None for side in (module.encoder, module.decoder)]
    if norms[0] != norms[1]:
        raise ValueError(
            "module: expected a final norm on both sides or on neither, "
            f"got encoder {norms[0]}, decoder {norms[1]}"
        )


def _activation_name(activation: Callable[[Tensor], Tensor]) -> str:
    if activation is F.relu or isinstance(activation, nn.ReLU):
        return "relu"
    exact = getattr(activation, "approximate", "none") == "none"
    if activation is F.gelu or (isinstance(activation, nn.GELU) and exact):
        return "gelu"
    raise ValueError(
        "module: expected the activation relu or exact gelu, "
        f"got {activation!r}"
    )
