"""A Transformer by this package and by two peers, from the same weights, for a training step.

The three are pre-norm with a LayerNorm at each side's end, ReLU, learned positions, three tables of
tokens, and no dropout: what all of them can be. The attentions and norms of x-transformers have no
biases; ours and torch's have, and they start as zeros. So the three agree in everything at first,
and x-transformers has a little less to learn.
"""

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from bench.sides import X_TRANSFORMERS
from bottomup.data import Batch
from bottomup.models import Transformer, TransformerConfig
from bottomup.models.transformer_weights import from_torch, to_torch
from bottomup.results.speed import TORCH
from bottomup.training import token_cross_entropy

IGNORED = -100  # what `cross_entropy` leaves out

Named = dict[str, Tensor]


@dataclass(frozen=True, kw_only=True)
class TrainingSide:
    """One side: its parameters, its forward pass up to the loss, and its gradients.

    Attributes:
        module: what is trained.
        logits: the forward pass [batch, target, vocabulary].
        loss: from logits to the mean over real tokens.
        gradients: under our names, after a backward pass; what a side lacks is left out.
    """

    module: nn.Module
    logits: Callable[[], Tensor]
    loss: Callable[[Tensor], Tensor]
    gradients: Callable[[], Named]


def config(layers: int, d_model: int, heads: int, n: int, vocabulary: int) -> TransformerConfig:
    """Return the model that all sides can be."""
    return TransformerConfig(
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        d_model=d_model,
        encoder_layers=layers,
        decoder_layers=layers,
        num_heads=heads,
        d_ff=4 * d_model,
        positions="learned",
        shared="none",
        max_length=n,
    )


def ours(model: Transformer, batch: Batch) -> TrainingSide:
    """Return this package's model; it gets the batch alone and makes its masks itself."""
    return TrainingSide(
        module=model,
        logits=lambda: model(batch).logits,
        loss=lambda logits: token_cross_entropy(logits, batch.target_out, batch.target_mask),
        gradients=lambda: {name: _gradient(p) for name, p in model.named_parameters()},
    )


class AroundTorch(nn.Module):
    """``nn.Transformer`` between tables and unembedding, as its users write them."""

    def __init__(self, like: Transformer) -> None:
        super().__init__()
        names = ("source_embedding", "target_embedding", "unembedding")
        for name in (*names, "source_positions", "target_positions"):
            self.add_module(name, deepcopy(like.get_submodule(name)))
        self.layers = to_torch(like)
        self.scale = math.sqrt(like.config.d_model)

    def forward(self, batch: Batch, causal: Tensor, source_is_padding: Tensor) -> Tensor:
        """Return the logits. The causal mask alone keeps real targets from reading padding."""
        x = self.source_positions(self.scale * self.source_embedding(batch.source))
        y = self.target_positions(self.scale * self.target_embedding(batch.target_in))
        y = self.layers(
            x,
            y,
            tgt_mask=causal,
            tgt_is_causal=True,
            src_key_padding_mask=source_is_padding,
            memory_key_padding_mask=source_is_padding,
        )
        return self.unembedding(y)


def of_torch(like: Transformer, batch: Batch) -> TrainingSide:
    """Return ``nn.Transformer``; `tgt_is_causal` lets its kernel skip half of the work."""
    module = AroundTorch(like)
    causal = nn.Transformer.generate_square_subsequent_mask(batch.target_in.shape[1])
    padding = ~batch.source_mask
    return TrainingSide(
        module=module,
        logits=lambda: module(batch, causal, padding),
        loss=_loss(batch),
        gradients=lambda: _gradients_of_torch(module, like.config),
    )


def of_x_transformers(like: Transformer, batch: Batch) -> TrainingSide:
    """Return x-transformers' XTransformer with torch's fused kernel (`flash`).

    Its two sides are called one after the other. Its own `forward` would feed one token more than
    it gets a loss for, and give the encoder's padding as `mask`, which also sets outputs to zero.
    """
    module = as_x_transformer(like)
    encoder, decoder = module.encoder, module.decoder.net

    def logits() -> Tensor:
        mask = batch.source_mask
        memory = encoder(batch.source, self_attn_kv_mask=mask, return_embeddings=True)
        return decoder(batch.target_in, context=memory, context_mask=mask)

    return TrainingSide(
        module=module,
        logits=logits,
        loss=_loss(batch),
        gradients=lambda: {
            name: factor * _gradient(its)
            for name, its, factor in x_transformers_names(like, module)
        },
    )


def as_x_transformer(like: Transformer) -> nn.Module:
    """Return an ``XTransformer`` of the same sizes, weights and dtype."""
    from x_transformers import XTransformer  # only `make bench` installs it

    config = like.config
    sizes = {
        "num_tokens": config.target_vocabulary,
        "max_seq_len": config.max_length,
        "depth": config.encoder_layers,
        "heads": config.num_heads,
        "attn_dim_head": config.d_model // config.num_heads,
        "attn_flash": True,
        "ff_mult": config.d_ff // config.d_model,
        "ff_custom_activation": nn.ReLU(),
        "norm_add_unit_offset": False,  # the gain itself, not the gain less one
    }
    both = {f"{side}_{name}": size for side in ("enc", "dec") for name, size in sizes.items()}
    module = XTransformer(dim=config.d_model, **both).to(like.target_embedding.weight)
    with torch.no_grad():
        for name, its, factor in x_transformers_names(like, module):
            its.copy_(factor * like.get_parameter(name))
    return module


def x_transformers_names(
    like: Transformer, module: nn.Module
) -> Iterator[tuple[str, nn.Parameter, float]]:
    """Yield our parameter's name, its parameter, and its values in units of ours.

    x-transformers does not scale embeddings by sqrt(d_model), and divides positions by it.
    """
    root = math.sqrt(like.config.d_model)
    attention = {"W_Q": "to_q", "W_K": "to_k", "W_V": "to_v", "W_O": "to_out"}
    maps = {"W_in": "ff.0.0", "W_out": "ff.2"}
    parts = {
        "encoder": ("attention", "feed_forward"),
        "decoder": ("attention", "cross_attention", "feed_forward"),
    }
    for side, language in (("encoder", "source"), ("decoder", "target")):
        its = module.encoder if side == "encoder" else module.decoder.net
        yield f"{language}_embedding.weight", its.token_emb.emb.weight, root
        yield f"{language}_positions.table", its.pos_emb.emb.weight, root
        for number, (norms, block, _) in enumerate(its.attn_layers.layers):
            layer, part = divmod(number, len(parts[side]))
            name, path = parts[side][part], f"{side}_layers.{layer}"
            yield f"{path}.around_{name}.norm.gain", norms[0].gamma, 1.0
            for mine, other in (maps if name == "feed_forward" else attention).items():
                for kind, parameter in block.get_submodule(other).named_parameters():
                    yield f"{path}.{name}.{mine}.{kind}", parameter, 1.0
        yield f"{side}_norm.gain", its.attn_layers.final_norm.gamma, 1.0
    yield "unembedding.weight", module.decoder.net.to_logits.weight, 1.0


def _gradients_of_torch(module: AroundTorch, config: TransformerConfig) -> Named:
    """Return the gradients under our names.

    A copy of torch's module gets the gradients as its weights, and the conversion that copies
    weights then copies gradients.
    """
    holder = deepcopy(module.layers)
    for its, trained in zip(holder.parameters(), module.layers.parameters(), strict=True):
        its.data = _gradient(trained)
    sizes = {
        "source_vocabulary": config.source_vocabulary,
        "target_vocabulary": config.target_vocabulary,
    }
    found = dict(from_torch(holder, **sizes).named_parameters())
    layers = {name: p.detach() for name, p in found.items() if name.startswith(("enc", "dec"))}
    others = module.named_parameters()
    return layers | {n: _gradient(p) for n, p in others if not n.startswith("layers.")}


def _loss(batch: Batch) -> Callable[[Tensor], Tensor]:
    wanted = batch.target_out.masked_fill(~batch.target_mask, IGNORED).flatten()
    return lambda logits: cross_entropy(logits.flatten(0, 1), wanted, ignore_index=IGNORED)


def _gradient(parameter: Tensor) -> Tensor:
    if parameter.grad is None:
        raise RuntimeError("expected a gradient; was there a backward pass?")
    return parameter.grad.detach().clone()


TRAINED = {TORCH: of_torch, X_TRANSFORMERS: of_x_transformers}
