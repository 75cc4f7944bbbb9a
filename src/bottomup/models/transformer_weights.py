"""A Transformer's layers from and to torch's own module, with the same weights."""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup import attention
from bottomup.attention import MultiHeadAttention
from bottomup.blocks.normalization import EPSILON
from bottomup.models.transformer import Transformer
from bottomup.models.transformer_config import TransformerConfig

# the parts of a layer, by our name and by torch's, which numbers norms in the sublayers' order
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
    """Return a `Transformer` whose layers have copies of the weights of torch's module.

    torch's module holds layers and final norms alone. Tables of tokens and of positions are drawn
    as for a new model, and the keywords say which there are; they mean what they mean in
    `TransformerConfig`. Dropout, dtype, device and training mode are kept.

    torch appends a LayerNorm to each side, after layers with ``norm_first=False`` too, where the
    paper has none. It is copied like the rest; a module whose norms were taken away
    (``module.encoder.norm = module.decoder.norm = None``) gives a model without.

    Chapter 05 compares the two modules.
    """
    if not isinstance(module, nn.Transformer):
        raise TypeError(
            f"module: expected an nn.Transformer, got {type(module).__name__}"
        )
    layer = _first_layer(module)
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
        final_norm=_has_final_norms(module),
    )
    ours = Transformer(config).to(layer.linear1.weight)
    for mine, its in _pairs(ours, module):
        _copy(
            mine,
            attention.from_torch(its)
            if isinstance(its, nn.MultiheadAttention)
            else its,
        )
    return ours.train(module.training)


def to_torch(model: Transformer) -> nn.Transformer:
    """Return an ``nn.Transformer`` (batch first) with copies of the weights of a model's layers.

    The inverse of `from_torch`. Embeddings, positions and unembedding stay behind: torch's module
    maps the streams that the first layers read to the stream that the unembedding reads. Where the
    model has no final norms, those of torch's module are taken away. Layers that are one object in
    the model become copies.

    torch's boolean masks say where a query may *not* attend.

    Chapter 05 compares the two modules.
    """
    if not isinstance(model, Transformer):
        raise TypeError(
            f"model: expected a Transformer, got {type(model).__name__}"
        )
    with torch.random.fork_rng(
        devices=[]
    ):  # what is drawn is overwritten below
        theirs = _new_torch_module(model.config).to(
            model.target_embedding.weight
        )
    for mine, its in _pairs(model, theirs):
        _copy(
            its,
            attention.to_torch(mine)
            if isinstance(mine, MultiHeadAttention)
            else mine,
        )
    return theirs.train(model.training)


def _new_torch_module(config: TransformerConfig) -> nn.Transformer:
    sizes = (
        config.d_model,
        config.num_heads,
        config.d_ff,
        float(config.dropout),
    )
    options = {"batch_first": True, "norm_first": config.norm == "pre"}
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*sizes, config.activation, **options),
        config.encoder_layers,
        nn.LayerNorm(config.d_model) if config.ends_in_norm else None,
        enable_nested_tensor=False,  # torch warns where it cannot use them, as with pre-norm
    )
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(*sizes, config.activation, **options),
        config.decoder_layers,
        nn.LayerNorm(config.d_model) if config.ends_in_norm else None,
    )
    return nn.Transformer(
        config.d_model,
        config.num_heads,
        custom_encoder=encoder,
        custom_decoder=decoder,
        batch_first=True,
    )


def _pairs(
    ours: Transformer, theirs: nn.Transformer
) -> Iterator[tuple[nn.Module, nn.Module]]:
    """Yield what corresponds to each other: attentions, maps and norms, ours and torch's."""
    sides = (
        (ENCODER, ours.encoder_layers, theirs.encoder.layers),
        (DECODER, ours.decoder_layers, theirs.decoder.layers),
    )
    for names, our_layers, torch_layers in sides:
        for mine, its in zip(our_layers, torch_layers, strict=True):
            for our_name, torch_name in names.items():
                yield (
                    mine.get_submodule(our_name),
                    its.get_submodule(torch_name),
                )
    if ours.config.ends_in_norm:
        yield ours.encoder_norm, theirs.encoder.norm
        yield ours.decoder_norm, theirs.decoder.norm


def _copy(to: nn.Module, of: nn.Module) -> None:
    """Copy the parameters; of maps and norms, both have the weight (gain) before the bias."""
    with torch.no_grad():
        for target, source in zip(
            to.parameters(), of.parameters(), strict=True
        ):
            target.copy_(source)


def _first_layer(module: nn.Transformer) -> nn.TransformerEncoderLayer:
    """Return a layer, whose options are those of all, after checking them."""
    for side, stack, kind in (
        ("encoder", nn.TransformerEncoder, nn.TransformerEncoderLayer),
        ("decoder", nn.TransformerDecoder, nn.TransformerDecoderLayer),
    ):
        given = getattr(module, side)
        if type(given) is not stack or any(
            type(layer) is not kind for layer in given.layers
        ):
            raise ValueError(
                f"module: expected torch's own {side} and layers, got custom ones"
            )
        if len(given.layers) == 0:
            raise ValueError(
                f"module: expected at least one {side} layer, got none"
            )
    if not module.batch_first:
        raise ValueError(
            "module: expected batch_first=True, got batch_first=False"
        )
    layer = module.encoder.layers[0]
    if layer.linear1.bias is None:
        raise ValueError("module: expected bias=True, got bias=False")
    if layer.norm1.eps != EPSILON:
        raise ValueError(
            f"module: expected layer_norm_eps={EPSILON}, got {layer.norm1.eps}"
        )
    return layer


def _activation_name(activation: Callable[[Tensor], Tensor]) -> str:
    for name, function, kind in (
        ("relu", F.relu, nn.ReLU),
        ("gelu", F.gelu, nn.GELU),
    ):
        approximate = getattr(activation, "approximate", "none")
        if activation is function or (
            isinstance(activation, kind) and approximate == "none"
        ):
            return name
    raise ValueError(
        f"module: expected the activation relu or exact gelu, got {activation!r}"
    )


def _has_final_norms(module: nn.Transformer) -> bool:
    """Say whether both sides end in a norm; refuse a module where one does."""
    norms = [side.norm is not None for side in (module.encoder, module.decoder)]
    if norms[0] != norms[1]:
        raise ValueError(
            "module: expected a final norm on both sides or on neither, "
            f"got encoder {norms[0]}, decoder {norms[1]}"
        )
    return norms[0]
